"""Do checks agree with a right model and not with a wrong one, and are surprises what they should be?"""

from dataclasses import replace

import numpy as np
import pytest

import lori
from lori import OrderedModel, Preferences, read, simulate
from lori.evaluation.checks import predictive_check, rare_choices, surprises
from lori.language.numbers import share_of

ONE = lori.OrderedModel.linear([[2.0, 1.0]], epsilon=[1.0], ties="observed")


@pytest.fixture(scope="module")
def prefs():
    return lori.simulate(ONE, 300, times=3, seed=0)


@pytest.fixture(scope="module")
def posterior(prefs):
    return lori.LORI(levels=1).fit(prefs).posterior()


def test_the_right_model_agrees_and_a_wrong_one_does_not(prefs, posterior):
    right = predictive_check(posterior, prefs)
    bold = predictive_check(replace(posterior, vectors=posterior.vectors * [3.0, 3.0, 1.0, 1.0]), prefs)
    probable = [group for group in right.groups if group.by == "probability"]
    assert len(probable) == 10
    assert sum(group.comparisons for group in probable) == 900
    assert {group.name for group in right.groups if group.by == "level"} <= {"level 1", "no level"}
    assert sum(group.agrees for group in probable) >= 7  # 9 expected; 6 or fewer has a chance of 1.3 %
    assert bold.agreeing <= 5
    assert f"in {share_of(right.agreeing, len(right.groups), 'group')} of choices" in right.sentence


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


MODEL = OrderedModel.linear([[0.0, 2.0], [1.0, 0.0]], epsilon=[1.0, 0.0], features=["benefit", "need"])


def test_single_choices_are_ordered_by_their_probability():
    prefs = simulate(MODEL, 300, seed=0)
    chances = MODEL.predict_proba(prefs.left_features, prefs.right_features)
    chosen = np.where(prefs.wins == 1, chances[:, 0], chances[:, 2])
    found = surprises(MODEL, prefs, count=4)
    np.testing.assert_allclose([each.probability for each in found], np.sort(chosen)[:4])
    assert all(each.times == each.times_chosen == 1 for each in found)
    assert set(found[0].left) == {"benefit", "need"}


def test_a_surprise_is_named_by_its_row_whatever_was_left_out(tmp_path):
    file = tmp_path / "pairs.csv"
    rows = ["1,5,2,4,left", "1,,2,4,left", "0,3,9,3,right", "1,5,1,5,tie", "0,9,0,1,right", "3,2,1,1,left"]
    file.write_text("\n".join(["left.benefit,left.need,right.benefit,right.need,choice", *rows]))
    found = read(file, missing="drop", identical="drop")
    assert found.rows.tolist() == [1, 3, 5, 6]
    assert found[1:].select(["need"]).rows.tolist() == [3, 5, 6]
    assert found.aggregate().rows.tolist() == [1, 3, 5, 6]
    assert Preferences.concatenate([found, found]).rows.tolist() == list(range(1, 9))
    assert surprises(MODEL, found, count=1)[0].pair == 5
    assert surprises(MODEL, found[2:], count=1)[0].pair == 5


def test_repeated_choices_surprise_by_their_share():
    even = Preferences.from_arrays(
        [[1.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], wins=[73, 10], losses=[27, 90], features=MODEL.features
    )
    (worst,) = surprises(MODEL, even, count=1)
    assert worst.counts == (10, 0, 90)
    assert worst.chosen == "right"
    assert worst.times_chosen == 90
    assert worst.probability == pytest.approx(1 - worst.chances[0])


def test_a_true_model_expects_what_it_sees():
    found = rare_choices(MODEL, simulate(MODEL, 5000, seed=2))
    assert found.comparisons == 5000
    assert abs(found.seen - found.expected) < 4 * np.sqrt(found.expected)
    assert found.expected > 10


def test_features_may_come_in_another_order():
    prefs = simulate(MODEL, 50, seed=0)
    turned = prefs.select(["need", "benefit"])
    assert surprises(MODEL, turned) == surprises(MODEL, prefs)


def test_likely_choices_surprise_nobody():
    likely = Preferences.from_arrays(
        [[0.0, 3.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 3.0]], wins=[1, 0], losses=[0, 1], features=MODEL.features
    )
    assert surprises(MODEL, likely) == []
