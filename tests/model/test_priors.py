"""The weak prior against SciPy's Student t and Beta."""

import numpy as np
import pytest
from scipy import stats

from lori.model.likelihoods import Pairs
from lori.model.priors import Prior
from lori.model.rewards import Capped, Function, Linear, Network
from lori.model.specification import Specification

FEATURES = ("benefit", "need")


CAPPED = Specification((Capped(),), (None,), (1.0,), Pairs(), FEATURES)  # two weights, a cap, a threshold
FREE = Function(lambda p, x: p[0] * x[0], start=(1.0,))  # of its parameter nothing is believed
UNKNOWN = Specification((FREE,), (None,), (1.0,), Pairs(), FEATURES)
SLIPPING = Specification((Linear(),), (None,), (1.0,), Pairs(), FEATURES, lapse=None)
THREE = Specification((Linear(),) * 3, (None,) * 3, (1.0,) * 3, Pairs(), ("need",))


@pytest.mark.parametrize("degrees", [1.0, 3.0, 30.0])
def test_it_is_a_student_t_up_to_a_constant(degrees):
    prior = Prior(degrees=degrees)

    def expected(vector):
        return stats.t(degrees, scale=prior.scales(CAPPED)).logpdf(vector).sum()

    vectors = np.random.default_rng(0).normal(0.0, 5.0, (20, 4))
    differences = [prior.log_density(v, CAPPED) - expected(v) for v in vectors]
    np.testing.assert_allclose(differences, -expected(np.zeros(4)), rtol=1e-12)
    assert prior.log_density(np.zeros(4), CAPPED) == 0.0


def test_what_nothing_is_believed_of_contributes_nothing():
    prior = Prior()
    assert prior.log_density(np.array([1e6, 3.0]), UNKNOWN) == prior.log_density(np.array([0.0, 3.0]), UNKNOWN)
    assert prior.log_density(np.array([1e6, 0.0]), UNKNOWN) == 0.0


def test_a_rate_of_slips_has_a_beta_density():
    prior = Prior(lapse=(1.7, 9.0))

    def expected(rate):
        return stats.beta(1.7, 9.0).logpdf(rate)

    one, other = (np.array([0.4, -1.0, 0.6, rate]) for rate in (0.03, 0.2))
    difference = prior.log_density(one, SLIPPING) - prior.log_density(other, SLIPPING)
    assert difference == pytest.approx(expected(0.03) - expected(0.2))
    drawn = prior.draw(SLIPPING, 4000, np.random.default_rng(0))[:, 3]
    assert stats.kstest(drawn, stats.beta(1.7, 9.0).cdf).pvalue > 0.01
    assert prior.proper(SLIPPING)


def test_with_its_constant_the_density_of_a_rate_integrates_to_one():
    prior, size = Prior(), SLIPPING.size
    rates = np.linspace(1e-6, 0.9, 200_001)
    vectors = np.zeros((len(rates), size))
    vectors[:, -1] = rates
    others = Specification((Linear(),), (None,), (1.0,), Pairs(), FEATURES)
    constant = prior.log_constant(SLIPPING) - prior.log_constant(others)
    total = np.trapezoid(np.exp(prior.log_density(vectors, SLIPPING) + constant), rates)
    assert total == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    ("specification", "vector"),
    [
        (CAPPED, [-3.0, 0.2, 50.0, 0.0]),
        (UNKNOWN, [7.0, 0.5]),
        (SLIPPING, [-3.0, 0.2, 1.0, 0.02]),
        (SLIPPING, [0.0, 0.2, 1.0, 0.4]),
        (THREE, [0.1, 0.2, 0.3, 1.0, 0.05, 1.0]),
        (THREE, [0.1, 0.2, 0.3, 1.0, 0.3, 1.0]),
    ],
)
def test_slopes_are_the_derivatives(specification, vector):
    prior, step, vector = Prior(degrees=4.0), 1e-5, np.array(vector)
    first, second = prior.slopes(vector, specification)
    for i, h in enumerate(step * np.eye(len(vector))):
        down, here, up = (prior.log_density(v, specification) for v in (vector - h, vector, vector + h))
        assert first[i] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)
        assert second[i] == pytest.approx((up - 2 * here + down) / step**2, rel=1e-2, abs=1e-3)


def test_many_vectors_are_judged_at_once():
    vectors = np.random.default_rng(1).uniform(0.1, 0.8, size=(2, 3, 4))
    got = Prior().log_density(vectors, SLIPPING)
    assert got.shape == (2, 3)
    assert got[1, 2] == pytest.approx(Prior().log_density(vectors[1, 2], SLIPPING))


