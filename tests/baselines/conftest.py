"""A world of 5 × 5 cells in which every history can be listed."""

from itertools import product

import numpy as np
import pytest

from lori.policies.mdp import FactoredMDP, Grid
from lori.policies.rollouts import Rollouts

SIDE, HORIZON = 5, 5
MOVES = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}


def shift(step: int) -> np.ndarray:
    """One feature moves by so much, and stays at a wall."""
    return np.eye(SIDE)[np.clip(np.arange(SIDE) + step, 0, SIDE - 1)]


@pytest.fixture(scope="session")
def grid_world():
    factors = [np.stack([shift(move[axis]) for move in MOVES.values()]) for axis in (0, 1)]
    grid = Grid(("column", "row"), (0.0, 0.0), (SIDE - 1.0,) * 2, (SIDE, SIDE))
    return FactoredMDP.from_factors(factors, actions=tuple(MOVES), grid=grid)


@pytest.fixture(scope="session")
def histories():
    """All 1024 histories of five steps from the middle of the left side."""
    actions = np.array(list(product(range(4), repeat=HORIZON)))
    steps = np.array(list(MOVES.values()))
    states = [np.tile([0, 2], (len(actions), 1))]
    for step in range(HORIZON):
        states.append(np.clip(states[-1] + steps[actions[:, step]], 0, SIDE - 1))
    return Rollouts(np.stack(states, axis=1).astype(float), actions, ("column", "row"))


@pytest.fixture(scope="session")
def drawn(histories):
    """Histories drawn by their probabilities."""

    def draw(weights: np.ndarray, count: int, seed: int = 1000) -> Rollouts:
        chosen = np.random.default_rng(seed).choice(len(weights), count, p=weights / weights.sum())
        return Rollouts(histories.states[chosen], histories.actions[chosen], histories.features)

    return draw
