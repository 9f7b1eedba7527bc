"""Statistics: counts, moments and a sample of the data from one pass over them, and the scaling that follows.

Features are scaled inside a fit, so that starts, prior and tolerances fit all data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences

SAMPLE = 20_000  # pairs that stand for all in shares of deciding levels, notes and average slopes


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a fit needs to know of the data beside their likelihood; those of parts add up."""

    pairs: int
    outcomes: np.ndarray  # (outcomes,) how often each was observed
    moments: Moments
    sample: Preferences  # evenly spaced pairs

    @classmethod
    def of(cls, preferences: Preferences, sample: int = SAMPLE) -> Statistics:
        few = preferences
        if len(preferences) > sample:
            few = preferences.subset(np.linspace(0, len(preferences) - 1, sample).astype(int))
        return cls(
            pairs=len(preferences),
            outcomes=preferences.outcome_totals,
            moments=Moments.of(preferences.left_features, preferences.right_features),
            sample=few,
        )

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.pairs + other.pairs,
            self.outcomes + other.outcomes,
            self.moments + other.moments,
            Preferences.concatenate([self.sample, other.sample]),
        )

    @property
    def comparisons(self) -> int:
        return round(self.outcomes.sum())

    @property
    def ranges(self) -> np.ndarray:
        """(features,) largest minus smallest value among the sample."""
        return np.ptp(self.sample.alternatives, axis=0)

    @property
    def deviation(self) -> np.ndarray:
        """(features,) what a typical difference amounts to, as a deviation."""
        return np.sqrt(self.moments.square / (2 * self.moments.pairs))


CHUNK = 16_384  # rows at a time: they stay in cache


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over pairs from which a scaling follows; they can be added up over parts of the data."""

    pairs: float
    total: np.ndarray  # (features,) of left plus right
    square: np.ndarray  # (features,) of squared differences
    square_total: np.ndarray  # (features,) of left plus right, squared

    @classmethod
    def of(cls, left: np.ndarray, right: np.ndarray) -> Moments:
        total, square, square_total = np.zeros((3, left.shape[1]))
        for start in range(0, len(left), CHUNK):
            own, other = left[start : start + CHUNK], right[start : start + CHUNK]
            ones = np.ones(len(own))
            both = own + other
            total += ones @ both
            square += ones @ (own - other) ** 2
            square_total += ones @ both**2
        return cls(float(len(left)), total, square, square_total)

    @classmethod
    def of_all(cls, groups: Sequence[Preferences]) -> Moments:
        """Of the data of several groups together."""
        parts = [cls.of(group.left_features, group.right_features) for group in groups]
        return sum(parts[1:], start=parts[0])

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.pairs + other.pairs,
            self.total + other.total,
            self.square + other.square,
            self.square_total + other.square_total,
        )


@dataclass(frozen=True, eq=False)
class Scaling:
    """Features are fitted as (x − location) / scale: the mean, and the deviation that differences speak of.

    Two independent draws of a feature with deviation s differ by s√2 on average (root mean square), so that the
    scale is that of the differences by √2. A feature that never differs within a pair (a context) has the deviation
    between pairs, and one that never differs at all keeps scale 1.
    """

    location: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, moments: Moments, standardised: bool) -> Scaling:
        if not standardised or not moments.pairs:
            return cls(np.zeros_like(moments.total), np.ones_like(moments.total))
        location = moments.total / (2 * moments.pairs)
        deviation = np.sqrt(moments.square / (2 * moments.pairs))
        between = np.sqrt(np.maximum(moments.square_total / (4 * moments.pairs) - location**2, 0.0))
        constant = np.where(between > 1e-6 * np.abs(location), between, 1.0)
        return cls(location, np.where(deviation > 1e-12 * np.abs(location), deviation, constant))
