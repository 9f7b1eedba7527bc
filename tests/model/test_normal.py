"""The normal distribution: as SciPy has it, also where probabilities are too small for a number."""

import numpy as np
import pytest
from scipy import special

from lori.model import normal

PLACES = np.array([-1e6, -40.0, -35.001, -34.999, -20.0, -3.0, -1e-3, 0.0, 1e-9, 0.5, 3.0, 8.0, 30.0])


def test_log_probabilities_are_those_of_scipy() -> None:
    np.testing.assert_allclose(normal.log_probability(PLACES), special.log_ndtr(PLACES), rtol=1e-12)
    np.testing.assert_array_equal(normal.log_probability(np.array([-np.inf, np.inf])), [-np.inf, 0.0])


def test_quantiles_are_those_of_scipy() -> None:
    p = np.array([[1e-300, 1e-12, 0.1], [0.5, 0.9, 1 - 1e-12]])
    np.testing.assert_allclose(normal.quantiles(p), special.ndtri(p), rtol=1e-13)
    assert normal.quantile(0.975) == pytest.approx(1.959963984540054, rel=1e-14)


def test_quantiles_of_logarithms_are_those_of_scipy() -> None:
    y = np.array([-1e8, -5000.0, -700.1, -699.9, -50.0, -1.0, -0.69, -1e-3, -1e-15])
    np.testing.assert_allclose(normal.quantiles_of_logs(y), special.ndtri_exp(y), rtol=1e-12)
    np.testing.assert_array_equal(normal.quantiles_of_logs(np.array([-np.inf, 0.0])), [-np.inf, np.inf])
