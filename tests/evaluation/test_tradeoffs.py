"""Landscapes and prices against closed forms, and requests that make no sense."""

import numpy as np
import pytest

from lori import Capped, OrderedModel, Preferences
from lori.errors import InputError
from lori.evaluation.tradeoffs import centre, direction, landscape, median_alternative, prices, spans, trade_off
from lori.model.ordered import Level

MODEL = OrderedModel.linear([[0.0, 2.0, 0.0], [1.0, 0.0, 0.5]], epsilon=[1.0, 0.2], features=["benefit", "need", "age"])


def test_every_cell_is_a_pair_that_differs_in_two_features():
    land = landscape(MODEL, "need", "benefit", (2.0, 3.0), points=5)
    for row, column in ((0, 0), (1, 4), (4, 2)):
        left = [[land.y[row], land.x[column], 0.0]]
        expected = MODEL.predict_proba(left, np.zeros((1, 3)))[0]
        got = land.left[row, column], land.tie[row, column], land.right[row, column]
        np.testing.assert_allclose(got, expected, atol=1e-12)
    assert land.tie.max() == 0.0  # a coin decides


def test_ties_apart_is_what_no_level_decides():
    land = landscape(MODEL, "need", "benefit", (2.0, 3.0), points=5, ties_apart=True)
    nobody = MODEL.decisions(np.zeros((1, 3)), np.zeros((1, 3))).nobody[0]
    assert land.tie[2, 2] == pytest.approx(float(nobody))


def test_spans_end_beyond_the_thresholds_and_within_the_data():
    reach = spans(MODEL, [10.0, 10.0, 1.0])
    assert reach["need"] == pytest.approx(1.5)  # three times 1 / 2
    assert reach["benefit"] == pytest.approx(0.6)
    assert reach["age"] == 1.0  # its threshold is 0.4


def test_a_threshold_next_to_nothing_does_not_set_the_scale():
    none = OrderedModel.linear([[1.0, 0.0]], epsilon=[1e-15], features=["benefit", "need"])
    assert spans(none, [10.0, 20.0]) == {"benefit": 10.0, "need": 20.0}


def test_rewards_that_are_not_linear_need_an_alternative():
    capped = OrderedModel((Level(Capped(), np.array([1.0, 2.0]), 0.1, slopes=np.array([1.0])),), ("a",))
    with pytest.raises(InputError, match="not linear"):
        centre(capped, None)
    with pytest.raises(InputError, match="shape"):
        centre(capped, [1.0, 2.0])
    with pytest.raises(InputError, match="one of benefit"):
        landscape(MODEL, "nead", "benefit", (1.0, 1.0))


def test_the_median_alternative_is_in_the_models_order():
    prefs = Preferences.from_arrays([[1.0, 10.0, 5.0]], [[3.0, 30.0, 5.0]], features=["need", "benefit", "age"])
    np.testing.assert_allclose(median_alternative(MODEL, prefs), [20.0, 2.0, 5.0])


FEATURES = ["benefit", "need"]
ONE = OrderedModel.linear([[0.5, 2.0]], epsilon=[0.0], features=FEATURES)
TWO = OrderedModel.linear([[0.0, 5.0], [1.0, 0.0]], epsilon=[5.0, 0.3], features=FEATURES)


def test_one_linear_reward_has_a_constant_price():
    trade = trade_off(ONE, "need", "benefit", up_to=2.0, most=10.0)
    np.testing.assert_allclose(trade.price, 4 * trade.lost, atol=1e-6)
    assert trade.limit is None
    np.testing.assert_allclose(trade.band[0], trade.band[1], atol=1e-6)  # without thresholds nobody is indifferent


def test_both_sides_are_equally_likely_on_the_curve():
    trade = trade_off(TWO, "need", "benefit", up_to=2.0, most=30.0)
    paid = np.isfinite(trade.price) & (trade.lost > 0)
    left = np.column_stack([trade.price, -trade.lost])[paid]
    np.testing.assert_allclose(TWO.preference(left, np.zeros_like(left)), 0, atol=1e-5)


def test_no_gain_makes_up_for_a_loss_above_the_threshold():
    trade = trade_off(TWO, "need", "benefit", up_to=2.0, most=30.0)
    assert trade.limit == pytest.approx(1.0, abs=0.02)  # ε / weight = 5 / 5
    assert np.isinf(trade.price[trade.lost > 1.05]).all()
    assert np.all(trade.band[0] <= trade.price + 1e-6)
    assert np.all(trade.price <= trade.band[1] + 1e-6)


def test_a_loss_of_what_should_be_small_is_more_of_it():
    tumour = OrderedModel.linear([[-2.0, 1.0]], epsilon=[0.0], features=["tumour", "cells"])
    assert direction(tumour, "tumour") == -1.0
    trade = trade_off(tumour, "tumour", "cells", up_to=1.0, most=5.0)
    np.testing.assert_allclose(trade.price, 2 * trade.lost, atol=1e-6)
    assert trade.more_is_better == (False, True)


def test_the_interval_holds_the_draws():
    draws = [OrderedModel.linear([[0.5, 2.0 * factor]], epsilon=[0.0], features=FEATURES) for factor in (0.9, 1.0, 1.1)]
    trade = trade_off(ONE, "need", "benefit", up_to=2.0, most=10.0, draws=draws)
    np.testing.assert_allclose(trade.interval[0, -1], 7.2, atol=0.05)
    np.testing.assert_allclose(trade.interval[1, -1], 8.8, atol=0.05)


def test_prices_beyond_reach_are_infinite():
    np.testing.assert_allclose(prices(ONE, "need", "benefit", np.array([1.0, 3.0]), 10.0), [4.0, np.inf])
