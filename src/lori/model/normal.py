"""Normal distribution: probabilities in logarithms and quantiles, by the standard library alone.

SciPy has them, too, but takes longer to load than a small model to fit.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

STANDARD = NormalDist()
FAR = -35.0  # below this the error function of the standard library loses digits, and
SERIES = (1.0, -1.0, 3.0, -15.0, 105.0, -945.0)  # an asymptotic series in 1/x² has them all
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
    found, finite = np.where(np.asarray(x) > 0, 0.0, -np.inf), np.isfinite(x)
    found[finite] = _each(_log_probability, np.asarray(x)[finite])
    return found


def quantiles_of_logs(log_probabilities: np.ndarray) -> np.ndarray:
    """Φ⁻¹(exp(y)) of each y up to 0, without losing digits at either end."""
    return _each(_quantile_of_log, log_probabilities)


def _each(function: object, values: np.ndarray) -> np.ndarray:
    flat = map(function, np.asarray(values, float).ravel().tolist())  # type: ignore[call-overload]
    return np.fromiter(flat, float, np.size(values)).reshape(np.shape(values))


def _log_probability(x: float) -> float:
    if x > 0:
        return math.log1p(-0.5 * math.erfc(x * HALF_ROOT))
    if x > FAR:
        return math.log(0.5 * math.erfc(-x * HALF_ROOT))
    series = sum(term * x ** (-2 * power) for power, term in enumerate(SERIES))
    return -0.5 * x * x - math.log(-x * math.sqrt(2 * math.pi)) + math.log(series)


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
        log_p = _log_probability(x)
        x -= (log_p - y) * math.exp(log_p + 0.5 * x * x + 0.5 * math.log(2 * math.pi))
    return x
