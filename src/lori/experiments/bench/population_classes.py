"""Classes of people: are kinds that are there found, with their shares, orders, members and thresholds?

Three kinds: some put cost first, some comfort, and some trade off. In another case a tenth of the people answer at
random, and in a third one everybody is alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import permutations
from pathlib import Path

import numpy as np
from scipy import special

from lori.data.preferences import Preferences
from lori.estimators.population import Population, PopulationClass
from lori.evaluation.classes import select_classes
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import Keeping
from lori.inference.population.panel import Panel
from lori.inference.posterior.importance import gaussian
from lori.model.ordered import OrderedModel

FEATURES = ("cost", "time", "comfort")
KINDS = (
    OrderedModel.linear([[-3.0, 0.0, 0.0], [0.0, -3.0, 0.0]], epsilon=[3.0, 0.0], features=FEATURES),
    OrderedModel.linear([[0.0, 0.0, 3.0], [-3.0, 0.0, 0.0]], epsilon=[3.0, 0.0], features=FEATURES),
    OrderedModel.linear([[-1.5, -1.5, 1.5]], epsilon=[0.0], features=FEATURES),
)
AT_RANDOM = OrderedModel.linear([[0.0, 0.0, 0.0]], epsilon=[0.0], features=FEATURES)
SHARES = (0.4, 0.35, 0.25)
BINS = 10
NEAR, NEAR_CARELESS = 0.08, 0.04  # how far a share may be off


@dataclass(frozen=True)
class ClassesSettings:
    """How many data sets, of how many people."""

    repeats: int = 100
    """Data sets. With 50, chance often puts even the true memberships 2 standard errors off in one of ten bins."""
    alike: int = 20
    """Data sets of people who are all alike."""
    first: int = 100
    """Seed of the first one."""
    people: int = 300
    """In each data set."""
    choices: int = 20
    """Of each person."""
    starts: int = 24
    """Of each search."""
    levels: tuple[int, ...] = (2, 2, 1)
    """Of the classes that are fitted."""
    jobs: int = 2
    """Data sets worked on at the same time."""


@dataclass(frozen=True)
class CarelessSettings(ClassesSettings):
    """How many data sets, of how many people, some of whom answer at random."""

    repeats: int = 50
    """Data sets."""
    levels: tuple[int, ...] = (2, 2, 2, 2)
    """Of the classes that are fitted: nobody knows beforehand who answers at random."""
    careless: float = 0.1
    """Share of the people who do."""


SMOKE = ClassesSettings(repeats=1, alike=1, people=30, choices=8, starts=4, jobs=1)
CARELESS_SMOKE = CarelessSettings(repeats=1, people=30, choices=8, starts=4, jobs=1)


def answers(
    kinds: tuple[OrderedModel, ...], shares: tuple[float, ...], people: int, choices: int, seed: int
) -> tuple[Preferences, np.ndarray]:
    """What people of several kinds chose between two random alternatives, and of which kind each of them is."""
    generator = np.random.default_rng(seed)
    kind = generator.choice(len(kinds), size=people, p=np.asarray(shares) / np.sum(shares))
    sides = generator.normal(size=(2, people, choices, len(FEATURES)))
    counts = np.empty((people, choices, 3))
    for place, own in enumerate(kinds):
        left, right = (side[kind == place].reshape(-1, len(FEATURES)) for side in sides)
        if len(left):
            counts[kind == place] = own.sample(left, right, seed=generator).reshape(-1, choices, 3)
    left, right = (side.reshape(-1, len(FEATURES)) for side in sides)
    agent = np.repeat(np.arange(people), choices).astype(str)
    data = Preferences.from_arrays(left, right, counts=counts.reshape(-1, 3), features=FEATURES, agent=agent)
    return data, kind


@dataclass(frozen=True, eq=False)
class Recovered:
    """What became of one data set."""

    shares_off: float  # the largest difference between true and estimated shares
    ordered: bool  # both orders were found
    covered: tuple[bool, ...]  # by the 90 % intervals of the thresholds of the two orders
    predicted: list[float]  # probabilities of belonging to each kind
    belongs: Sequence[float]  # one where they do, else zero
    known: list[float]  # the same probabilities for somebody who knows the true kinds and shares
    careless: float = 0.0  # share of the class that answers at random, zero if none does


def recovered(work: tuple[ClassesSettings, int]) -> Recovered:
    """Fit as many classes as there are, and compare them with the truth."""
    settings, seed = work
    careless = getattr(settings, "careless", 0.0)
    kinds = (*KINDS, AT_RANDOM) if careless else KINDS
    shares = (*(own * (1 - careless) for own in SHARES), *[careless][: bool(careless)])
    data, kind = answers(kinds, shares, settings.people, settings.choices, seed)
    people = Population(classes=len(kinds), levels=settings.levels, starts=settings.starts, seed=seed).fit(data)
    true = kind[[int(agent) for agent in people.agents_]]
    belongs = true[:, None] == np.arange(len(kinds))
    order = max(permutations(range(len(kinds))), key=lambda own: float(np.sum(people.members_[:, list(own)] * belongs)))
    members, classes = people.members_[:, list(order)], [people.classes_[place] for place in order]
    told = [people.summary().classes[place] for place in order]
    found = [own.share for own in told if own.careless]
    return Recovered(
        shares_off=float(np.abs(people.shares_[list(order)] - belongs.mean(axis=0)).max()),
        ordered=all(_same_order(classes[place], KINDS[place]) for place in (0, 1)),
        covered=tuple(_covered(people, order[place], KINDS[place], seed) for place in (0, 1)),
        predicted=members.ravel().tolist(),
        belongs=belongs.ravel().tolist(),
        known=true_memberships(kinds, shares, data, people.agents_).ravel().tolist(),
        careless=float(sum(found)),
    )


def true_memberships(
    kinds: tuple[OrderedModel, ...], shares: tuple[float, ...], data: Preferences, agents: Sequence[str]
) -> np.ndarray:
    """(agents, kinds) for somebody who knows how each kind chooses and how frequent it is: by Bayes' rule."""
    panel, sides = Panel.of(data), (data.left_features, data.right_features)
    rows = np.stack([own.likelihood.log_likelihood(data, own.predict_log_proba(*sides)) for own in kinds])
    posterior = special.softmax(panel.totals(rows).T + np.log(shares), axis=1)
    return posterior[panel.numbers_of(np.asarray(agents))]


