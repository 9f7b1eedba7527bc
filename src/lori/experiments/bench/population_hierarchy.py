"""People who differ continuously: are they foretold better than by one model for all, one for each, and classes?

Everybody has two levels with parameters of their own, and ties are observed. What nobody can surpass on average is
the prediction of somebody who knows the true distribution between people, and has seen the same choices. A second
case asks for the number of levels: one-level people who differ, and people half of whom have two levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import special

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.estimators.population import Population
from lori.evaluation.lexicographic import lexicographic_people
from lori.evaluation.people import by_each, single_of
from lori.experiments.bench import populations
from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.experiments.bench.trials import Keeping
from lori.inference.population.panel import Panel
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings
from lori.inference.statistics import Scaling
from lori.model.ordered import OrderedModel

FEATURES = ("cost", "time", "comfort")
WEIGHTS = np.array([[2.0, 0.5, 0.0], [0.0, 1.0, 2.0]])
THRESHOLDS, LEAST = np.array([2.0, 0.7]), 0.05
WEIGHTS_DIFFER, THRESHOLDS_DIFFER = 0.8, np.array([1.0, 0.3])  # deviations between people
TOGETHER = 500  # draws that are computed at a time
NEAR_TRUTH = 0.02  # of a choice
OWN, TRUE, ALL, EACH, MIXED = "people who differ", "the truth", "one model for all", "one for each", "the best mixture"


@dataclass(frozen=True)
class HierarchySettings:
    """How many populations, of how many people, and with what they are compared."""

    repeats: int = 20
    """Populations for each number of choices."""
    first: int = 100
    """Seed of the first one."""
    people: int = 132
    """In each population."""
    choices: tuple[int, ...] = (5, 10, 20)
    """Of each person that are learned from."""
    left_out: int = 20
    """Choices of each person that are foretold."""
    classes: tuple[int, ...] = (2, 3, 4)
    """Mixtures: the best of them, on the choices that are foretold, is compared."""
    starts: int = 12
    """Of each search for a mixture."""
    draws: int = 20_000
    """From the true distribution between people."""
    jobs: int = 1
    """Populations worked on at the same time; times are those of one of them."""


SMOKE = HierarchySettings(repeats=1, people=12, choices=(4,), left_out=4, classes=(2,), starts=4, draws=200)


def persons(count: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Weights (count, levels, features) and thresholds (count, levels) from the true distribution between people."""
    weights = WEIGHTS + WEIGHTS_DIFFER * generator.normal(size=(count, *WEIGHTS.shape))
    thresholds = THRESHOLDS + THRESHOLDS_DIFFER * generator.normal(size=(count, 2))
    return weights, np.maximum(thresholds, LEAST)


def asked(people: int, choices: int, generator: np.random.Generator) -> Preferences:
    """Choices between two random alternatives; a tie is an answer."""
    parts = []
    for number, (weights, thresholds) in enumerate(zip(*persons(people, generator), strict=True)):
        own = OrderedModel.linear(weights, epsilon=thresholds, features=FEATURES, ties="observed")
        left, right = generator.normal(size=(2, choices, len(FEATURES)))
        counts = own.sample(left, right, seed=generator)
        agent = [str(number)] * choices
        parts.append(Preferences.from_arrays(left, right, counts=counts, features=FEATURES, agent=agent))
    return Preferences.concatenate(parts)


