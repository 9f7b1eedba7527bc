"""Do things happen as often as the model says, and how sure is that?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lori.data.preferences import Preferences
from lori.evaluation.metrics import Predicts, calibration
from lori.model.quantity import NORMAL_95


class Reliability(NamedTuple):
    """One entry for each bin that holds comparisons, seen from the side that the model favours."""

    predicted: np.ndarray  # mean predicted probability of that side
    observed: np.ndarray  # share of the comparisons that it won
    lower: np.ndarray  # 95 % interval of that share (Wilson)
    upper: np.ndarray
    comparisons: np.ndarray

    @property
    def agreeing(self) -> int:
        """In how many bins the interval holds the prediction."""
        return int(np.sum((self.lower <= self.predicted) & (self.predicted <= self.upper)))


def reliability(model: Predicts, preferences: Preferences, bins: int = 20) -> Reliability:
    """Predicted against observed shares, with Wilson's interval for each share."""
    found = calibration(model, preferences, bins)
    share, count, z2 = found.observed, found.comparisons, NORMAL_95**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = NORMAL_95 * np.sqrt(share * (1 - share) / count + z2 / (4 * count**2)) / (1 + z2 / count)
    return Reliability(found.predicted, share, np.maximum(middle - half, 0), np.minimum(middle + half, 1), count)
