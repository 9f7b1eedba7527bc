"""The logarithm of many numbers: NumPy's to the last digit but one, and what it says where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from lori.model.engines import jax, jnp
from lori.model.logarithm import SMALLEST, log
from lori.model.precision import double_precision


@double_precision
def compiled(x):
    return np.asarray(jax.jit(log)(jnp.asarray(x)))


@pytest.mark.parametrize("largest", [1e-3, 1.0, 700.0])
def test_it_is_that_of_numpy_but_for_the_last_digit(largest):
    x = np.exp(np.random.default_rng(0).uniform(-largest, largest, 100_000))
    expected = np.log(x)
    assert np.max(np.abs(compiled(x) - expected) / np.spacing(np.abs(expected))) <= 1.5


def test_where_there_is_no_logarithm():
    found = compiled(np.array([0.0, -1.0, np.nan, np.inf, 1.0, SMALLEST]))
    np.testing.assert_array_equal(found, [-np.inf, np.nan, np.nan, np.nan, 0.0, np.log(SMALLEST)])


def test_arrays_of_numpy_and_single_precision_have_the_engines_own():
    x = np.array([0.5, 2.0])
    np.testing.assert_array_equal(log(x), np.log(x))
    assert log(jnp.asarray(x, jnp.float32)).dtype == jnp.float32


@double_precision
def test_it_can_be_differentiated():
    x = jnp.asarray([0.3, 3.0, 1e-200])
    np.testing.assert_allclose(jax.vmap(jax.grad(log))(x), 1 / np.asarray(x), rtol=1e-14)
