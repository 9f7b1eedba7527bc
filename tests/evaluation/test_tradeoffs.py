"""Does the trade-off lie where both sides are equally likely, and does it end at the threshold?"""

import numpy as np
import pytest

from lori import OrderedModel
from lori.evaluation.tradeoffs import direction, prices, trade_off

FEATURES = ["benefit", "need"]
ONE = OrderedModel.linear([[0.5, 2.0]], epsilon=[0.0], features=FEATURES)
TWO = OrderedModel.linear([[0.0, 5.0], [1.0, 0.0]], epsilon=[5.0, 0.3], features=FEATURES)


def test_one_linear_reward_has_a_constant_price():
    trade = trade_off(ONE, "need", "benefit", up_to=2.0, most=10.0)
    np.testing.assert_allclose(trade.price, 4 * trade.losses, atol=1e-6)
    assert trade.limit is None
    np.testing.assert_allclose(trade.band[0], trade.band[1], atol=1e-6)  # without thresholds nobody is indifferent


def test_both_sides_are_equally_likely_on_the_curve():
    trade = trade_off(TWO, "need", "benefit", up_to=2.0, most=30.0)
    paid = np.isfinite(trade.price) & (trade.losses > 0)
    left = np.column_stack([trade.price, -trade.losses])[paid]
    np.testing.assert_allclose(TWO.preference(left, np.zeros_like(left)), 0, atol=1e-5)


def test_no_gain_makes_up_for_a_loss_above_the_threshold():
    trade = trade_off(TWO, "need", "benefit", up_to=2.0, most=30.0)
    assert trade.limit == pytest.approx(1.0, abs=0.02)  # ε / weight = 5 / 5
    assert np.isinf(trade.price[trade.losses > 1.05]).all()
    assert np.all(trade.band[0] <= trade.price + 1e-6)
    assert np.all(trade.price <= trade.band[1] + 1e-6)


def test_a_loss_of_what_should_be_small_is_more_of_it():
    tumour = OrderedModel.linear([[-2.0, 1.0]], epsilon=[0.0], features=["tumour", "cells"])
    assert direction(tumour, "tumour") == -1.0
    trade = trade_off(tumour, "tumour", "cells", up_to=1.0, most=5.0)
    np.testing.assert_allclose(trade.price, 2 * trade.losses, atol=1e-6)
    assert trade.more_is_better == (False, True)


def test_the_interval_holds_the_draws():
    draws = [OrderedModel.linear([[0.5, 2.0 * factor]], epsilon=[0.0], features=FEATURES) for factor in (0.9, 1.0, 1.1)]
    trade = trade_off(ONE, "need", "benefit", up_to=2.0, most=10.0, draws=draws)
    np.testing.assert_allclose(trade.interval[0, -1], 7.2, atol=0.05)
    np.testing.assert_allclose(trade.interval[1, -1], 8.8, atol=0.05)


def test_prices_beyond_reach_are_infinite():
    np.testing.assert_allclose(prices(ONE, "need", "benefit", np.array([1.0, 3.0]), 10.0), [4.0, np.inf])
