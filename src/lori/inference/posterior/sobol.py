"""Sobol points: a unit cube filled evenly, by the sequence of Sobol with the direction numbers of Joe and Kuo (2008).

SciPy has them as `scipy.stats.qmc.Sobol`, and these are the same points. But importing `scipy.stats` takes longer than
a fit of a thousand choices, so only its table of direction numbers is read; without it SciPy makes the points.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from lori.model.engines import qmc

TABLE = "stats/_sobol_direction_numbers.npz"  # below the folder of SciPy
BITS = 30


@lru_cache(maxsize=64)
def spread_points(count: int, size: int) -> np.ndarray:
    """`count` points of the unit cube of so many dimensions, spread evenly, none of them on its sides."""
    exponent = max(count - 1, 1).bit_length()
    return sobol(exponent, size)[:count] + 0.5 ** (exponent + 1)


def sobol(exponent: int, size: int) -> np.ndarray:
    """The first 2^`exponent` points, (points, size): in the order of Gray's code, each the XOR of directions."""
    table = direction_table()
    if table is None or size > len(table[1]) or exponent > BITS:
        return qmc.Sobol(size, scramble=False).random_base2(exponent)
    numbers = directions(*(part[:size] for part in table))
    place = np.arange(1 << exponent)
    gray = place ^ (place >> 1)
    points = np.zeros((1 << exponent, size), np.int64)
    for bit in range(exponent):
        points ^= ((gray >> bit) & 1)[:, None] * numbers[:, bit]
    return points * 0.5**BITS


def directions(first: np.ndarray, polynomials: np.ndarray) -> np.ndarray:
    """(dimensions, BITS) direction numbers, each a recurrence of those before by a primitive polynomial.

    v_j = 2^m v_{j−m} ⊕ v_{j−m} ⊕ 2 a_1 v_{j−1} ⊕ … ⊕ 2^{m−1} a_{m−1} v_{j−m+1}, m being the degree of the polynomial
    and a its coefficients; then they are shifted so that the first is one half.
    """
    numbers = np.ones((len(polynomials), BITS), np.int64)
    for dimension in range(1, len(polynomials)):
        polynomial = int(polynomials[dimension])
        degree = polynomial.bit_length() - 1
        own = [int(number) for number in first[dimension, :degree]]
        for place in range(degree, BITS):
            number = own[place - degree]
            for back in range(1, degree + 1):
                if polynomial >> (degree - back) & 1:
                    number ^= own[place - back] << back
            own.append(number)
        numbers[dimension] = own
    return numbers << np.arange(BITS)[::-1]


@lru_cache(maxsize=1)
def direction_table() -> tuple[np.ndarray, np.ndarray] | None:
    """First direction numbers (dimensions, 18) and polynomials (dimensions,) as SciPy's package holds them."""
    package = find_spec("scipy")
    path = Path(package.origin).parent / TABLE if package and package.origin else None
    if path is None or not path.is_file():
        return None
    with np.load(path) as table:
        if not {"vinit", "poly"} <= set(table.files):
            return None
        return table["vinit"], table["poly"]
