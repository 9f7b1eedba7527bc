"""Polynomials in variables whose squares are zero: what undoes what."""

import numpy as np
import pytest

from lori.model.likelihoods.multilinear import exponential, inverse, logarithm, plus, times
from lori.model.precision import double_precision


def polynomial(seed: int, variables: int = 3) -> dict[int, np.ndarray]:
    draw = np.random.default_rng(seed)
    return {mask: draw.uniform(0.5, 2, size=4) for mask in range(1 << variables)}


def assert_same(one, other):
    assert one.keys() == other.keys()
    for mask, own in one.items():
        np.testing.assert_allclose(own, other[mask], rtol=1e-12, atol=1e-12)


def test_squares_are_zero():
    assert_same(times({0: np.ones(1), 1: np.ones(1)}, {1: np.full(1, 3.0)}), {1: np.full(1, 3.0)})


@double_precision
def test_a_polynomial_times_its_inverse_is_one():
    one = polynomial(0)
    assert_same(times(one, inverse(one)), {mask: np.full(4, float(mask == 0)) for mask in one})


@double_precision
def test_the_exponential_undoes_the_logarithm():
    one = polynomial(1)
    back = exponential({0: np.log(one[0]), **logarithm(one)})
    assert_same({mask: own * one[0] for mask, own in back.items()}, one)


@double_precision
@pytest.mark.parametrize("seed", [2, 3])
def test_logarithms_turn_products_into_sums(seed):
    one, other = polynomial(seed), polynomial(seed + 10)
    assert_same(logarithm(times(one, other)), plus(logarithm(one), logarithm(other)))