def test_scales_follow_the_kind_of_parameter():
    function = Function(lambda p, x: p[0] * x[0], start=(1.0,))
    specification = Specification(
        (Capped(), function, Linear()), (None, 0.0, None), (1.0, None, 1.0), Pairs(), FEATURES
    )
    scales = Prior(weights=2.0, epsilon=3.0, deeper=0.5).scales(specification)
    # two weights and a cap; the function's parameter; two weights; two thresholds; the function's α
    assert scales.tolist() == [2.0, 2.0, 8.0, np.inf, 2.0, 2.0, 3.0, 3.0, np.inf]


@pytest.mark.parametrize(("levels", "expected"), [(1, [3.0]), (2, [3.0, 3.0]), (4, [3.0, 0.5, 0.5, 3.0])])
def test_thresholds_that_let_a_third_level_speak_may_be_believed_small(levels, expected):
    specification = of_levels(levels)
    slots = list(specification.epsilon_slots.values())
    assert Prior(epsilon=3.0, deeper=0.5, price=None).scales(specification)[slots].tolist() == expected
    assert Prior(epsilon=3.0, deeper=0.5).scales(specification)[slots].tolist() == [3.0] * levels


def of_levels(levels: int, rule: str = "split") -> Specification:
    return Specification((Linear(),) * levels, (None,) * levels, (1.0,) * levels, Pairs(rule), FEATURES)


def test_an_inner_threshold_is_small_or_like_any_other():
    """The mixture by hand, with its constant, and what is drawn from it."""
    prior, specification = Prior(price=1.0, deeper=0.1), of_levels(3)
    (speaks,) = prior.speaks(specification)
    assert (1 - speaks) / speaks * 2.5 / 0.1 == pytest.approx(np.expm1(3.0))  # two weights and a threshold
    slot = specification.epsilon_slots[1]
    vectors = np.zeros((5, specification.size))
    vectors[:, slot] = [0.0, 0.05, 0.3, 2.0, 30.0]
    small, wide = (2 * stats.t(3, scale=scale).pdf(vectors[:, slot]) for scale in (0.1, 2.5))
    alone = Specification((Linear(),) * 3, (None, 0.0, None), (1.0,) * 3, Pairs(), FEATURES)
    others = prior.log_constant(alone)  # everything else is zero
    found = prior.log_density(vectors, specification) + prior.log_constant(specification) - others
    np.testing.assert_allclose(found, np.log(speaks * wide + (1 - speaks) * small), rtol=1e-12)
    drawn = prior.draw(specification, 4000, np.random.default_rng(0))[:, slot]
    assert stats.kstest(drawn, lambda x: speaks * _folded(x, 2.5) + (1 - speaks) * _folded(x, 0.1)).pvalue > 0.01


def _folded(x, scale):
    return 2 * stats.t(3, scale=scale).cdf(x) - 1


def test_a_deeper_level_has_the_same_price_whatever_its_threshold():
    """Three parameters at 1; none where ties are observed or there is no deeper level."""
    for specification, price in ((of_levels(3), 3.0), (of_levels(2), 0.0), (of_levels(3, "observed"), 0.0)):
        vectors = np.zeros((3, specification.size))
        vectors[:, specification.epsilon_slots[1]] = [0.0, 1.0, 3.0]
        told = Prior().log_density(vectors, specification) - Prior(price=0).log_density(vectors, specification)
        assert told[0] - told[1:] == pytest.approx([price] * 2, abs=0.02)
        if not price:
            assert Prior().log_constant(specification) == Prior(price=0).log_constant(specification)


def test_the_scales_of_a_network_shrink_with_its_inputs():
    specification = Specification((Network(hidden=(9,)),), (0.0,), (1.0,), Pairs(), FEATURES)
    scales = Prior(weights=2.0).scales(specification)
    np.testing.assert_allclose(scales, 2.0 / np.sqrt([2.0] * 27 + [9.0] * 9))


@pytest.mark.parametrize("name", ["weights", "epsilon", "degrees", "deeper", "lapse"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_wrong_values_are_refused(name, value, refused):
    assert refused(Prior, **{name: value}).startswith(f"prior.{name}: ")


@pytest.mark.parametrize("value", [-0.1, np.inf, np.nan])
def test_a_price_is_a_number_from_zero(value, refused):
    assert refused(Prior, price=value).startswith("prior.price: expected a number from 0")
