"""Statistics: counts, moments and a sample of the data, from one pass over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.inference.scaling import Moments

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
