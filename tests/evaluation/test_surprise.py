"""Are the surprising pairs the improbable ones, and does a true model see as many as it expects?"""

import numpy as np
import pytest

from lori import OrderedModel, Preferences, simulate
from lori.evaluation.surprise import rare_choices, surprises

MODEL = OrderedModel.linear([[0.0, 2.0], [1.0, 0.0]], epsilon=[1.0, 0.0], features=["benefit", "need"])


def test_single_choices_are_ordered_by_their_probability():
    prefs = simulate(MODEL, 300, seed=0)
    chances = MODEL.predict_proba(prefs.left_features, prefs.right_features)
    chosen = np.where(prefs.wins == 1, chances[:, 0], chances[:, 2])
    found = surprises(MODEL, prefs, count=4)
    np.testing.assert_allclose([each.probability for each in found], np.sort(chosen)[:4])
    assert all(each.times == each.times_chosen == 1 for each in found)
    assert set(found[0].left) == {"benefit", "need"}


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
