"""Intervals from draws: against closed forms, at bounds, with agents who repeat themselves."""

import numpy as np
import pytest
from scipy import stats

import lori
from lori.inference.intervals import REACHED, interval, out_of_reach, quantiles, smallest
from lori.inference.posterior.laplace import Gaussian

TWO = lori.OrderedModel.linear([[3.0, 0.0], [0.0, 3.0]], epsilon=[3.0, 0.5])


def test_weighted_quantiles_are_those_of_the_distribution():
    """Draws of a wide normal distribution, weighted to be standard normal."""
    wide = stats.norm(scale=2).ppf((np.arange(4000) + 0.5) / 4000)
    shares = np.exp(stats.norm.logpdf(wide) - stats.norm(scale=2).logpdf(wide))
    found = quantiles(wide, [0.025, 0.5, 0.975], shares / shares.sum())
    np.testing.assert_allclose(found, [-1.96, 0.0, 1.96], atol=0.01)


@pytest.mark.parametrize(("away", "begins_at_zero"), [(0.0, True), (1.0, True), (2.5, False), (5.0, False)])
def test_a_positive_number_reaches_zero_unless_it_is_less_dense_there(away, begins_at_zero):
    """A normal distribution around `away`, cut off at zero."""
    cut = stats.truncnorm(-away, np.inf, loc=away)
    draws = cut.ppf((np.arange(4000) + 0.5) / 4000)
    low, high = interval(draws, 0.95, sign=1)
    assert (low == 0) == begins_at_zero
    assert cut.cdf(high) - cut.cdf(low) == pytest.approx(0.95, abs=1e-3)
    assert interval(-draws, 0.95, sign=-1) == pytest.approx((-high, -low))
    assert interval(draws, 0.95, sign=1, value=0.0)[0] == 0  # nothing is as likely as zero


@pytest.fixture(scope="module")
def model():
    return lori.LORI(levels=2, starts=8).fit(lori.simulate(TWO, 300, seed=1000))


def test_every_learned_number_has_an_interval_that_holds_it(model):
    summary = model.summary()
    learned = [summary.lapse]
    for level in summary.levels:
        learned += [*level.weights.values(), level.epsilon, *level.thresholds.values()]
        assert level.alpha.interval is None  # fixed
    assert all(number.interval[0] <= number.value <= number.interval[1] for number in learned)
    assert all(number.standard_error > 0 for number in learned)


def test_a_threshold_of_zero_has_an_interval_and_its_level_a_wider_one_than_if_it_were_known(model):
    """What the curvature at the bound takes for known, the posterior does not."""
    last = model.summary().levels[-1]
    assert last.epsilon.value == pytest.approx(0.0, abs=1e-6)
    assert last.epsilon.interval[0] == 0
    low, high = last.weights["x2"].interval
    value = last.weights["x2"].value
    assert high - value > 1.5 * (value - low)


def test_agents_who_repeat_themselves_tell_less():
    """Ten copies of each agent's choices are no more than one: clusters know it, single choices do not."""
    one = lori.OrderedModel.linear([[1.0, -0.5]], epsilon=[0.0])
    prefs = lori.simulate(one, 200, agents=40, seed=0)
    copies = lori.Preferences.concatenate([prefs] * 10)
    width = {}
    for name, data in (("once", prefs), ("copies", copies)):
        for kind in ("auto", "observed"):
            own = lori.LORI(levels=1, epsilon=0.0, lapse=0.0, prior=None, standard_errors=kind).fit(data)
            weight = own.summary().levels[0].weights["x1"]
            width[name, kind] = weight.interval[1] - weight.interval[0]
    assert width["copies", "observed"] == pytest.approx(width["once", "observed"] / np.sqrt(10), rel=0.1)
    assert width["copies", "auto"] > 0.8 * width["once", "observed"]


def test_without_errors_nothing_is_told_about_precision():
    own = lori.LORI(levels=1, starts=4, standard_errors="none").fit(lori.simulate(TWO, 60, seed=0))
    assert all(weight.interval is None for weight in own.summary().levels[0].weights.values())


