"""Is the distribution between people learned, and the integral over it right?"""

import numpy as np
import pytest

import lori
from lori.inference.population.hierarchy import Distribution, Hierarchy, Link, by_agent, start_of
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

PEOPLE, EACH = 120, 12


@pytest.fixture(scope="module")
def people():
    """One level, weights normal between people: (problem with a group for each, pooled one)."""
    random = np.random.default_rng(11)
    weights = np.array([2.0, -1.0]) + np.array([1.2, 0.4]) * random.normal(size=(PEOPLE, 2))
    groups = []
    for own in weights:
        x = random.normal(size=(EACH, 2))
        won = random.uniform(size=EACH) < 1 / (1 + np.exp(-x @ own))
        groups.append(lori.Preferences.from_arrays(x, np.zeros_like(x), wins=won * 1.0, losses=1.0 - won))
    data = lori.Preferences.concatenate(groups)
    settings = checked_settings(lori.LORI(levels=1, epsilon=0.0, lapse=0, prior=None).get_params(deep=False), [data])
    problem = Problem.of(settings.specification, [data], None)
    return by_agent(problem, groups), problem


def test_the_integral_is_that_of_a_fine_grid(people):
    problem, _ = people
    hierarchy = Hierarchy(problem)
    distribution = Distribution(np.array([1.0, -0.7]), np.array([0.9, 0.5]))
    drawn, _ = hierarchy.drawn(distribution, np.tile(distribution.mean, (PEOPLE, 1)), 1024)
    _, logs = drawn.shares(distribution)
    axis = np.linspace(-7, 7, 101)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    z = distribution.draws(grid)
    height = np.exp(-0.5 * (grid**2).sum(axis=1)) / (2 * np.pi) * (axis[1] - axis[0]) ** 2
    for agent in range(3):
        one = Hierarchy(problem.of_group(agent))
        exact = np.log(height @ np.exp(one.log_likelihood(z[None])[0]))
        assert logs[agent] == pytest.approx(exact, abs=0.02)


def test_the_distribution_is_learned(people):
    problem, pooled = people
    learned = Hierarchy(problem).learned(start_of(pooled, np.array([0.5, -0.5])))
    assert learned.converged
    in_units = pooled.scaling.scale
    np.testing.assert_allclose(learned.distribution.mean / in_units, [2.0, -1.0], atol=4 * 1.2 / np.sqrt(PEOPLE) + 0.15)
    np.testing.assert_allclose(learned.distribution.deviation / in_units, [1.2, 0.4], atol=0.5)
    mean_error, deviation_error = learned.errors()
    off = np.abs(learned.distribution.mean / in_units - [2.0, -1.0]) * in_units / mean_error
    assert off.max() < 4
    assert np.abs(np.log(learned.distribution.deviation / in_units / [1.2, 0.4]) / deviation_error).max() < 4
    assert learned.people.effective(learned.distribution).min() > 50
    draws = learned.posterior(64)
    assert draws.shape == (PEOPLE, 64, 2)
    assert draws.std(axis=1).mean() < learned.distribution.deviation.mean()  # choices tell something


def test_the_link_cuts_at_the_bounds_and_has_the_derivatives_of_differences():
    data = lori.simulate(lori.OrderedModel.linear([[1.0, 2.0]], epsilon=[0.5]), 20, seed=0)
    settings = checked_settings(lori.LORI(levels=1).get_params(deep=False), [data])
    link = Link(settings.specification)
    z = np.array([0.3, -0.2, 0.7, -2.0])
    first, second = link.derivatives(z)
    step = 1e-5
    up, down = link.parameters(z + step), link.parameters(z - step)
    np.testing.assert_allclose(first, (up - down) / (2 * step), atol=1e-8)
    np.testing.assert_allclose(second, (up - 2 * link.parameters(z) + down) / step**2, atol=1e-4)
    assert link.parameters(np.array([0.3, -0.2, -0.7, -2.0]))[2] == 0.0
    np.testing.assert_allclose(link.inverse(link.parameters(z)), z, rtol=1e-12)
