"""Does the Gymnasium environment keep that interface's promises, and follow the same dynamics?"""

import importlib
import pickle
import sys
import warnings

import numpy as np
import pytest

from lori.applications.cancer.dynamics import Cancer
from lori.errors import InputError, MissingExtra
from lori.policies.policy import Tabular
from lori.policies.rollouts import roll_out

gymnasium = pytest.importorskip("gymnasium", reason="needs lori[rl]")
CancerEnv = pytest.importorskip("lori.applications.cancer.environment").CancerEnv


def episode(env, action: int, seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    first, _ = env.reset(seed=seed)
    states, rewards, ended = [first], [], False
    while not ended:
        state, reward, ended, truncated, _ = env.step(action)
        assert not truncated
        states.append(state)
        rewards.append(reward)
    return np.array(states), np.array(rewards)


def test_gymnasiums_own_check_passes_but_for_the_vector():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(CancerEnv(), skip_render_check=True)
    assert all("reward returned by `step()` must be a float" in str(warning.message) for warning in caught)


def test_an_episode_is_a_whole_treatment():
    states, rewards = episode(CancerEnv(), 1, seed=0)
    assert states.shape == (21, 2)
    np.testing.assert_array_equal(rewards, np.column_stack([states[1:, 1], -states[1:, 0]]))


def test_rewards_and_observations_stay_in_their_spaces():
    wild = CancerEnv(Cancer(noise=40.0))
    states, rewards = episode(wild, 0, seed=1)
    assert all(wild.observation_space.contains(state) for state in states)
    assert all(wild.reward_space.contains(reward) for reward in rewards)


@pytest.mark.parametrize("action", [0, 1])
def test_the_dynamics_are_the_simulators(action):
    table = np.tile(np.eye(2)[action], (2, 2, 1))
    expected = roll_out(Cancer(), Tabular(table, np.zeros(2), np.ones(2), Cancer().actions), count=2000).states[:, -1]
    env = CancerEnv()
    env.reset(seed=3)
    found = np.array([episode(env, action)[0][-1] for _ in range(300)])
    error = expected.std(axis=0) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - expected.mean(axis=0)) < 4 * error)
    assert np.all(np.abs(found.std(axis=0) / expected.std(axis=0) - 1) < 4 / np.sqrt(2 * len(found)))


def test_without_noise_a_step_is_the_formula():
    env = CancerEnv(Cancer(noise=0.0))
    first, _ = env.reset(seed=4)
    second, *_ = env.step(1)
    assert second == pytest.approx(Cancer().expected(first, 1), rel=1e-14)


def test_the_seed_decides():
    first, again, other = (episode(CancerEnv(), 0, seed=seed)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_mo_gymnasium_wraps_it():
    mo_gymnasium = pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")
    weight = np.array([0.8, 0.2])
    linear = mo_gymnasium.wrappers.LinearReward(mo_gymnasium.make("lori/Cancer-v0"), weight=weight)
    linear.reset(seed=0)
    _, reward, _, _, info = linear.step(1)
    assert reward == pytest.approx(weight @ info["vector_reward"])
    recorded = mo_gymnasium.wrappers.MORecordEpisodeStatistics(mo_gymnasium.make("lori/Cancer-v0"))
    recorded.reset(seed=0)
    for _ in range(20):
        _, _, ended, _, info = recorded.step(0)
    assert ended
    assert info["episode"]["l"] == 20
    assert info["episode"]["r"] == pytest.approx(episode(CancerEnv(), 0, seed=0)[1].sum(axis=0), rel=1e-5)


def test_it_is_registered_and_pickled():
    env = gymnasium.make("lori/Cancer-v0", simulator=Cancer(horizon=3))
    assert len(episode(env, 0)[1]) == 3
    env.unwrapped.reset(seed=0)
    copy = pickle.loads(pickle.dumps(env.unwrapped))
    np.testing.assert_array_equal(copy.step(1)[0], env.unwrapped.step(1)[0])


def test_wrong_use_is_said_in_one_sentence():
    env = CancerEnv()
    with pytest.raises(InputError, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"action: expected 0 \(wait\) or 1 \(treat\), got 2"):
        env.step(2)
    episode(env, 0)
    with pytest.raises(InputError, match="call reset"):
        env.step(0)


def test_without_gymnasium_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "lori.applications.cancer.environment")
    with pytest.raises(MissingExtra, match=r"pip install 'lori\[rl\]'"):
        importlib.import_module("lori.applications.cancer.environment")
