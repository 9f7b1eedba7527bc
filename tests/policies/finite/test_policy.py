"""Policies of finite worlds are saved, loaded and followed."""

import numpy as np
import pytest

import lori
from lori import InputError


@pytest.mark.parametrize("name", ["policy.json", "policy.npz"])
def test_a_policy_survives_its_file(environments, tmp_path, name):
    _, mdp = environments["concave"]
    plan = lori.plan_lexicographic(mdp, [20.0, None], horizon=60)
    plan.policy.save(tmp_path / name)
    loaded = lori.load_policy(tmp_path / name)
    np.testing.assert_allclose(loaded.values(mdp, 1.0, 60), plan.values)
    assert not loaded.deterministic
    assert loaded.actions == plan.policy.actions


def test_another_file_is_refused(tmp_path):
    (tmp_path / "other.npz").write_text("other")
    with pytest.raises(lori.ModelFileError, match="a policy saved by LORI"):
        lori.load_policy(tmp_path / "other.npz")
    np.savez(tmp_path / "odd.npz", actions=["a"], steps=[0], states=[0], chances=[[1.0, 0.0]], observations=[[0.0]])
    with pytest.raises(lori.ModelFileError, match="do not fit"):
        lori.load_policy(tmp_path / "odd.npz")


def test_elsewhere_it_says_that_it_does_not_know(environments):
    _, mdp = environments["concave"]
    policy = lori.plan_lexicographic(mdp, [1.0, None], horizon=60, reading="deterministic").policy
    assert policy.chances_at(np.array([0, 0]), 0).tolist() == [0.0, 1.0, 0.0, 0.0]
    with pytest.raises(InputError, match="a state that the plan comes to, got another one at step 1"):
        policy.chances_at(np.array([5, 5]), 0)
    with pytest.raises(InputError, match="one for a finite world"):
        policy.probabilities(None)
