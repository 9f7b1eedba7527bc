"""Is what is predicted really held out, and does the comparison carry its own error bar?"""

import numpy as np
import pytest

from lori import LORI, Linear, OrderedModel, Preferences, simulate
from lori.errors import DataError
from lori.evaluation.cross_validation import MANY, HeldOut, _parts, advantage, held_out, one_level
from lori.evaluation.metrics import log_loss

TRUTH = OrderedModel.linear([[1.0, 0.5]], epsilon=[0.0])


def test_held_out_choices_are_predicted_nearly_as_well_as_by_the_truth():
    prefs = simulate(TRUTH, 500, seed=0)
    found = held_out(LORI(levels=1, epsilon=0.0, starts=2), prefs)
    assert found.log_likelihood == pytest.approx(-log_loss(TRUTH, prefs), abs=0.02)
    assert 0.5 < found.accuracy < 1
    lucky = HeldOut(prefs, TRUTH.predict_proba(prefs.left_features, prefs.right_features), 5)
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


def test_one_level_keeps_the_first_reward_and_the_last_threshold():
    model = LORI(levels=2, reward=[Linear(increasing="all"), Linear()], epsilon=(None, 0.0), alpha=[1.0, 2.0], seed=3)
    single = one_level(model)
    assert (single.levels, single.epsilon, single.alpha, single.seed) == (1, 0.0, 1.0, 3)
    assert single.reward == Linear(increasing="all")
    assert one_level(LORI(levels=3, starts=5)).starts == 5
    assert MANY >= 5000
