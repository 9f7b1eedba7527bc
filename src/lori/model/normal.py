"""Normal distribution: probabilities in logarithms and quantiles, by NumPy and the standard library alone.

SciPy has them, too, but takes longer to load than a small model to fit. The probability of a tail is that of the scaled
error function, whose logarithm is smooth in t = 2 / (2 + z) from zero to infinity,

    log erfc(z) = log t − z² + P(t),

so that a polynomial stands for P: the one through its values at the zeros of a Chebyshev polynomial.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np

STANDARD = NormalDist()
DEGREE, FRACTIONS = 28, 150  # of the polynomial, and of the continued fraction that it is made from
NEAR = 2.0  # up to here the error function of the standard library has all digits that are needed
HALF_ROOT = math.sqrt(0.5)
LOG_HALF, LOG_ROOT = math.log(0.5), 0.5 * math.log(2 * math.pi)
STEPS = 3  # from a guess that is right to three digits; each has three times as many digits


def quantile(probability: float) -> float:
    """Φ⁻¹(p), for p between 0 and 1."""
    return STANDARD.inv_cdf(probability)


def quantiles(probabilities: np.ndarray) -> np.ndarray:
    """Φ⁻¹ of each, between 0 and 1."""
    p = np.asarray(probabilities, float)
    with np.errstate(divide="ignore"):
        return np.where(p > 0.5, -1.0, 1.0) * _of_tails(np.log(np.minimum(p, 1 - p)))


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
    y = np.asarray(log_probabilities, float)
    upper = y > LOG_HALF
    with np.errstate(divide="ignore"):
        tails = np.where(upper, np.log(-np.expm1(np.where(upper, y, -1.0))), y)
    return np.where(upper, -1.0, 1.0) * _of_tails(tails)


def _of_tails(y: np.ndarray) -> np.ndarray:
    """Φ⁻¹(exp(y)) of each y up to log ½: a rational guess (26.2.22 of Abramowitz and Stegun), then Halley's method."""
    known = np.isfinite(y) & (y < LOG_HALF)
    finite = np.where(known, y, LOG_HALF)
    t = np.sqrt(-2 * finite)
    x = (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t) - t
    for _ in range(STEPS):
        log_p = log_probability(x)
        slope = np.exp(-0.5 * x * x - LOG_ROOT - log_p)
        off = (log_p - finite) / slope
        x = x - off / (1 + 0.5 * off * (x + slope))
    return np.where(known, x, np.where(y == -np.inf, -np.inf, 0.0))


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
