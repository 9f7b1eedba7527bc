"""Metrics: how good are predicted probabilities? For any model that predicts left, tie and right.

Every comparison counts once, times its weight; `preferences` hold what was observed.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from lori.data.preferences import Preferences
from lori.errors import DataError, InputError
from lori.model.quantity import NORMAL_95


class Predicts(Protocol):
    """A fitted LORI, an OrderedModel, or anything else with three columns of probabilities."""

    def predict_proba(self, left: np.ndarray, right: np.ndarray, /) -> np.ndarray: ...


class Calibration(NamedTuple):
    """One entry for each bin that holds comparisons."""

    lower: np.ndarray  # bins are [lower, upper), the last one closed
    upper: np.ndarray
    predicted: np.ndarray  # mean predicted probability of the favoured side
    observed: np.ndarray  # share of the comparisons that it won
    comparisons: np.ndarray  # how many, by weight


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


def accuracy(model: Predicts, preferences: Preferences) -> float:
    """Share of the comparisons that were not tied whose winner gets a probability above ½ (table 2 of the paper).

    Not even the true model reaches 1: choices are noisy.
    """
    probabilities, counts = _predicted(model, preferences), preferences.weighted_counts
    decided = counts[:, 0] + counts[:, 2]
    if decided.sum() == 0:
        raise DataError(
            "preferences", expected="comparisons with a winner", got="ties only", fix="use log_loss, which counts ties"
        )
    right_ones = counts[:, 0] * (probabilities[:, 0] > 0.5) + counts[:, 2] * (probabilities[:, 2] > 0.5)
    return float(right_ones.sum() / decided.sum())


def log_loss(model: Predicts, preferences: Preferences) -> float:
    """Minus the mean log-probability of what was observed: lower is better, log 2 is a coin."""
    probabilities, counts = _predicted(model, preferences), preferences.weighted_counts
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[seen] @ np.log(probabilities[seen])) / counts.sum())


def rmse(probabilities: ArrayLike, others: ArrayLike) -> float:
    """Root mean squared difference between two arrays of probabilities, for example the model's and the truth's."""
    one, other = np.asarray(probabilities, float), np.asarray(others, float)
    if one.shape != other.shape or one.size == 0:
        raise InputError(
            "probabilities", expected="two arrays of the same shape, not empty", got=f"{one.shape} and {other.shape}",
            fix="predict the same pairs with both models",
        )  # fmt: skip
    return float(np.sqrt(np.mean((one - other) ** 2)))


def calibration(model: Predicts, preferences: Preferences, bins: int = 20) -> Calibration:
    """Of the comparisons whose favoured side gets 80 to 85 %, does it win 80 to 85 %?

    Each pair is seen from the side that the model favours, so it does not matter which side winners were
    written on.
    """
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise InputError("bins", expected="a whole number from 1", got=repr(bins), fix="use bins=20")
    probabilities, counts = _predicted(model, preferences), preferences.weighted_counts
    favours_left = probabilities[:, 0] >= probabilities[:, 2]
    predicted = np.where(favours_left, probabilities[:, 0], probabilities[:, 2])
    won = np.where(favours_left, counts[:, 0], counts[:, 2])
    edges = np.linspace(0.0, 1.0, bins + 1)
    place = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, bins - 1)
    total = counts.sum(axis=1)
    count, sums, favoured = (np.bincount(place, values, minlength=bins) for values in (total, total * predicted, won))
    filled = count > 0
    return Calibration(
        edges[:-1][filled],
        edges[1:][filled],
        sums[filled] / count[filled],
        favoured[filled] / count[filled],
        count[filled],
    )


def reliability(model: Predicts, preferences: Preferences, bins: int = 20) -> Reliability:
    """Predicted against observed shares, with Wilson's interval for each share."""
    found = calibration(model, preferences, bins)
    share, count, z2 = found.observed, found.comparisons, NORMAL_95**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = NORMAL_95 * np.sqrt(share * (1 - share) / count + z2 / (4 * count**2)) / (1 + z2 / count)
    return Reliability(found.predicted, share, np.maximum(middle - half, 0), np.minimum(middle + half, 1), count)


def _predicted(model: Predicts, preferences: Preferences) -> np.ndarray:
    """Probabilities of left, tie and right; features are put into the order that the model knows."""
    features = getattr(model, "features_", getattr(model, "features", preferences.features))
    same = preferences if tuple(features) == preferences.features else preferences.select(features)
    return np.asarray(model.predict_proba(same.left_features, same.right_features))
