"""Posterior predictive checks: right models agree with their data, wrong ones do not."""

import numpy as np

import lori
from lori.evaluation.checks import predictive_check

TWO = lori.OrderedModel.linear([[3.0, 0.0], [0.0, 3.0]], epsilon=[3.0, 0.5])


def test_the_right_model_agrees_and_a_wrong_one_does_not():
    prefs = lori.simulate(TWO, 1500, seed=0)
    right = predictive_check(lori.LORI(levels=2).posterior(prefs), prefs)
    wrong = predictive_check(lori.LORI(levels=1, epsilon=0.0).posterior(prefs), prefs)
    probable = [group for group in right.groups if group.by == "probability"]
    assert len(probable) == 10
    assert sum(group.comparisons for group in probable) == 1500
    assert {group.name for group in right.groups if group.by == "level"} >= {"level 1", "level 2"}
    assert sum(group.agrees for group in probable) >= 7  # 9 expected; 6 or fewer has a chance of 1.3 %
    assert sum(group.agrees for group in wrong.groups) < right.agreeing
    assert f"{right.agreeing} of {len(right.groups)}" in right.sentence


def test_counts_and_ties_enter():
    truth = lori.OrderedModel.linear([[2.0, 1.0]], epsilon=[1.0], ties="observed")
    prefs = lori.simulate(truth, 200, times=5, seed=1)
    check = predictive_check(lori.LORI(levels=1).posterior(prefs), prefs, bins=4)
    probable = [group for group in check.groups if group.by == "probability"]
    assert sum(group.comparisons for group in probable) == 1000
    seen = sum(group.observed * group.comparisons for group in probable)
    favoured = lori.LORI(levels=1).fit(prefs).predict_proba(prefs)
    sign = np.where(favoured[:, 0] >= favoured[:, 2], prefs.wins, prefs.losses)
    assert abs(seen - (sign + 0.5 * prefs.ties).sum()) <= 25  # a few pairs near ½ may be favoured otherwise
