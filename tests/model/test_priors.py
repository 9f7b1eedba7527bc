"""The weak prior against SciPy's Student t."""

import numpy as np
import pytest
from scipy import stats

from lori.model.likelihoods import Pairs
from lori.model.priors import Prior
from lori.model.rewards import Capped, Function, Linear, Network
from lori.model.specification import Specification

FEATURES = ("benefit", "need")


def log_density(prior, vector, scales) -> float:
    return float(prior.log_density(np.asarray(vector, float), np.asarray(scales, float)))


@pytest.mark.parametrize("degrees", [1.0, 3.0, 30.0])
def test_it_is_a_student_t_up_to_a_constant(degrees):
    prior = Prior(degrees=degrees)
    scales = np.array([2.5, 0.1, 40.0])

    def expected(vector):
        return stats.t(degrees, scale=scales).logpdf(vector).sum()

    vectors = np.random.default_rng(0).normal(0.0, 5.0, (20, 3))
    differences = [log_density(prior, v, scales) - expected(v) for v in vectors]
    np.testing.assert_allclose(differences, -expected(np.zeros(3)), rtol=1e-12)
    assert log_density(prior, np.zeros(3), scales) == 0.0


def test_an_infinite_scale_contributes_nothing():
    prior = Prior()
    assert log_density(prior, [3.0, 1e6], [2.0, np.inf]) == log_density(prior, [3.0], [2.0])
    assert log_density(prior, [1e6], [np.inf]) == 0.0


def test_slopes_are_the_derivatives():
    prior, step = Prior(degrees=4.0), 1e-4
    vector, scales = np.array([-3.0, 0.2, 50.0, 0.0, 7.0]), np.array([2.5, 0.1, 10.0, 1.0, np.inf])
    first, second = prior.slopes(vector, scales)
    for i, h in enumerate(step * np.eye(5)):
        down, here, up = (log_density(prior, v, scales) for v in (vector - h, vector, vector + h))
        assert first[i] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-9)
        assert second[i] == pytest.approx((up - 2 * here + down) / step**2, rel=1e-3, abs=1e-5)
    assert first[4] == second[4] == 0.0


def test_many_vectors_are_judged_at_once():
    vectors = np.random.default_rng(1).normal(size=(2, 3, 4))
    got = Prior().log_density(vectors, np.ones(4))
    assert got.shape == (2, 3)
    assert got[1, 2] == pytest.approx(log_density(Prior(), vectors[1, 2], np.ones(4)))


def test_scales_follow_the_kind_of_parameter():
    function = Function(lambda p, x: p[0] * x[0], start=(1.0,))
    specification = Specification(
        (Capped(), function, Linear()), (None, 0.0, None), (1.0, None, 1.0), Pairs(), FEATURES
    )
    scales = Prior(weights=2.0, epsilon=3.0, deeper=0.5).scales(specification)
    # two weights and a cap; the function's parameter; two weights; two thresholds; the function's α
    assert scales.tolist() == [2.0, 2.0, 8.0, np.inf, 2.0, 2.0, 3.0, 3.0, np.inf]


@pytest.mark.parametrize(("levels", "expected"), [(1, [3.0]), (2, [3.0, 3.0]), (4, [3.0, 0.5, 0.5, 3.0])])
def test_thresholds_that_let_a_third_level_speak_are_believed_small(levels, expected):
    specification = Specification((Linear(),) * levels, (None,) * levels, (1.0,) * levels, Pairs(), FEATURES)
    scales = Prior(epsilon=3.0, deeper=0.5).scales(specification)
    assert scales[list(specification.epsilon_slots.values())].tolist() == expected


def test_the_scales_of_a_network_shrink_with_its_inputs():
    specification = Specification((Network(hidden=(9,)),), (0.0,), (1.0,), Pairs(), FEATURES)
    scales = Prior(weights=2.0).scales(specification)
    np.testing.assert_allclose(scales, 2.0 / np.sqrt([2.0] * 27 + [9.0] * 9))


@pytest.mark.parametrize("name", ["weights", "epsilon", "degrees", "deeper"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_wrong_values_are_refused(name, value, refused):
    assert refused(Prior, **{name: value}).startswith(f"prior.{name}: ")
