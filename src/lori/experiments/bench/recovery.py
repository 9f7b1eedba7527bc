"""Recovery of the truth: is the order found, and the number of levels?

Orders are those of random models, by how many choices hang on the level that matters least. A level may speak often and
yet change nothing: where the levels below would have said the same, no data can tell that it is there. So data sets are
told apart by the share of choices that would be others without their weakest level. And two orders are judged: that of
as many levels as the truth has, and the one that LORI stands for, of the levels that its summary says the data support.
The number of levels is judged on data sets with one and with two true levels, drawn from the prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import ArrayLike

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.evaluation.metrics import rmse
from lori.evaluation.selection import select_levels
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import Decider, answered, each
from lori.model.ordered import OrderedModel

ALPHA = 5 * float(np.log(4))  # of the paper's random models (appendix B)
PROBES = 2000  # random pairs on which a model is judged before it is taken
BANDS = (0.0, 0.01, 0.1, 1.0)
CLOSE = 0.03  # RMSE of probabilities


@dataclass(frozen=True)
class RecoverySettings:
    """How many data sets, of what kind."""

    data_sets: int = 100
    """Data sets, with two and three true levels by turns."""
    pairs: int = 5000
    """Pairs of each, with standard normal features; as many others to judge probabilities."""
    features: int = 4
    """Features of each alternative."""
    speaks: float = 0.1
    """Share of random pairs in which each level must be the one that speaks."""
    jobs: int = 2
    """Data sets worked on at the same time."""


SMOKE = RecoverySettings(data_sets=2, pairs=200, jobs=1)


@dataclass(frozen=True)
class Trial:
    """What became of one data set."""

    hanging: float  # share of choices that hang on the weakest level
    right: bool  # the order of all true levels
    fewer: bool  # the summary advises fewer levels than there are
    stands: bool  # the levels that the summary advises are in the right order
    rmse: float  # of probabilities, on other pairs


def measure(settings: RecoverySettings) -> Measured:
    measured = Measured()
    found = list(each(_trial, [(settings, seed) for seed in range(settings.data_sets)], settings.jobs))
    case = f"{settings.pairs:,} pairs, {settings.features} features"
    for low, high in pairwise(BANDS):
        own = [trial for trial in found if low <= trial.hanging < high]
        if own:
            counts = {name: sum(getattr(trial, name) for trial in own) for name in ("right", "fewer", "stands")}
            counts |= {"close": sum(trial.rmse < CLOSE for trial in own), "of": len(own)}
            worst = max(trial.rmse for trial in own)
            name = f"{low:.0%} to {high:.0%} of choices hang on the weakest level"
            note = (
                f"order of all levels right in {counts['right']} of {len(own)}; fewer advised in {counts['fewer']}; "
                f"order of those advised right in {counts['stands']}; "
                f"RMSE below {CLOSE} in {counts['close']}, at most {worst:.4f}"
            )
            measures = {**counts, "largest RMSE": worst}
            measured.rows.append(Row(case, name, note=note, measures=measures))
    matter = [trial.right for trial in found if trial.hanging >= BANDS[-2]]
    if matter:
        share = float(np.mean(matter))
        measured.claim("recovery: orders right where a tenth of choices hangs on each level", share, 1.0, at_least=True)
    share = float(np.mean([trial.stands for trial in found]))
    measured.claim("recovery: orders right of the levels that LORI advises", share, 1.0, at_least=True)
    share = float(np.mean([trial.rmse < CLOSE for trial in found]))
    measured.claim(f"recovery: share of data sets with an RMSE below {CLOSE}", share, 0.95, at_least=True)
    return measured


def _trial(work: tuple[RecoverySettings, int]) -> Trial:
    settings, seed = work
    generator = np.random.default_rng(seed)
    truth = random_model(generator, 2 + seed % 2, settings.features, speaks=settings.speaks)
    left, right, *others = generator.normal(size=(4, settings.pairs, settings.features))
    seen = answered(truth, left, right, generator)
    fitted = LORI(levels=len(truth.levels)).fit(seen)
    advised = fitted.supported(seen).model_
    return Trial(
        float(hanging(truth, left, right).min()),
        right=in_order(truth, fitted.model_),
        fewer=len(advised.levels) < len(truth.levels),
        stands=in_order(truth, advised),
        rmse=rmse(fitted.predict_proba(*others)[:, 0], truth.predict_proba(*others)[:, 0]),
    )


def random_model(
    generator: np.random.Generator, levels: int, features: int, *, speaks: float, decides: float = 0.0
) -> OrderedModel:
    """Uniform directions and half-normal thresholds (every other last one zero), drawn until they are as asked.

    On random pairs each level must be the one that speaks in a share `speaks`, and a share `decides` of the choices
    must hang on it.
    """
    while True:
        directions = generator.normal(size=(levels, features))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        epsilon = np.abs(generator.normal(size=levels))
        epsilon[-1] *= generator.integers(0, 2)
        model = OrderedModel.linear(ALPHA * directions, epsilon=ALPHA * epsilon)
        probes = generator.normal(size=(2, PROBES, features))
        speaking = model.decisions(*probes)
        often = (speaking.left + speaking.right).mean(axis=0).min() >= speaks
        if often and hanging(model, *probes).min() >= decides:
            return model


def hanging(model: OrderedModel, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """For each level the share of choices, made without noise, that would be others if the level were not there."""
    chosen = model.compare(left, right)
    without = [
        OrderedModel((*model.levels[:level], *model.levels[level + 1 :]), model.features)
        for level in range(len(model.levels))
    ]
    return np.array([np.mean(fewer.compare(left, right) != chosen) for fewer in without])


def in_order(truth: OrderedModel, fitted: OrderedModel, deviation: ArrayLike = 1.0) -> bool:
    """Do the fitted levels, each with the true one that it is most like, stand in the true order?

    True levels are given to fitted ones so that weights point most nearly the same way, by the sum of cosines and not
    of their sizes: a level with all weights reversed is the opposite objective. There may be fewer fitted levels.
    Features that are not in the same units are made comparable by their `deviation`.
    """

    def directions(model: OrderedModel) -> np.ndarray:
        weights = np.stack([level.weights for level in model.levels]) * deviation
        return weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), np.finfo(float).tiny)

    alike = directions(fitted) @ directions(truth).T
    ways = permutations(range(len(truth.levels)), len(fitted.levels))
    most = max(ways, key=lambda way: sum(alike[level, true] for level, true in enumerate(way)))
    return list(most) == sorted(most)


@dataclass(frozen=True)
class LevelsSettings:
    """How many data sets, of what kind."""

    data_sets: int = 20
    """Data sets for each true number of levels."""
    pairs: int = 1000
    """Pairs of each, with standard normal features."""
    features: int = 3
    """Features of each alternative."""
    up_to: int = 3
    """Levels that are tried."""
    second_decides: float = 0.2
    """Share of the pairs that the second of two levels must decide; truths where it does not are drawn again."""
    draws: int = 1000
    """Particles of each posterior."""
    jobs: int = 2
    """Data sets worked on at the same time."""


LEVELS_SMOKE = LevelsSettings(data_sets=1, pairs=60, up_to=2, draws=40, jobs=1)


def measure_levels(settings: LevelsSettings) -> Measured:
    measured = Measured()
    work = [(settings, levels, seed) for levels in (1, 2) for seed in range(settings.data_sets)]
    found = list(each(_recommended, work, settings.jobs))
    for levels in (1, 2):
        own = [number for (_, truth, _), number in zip(work, found, strict=True) if truth == levels]
        right = sum(number == levels for number in own)
        note = f"{right} of {len(own)} right; recommended {' '.join(map(str, own))}"
        case = f"{settings.pairs:,} pairs, {settings.features} features"
        name = f"{levels} true level{'s' if levels > 1 else ''}"
        measured.rows.append(Row(case, name, note=note, measures={"right": right, "of": len(own)}))
        share = right / len(own)
        measured.claim(f"levels: share of data sets with {name} that are told", share, 0.95, at_least=True)
    return measured


def _recommended(work: tuple[LevelsSettings, int, int]) -> int:
    settings, levels, seed = work
    return select_levels(data_set(settings, levels, seed), settings.up_to, draws=settings.draws, seed=seed).recommended


def data_set(settings: LevelsSettings, levels: int, seed: int) -> Preferences:
    """Preferences of a decision-maker drawn from the prior whose second level, if there is one, matters."""
    generator = np.random.default_rng([levels, seed])
    left, right = generator.normal(size=(2, settings.pairs, settings.features))
    truth = Decider.drawn(levels, left, right, generator).model
    while levels == 2 and _second_decides(truth, left, right) < settings.second_decides:
        truth = Decider.drawn(levels, left, right, generator).model
    return answered(truth, left, right, generator)


def _second_decides(truth: OrderedModel, left: np.ndarray, right: np.ndarray) -> float:
    decided = truth.decisions(left, right)
    return float((decided.left + decided.right)[:, 1].mean())
