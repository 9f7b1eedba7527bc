"""Posterior predictive checks: right models agree with their data, wrong ones do not."""

from dataclasses import replace

import numpy as np
import pytest

import lori
from lori.evaluation.predictive_check import predictive_check

ONE = lori.OrderedModel.linear([[2.0, 1.0]], epsilon=[1.0], ties="observed")


@pytest.fixture(scope="module")
def prefs():
    return lori.simulate(ONE, 300, times=3, seed=0)


@pytest.fixture(scope="module")
def posterior(prefs):
    return lori.LORI(levels=1).fit(prefs).posterior()


def test_the_right_model_agrees_and_a_wrong_one_does_not(prefs, posterior):
    right = predictive_check(posterior, prefs)
    bold = predictive_check(replace(posterior, vectors=posterior.vectors * [3.0, 3.0, 1.0]), prefs)
    probable = [group for group in right.groups if group.by == "probability"]
    assert len(probable) == 10
    assert sum(group.comparisons for group in probable) == 900
    assert {group.name for group in right.groups if group.by == "level"} <= {"level 1", "no level"}
    assert sum(group.agrees for group in probable) >= 7  # 9 expected; 6 or fewer has a chance of 1.3 %
    assert bold.agreeing <= 5
    assert f"{right.agreeing} of {len(right.groups)}" in right.sentence


def test_counts_and_ties_enter(prefs, posterior):
    check = predictive_check(posterior, prefs, bins=4)
    probable = [group for group in check.groups if group.by == "probability"]
    assert len(probable) == 4
    seen = sum(group.observed * group.comparisons for group in probable)
    favoured = posterior.predict_proba(prefs.left_features, prefs.right_features).mean(axis=0)
    wins = np.where(favoured[:, 0] >= favoured[:, 2], prefs.wins, prefs.losses)
    assert abs(seen - (wins + 0.5 * prefs.ties).sum()) <= 9  # a few pairs near ½ may be favoured otherwise


def test_a_posterior_that_is_not_trusted_is_said_to_be(prefs, posterior):
    doubtful = replace(posterior, trust=replace(posterior.trust, trusted=False))
    assert "has not converged" in predictive_check(doubtful, prefs).sentence