def _same_order(found: PopulationClass, truth: OrderedModel) -> bool:
    """Is each level led by the feature that leads it in truth, with the same sign?"""
    if len(found.levels_) != len(truth.levels):
        return False
    for own, true in zip(found.levels_, truth.levels, strict=True):
        lead = int(np.abs(true.weights).argmax())
        if int(np.abs(own.weights).argmax()) != lead or own.weights[lead] * true.weights[lead] <= 0:
            return False
    return True


def _covered(people: Population, place: int, truth: OrderedModel, seed: int) -> bool:
    """Does the 90 % interval of the threshold of what comes first hold the true one?"""
    optimum = people.fit_.classes[place].optimum
    drawn = gaussian([optimum], 2048, np.random.default_rng(seed))
    lead = int(np.abs(truth.levels[0].weights).argmax())
    thresholds = np.asarray(optimum.units.of_draws(drawn.draws)[0].thresholds)[:, lead]
    order = np.argsort(thresholds)
    reached = np.cumsum(drawn.shares[order])
    low, high = (thresholds[order][np.searchsorted(reached, at * reached[-1])] for at in (0.05, 0.95))
    return bool(low <= truth.levels[0].thresholds[lead] <= high)


def measure(
    settings: ClassesSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    keeping, measured = Keeping(out, say, progress), Measured()
    found = _each(keeping, "population-classes", settings)
    right, covered, worst, off = _told(measured, "levels as they are", found, settings)
    known = calibration([replace(own, predicted=own.known) for own in found])
    least = max(abs(own.apart) for own in known)
    wider = replace(settings, levels=(2, 2, 2))
    _told(measured, "two levels each", _each(keeping, "population-classes-wider", wider), settings)
    count = min(settings.alike, settings.repeats)
    cells = keeping.each("population-alike", _recommended_one, settings, partial(_numbered, settings), count)
    alike = [cell["one"] for cell in cells]
    case = f"{settings.people} people × {settings.choices} choices"
    measured.rows += [
        Row(case, "members, truth known", note="; ".join(map(str, known)), measures={"worst": least}),
        Row(case, "members, truth known", note=f"worst bin {least:.2f} standard errors"),
        Row(case, "people who are alike", note=f"recommended as one in {sum(alike)} of {len(alike)}"),
    ]
    measured.claim("population-classes: share of data sets with right classes", right / len(found), 0.94, at_least=True)
    measured.claim("population-classes: coverage of 90 % intervals, at least", covered, 0.85, at_least=True)
    measured.claim("population-classes: coverage of 90 % intervals, at most", covered, 0.95)
    measured.claim("population-classes: worst of ten bins of membership, in standard errors", worst, 2.0)
    measured.claim("population-classes: the same, by what who knows the truth expects", off, 2.0)
    measured.claim("population-classes: people alike taken for one class", np.mean(alike), 0.95, at_least=True)
    return measured


def _told(
    measured: Measured, fitted: str, found: list[Recovered], settings: ClassesSettings
) -> tuple[int, float, float, float]:
    """Rows for classes of these levels: how often shares and orders are right, how often intervals cover, and how far
    memberships are off in the worst bin, in standard errors: as seen, and as expected.

    Beside what was seen stands what somebody expects who knows the truth: there chance has no part in who is who.
    """
    right = sum(own.ordered and own.shares_off <= NEAR for own in found)
    covered, bins = float(np.mean([own.covered for own in found])), calibration(found)
    worst, naive = (max(abs(getattr(own, name)) for own in bins) for name in ("apart", "naive"))
    expected = calibration([replace(own, belongs=own.known) for own in found])
    off = max(abs(own.apart) for own in expected)
    case = f"{settings.people} people × {settings.choices} choices, {len(found)} data sets, {fitted}"
    measured.rows += [
        Row(case, "three classes", note=f"shares and orders right in {right}", measures={"right": right}),
        Row(case, "thresholds", note=f"90 % intervals hold {covered:.0%}", measures={"covered": covered}),
        Row(case, "members", note="; ".join(map(str, bins)), measures={"worst": worst, "naive": naive}),
        Row(case, "members", note=f"worst bin {worst:.2f} standard errors; {naive:.2f} if all were independent"),
        Row(
            case, "members, as expected by who knows the truth", measures={"worst": off},
            note="; ".join(f"{own.predicted:.3f} predicted, {own.seen:.3f} expected" for own in expected)
            + f"; worst bin {off:.2f} standard errors",
        ),
    ]  # fmt: skip
    return right, covered, worst, off


def _each(keeping: Keeping, name: str, settings: ClassesSettings) -> list[Recovered]:
    """What became of each data set."""
    work = partial(_numbered, settings)
    cells = keeping.each(name, lambda own: asdict(recovered(own)), settings, work, settings.repeats)
    return [Recovered(**cell) for cell in cells]


def _numbered(settings: ClassesSettings, number: int) -> tuple[ClassesSettings, int]:
    return settings, settings.first + number


@dataclass(frozen=True)
class Bin:
    """Memberships that are about as likely: predicted and seen, and how far these are apart, in standard errors."""

    predicted: float
    seen: float
    count: int
    apart: float  # the error is told from how much data sets differ
    naive: float  # as if all memberships were independent

    def __str__(self) -> str:
        return f"{self.predicted:.3f} predicted, {self.seen:.3f} seen ({self.count:,})"


def calibration(found: list[Recovered]) -> list[Bin]:
    """Predicted against observed memberships in ten bins.

    People of one data set share its estimates, and a person's three memberships add up to one. So data sets are the
    clusters: with d = Σ (belongs − predicted) and n memberships of a data set in a bin, the difference is
    D = Σ d / Σ n, and its variance S / (S − 1) Σ (d − n D)² / (Σ n)² for S data sets.
    """
    predicted, belongs = (np.array([getattr(own, name) for own in found], float) for name in ("predicted", "belongs"))
    place = np.minimum((predicted * BINS).astype(int), BINS - 1)
    bins, sets = [], len(found)
    for number in range(BINS):
        own = place == number
        if not own.any():
            continue
        counts, off = own.sum(axis=1), np.sum(own * (belongs - predicted), axis=1)
        total = int(counts.sum())
        difference = float(off.sum()) / total
        naive = np.sqrt(np.sum(own * predicted * (1 - predicted))) / total
        between = np.sqrt(sets / max(sets - 1, 1) * np.sum((off - counts * difference) ** 2)) / total
        error = between if sets > 1 else naive
        mean, seen = float(predicted[own].mean()), float(belongs[own].mean())
        bins.append(Bin(mean, seen, total, float(difference / error), float(difference / naive)))
    return bins


def _recommended_one(work: tuple[ClassesSettings, int]) -> dict[str, bool]:
    """Are people who are all alike taken for one class?"""
    settings, seed = work
    data, _ = answers(KINDS[:1], (1.0,), settings.people, settings.choices, seed)
    estimator = Population(levels=2, starts=settings.starts, seed=seed)
    chosen = select_classes(data, 3, estimator=estimator, held_out=False).recommended
    return {"one": chosen.classes == 1 and not chosen.spread}


def measure_careless(
    settings: CarelessSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    found = _each(Keeping(out, say, progress), "population-careless", settings)
    near = sum(abs(own.careless - settings.careless) <= NEAR_CARELESS for own in found)
    orders = sum(own.ordered for own in found)
    case = f"{settings.people} people × {settings.choices} choices, {settings.careless:.0%} at random"
    note = f"found within {NEAR_CARELESS} in {near}, both orders right in {orders} of {len(found)}"
    measured = Measured([Row(case, "four classes", note=note, measures={"near": near, "orders": orders})])
    share = near / len(found)
    measured.claim("population-careless: share of data sets with the careless found", share, 0.9, at_least=True)
    measured.claim("population-careless: share with right orders", orders / len(found), 0.9, at_least=True)
    return measured
