"""Coding of outcomes in scikit-learn's form: pairs X with labels y."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.data.preferences import OUTCOMES, Preferences
from lori.errors import DataError


@dataclass(frozen=True)
class Coding:
    """What stands for left, tie and right."""

    left: Any
    tie: Any
    right: Any

    def words(self, outcome: np.ndarray) -> np.ndarray:
        """Labels for outcomes numbered 0 (left), 1 (tie) and 2 (right)."""
        return np.array([self.left, self.tie, self.right])[outcome]


WORDS = Coding("left", "tie", "right")
UNIT = Coding(1.0, 0.5, 0.0)
SIGNS = Coding(1.0, 0.0, -1.0)


def as_preferences(
    X: Any, y: Any, sample_weight: Any, features: Sequence[str] | None = None
) -> tuple[Preferences, Coding]:
    """Preferences from whatever `fit` and `score` accept."""
    if isinstance(X, Preferences):
        if y is not None:
            raise DataError(
                "y", expected="none beside Preferences, which hold their outcomes", got="an array",
                fix="leave y out, or pass pairs (n, 2, features)",
            )  # fmt: skip
        if sample_weight is not None:
            X = X.weighted(sample_weight)
        return (X if features is None or X.features == tuple(features) else X.select(features)), WORDS
    try:
        pairs = np.asarray(X, float)
    except (TypeError, ValueError):
        raise DataError(
            "X", expected="numbers of shape (n, 2, features)", got="text or rows of unequal length",
            fix="describe both sides of every pair by the same features, as numbers",
        ) from None  # fmt: skip
    if pairs.ndim != 3 or pairs.shape[1] != 2:
        raise DataError(
            "X", expected="Preferences, or pairs of shape (n, 2, features)", got=f"an array of shape {pairs.shape}",
            fix="stack left and right: numpy.stack([left, right], axis=1)",
        )  # fmt: skip
    coding, outcome = _decoded(y, len(pairs))
    made = Preferences.from_arrays(
        pairs[:, 0], pairs[:, 1],
        counts=np.eye(len(OUTCOMES))[outcome], features=features, weight=sample_weight,
    )  # fmt: skip
    return made, coding


def _decoded(y: Any, count: int) -> tuple[Coding, np.ndarray]:
    """Which coding `y` uses, and the outcomes as 0 (left), 1 (tie), 2 (right)."""
    if y is None:
        return WORDS, np.zeros(count, int)
    labels = np.asarray(y)
    if labels.shape != (count,):
        raise DataError("y", expected=f"{count} labels, one for each pair", got=f"shape {labels.shape}",
                        fix="pass a one-dimensional array")  # fmt: skip
    if labels.dtype.kind in "OUS":
        coding = WORDS
    else:
        labels = labels.astype(float)
        coding = SIGNS if (labels == -1).any() else UNIT
    options = (coding.left, coding.tie, coding.right)
    outcome = np.select([labels == option for option in options], [0, 1, 2], default=-1)
    if (outcome < 0).any():
        raise DataError(
            "y", expected="left, right, tie; or 1, 0 and 0.5 for a tie; or 1, −1 and 0 for a tie",
            got=f"{int((outcome < 0).sum())} other labels", fix="use one of these codings throughout",
        )  # fmt: skip
    return coding, outcome
