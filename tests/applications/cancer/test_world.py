"""Is the experimental world the paper's: its truth, its policies, its preferences?"""

from dataclasses import replace

import numpy as np
import pytest

from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.errors import InputError
from lori.estimators.storage import load_ordered_model, save_ordered_model
from lori.policies.rollouts import Rollouts, roll_out


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def printed(x, y) -> float:
    """Pr(x ≻ y) from the paper's equations, for one pair of (tumour, wbc), a full tie being a fair coin's."""
    alpha, epsilon, undecided, better = 10 * np.log(9), 0.1, 1.0, 0.0
    for gap in (min(5, x[1]) - min(5, y[1]), y[0] - x[0]):
        wins, loses = sigmoid(alpha * (gap - epsilon)), sigmoid(alpha * (-gap - epsilon))
        better += undecided * wins
        undecided *= 1 - wins - loses
    return better + undecided / 2


def test_the_truth_is_as_printed():
    generator = np.random.default_rng(0)
    x = np.column_stack([generator.normal(22, 0.3, 500), generator.normal(5, 0.3, 500)])
    y = np.column_stack([generator.normal(22, 0.3, 500), generator.normal(5, 0.3, 500)])
    y[0] = x[0]
    x[1, 1] = 5.0  # right at the cap
    expected = [printed(*pair) for pair in zip(x, y, strict=True)]
    assert world.true_model().predict_proba(x, y)[:, 0] == pytest.approx(expected, abs=1e-7)


def test_the_truth_can_be_saved(tmp_path):
    save_ordered_model(world.true_model(), tmp_path / "truth.json")
    pair = [[20.0, 4.95]], [[21.0, 7.0]]
    loaded = load_ordered_model(tmp_path / "truth.json").predict_proba(*pair)
    np.testing.assert_array_equal(loaded, world.true_model().predict_proba(*pair))


def test_the_single_reward_is_a_logistic_of_one_sum():
    gap = -0.2 * (20.0 - 21.0) + 0.8 * (5.0 - 5.2)
    found = world.single_model().predict_proba([[20.0, 5.0]], [[21.0, 5.2]])[0, 0]
    assert found == pytest.approx(sigmoid(10 * np.log(9) * gap))


def test_the_grid_covers_what_the_paper_says():
    assert world.grid().states.shape == (100, 100, 2)
    assert world.grid(25).states[-1, -1].tolist() == [40.0, 10.0]


@pytest.fixture(scope="module")
def policy():
    return world.behaviour_policy()


@pytest.fixture(scope="module")
def behaviour(policy):
    return roll_out(Cancer(), policy, count=1000, seed=1)


@pytest.fixture(scope="module")
def optimal(policy):
    return roll_out(Cancer(), replace(policy, share=0.0), count=1000, seed=2)  # the same code, compiled once


def test_the_optimal_policy_treats_while_there_are_cells_to_spare():
    table = world.optimal_policy().table[10:, :, 1]  # tumours above 4
    wbc = np.linspace(0, 10, 100)
    assert np.all(table[:, wbc > 6.6] == 1)
    assert np.all(table[:, (wbc > 2) & (wbc < 6.4)] == 0)


def test_the_single_rewards_optimum_is_another_policy(policy):
    """With 0.2 and 0.8, a treatment's tumour is worth more than its white blood cells: large tumours are treated."""
    single = world.optimal_policy(world.single_model()).table[..., 1]
    assert single[-1, 20:60].mean() > policy.base.table[-1, 20:60, 1].mean() + 0.5


def test_the_optimal_policy_is_preferred_to_behaviour_in_three_of_four(optimal, behaviour):
    """The paper: 75.1 % ± 1.3 over five repeats; an exact reading of its set-up has 73.4 % ± 0.2."""
    left = np.repeat(np.arange(1000), 64)
    right = (left + np.tile(np.arange(64), 1000)) % 1000  # as good as all pairs
    frequency = world.true_model().predict_proba(optimal.means[left], behaviour.means[right])[:, 0].mean()
    assert abs(frequency - 0.734) < 4 * 0.011  # the spread over seeds with a thousand trajectories each


def test_behaviour_is_half_random(policy, behaviour):
    best = policy.base.table[..., 1]
    cells = np.rint(behaviour.states[:, :-1] / [40, 10] * 99).clip(0, 99).astype(int)
    followed = behaviour.actions == best[cells[..., 0], cells[..., 1]]
    assert abs(followed.mean() - 0.75) < 4 * np.sqrt(0.75 * 0.25 / followed.size)
    tumour, wbc = behaviour.means.mean(axis=0)
    assert 19 < tumour < 22
    assert 4.6 < wbc < 5.0


def test_preferences_are_between_distinct_trajectories_and_follow_the_model(behaviour):
    preferences = world.preferences(behaviour, pairs=2000, seed=5)
    assert preferences.n_comparisons == preferences.n_pairs == 2000
    assert np.all(preferences.left != preferences.right)
    assert not preferences.has_ties
    assert preferences.features == ("tumour", "wbc")
    chances = world.true_model().predict_proba(preferences.left_features, preferences.right_features)[:, 0]
    assert abs(np.sum(preferences.wins - chances)) < 4 * np.sqrt(np.sum(chances * (1 - chances)))
    assert np.mean((chances > 0.5) == (preferences.wins == 1)) > 0.92  # the truth itself: 94.5 %
    shares = np.bincount(preferences.left, minlength=1000)
    assert shares.max() < 12  # every trajectory has its turn


def test_the_same_seed_gives_the_same_preferences(behaviour):
    first, again, other = (world.preferences(behaviour, pairs=100, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.wins, again.wins)
    assert not np.array_equal(first.left, other.left)


def test_one_trajectory_cannot_be_compared():
    alone = Rollouts(np.ones((1, 21, 2)), np.zeros((1, 20), int), Cancer().features)
    with pytest.raises(InputError, match="at least two trajectories"):
        world.preferences(alone)
