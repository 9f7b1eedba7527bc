"""Third levels: does a third level that is there show in small data, and under which prior on inner thresholds?

Each of three levels has an objective of its own and decides at least a fifth of the comparisons. Errors are those of
the probabilities of new pairs, for two and for three levels, under the default prior and under others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.evaluation.metrics import rmse
from lori.experiments.bench.contest import Measured, Row
from lori.inference.estimates import Units
from lori.inference.fitting import solve_nested
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings
from lori.model.ordered import OrderedModel
from lori.model.priors import Prior
from lori.model.simulation import simulate

LEVELS = 3
ALPHA, DEVIATION = 5 * float(np.log(4)), 0.5  # as in the paper's appendix B
TEST = 2000  # new pairs that errors are measured on, and that tell what each level decides
PRIORS = {
    "default": Prior(),
    "price 0": Prior(price=0.0),
    "price 0.5": Prior(price=0.5),
    "price 2": Prior(price=2.0),
    "scale 0.5": Prior(price=None, deeper=0.5),
    "scale 0.02": Prior(price=None),
}
"""The default, other prices of a parameter, and small scales of inner thresholds instead."""
NEAR_BEST, BELOW = 1.05, 0.75


@dataclass(frozen=True)
class ThirdLevelsSettings:
    """How many data sets, of what size."""

    repeats: int = 20
    """Data sets of each size."""
    pairs: tuple[int, ...] = (500,)
    """Sizes, each pair answered once."""
    decides: float = 0.2
    """Share of the comparisons that each level decides at least."""
    starts: int = 16
    """Starts of each fit."""
    seed: int = 100
    """The seed of the first data set; the others follow."""


SMOKE = ThirdLevelsSettings(repeats=2, pairs=(60,), starts=2)


@dataclass(frozen=True, eq=False)
class DataSet:
    """Answers to learn from, and new pairs with their true probabilities."""

    preferences: Preferences
    test: np.ndarray  # (pairs, 2, features)
    probabilities: np.ndarray

    @classmethod
    def drawn(cls, pairs: int, decides: float, seed: int) -> DataSet:
        generator = np.random.default_rng(seed)
        test = DEVIATION * generator.normal(size=(TEST, 2, LEVELS))
        truth = _truth(generator)
        while _shares(truth, test).min() < decides:
            truth = _truth(generator)
        train = DEVIATION * generator.normal(size=(pairs, 2, LEVELS))
        preferences = simulate(truth, train, seed=int(generator.integers(1 << 31)))
        return cls(preferences, test, truth.predict_proba(test[:, 0], test[:, 1])[:, 0])

    def error(self, model: OrderedModel) -> float:
        return rmse(model.predict_proba(self.test[:, 0], self.test[:, 1])[:, 0], self.probabilities)


def _truth(generator: np.random.Generator) -> OrderedModel:
    """Every level looks at a feature of its own; thresholds are half-normal."""
    epsilon = np.abs(generator.normal(size=LEVELS))
    return OrderedModel.linear(np.eye(LEVELS), epsilon=epsilon, alpha=np.full(LEVELS, ALPHA))


def _shares(model: OrderedModel, pairs: np.ndarray) -> np.ndarray:
    decided = model.decisions(pairs[:, 0], pairs[:, 1])
    return np.mean(decided.left + decided.right, axis=0)


def errors(settings: ThirdLevelsSettings, pairs: int, prior: Prior) -> np.ndarray:
    """(levels, data sets) RMSE of the probabilities with 1, 2 and 3 levels; all data sets are fitted as one batch."""
    seeds = range(settings.seed, settings.seed + settings.repeats)
    data = [DataSet.drawn(pairs, settings.decides, seed) for seed in seeds]
    groups = [own.preferences for own in data]
    kind = LORI(levels=LEVELS, lapse=0, prior=prior, starts=settings.starts)
    problem = Problem.of(checked_settings(kind.get_params(), groups).specification, groups, prior)
    found = []
    for own, best in solve_nested(problem, starts=settings.starts, seed=0):
        units = Units(own.specification, own.scaling, own.specification.alpha)
        models = [units.model(vector, each.alternatives) for vector, each in zip(best.vectors, groups, strict=True)]
        found.append([each.error(model) for each, model in zip(data, models, strict=True)])
    return np.array(found)


def measure(settings: ThirdLevelsSettings) -> Measured:
    measured = Measured()
    for pairs in settings.pairs:
        medians: dict[str, float] = {}
        for name, prior in PRIORS.items():
            _, two, three = errors(settings, pairs, prior)
            below, medians[name] = int(np.sum(three < two)), float(np.median(three))
            note = f"median error {medians[name]:.4f} with three levels, {np.median(two):.4f} with two; "
            note += f"smaller with three in {below} of {settings.repeats}"
            numbers = {"three levels": medians[name], "two levels": float(np.median(two)), "below": below}
            measured.rows.append(Row(f"{pairs:,} pairs", name, note=note, measures=numbers))
            if name == "default":
                share = below / settings.repeats
        ratio = medians["default"] / min(medians.values())
        measured.claim(f"third levels, {pairs:,} pairs: median error by that of the best prior", ratio, NEAR_BEST)
        measured.claim(
            f"third levels, {pairs:,} pairs: share with a smaller error than with two", share, BELOW, at_least=True
        )
    return measured
