"""Policies of finite worlds are saved, loaded and followed."""

import numpy as np
import pytest

import lori
from lori import InputError


def test_a_policy_survives_its_file(environments, tmp_path):
    _, mdp = environments["concave"]
    plan = lori.plan_lexicographic(mdp, [20.0, None], horizon=60)
    plan.policy.save(tmp_path / "policy.json")
    loaded = lori.load_policy(tmp_path / "policy.json")
    np.testing.assert_allclose(loaded.values(mdp, 1.0, 60), plan.values)
    assert not loaded.deterministic
    assert loaded.actions == plan.policy.actions


def test_elsewhere_it_says_that_it_does_not_know(environments):
    _, mdp = environments["concave"]
    policy = lori.plan_lexicographic(mdp, [1.0, None], horizon=60, reading="deterministic").policy
    assert policy.chances_at(np.array([0, 0]), 0).tolist() == [0.0, 1.0, 0.0, 0.0]
    with pytest.raises(InputError, match="a state that the plan comes to, got another one at step 1"):
        policy.chances_at(np.array([5, 5]), 0)
    with pytest.raises(InputError, match="one for a finite world"):
        policy.probabilities(None)
