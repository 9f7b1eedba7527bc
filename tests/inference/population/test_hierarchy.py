"""Is the distribution between people learned, and the integral over it right?"""

import numpy as np
import pytest

import lori
from lori.inference.population.hierarchy import CENTRE, WIDTH, Distribution, Hierarchy, Link
from lori.inference.settings import checked_settings


def test_the_integral_is_that_of_a_fine_grid(people):
    problem, _ = people
    hierarchy = Hierarchy(problem)
    distribution = Distribution(np.array([1.0, -0.7]), np.array([0.9, 0.5]))
    drawn, _ = hierarchy.drawn(distribution, np.tile(distribution.mean, (hierarchy.agents, 1)), 1024)
    _, logs = drawn.shares(distribution)
    axis = np.linspace(-7, 7, 101)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    z = distribution.draws(grid)
    height = np.exp(-0.5 * (grid**2).sum(axis=1)) / (2 * np.pi) * (axis[1] - axis[0]) ** 2
    for agent in range(3):
        one = Hierarchy(problem.of_group(agent))
        exact = np.log(height @ np.exp(one.log_likelihood(z[None])[0]))
        assert logs[agent] == pytest.approx(exact, abs=0.02)


def test_shares_and_a_step_are_those_of_densities_and_moments(people):
    hierarchy = Hierarchy(people[0])
    distribution = Distribution(np.array([3.0, -0.7]), np.array([0.02, 0.5]))
    drawn, _ = hierarchy.drawn(distribution, np.tile(distribution.mean, (hierarchy.agents, 1)), 16)
    joint = drawn.log_weights + distribution.log_density(drawn.z)
    shares, logs = drawn.shares(distribution)
    np.testing.assert_allclose(logs, np.log(np.mean(np.exp(joint), axis=1)), rtol=1e-9)
    np.testing.assert_allclose(shares, np.exp(joint - logs[:, None]) / 16, atol=1e-9)
    found, count = hierarchy.updated(drawn, distribution, shares), hierarchy.agents
    mean = np.einsum("ar,arp->p", shares, drawn.z) / (count + (distribution.deviation / CENTRE) ** 2)
    square = np.einsum("ar,arp->p", shares, (drawn.z - mean) ** 2)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.deviation, np.sqrt((square + WIDTH**2) / (count + 1)), rtol=1e-9)


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
