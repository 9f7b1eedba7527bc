"""In which units is a model fitted? Features are scaled inside, so that starts, prior and tolerances fit all data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CHUNK = 16_384  # rows at a time: they stay in cache


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over pairs from which a scaling follows; they can be added up over parts of the data."""

    pairs: float
    total: np.ndarray  # (features,) of left plus right
    square: np.ndarray  # (features,) of squared differences

    @classmethod
    def of(cls, left: np.ndarray, right: np.ndarray) -> Moments:
        total, square = np.zeros(left.shape[1]), np.zeros(left.shape[1])
        for start in range(0, len(left), CHUNK):
            own, other = left[start : start + CHUNK], right[start : start + CHUNK]
            ones = np.ones(len(own))
            total += ones @ (own + other)
            square += ones @ (own - other) ** 2
        return cls(float(len(left)), total, square)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.pairs + other.pairs, self.total + other.total, self.square + other.square)


@dataclass(frozen=True, eq=False)
class Scaling:
    """Features are fitted as (x − location) / scale: the mean, and the deviation that differences speak of.

    Two independent draws of a feature with deviation s differ by s√2 on average (root mean square), so that the
    scale is that of the differences by √2. A feature that never differs keeps scale 1.
    """

    location: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, moments: Moments, standardised: bool) -> Scaling:
        if not standardised:
            return cls(np.zeros_like(moments.total), np.ones_like(moments.total))
        location = moments.total / (2 * moments.pairs)
        deviation = np.sqrt(moments.square / (2 * moments.pairs))
        return cls(location, np.where(deviation > 1e-12 * np.abs(location), deviation, 1.0))
