"""Worlds whose answers are known, for the tests of planning."""

import numpy as np
import pytest

import lori


@pytest.fixture(scope="session")
def environments():
    """Explored once: MO-Gymnasium's small worlds by name, with the environment."""
    gym = pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")
    made = {
        "convex": gym.make("deep-sea-treasure-v0"), "concave": gym.make("deep-sea-treasure-concave-v0"),
        "gathering": gym.make("resource-gathering-v0"), "tree 5": gym.make("fruit-tree-v0", depth=5),
        "tree 6": gym.make("fruit-tree-v0", depth=6),
    }  # fmt: skip
    return {name: (env, lori.FiniteMDP.explore(env)) for name, env in made.items()}


@pytest.fixture
def space_traders():
    """Two journeys, there and back, after Vamplew et al. (2022): a safe, a fast and an instant way for each.

    Rewards: arriving back with the goods, time. Where chance goes wrong, the episode ends.
    """
    chances = np.array([[1.0, 0.9, 0.85], [1.0, 0.9, 0.85]])
    times = np.array([[-12.0, -6.0, 0.0], [-10.0, -8.0, 0.0]])
    transitions = np.zeros((2, 3, 2))
    transitions[0, :, 1] = chances[0]
    rewards = np.zeros((2, 3, 2))
    rewards[1, :, 0] = chances[1]
    rewards[..., 1] = times
    return lori.FiniteMDP.from_arrays(transitions, rewards, objectives=["success", "time"])
