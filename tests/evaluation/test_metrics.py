"""Do the measures say what their definitions say, counted by hand, and is what is predicted really held out?"""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import lori
from lori import LORI, OrderedModel, Preferences, simulate
from lori.evaluation.metrics import (
    MANY,
    HeldOut,
    accuracy,
    advantage,
    calibration,
    held_out,
    log_loss,
    parts,
    reliability,
    rmse,
)

TRUTH = OrderedModel.linear([[1.0, 0.5]], epsilon=[0.0])


class Fixed:
    """Predicts what it was told."""

    def __init__(self, *rows):
        self.rows = np.array(rows, float)

    def predict_proba(self, left, right):
        assert len(left) == len(right) == len(self.rows)
        return self.rows


def preferences(wins, losses, ties=None, **options):
    x = np.arange(2.0 * len(wins)).reshape(len(wins), 2, 1)
    return lori.Preferences.from_arrays(x[:, 0], x[:, 1], wins=wins, losses=losses, ties=ties, **options)


@pytest.fixture(scope="module")
def three():
    """Left 0.8, exactly even, left 0.2 with a tie of 0.3."""
    return Fixed([0.8, 0.0, 0.2], [0.5, 0.0, 0.5], [0.2, 0.3, 0.5])


def test_accuracy_counts_winners_above_one_half_and_leaves_ties_out(three):
    seen = preferences(wins=[3, 4, 1], losses=[1, 0, 2], ties=[0, 0, 5])
    # 3 of 4 in the first pair; an even probability is not above ½; nor is 0.5 for the right side of the third
    assert accuracy(three, seen) == pytest.approx(3 / 11)


def test_accuracy_weighs_pairs(three):
    seen = preferences(wins=[3, 4, 1], losses=[1, 0, 2], ties=[0, 0, 5], weight=[2.0, 1.0, 0.0])
    assert accuracy(three, seen) == pytest.approx(6 / 12)


def test_accuracy_of_ties_alone_is_refused(three):
    with pytest.raises(lori.DataError, match=r"ties only; .*\.$"):
        accuracy(three, preferences([0, 0, 0], [0, 0, 0], [1, 1, 1]))


def test_log_loss_is_minus_the_mean_log_probability(three):
    seen = preferences(wins=[3, 4, 1], losses=[1, 0, 2], ties=[0, 0, 5])
    by_hand = 3 * np.log(0.8) + np.log(0.2) + 4 * np.log(0.5) + np.log(0.2) + 2 * np.log(0.5) + 5 * np.log(0.3)
    assert log_loss(three, seen) == pytest.approx(-by_hand / 16)
    assert log_loss(Fixed([1.0, 0.0, 0.0]), preferences([0], [1])) == np.inf
    assert log_loss(Fixed([1.0, 0.0, 0.0]), preferences([1], [0])) == 0.0


def test_rmse():
    assert rmse([0.1, 0.5], [0.4, 0.1]) == pytest.approx(np.sqrt((0.09 + 0.16) / 2))
    with pytest.raises(lori.InputError, match=r"same shape.*\.$"):
        rmse([0.1], [0.1, 0.2])


def test_calibration_by_hand():
    model = Fixed([0.81, 0.0, 0.19], [0.17, 0.0, 0.83], [0.55, 0.0, 0.45], [1.0, 0.0, 0.0])
    table = calibration(model, preferences(wins=[3, 1, 1, 2], losses=[1, 3, 1, 0]), bins=10)
    assert table.lower == pytest.approx([0.5, 0.8, 0.9])
    assert table.upper == pytest.approx([0.6, 0.9, 1.0])
    assert table.predicted == pytest.approx([0.55, 0.82, 1.0])
    assert table.observed == pytest.approx([1 / 2, 6 / 8, 1.0])
    assert table.comparisons == pytest.approx([2, 8, 2])


def test_calibration_does_not_depend_on_the_side(three):
    seen = preferences(wins=[3, 4, 1], losses=[1, 0, 2], ties=[0, 0, 5])
    swapped = Fixed(*three.rows[[0, 2], ::-1])
    for one, other in zip(
        calibration(Fixed(*three.rows[[0, 2]]), seen[[0, 2]]), calibration(swapped, seen[[0, 2]].swap()), strict=True
    ):
        assert one == pytest.approx(other)


