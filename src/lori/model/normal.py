"""Normal distribution: probabilities in logarithms and quantiles, by NumPy and the standard library alone.

SciPy has them, too, but takes longer to load than a small model to fit. The probability of a tail is that of the scaled
error function, whose logarithm is smooth in t = 2 / (2 + z) from zero to infinity,

    log erfc(z) = log t − z² + P(t),

so that a polynomial stands for P: the one through its values at the zeros of a Chebyshev polynomial.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

import numpy as np

STANDARD = NormalDist()
DEGREE, FRACTIONS = 28, 150  # of the polynomial, and of the continued fraction that it is made from
NEAR = 2.0  # up to here the error function of the standard library has all digits that are needed
HALF_ROOT = math.sqrt(0.5)
RAREST = -700.0  # logarithms of probabilities below this are found by Newton's method


def quantile(probability: float) -> float:
    """Φ⁻¹(p), for p between 0 and 1."""
    return STANDARD.inv_cdf(probability)


def quantiles(probabilities: np.ndarray) -> np.ndarray:
    """Φ⁻¹ of each."""
    return _each(STANDARD.inv_cdf, probabilities)


def log_probability(x: np.ndarray) -> np.ndarray:
    """log Φ(x) of each."""
    x = np.asarray(x, float)
    z = np.abs(x) * HALF_ROOT
    t = 2 / (2 + z)
    with np.errstate(divide="ignore"):  # log Φ(−∞)
        tail = np.log(0.5 * t) - z * z + _polynomial(2 * t - 1)
    return np.where(x > 0, np.log1p(-np.exp(tail)), tail)


def quantiles_of_logs(log_probabilities: np.ndarray) -> np.ndarray:
    """Φ⁻¹(exp(y)) of each y up to 0, without losing digits at either end."""
    return _each(_quantile_of_log, log_probabilities)


def _polynomial(s: np.ndarray) -> np.ndarray:
    """P at t = (1 + s) / 2, by Horner's rule."""
    highest, *others = _coefficients()
    found = np.full_like(s, highest)
    for coefficient in others:
        found *= s
        found += coefficient
    return found


@cache
def _coefficients() -> list[float]:
    """Of P in powers of s, the highest first."""
    nodes = np.cos((np.arange(DEGREE + 1) + 0.5) * np.pi / (DEGREE + 1))
    return np.linalg.solve(np.vander(nodes), [_smooth((1 + s) / 2) for s in nodes.tolist()]).tolist()


def _smooth(t: float) -> float:
    """P(t), of the standard library where that has all digits, else of Laplace's continued fraction."""
    z = 2 / t - 2
    if z < NEAR:
        return math.log(math.erfc(z) / t) + z * z
    denominator = z
    for place in range(FRACTIONS, 0, -1):
        denominator = z + place / 2 / denominator
    return -math.log(math.sqrt(math.pi) * denominator * t)


def _each(function: Callable[[float], float], values: np.ndarray) -> np.ndarray:
    flat = map(function, np.asarray(values, float).ravel().tolist())
    return np.fromiter(flat, float, np.size(values)).reshape(np.shape(values))


def _quantile_of_log(y: float) -> float:
    if y >= 0:
        return math.inf
    if y > -math.log(2):
        return -STANDARD.inv_cdf(-math.expm1(y))
    if y > RAREST:
        return STANDARD.inv_cdf(math.exp(y))
    if y == -math.inf:
        return y
    x = -math.sqrt(-2 * y)
    for _ in range(8):  # concave, so that every step but the first comes from the same side
        log_p = float(log_probability(np.array(x)))
        x -= (log_p - y) * math.exp(log_p + 0.5 * x * x + 0.5 * math.log(2 * math.pi))
    return x