def truth_foretells(
    kept: Preferences, rest: Preferences, draws: int, generator: np.random.Generator
) -> tuple[np.ndarray, float]:
    """(choices of `rest`,) log-probability for somebody who knows the distribution between people and saw `kept`.

    By importance sampling: persons drawn from the distribution, weighed by how likely they choose as this one did.
    Also how many draws count, in the median over people.
    """
    settings = checked_settings(LORI(levels=2, lapse=0).get_params(deep=False), [kept])
    specification, units = settings.specification, Scaling(np.zeros(len(FEATURES)), np.ones(len(FEATURES)))
    seen, coming = (Problem.of(specification, [own], None, units) for own in (kept, rest))
    panel, panel_rest = Panel.of(kept), Panel.of(rest)
    person = panel.numbers_of(rest.agent)  # type: ignore[arg-type]
    assert panel.agents == panel_rest.agents
    logs, rows = [], []
    for _ in range(max(1, draws // TOGETHER)):
        weights, thresholds = persons(min(TOGETHER, draws), generator)
        vectors = np.stack(
            [specification.pack(list(own), least, (1.0, 1.0)) for own, least in zip(weights, thresholds, strict=True)]
        )
        own = panel.totals(seen.row_log_likelihood(vectors))  # (draws, people)
        logs.append(own)
        rows.append(special.logsumexp(own[:, person] + coming.row_log_likelihood(vectors), axis=0))
    every = np.concatenate(logs)
    total = special.logsumexp(every, axis=0)
    effective = 1 / np.sum(np.exp(every - total) ** 2, axis=0)
    return special.logsumexp(rows, axis=0) - total[person], float(np.median(effective))


def foretold(work: tuple[HierarchySettings, int, int]) -> dict[str, float]:
    """The mean log-likelihood of a choice that was left out, by who foretells it; and seconds, and the rarest."""
    settings, choices, seed = work
    generator = np.random.default_rng([seed, choices])
    data = asked(settings.people, choices + settings.left_out, generator)
    last = np.arange(len(data)) % (choices + settings.left_out) >= choices
    kept, rest = data.subset(~last), data.subset(last)
    people = Population(classes=1, levels=2, spread=True)
    started = perf_counter()
    own = people.fit(kept)
    seconds = perf_counter() - started
    single = single_of(people)
    mixed = [
        people.copy(classes=count, spread=False, starts=settings.starts).fit(kept).score(rest)
        for count in settings.classes
    ]
    truth, effective = truth_foretells(kept, rest, settings.draws, generator)
    return {
        OWN: own.score(rest),
        TRUE: float(truth.mean()),
        ALL: single.copy().fit(kept).score(rest),
        EACH: float(by_each(single, kept, rest).mean()),
        MIXED: max(mixed),
        "seconds": seconds,
        "rarest": float(own.predict_proba(rest).min()),
        "effective": effective,
    }


def measure(
    settings: HierarchySettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    def work(number: int) -> tuple[HierarchySettings, int, int]:
        turn, place = divmod(number, len(settings.choices))
        return settings, settings.choices[place], settings.first + turn

    count = settings.repeats * len(settings.choices)
    cells = Keeping(out, say, progress).each("population-hierarchy", foretold, settings, work, count)
    measured = Measured()
    for place, choices in enumerate(settings.choices):
        found = cells[place :: len(settings.choices)]
        case = f"{settings.people} people × {choices} choices, {len(found)} populations"
        for name in (OWN, TRUE, ALL, EACH, MIXED):
            values = np.array([own[name] for own in found])
            ahead = np.array([own[OWN] - own[name] for own in found])
            note = f"{values.mean():.4f} a choice; people who differ ahead by {ahead.min():+.4f} to {ahead.max():+.4f}"
            seconds = Seconds(tuple(own["seconds"] for own in found)) if name == OWN else None
            measured.rows.append(Row(case, name, seconds, note=note, measures={"log_likelihood": values.mean()}))
            if name in (ALL, EACH, MIXED):
                text = f"population-hierarchy: {choices} choices, least lead over {name}"
                measured.claim(text, ahead.min(), 0.0, at_least=True)
        if choices >= 20:
            behind = float(np.mean([own[TRUE] - own[OWN] for own in found]))
            measured.claim(f"population-hierarchy: {choices} choices, behind the truth", behind, NEAR_TRUTH)
        longest, rarest = max(own["seconds"] for own in found), min(own["rarest"] for own in found)
        measured.claim(f"population-hierarchy: {choices} choices, seconds of the longest fit", longest, 30.0)
        measured.claim(f"population-hierarchy: {choices} choices, rarest outcome", rarest, 1e-12, at_least=True)
    return measured


# -- is anybody lexicographic? ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class LexicographicSettings:
    """How many populations, of what kind."""

    repeats: int = 20
    """Populations of each kind and design."""
    first: int = 100
    """Seed of the first one."""
    designs: tuple[populations.Design, ...] = field(default=populations.DESIGNS)
    """Who is asked what."""
    jobs: int = 2
    """Populations worked on at the same time."""


LEXICOGRAPHIC_SMOKE = LexicographicSettings(repeats=1, designs=(populations.Design(12, 4, 2),), jobs=1)


def measure_lexicographic(
    settings: LexicographicSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    kinds = [(design, half) for design in settings.designs for half in (False, True)]

    def work(number: int) -> tuple[populations.Design, bool, int]:
        turn, place = divmod(number, len(kinds))
        return *kinds[place], settings.first + turn

    count = settings.repeats * len(kinds)
    cells = Keeping(out, say, progress).each("population-lexicographic", two_levels_win, settings, work, count)
    measured = Measured()
    won: dict[bool, list[bool]] = {False: [], True: []}
    for place, (design, half) in enumerate(kinds):
        own = cells[place :: len(kinds)]
        found = [cell["gain"] > cell["needed"] for cell in own]
        kind = "half of the people have two levels" if half else "one level, people differ"
        ahead = np.median([cell["gain"] - cell["needed"] for cell in own])
        note = f"two levels win in {sum(found)} of {len(found)}; log-likelihood above what is needed: {ahead:+.1f}"
        measured.rows.append(Row(str(design), kind, note=note, measures={"won": sum(found), "of": len(found)}))
        won[half] += found
    text = "population-lexicographic: two levels win where"
    measured.claim(f"{text} everybody has one", float(np.mean(won[False])), 0.05)
    measured.claim(f"{text} half of the people have them", float(np.mean(won[True])), 0.9, at_least=True)
    return measured


def two_levels_win(work: tuple[populations.Design, bool, int]) -> dict[str, float]:
    """What the log-likelihood gains where some people may have two levels, what it must, and how many they are."""
    design, half, seed = work
    known = populations.PopulationsSettings()
    deviation = known.deviations[seed % len(known.deviations)]
    data = populations.one_level(design, seed, weight=known.weight, deviation=deviation)
    if half:
        data = halves(populations.two_levels(design, seed + 1, spread=known.spread), data)
    found = lexicographic_people(data)
    return {"gain": found.gain, "needed": found.needed, "share": found.share}


def halves(ordered: Preferences, others: Preferences) -> Preferences:
    """The first half of the agents of one population, and the second half of those of another."""
    people = len(np.unique(ordered.agent))  # type: ignore[arg-type]
    first = np.array([int(agent) < people // 2 for agent in ordered.agent])  # type: ignore[union-attr]
    return Preferences.concatenate([ordered.subset(first), others.subset(~first)])
