"""Is what is predicted really held out, and does the comparison carry its own error bar?"""

import numpy as np
import pytest

from lori import LORI, OrderedModel, Preferences, simulate
from lori.errors import DataError
from lori.evaluation.metrics import MANY, HeldOut, _parts, advantage, held_out, log_loss

TRUTH = OrderedModel.linear([[1.0, 0.5]], epsilon=[0.0])


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
    part = _parts(doubled, 5, seed=0)
    np.testing.assert_array_equal(part[:40], part[40:])
    assert set(np.bincount(part)) == {16}


def test_too_few_pairs_are_refused():
    with pytest.raises(DataError, match="at least 10 different pairs"):
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
