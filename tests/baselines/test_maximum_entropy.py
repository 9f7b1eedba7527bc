"""Does maximum-entropy IRL match features, and find the reward as far as histories tell it?"""

import numpy as np
import pytest

from lori.baselines.maximum_entropy import MaximumEntropyIRL, matched
from lori.baselines.soft import soft_policy, visits
from lori.policies.mdp import FactoredMDP

START = np.zeros((5, 5))
START[0, 2] = 1.0


def features_of(mdp, features, theta, horizon=6):
    policy, _ = soft_policy(mdp, features @ theta, horizon)
    return np.tensordot(visits(mdp, policy, START).sum(axis=0), features, axes=2)


def test_features_are_matched_and_the_reward_is_found(grid_world):
    features, theta = grid_world.grid.states, np.array([0.4, -0.7])
    wanted = features_of(grid_world, features, theta)
    found, brought = matched(grid_world, features, START, 6, wanted)
    assert brought == pytest.approx(wanted, abs=1e-4)
    assert found == pytest.approx(theta, abs=1e-4)


def test_a_reward_for_each_cell_is_found_up_to_a_constant():
    """Every history has nine states: a number added to all cells changes none of their probabilities."""
    factors = [np.stack([np.eye(6)[np.clip(np.arange(6) + step, 0, 5)] for step in (-1, 0, 1)])]
    line, start, features = FactoredMDP.from_factors(factors, actions=("down", "stay", "up")), np.eye(6)[2], np.eye(6)
    theta = np.random.default_rng(1000).normal(size=6)
    policy, _ = soft_policy(line, theta, 8)
    wanted = visits(line, policy, start).sum(axis=0)
    found, brought = matched(line, features, start, 8, wanted)
    assert brought == pytest.approx(wanted, abs=1e-4)
    assert found - found.mean() == pytest.approx(theta - theta.mean(), abs=1e-3)
    assert soft_policy(line, found, 8)[0] == pytest.approx(policy, abs=1e-2)


def test_demonstrations_drawn_from_a_reward_tell_it(grid_world, histories, drawn):
    theta = np.array([0.4, -0.7])
    shown = drawn(np.exp(histories.states.sum(axis=1) @ theta), 500)
    model = MaximumEntropyIRL().fit(shown, grid_world)
    assert model.expected_ == pytest.approx(model.demonstrated_, abs=1e-4)
    assert model.demonstrated_ == pytest.approx(shown.states.sum(axis=1).mean(axis=0))
    totals = histories.states.sum(axis=1)
    weight = np.exp(totals @ theta) / np.exp(totals @ theta).sum()
    spread = np.cov(totals.T, aweights=weight)  # of the features: the information about θ
    away = model.weights_ - theta
    assert 500 * away @ spread @ away < 13.8  # χ² with two degrees of freedom, one in a thousand


def test_preferences_follow_the_probability_of_histories(grid_world, histories, drawn):
    model = MaximumEntropyIRL().fit(drawn(np.exp(histories.states.sum(axis=1) @ [0.4, -0.7]), 200), grid_world)
    left, right = histories.states[:50], histories.states[-50:]
    gap = (left.sum(axis=1) - right.sum(axis=1)) @ model.weights_
    assert model.predict_proba(left.mean(axis=1), right.mean(axis=1))[:, 0] == pytest.approx(1 / (1 + np.exp(-gap)))
