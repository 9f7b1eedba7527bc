"""Do rollouts follow the policy and the simulator, and are those refused that nothing can be learned from?"""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.errors import DataError, InputError
from lori.policies.policy import Policy, Tabular, policy_kind
from lori.policies.rollouts import Rollouts, roll_out

COUNT = 4000  # the same everywhere: compiled once


@dataclass(frozen=True)
class Walk:
    """One feature; the actions add −1, 0 or 1, or leave the world."""

    horizon: int = 6
    features: tuple[str, ...] = ("place",)
    actions: tuple[str, ...] = ("left", "stay", "right", "vanish")

    def initial(self, key):
        return jax.random.uniform(key, (1,))

    def step(self, key, state, action):
        return jnp.where(action == 3, jnp.inf, state + action - 1.0)


@policy_kind
@dataclass(frozen=True, eq=False)
class Watchful(Policy):
    """Goes right once the mean so far exceeds `limit` and half of the decisions are made, else stays."""

    limit: float
    actions: tuple[str, ...]
    kind: ClassVar[str] = "watchful test"

    def probabilities(self, view):
        goes = (view.mean[0] > self.limit) & (view.done >= 0.5)
        return jnp.where(goes, jnp.array([0.0, 0.0, 1.0, 0.0]), jnp.array([0.0, 1.0, 0.0, 0.0]))


def constant(probabilities) -> Tabular:
    return Tabular(np.tile(probabilities, (2, 1)), np.zeros(1), np.ones(1), Walk().actions)


def test_states_follow_from_the_actions():
    rollouts = roll_out(Walk(), constant([0.2, 0.3, 0.5, 0.0]), count=COUNT, seed=3)
    assert rollouts.states.shape == (COUNT, 7, 1)
    assert rollouts.states.dtype == np.float64
    assert rollouts.features == ("place",)
    np.testing.assert_allclose(np.diff(rollouts.states[..., 0], axis=1), rollouts.actions - 1.0, atol=1e-12)
    np.testing.assert_allclose(rollouts.means[:, 0], [np.mean(states) for states in rollouts.states])


def test_actions_come_with_their_probabilities():
    chances = np.array([0.2, 0.3, 0.5, 0.0])
    rollouts = roll_out(Walk(), constant(chances), count=COUNT)
    draws = rollouts.actions.size
    shares = np.bincount(rollouts.actions.ravel(), minlength=4) / draws
    assert np.all(np.abs(shares - chances) <= 4 * np.sqrt(chances * (1 - chances) / draws))
    first, second = (rollouts.actions[:, step] == 2 for step in (0, 1))  # and independently of each other
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(len(first))


def test_an_action_without_probability_is_never_taken():
    assert set(roll_out(Walk(), constant([0.0, 1.0, 0.0, 0.0]), count=COUNT).actions.ravel()) == {1}


def test_the_policy_sees_the_mean_so_far_and_the_time():
    rollouts = roll_out(Walk(), Watchful(0.5, Walk().actions), count=COUNT)
    starts = rollouts.states[:, 0, 0]
    expected = np.where(starts[:, None] > 0.5, [1, 1, 1, 2, 2, 2], 1)  # staying keeps the mean at the start
    np.testing.assert_array_equal(rollouts.actions, expected)


def test_the_seed_decides():
    policy = constant([0.2, 0.3, 0.5, 0.0])
    again = [roll_out(Walk(), policy, count=COUNT, seed=seed) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(again[0].states, again[1].states)
    assert not np.array_equal(again[0].actions, again[2].actions)


def test_rollouts_become_trajectories():
    rollouts = roll_out(Walk(), constant([0.2, 0.3, 0.5, 0.0]), count=COUNT)
    trajectories = rollouts.trajectories()
    assert trajectories.features == ("place",)
    assert len(trajectories) == COUNT


def test_a_policy_for_other_actions_is_refused():
    policy = Tabular(np.ones((2, 1)), np.zeros(1), np.ones(1), ("wait",))
    with pytest.raises(InputError, match="the actions left, stay, right, vanish, got one for wait; use a policy"):
        roll_out(Walk(), policy)


def test_a_world_that_explodes_is_reported():
    with pytest.raises(InputError, match="simulator: expected finite states"):
        roll_out(Walk(), constant([0.0, 0.9, 0.0, 0.1]), count=COUNT)


STATES = np.arange(12.0).reshape(2, 3, 2)
ACTIONS = np.array([[0, 1], [1, 0]])


def test_the_last_state_has_no_decision():
    states, actions = Rollouts(STATES, ACTIONS, ("a", "b")).decisions(2)
    assert states.tolist() == [[0, 1], [2, 3], [6, 7], [8, 9]]
    assert actions.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("states", "actions", "message"),
    [
        (STATES[:, :1], ACTIONS[:, :0], "at least one decision"),
        (STATES[:0], ACTIONS[:0], "at least one decision"),
        (STATES, ACTIONS + 1, "whole numbers from 0 to 1"),
        (STATES, ACTIONS - 1, "whole numbers from 0 to 1"),
        (STATES, ACTIONS + 0.5, "whole numbers from 0 to 1"),
        (np.where(STATES == 3, np.nan, STATES), ACTIONS, "finite numbers"),
        (STATES[:, :2], ACTIONS, "decisions \\+ 1"),
        (STATES, ACTIONS[0], "decisions \\+ 1"),
        ([["many"]], ACTIONS, "an array of numbers"),
    ],
)
def test_demonstrations_that_are_refused(states, actions, message):
    with pytest.raises(DataError, match=message) as problem:
        Rollouts(states, actions, ("a", "b")).decisions(2)
    assert str(problem.value).count("\n") == 0
