"""Observing policies: what they see, that chances are those of what they draw, bounds of amounts, and their files."""

from dataclasses import replace

import numpy as np
import pytest

import lori
from lori import InputError
from lori.policies.levels import EpisodeLevels
from lori.policies.observing import Observing

gymnasium = pytest.importorskip("gymnasium", reason="needs lori[rl]")
Box, Discrete, MultiDiscrete, Text = (
    getattr(gymnasium.spaces, name) for name in ("Box", "Discrete", "MultiDiscrete", "Text")
)


class World:
    """Only the spaces of an environment."""

    def __init__(self, seen, actions):
        self.observation_space, self.action_space = seen, actions


def made(seen, actions, thresholds=(None, None), discount=1.0):
    levels = EpisodeLevels.of(2, None, thresholds, discount)
    return Observing.for_environment(World(seen, actions), levels, (4,), 10, 0)


def test_whole_numbers_have_an_input_each_and_others_are_scaled():
    policy = made(Box(0, 2, (2,), np.int32), Discrete(3))
    assert policy.seen(np.array([[0, 2]]), 0, np.zeros((1, 2))).tolist() == [[1, 0, 0, 0, 0, 1]]
    assert made(Discrete(3, start=1), Discrete(2)).seen(np.array([3]), 0, np.zeros((1, 2))).tolist() == [[0, 0, 1]]
    assert made(MultiDiscrete([2, 2]), Discrete(2)).inputs == 4
    policy = made(Box(-4.0, 0.0, (1,), float), Discrete(2), (8.0, None), 0.9)
    seen = policy.seen(np.array([[-1.0]]), 5, np.array([[2.0, 0.0]]))
    np.testing.assert_allclose(seen, [[0.5, 0.25, 0.5]])  # the total so far and the step belong to what is seen
    with pytest.raises(InputError, match="observations that are numbers"):
        made(Text(3), Discrete(2))


def test_chances_are_those_of_what_is_drawn():
    policy = made(Discrete(2), Discrete(3))
    outputs = np.tile(np.log([0.5, 0.3, 0.2]), (20_000, 1))
    drawn = policy.drawn(np.random.default_rng(0), outputs)
    shares = np.bincount(drawn, minlength=3) / len(drawn)
    logs, entropy = policy.log_chance(outputs[:3], np.arange(3))
    np.testing.assert_allclose(np.exp(logs), [0.5, 0.3, 0.2])
    np.testing.assert_allclose(shares, np.exp(logs), atol=0.015)
    np.testing.assert_allclose(entropy[0], -np.sum([p * np.log(p) for p in (0.5, 0.3, 0.2)]))


def test_amounts_keep_to_their_bounds_and_are_saved(tmp_path):
    bounds = Box(np.array([0.0, 0.0, -np.inf]), np.array([2.0, np.inf, np.inf]), dtype=float)
    policy = made(Box(-1.0, 1.0, (1,), float), bounds)
    policy = replace(policy, parameters=policy.parameters + 1.0)
    np.testing.assert_allclose(policy.for_env(np.zeros((1, 3))), [[1.0, 1.0, 0.0]])
    extreme = policy.for_env(np.array([[50.0, -50.0, -50.0]]))
    assert extreme[0, 0] == 2.0
    assert 0 <= extreme[0, 1] < 1e-9
    policy.save(tmp_path / "policy.json")
    again = lori.load_policy(tmp_path / "policy.json")
    np.testing.assert_array_equal(again.act([0.3], 0, np.zeros(2)), policy.act([0.3], 0, np.zeros(2)))
    off = policy.log_chance(np.zeros((1, 3)), np.exp(policy.spread)[None])[0]
    np.testing.assert_allclose(off, -1.5 - policy.spread.sum())
    with pytest.raises(InputError, match="for simulators"):
        policy.probabilities(None)
