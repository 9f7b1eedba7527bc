"""Sobol points are those of SciPy, whether or not its table of direction numbers is found."""

import numpy as np
import pytest
from scipy.stats import qmc

from lori.inference.posterior import sobol


@pytest.mark.parametrize(("exponent", "size"), [(1, 1), (6, 2), (9, 11), (7, 100)])
def test_points_are_those_of_scipy(exponent, size):
    assert np.array_equal(sobol.sobol(exponent, size), qmc.Sobol(size, scramble=False).random_base2(exponent))


def test_without_a_table_scipy_makes_them(monkeypatch):
    ours = sobol.sobol(5, 4)
    monkeypatch.setattr(sobol, "direction_table", lambda: None)
    assert np.array_equal(sobol.sobol(5, 4), ours)


@pytest.mark.parametrize("count", [1, 2, 8, 1000])
def test_spread_points_lie_within_the_cube(count):
    points = sobol.spread_points(count, 3)
    assert points.shape == (count, 3)
    assert points.min() > 0
    assert points.max() < 1