@pytest.mark.parametrize("bins", [0, 2.5, True])
def test_calibration_refuses_other_bins(three, bins):
    with pytest.raises(lori.InputError, match="bins"):
        calibration(three, preferences([1, 1, 1], [0, 0, 0]), bins=bins)


def test_the_true_model_is_calibrated_and_feature_order_is_the_models():
    truth = lori.OrderedModel.linear([[2.0, 0.0], [0.0, 3.0]], epsilon=[1.0, 0.5], features=["need", "benefit"])
    seen = lori.simulate(truth, 2000, times=5, seed=3)
    table = calibration(truth, seen)
    spread = np.sqrt(table.predicted * (1 - table.predicted) / table.comparisons)
    assert np.all(np.abs(table.observed - table.predicted) < 4 * spread)
    turned = seen.select(["benefit", "need"])
    assert accuracy(truth, turned) == accuracy(truth, seen)
    assert log_loss(truth, turned) == pytest.approx(log_loss(truth, seen))


def test_intervals_are_those_of_wilson():
    found = reliability(TRUTH, simulate(TRUTH, 400, seed=3), bins=10)
    wins = np.rint(found.observed * found.comparisons)
    low, high = proportion_confint(wins, found.comparisons, method="wilson")
    np.testing.assert_allclose(found.lower, low, atol=1e-12)
    np.testing.assert_allclose(found.upper, high, atol=1e-12)


def test_the_true_model_agrees_and_a_bold_one_does_not():
    bold = OrderedModel.linear([[10.0, 5.0]], epsilon=[0.0])
    prefs = simulate(TRUTH, 4000, seed=1)
    honest, too_sure = reliability(TRUTH, prefs, bins=10), reliability(bold, prefs, bins=10)
    assert honest.agreeing >= len(honest.predicted) - 1  # 95 % of five
    assert too_sure.agreeing <= len(too_sure.predicted) / 2


# -- held-out choices ---------------------------------------------------------------------------------------------


def test_held_out_choices_are_predicted_nearly_as_well_as_by_the_truth():
    prefs = simulate(TRUTH, 500, seed=0)
    found = held_out(LORI(levels=1, epsilon=0.0, starts=2), prefs)
    assert found.log_likelihood == pytest.approx(-log_loss(TRUTH, prefs), abs=0.02)
    assert 0.5 < found.accuracy < 1
    lucky = HeldOut(prefs, TRUTH.predict_log_proba(prefs.left_features, prefs.right_features), 5)
    mean, error = advantage(found, lucky)
    assert mean == pytest.approx(found.log_likelihood - lucky.log_likelihood)
    assert abs(mean) < 4 * error < 0.1


def test_repeats_of_a_pair_stay_together():
    prefs = simulate(TRUTH, 40, seed=0)
    doubled = Preferences.concatenate([prefs, prefs.swap()])
    part = parts(doubled, 5, seed=0)
    np.testing.assert_array_equal(part[:40], part[40:])
    assert set(np.bincount(part)) == {16}


def test_too_few_pairs_are_refused():
    with pytest.raises(lori.DataError, match="at least 10 different pairs"):
        held_out(LORI(levels=1), simulate(TRUTH, 9, seed=0))


def test_improbable_choices_have_a_finite_log_likelihood():
    """Probabilities underflow where their logarithms are exact."""
    sure = OrderedModel.linear([[1.0]], epsilon=[0.0])
    prefs = Preferences.from_arrays([[-900.0], [1.0]], [[0.0], [0.0]])
    found = HeldOut(prefs, sure.predict_log_proba(prefs.left_features, prefs.right_features), 2)
    np.testing.assert_allclose(found.of_pairs, [-900.0, -np.log1p(np.exp(-1))])
    assert found.log_likelihood == pytest.approx(-450.157, abs=1e-3)
    assert found.accuracy == 0.5


def test_a_large_table_is_sampled():
    prefs = simulate(TRUTH, 60, seed=0)
    found = held_out(LORI(levels=1, epsilon=0.0, starts=1), prefs, folds=2, most=40)
    assert len(found.preferences) == 40
    assert MANY >= 5000
