"""Many features: how long do one and two levels take at organ scale, against scikit-learn's one level at its best?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, hold
from lori.experiments.bench.data import ORGAN_PAIRS
from lori.experiments.bench.passes import add_passes
from lori.experiments.bench.regression import SOLVERS, at_its_best, by_the_best
from lori.inference.problem import Problem
from lori.model.ordered import OrderedModel

ONE, TWO = "LORI, 1 level", "LORI, 2 levels"


@dataclass(frozen=True)
class FeaturesSettings:
    """What is measured with many features."""

    pairs: int = ORGAN_PAIRS
    """Pairs."""
    features: int = 30
    """Features of each alternative, standardised."""
    repeats: int = 3
    """Rounds of the contest."""
    seed: int = 0
    """Of the pairs."""


SMOKE = FeaturesSettings(pairs=1_500, features=5, repeats=0)


def measure(settings: FeaturesSettings) -> Measured:
    """One level is the same likelihood for both. Two levels are the truth: the search must not end below it."""
    preferences, truth = _simulated(settings)
    differences, left_won = preferences.differences, preferences.outcome_counts[:, 0] > 0
    one = LORI(levels=1, epsilon=0.0, lapse=0, prior=None)
    two = LORI(levels=2, lapse=0, prior=None)

    def ours() -> np.ndarray:
        return one.fit(preferences).model_.levels[0].weights

    outcome = hold(
        f"features, {settings.pairs:,} pairs × {settings.features}",
        [
            Contestant(ONE, ours, note="with standard errors"),
            Contestant(TWO, lambda: two.fit(preferences), note="with standard errors"),
            *at_its_best(differences, left_won, lambda fitted: fitted.coef_[0] / differences.std(axis=0)),
        ],
        settings.repeats,
    )
    for peer in SOLVERS.values():
        apart = float(np.max(np.abs(outcome.answers[ONE] - outcome.answers[peer])))
        outcome.add(peer, f"weights differ from LORI's by {apart:.1g}", difference=apart)
    short = _beside(truth, preferences, two) - two.log_likelihood_
    outcome.add(TWO, f"{short:.2g} log-likelihood short of the optimum beside the truth", short=short)
    for name, fitted in ((ONE, one), (TWO, two)):
        add_passes(outcome, name, fitted, preferences)
    measured = Measured(outcome.rows)
    measured.claim("features: LORI k = 1 by scikit-learn k = 1", by_the_best(outcome, ONE), 1.0)
    measured.claim("features: LORI k = 2 by scikit-learn k = 1", by_the_best(outcome, TWO), 4.0)
    measured.claim("features: log-likelihood short of the optimum beside the truth", short, 0.5, at_any_size=True)
    return measured


def _simulated(settings: FeaturesSettings) -> tuple[Preferences, OrderedModel]:
    generator = np.random.default_rng(settings.seed)
    weights = generator.normal(size=(2, settings.features)) * 2 / np.sqrt(settings.features)
    truth = OrderedModel.linear(weights, epsilon=[1.5, 0.0])
    left, right = (generator.normal(size=(settings.pairs, settings.features)) for _ in range(2))
    counts = truth.sample(left, right, seed=generator)
    return Preferences.from_arrays(left, right, counts=counts, features=truth.features), truth


def _beside(truth: OrderedModel, preferences: Preferences, fitted: LORI) -> float:
    """The log-likelihood where Newton's method ends that begins at the truth, its last threshold a little open."""
    assert fitted.optimum_ is not None
    specification = fitted.optimum_.units.specification
    problem = Problem.of(specification, [preferences], prior=None)
    weights = [level.weights * problem.scaling.scale for level in truth.levels]
    first, last = (level.epsilon for level in truth.levels)
    thresholds = np.array([first, last + 0.5])
    start = specification.pack(weights, thresholds, np.ones(2), 0.0)
    return -float(problem.solve_from(start[None, None], tolerance=1e-3).values.min())
