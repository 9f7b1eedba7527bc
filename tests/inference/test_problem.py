"""The objective is what sources add up, the prior and a ridge."""

from dataclasses import replace

import numpy as np
import pytest
from lori.model.likelihoods.observations import Observations

from lori.inference.problem import RIDGE, Objective
from lori.inference.sources.memory import Memory
from lori.inference.statistics import Scaling
from lori.model.priors import Prior
from lori.model.rewards import Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
SPECIFICATION = Specification((Linear(), Linear()), (None, 0.0), (1.0, 2.0), "split", FEATURES)
SCALING = Scaling(np.array([7.0, -0.3]), np.array([2.0, 0.5]))


def observations(n=100, seed=0) -> Observations:
    random = np.random.default_rng(seed)
    return Observations(
        random.normal(0.0, 1.2, (n, 2)), random.uniform(0.5, 3.0, n), np.empty((0, 2)), np.empty(0)
    )  # fmt: skip


def objective_of(*groups: Observations, prior=None) -> Objective:
    return Objective(SPECIFICATION, Memory(groups), SCALING, prior)


def vectors(starts=3, groups=1) -> np.ndarray:
    random = np.random.default_rng(5)
    drawn = random.normal(size=(groups, starts, SPECIFICATION.size))
    drawn[..., 4] = random.uniform(0.3, 1.5, (groups, starts))
    return drawn


def test_the_prior_and_the_ridge_are_added_to_the_likelihood():
    objective = objective_of(observations(), prior=Prior(weights=1.0, epsilon=0.5, degrees=3.0))
    at = vectors()
    bare, full = objective.likelihood(at), objective.evaluate(at)
    v, square = at[0, 0], 3 * np.array([1.0, 1.0, 1.0, 1.0, 0.5]) ** 2  # minus log-prior: 2 Σ log(1 + v² / 3 scale²)
    added = (
        2 * np.sum(np.log(1 + v**2 / square)) + RIDGE / 2 * v @ v,
        4 * v / (square + v**2) + RIDGE * v,
        np.diag(4 * (square - v**2) / (square + v**2) ** 2 + RIDGE),
    )
    for whole, part, penalty, extra in zip(full, bare, objective.penalty(at), added, strict=True):
        np.testing.assert_allclose((whole - part)[0, 0], extra, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(penalty[0, 0], extra, rtol=1e-13, atol=1e-15)
    without = replace(objective, prior=None)
    np.testing.assert_array_equal(without.likelihood(at).value, bare.value)
    np.testing.assert_allclose(without.evaluate(at).value, bare.value, rtol=1e-5)
    assert (full.value > bare.value).all()


@pytest.mark.parametrize("order", [0, 1])
def test_lower_orders_are_the_same_numbers(order):
    objective, at = objective_of(observations(), prior=Prior()), vectors()
    full, lower = objective.evaluate(at), objective.evaluate(at, order=order)
    np.testing.assert_allclose(lower.value, full.value, rtol=1e-13)
    assert lower.curvature is None
    if order == 1:
        np.testing.assert_allclose(lower.gradient, full.gradient, rtol=1e-11, atol=1e-11)
    else:
        assert lower.gradient is None


def test_the_objective_of_one_group_is_its_own_row():
    groups = tuple(observations(n, seed=n) for n in (100, 70, 128))
    objective, at = objective_of(*groups, prior=Prior()), vectors(groups=3)
    together = objective.evaluate(at)
    for g in range(3):
        for one, two in zip(together, objective.of_group(g).evaluate(at[g : g + 1]), strict=True):
            np.testing.assert_allclose(one[g], two[0], rtol=1e-11, atol=1e-11)
    alone = objective_of(groups[0])
    assert alone.of_group(0) is alone


def test_a_sample_stands_for_all_rows():
    """Its expectation is the likelihood of all rows: the mean of many samples comes near."""
    data = observations()
    objective, at = objective_of(data, prior=Prior()), vectors()
    assert objective.on_sample(100, np.random.default_rng(0)) is objective
    generator = np.random.default_rng(0)
    values = np.array([objective.on_sample(60, generator).evaluate(at, order=0).value[0] for _ in range(100)])
    error = values.std(axis=0) / 10
    assert (np.abs(values.mean(axis=0) - objective.evaluate(at, order=0).value[0]) < 4 * error).all()
    assert (error > 0).all()
    small = objective.on_sample(60, generator)
    assert small.source.rows == 60
    assert (small.prior, small.scaling) == (objective.prior, objective.scaling)
