"""Finite worlds from arrays and from samples, and what is refused."""

import numpy as np
import pytest
from scipy import sparse

import lori
from lori import FiniteMDP, InputError

MOVES = np.array([[[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]])
REWARDS = np.arange(8.0).reshape(2, 2, 2)


def test_dense_and_sparse_transitions_are_the_same_world():
    dense = FiniteMDP.from_arrays(MOVES, REWARDS, start=1)
    thin = FiniteMDP.from_arrays([sparse.csr_array(MOVES[:, action]) for action in range(2)], REWARDS, [0.0, 1.0])
    np.testing.assert_array_equal(dense.transitions.toarray(), thin.transitions.toarray())
    np.testing.assert_array_equal(dense.transitions.toarray(), MOVES.reshape(4, 2))
    np.testing.assert_array_equal(dense.start, thin.start)
    assert dense.actions == ("action 1", "action 2")
    assert dense.objectives == ("objective 1", "objective 2")
    assert dense.states == 2
    assert dense.successors is None


def test_rewards_may_depend_on_where_one_gets():
    where = np.zeros((2, 2, 2, 1))
    where[0, 0, 1] = 4.0
    assert FiniteMDP.from_arrays(MOVES, where).rewards[0, 0, 0] == 2.0


def test_successors_are_known_where_nothing_is_left_to_chance():
    certain = np.array([[[0.0, 1.0]], [[0.0, 0.0]]])
    np.testing.assert_array_equal(FiniteMDP.from_arrays(certain, np.zeros((2, 1, 1))).successors, [[1], [-1]])


def test_other_rewards_are_weighted_sums():
    seen = FiniteMDP.from_arrays(MOVES, REWARDS).seen_through([[1.0, -1.0]], ["difference"])
    np.testing.assert_allclose(seen.rewards[..., 0], -1.0)
    assert seen.objectives == ("difference",)


def test_samples_become_frequencies_and_what_was_never_seen_is_not_available():
    mdp = FiniteMDP.from_samples(
        states=[0, 0, 0, 0, 1], actions=[0, 0, 0, 0, 1], rewards=[[1.0], [2.0], [3.0], [2.0], [5.0]],
        following=[0, 1, 1, 1, 0], ended=[False, False, False, True, False],
    )  # fmt: skip
    np.testing.assert_allclose(mdp.transitions.toarray()[0], [0.25, 0.5])
    assert mdp.rewards[0, 0, 0] == 2.0
    np.testing.assert_array_equal(mdp.available, [[True, False], [False, True]])
    plan = lori.plan_lexicographic(mdp, discount=0.9)
    assert plan.policy.chances_at(0, 0).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"transitions": MOVES[0]}, "transitions: expected the shape"),
        ({"transitions": 2 * MOVES}, "sum to 1"),
        ({"transitions": -MOVES}, "sum to 1"),
        ({"transitions": [sparse.eye(2), sparse.eye(3)]}, "square matrix for each action"),
        ({"rewards": REWARDS[0]}, r"rewards: expected a vector for each of 2 states and 2 actions"),
        ({"rewards": np.full((2, 2, 2), np.nan)}, "finite"),
        ({"start": 2}, "start: expected a state from 0 to 1"),
        ({"start": [0.5, 0.6]}, "sum to 1"),
        ({"objectives": ["a"]}, "2 different names"),
        ({"available": [[True, True], [False, False]]}, "an action in every state"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(changes, words):
    given = {"transitions": MOVES, "rewards": REWARDS, "start": 0, **changes}
    with pytest.raises(InputError, match=words):
        FiniteMDP.from_arrays(**given)


@pytest.mark.parametrize("changes", [{"states": [0.5]}, {"rewards": [[1.0], [2.0]]}, {"actions": [-1]}])
def test_samples_are_checked(changes):
    given = {"states": [0], "actions": [0], "rewards": [[1.0]], "following": [0], **changes}
    with pytest.raises(InputError):
        FiniteMDP.from_samples(**given)
