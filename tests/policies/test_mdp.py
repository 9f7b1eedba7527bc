"""Is a factored MDP the product of its factors, and do Gaussian factors tell where a noisy step ends?"""

import jax
import numpy as np
import pytest

from lori.errors import InputError
from lori.policies.mdp import FactoredMDP, Grid

ACTIONS = ("a", "b")


def random_factors(*cells: int, actions: int = 2, seed: int = 0) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.dirichlet(np.ones(count), size=(actions, count)) for count in cells]


@pytest.mark.parametrize("cells", [(5,), (4, 3), (3, 2, 4)])
@pytest.mark.parametrize("rest", [(), (6,)])
def test_expectations_are_those_of_the_dense_table(cells, rest):
    factors = random_factors(*cells)
    values = np.random.default_rng(1).normal(size=(*cells, *rest))
    with jax.enable_x64(True):
        result = np.asarray(FactoredMDP.from_factors(factors, actions=ACTIONS).expected(values))
    for action in range(2):
        dense = np.ones((1, 1))
        for factor in factors:
            dense = np.kron(dense, factor[action])
        expected = (dense @ values.reshape(len(dense), -1)).reshape(*cells, *rest)
        np.testing.assert_allclose(result[action], np.moveaxis(expected, -1, 0) if rest else expected, atol=1e-13)


def test_a_grid_knows_the_middle_of_its_cells():
    grid = Grid(("z", "w"), (0.0, 0.0), (40.0, 10.0), (5, 3))
    assert grid.states.shape == (5, 3, 2)
    assert grid.states[3, 1].tolist() == [30.0, 5.0]


def walk(state, action):
    return state + jax.numpy.array([0.5, -1.0]) * action


def test_gaussian_factors_are_shares_of_simulated_steps():
    grid = Grid(("z", "w"), (0.0, -2.0), (4.0, 2.0), (5, 9))
    mdp = FactoredMDP.gaussian(grid, walk, [0.7, 0.4], ACTIONS)
    draws = np.random.default_rng(0).normal(size=100_000)
    cases = [(0, 1, 3, 3.0 + 0.5, 0.7), (0, 0, 0, 0.0, 0.7), (1, 1, 4, 0.0 - 1.0, 0.4), (1, 1, 0, -2.0 - 1.0, 0.4)]
    for feature, action, cell, mean, deviation in cases:
        nearest = np.argmin(np.abs(mean + deviation * draws[:, None] - grid.centres[feature]), axis=1)
        shares = np.bincount(nearest, minlength=grid.cells[feature]) / len(draws)
        errors = np.sqrt(shares * (1 - shares) / len(draws))
        assert np.all(np.abs(mdp.factors[feature][action, cell] - shares) < 4 * errors + 1e-4)


def test_a_coarse_grid_keeps_the_drift():
    """A step of a third of a cell, with noise much smaller than a cell: the density at the centres would lose it."""
    grid = Grid(("z",), (0.0,), (40.0,), (25,))
    mdp = FactoredMDP.gaussian(grid, lambda state, action: state + 0.6, 0.5, ("wait",))
    centres = grid.centres[0]
    drift = mdp.factors[0][0] @ centres - centres
    density = np.exp(-0.5 * ((centres - centres[:, None] - 0.6) / 0.5) ** 2)
    lost = density / density.sum(axis=1, keepdims=True) @ centres - centres
    assert abs(drift[12] - 0.6) < 0.15 < 0.3 < abs(lost[12] - 0.6)


def test_an_mdp_is_an_argument_of_compiled_code():
    compiled = jax.jit(lambda mdp, values: mdp.expected(values))
    for seed in range(2):
        compiled(FactoredMDP.from_factors(random_factors(3, 4, seed=seed), actions=ACTIONS), np.ones((3, 4)))
    assert compiled._cache_size() == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cells": (0, 3)}, "at least two cells"),
        ({"cells": (3,)}, "for each feature"),
        ({"features": (), "lower": (), "upper": (), "cells": ()}, "for each feature"),
        ({"upper": (40.0, 0.0)}, "lower ends below upper ends"),
        ({"upper": (40.0, float("inf"))}, "finite ends"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(change, message):
    arguments = {"features": ("z", "w"), "lower": (0.0, 0.0), "upper": (40.0, 10.0), "cells": (3, 3)}
    with pytest.raises(InputError, match=message):
        Grid(**{**arguments, **change})


def test_factors_that_are_no_probabilities_are_refused():
    with pytest.raises(InputError, match="factor 2: expected rows of probabilities"):
        FactoredMDP.from_factors([np.tile(np.eye(3), (2, 1, 1)), np.ones((2, 3, 3))], actions=ACTIONS)
    with pytest.raises(InputError, match="factor 1: expected rows of probabilities"):
        FactoredMDP.from_factors([np.full((2, 3, 3), np.nan)], actions=ACTIONS)
    with pytest.raises(InputError, match="factor 1: expected a square matrix for each of 2 actions"):
        FactoredMDP.from_factors([np.eye(3)], actions=ACTIONS)
    with pytest.raises(InputError, match="as the factors have"):
        FactoredMDP.from_factors(random_factors(3), actions=ACTIONS, grid=Grid(("z",), (0.0,), (1.0,), (4,)))


def test_features_that_influence_each_other_are_refused():
    grid = Grid(("z", "w"), (0.0, 0.0), (4.0, 2.0), (5, 9))
    with pytest.raises(InputError, match="a next z that depends on z alone"):
        FactoredMDP.gaussian(grid, lambda state, action: state + 0.1 * state[::-1], 0.5, ACTIONS)
    with pytest.raises(InputError, match="a finite next state"):
        FactoredMDP.gaussian(grid, lambda state, action: jax.numpy.log(state), 0.5, ACTIONS)
    with pytest.raises(InputError, match="noise: expected positive"):
        FactoredMDP.gaussian(grid, walk, 0.0, ACTIONS)
