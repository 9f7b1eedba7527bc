"""Is the truth found again: its priority order, its probabilities, and the best optimum of the problem?"""

from dataclasses import dataclass

import numpy as np
import pytest

import lori
from lori.experiments.bench.recovery import in_order, random_model
from lori.inference.problem import Problem
from lori.inference.search.starts import random_starts
from lori.model.likelihoods import Pairs
from lori.model.specification import Specification

FEATURES, PAIRS = 4, 5000
TENTH = 0.1  # of the pairs


@dataclass
class Case:
    """One simulated decision-maker, what was seen of it, and what LORI made of that."""

    truth: lori.OrderedModel
    seen: lori.Preferences
    fitted: lori.LORI
    ordered: bool  # whether all levels come in the right order
    stands: bool  # whether those do that the summary says are supported
    rmse: float  # of probabilities, on pairs that were not fitted
    problem: Problem
    value: float  # of the problem where LORI ended

    @property
    def true_vector(self) -> np.ndarray:
        scale = self.problem.scaling.scale
        levels = self.truth.levels
        return self.problem.specification.pack(
            [level.parameters * scale for level in levels], [level.epsilon for level in levels], [1.0] * len(levels)
        )


def recovered(seed: int, hanging: float) -> Case:
    """Each level speaks in a tenth of the pairs, and a share `hanging` of the choices would be others without it."""
    generator = np.random.default_rng(seed)
    levels = 2 + seed % 2
    truth = random_model(generator, levels, FEATURES, speaks=TENTH, decides=hanging)
    x = generator.normal(size=(PAIRS, 2, FEATURES))
    counts = truth.sample(x[:, 0], x[:, 1], seed=generator)
    seen = lori.Preferences.from_arrays(x[:, 0], x[:, 1], wins=counts[:, 0], ties=counts[:, 1], losses=counts[:, 2])
    fitted = lori.LORI(levels=levels).fit(seen)
    fresh = generator.normal(size=(PAIRS, 2, FEATURES))
    error = fitted.predict_proba(fresh)[:, 0] - truth.predict_proba(fresh[:, 0], fresh[:, 1])[:, 0]
    free, one = (None,) * levels, (1.0,) * levels
    specification = Specification((lori.Linear(),) * levels, free, one, Pairs(), seen.features)
    problem = Problem.of(specification, [seen], lori.Prior())
    value = problem.evaluate(fitted.optimum_.vector[None, None], order=0).value[0, 0]
    ordered, stands = in_order(truth, fitted.model_), in_order(truth, fitted.supported(seen).model_)
    return Case(truth, seen, fitted, ordered, stands, float(np.sqrt(np.mean(error**2))), problem, float(value))


def thorough_optimum(case: Case, starts: int = 500) -> float:
    """The best value of many random starts on all rows, and of a start at the truth."""
    drawn = random_starts(case.problem.specification, starts, np.random.default_rng(1), tied=case.seen.has_ties)
    tried = np.concatenate([drawn, case.true_vector[None]])[None]
    return float(case.problem.solve_from(tried, iterations=60).values.min())


def check(case: Case, seed: int, record_property) -> None:
    missed_by = case.value - thorough_optimum(case)
    record_property("rmse", case.rmse)
    record_property("missed_by", missed_by)
    told = f"all in order {case.ordered}, supported ones in order {case.stands}"
    print(f"seed {seed}: {len(case.truth.levels)} levels, {told}, RMSE {case.rmse:.4f}, missed by {missed_by:.4f}")
    assert case.stands
    assert case.rmse < 0.03
    assert missed_by <= 0.5


@pytest.mark.slow
def test_order_and_probabilities_are_recovered():
    case = recovered(0, hanging=TENTH)
    assert case.ordered
    assert case.rmse < 0.03
    assert case.fitted.converged_
    at_truth = case.problem.evaluate(case.true_vector[None, None], order=0).value[0, 0]
    assert case.value <= at_truth


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_where_a_tenth_of_the_choices_hangs_on_each_level_all_are_found_in_order(seed, record_property):
    case = recovered(seed, hanging=TENTH)
    check(case, seed, record_property)
    assert case.ordered


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_where_each_level_only_speaks_those_that_are_supported_are_in_order(seed, record_property):
    """Where no choice hangs on a level, it cannot be found; but then it is not claimed, either."""
    check(recovered(seed, hanging=0.0), seed, record_property)