@pytest.mark.parametrize("kind", ["observed", "robust", "clustered"])
def test_where_the_posterior_is_gaussian_an_interval_is_that_of_its_standard_error(kind):
    """To the Monte Carlo error of the ends, a twentieth; few clusters have Student's t."""
    one = lori.OrderedModel.linear([[1.0, -0.5]], epsilon=[0.0])
    prefs = lori.simulate(one, 1500, agents=30, seed=0)
    fitted = lori.LORI(levels=1, epsilon=0.0, lapse=0, starts=4, standard_errors=kind).fit(prefs)
    few = stats.t(29).ppf(0.975) if kind == "clustered" else 1.959964
    for weight in fitted.summary().levels[0].weights.values():
        low, high = weight.interval
        assert (high - low) / 2 == pytest.approx(few * weight.standard_error, rel=0.08)
        assert (high + low) / 2 == pytest.approx(weight.value, abs=0.15 * weight.standard_error)


def test_draws_of_features_that_move_together_are_as_small_as_the_estimate():
    """The effect (a − b) stays what it is; neither weight may be negative, so one of them becomes zero."""
    draws = np.array([[3.0, 1.0, 7.0], [1.0, 2.5, 7.0], [2.0, 0.0, 7.0]])
    direction = np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
    bounds = np.zeros(3), np.full(3, np.inf)
    found = smallest(draws, direction, bounds)
    np.testing.assert_allclose(found, [[2.0, 0.0, 7.0], [0.0, 1.5, 7.0], [2.0, 0.0, 7.0]], atol=1e-12)


def test_gambles_that_trade_chance_for_money_have_a_threshold_with_an_interval():
    """In Tversky's gambles the two features move together; a threshold is told with the smallest weights."""
    person = lori.tversky1969().by_agent()["1"]
    model = lori.LORI(levels=2, reward=lori.Linear(increasing="all"), epsilon=(None, 0.0), starts=8).fit(person)
    low, high = model.summary().levels[0].thresholds["probability"].interval
    assert 0.08 < low < 0.105
    assert 0.115 < high < 0.14


def test_only_rivals_that_no_wider_gaussian_reaches_need_draws_of_their_own(model):
    """Along any direction: so many deviations of the best one's Gaussian, for each parameter, are within reach."""
    best = model.optimum_
    covariance = Gaussian.around(best).covariance
    size = len(best.vector)
    factor = np.linalg.cholesky(covariance)
    length = REACHED * np.sqrt(size)
    directions = np.random.default_rng(0).normal(size=(4, size))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    near, far = (best.vector + share * length * directions @ factor.T for share in (0.99, 1.01))
    np.testing.assert_array_equal(out_of_reach(best, np.concatenate([near, far])), far)
    assert out_of_reach(best, np.empty((0, size))).shape == (0, size)


@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_an_interval_reaches_as_far_as_the_posterior_does(seed):
    """Of two levels where one is enough: either may be idle, which Gaussians around the optimum miss."""
    data = lori.simulate(lori.OrderedModel.linear([[2.0, 0.5]], epsilon=[0.0]), 60, seed=seed)
    model = lori.LORI(levels=2).fit(data)
    low, high = model.summary().levels[0].epsilon.interval
    draws = model.posterior(data, draws=1000, seed=0).epsilon[:, 0]
    within = np.mean((low <= draws) & (draws <= high))
    assert within == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 500))  # some 500 of both draws are effective


def test_many_rounds_of_draws_do_not_cost_an_interval():
    """Of 10 240 draws in five rounds, 181 are effective: few of all, and more than enough."""
    data = lori.simulate(lori.OrderedModel.linear([[2.0, 0.5]], epsilon=[0.0]), 8000, seed=1000)
    assert lori.LORI(levels=2).fit(data).summary().levels[0].epsilon.interval is not None
