"""Episodes in environments: what they bring, kept in files."""

import numpy as np
import pytest

import lori
from lori import DataError, InputError
from lori.policies.environments import Episodes, Uniform, make_environment, run_episodes

pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")


def test_a_plan_brings_what_it_promises(tmp_path):
    env = make_environment("deep-sea-treasure-concave-v0")
    plan = lori.plan_lexicographic(lori.FiniteMDP.explore(env), [20.0, None], horizon=60)
    seen = run_episodes(make_environment("deep-sea-treasure-concave-v0"), plan.policy, episodes=400, seed=3)
    assert np.all(np.abs(seen.means - plan.values) < 3 * seen.standard_errors)
    assert set(seen.returns[:, 0]) == {1.0, 124.0}
    seen.save(tmp_path / "seen.npz")
    again = Episodes.load(tmp_path / "seen.npz")
    np.testing.assert_array_equal(again.returns, seen.returns)
    assert again.objectives == ("treasure", "time")


def test_any_policy_can_be_followed_with_a_discount():
    env = make_environment("fruit-tree-v0", ["a", "b", "c", "d", "e", "f"])
    seen = run_episodes(env, Uniform(2), episodes=3, discount=0.5)
    assert seen.objectives == ("a", "b", "c", "d", "e", "f")
    assert seen.lengths.tolist() == [6, 6, 6]
    assert seen.returns.max() <= 10 * 0.5**5


def test_what_is_wrong_is_said_in_one_sentence(tmp_path):
    with pytest.raises(InputError, match="the name of a Gymnasium environment"):
        make_environment("no-such-world")
    with pytest.raises(InputError, match="a vector reward"):
        make_environment("CartPole-v1")
    (tmp_path / "other.npz").write_text("other")
    with pytest.raises(DataError, match="lori rollout"):
        Episodes.load(tmp_path / "other.npz")
