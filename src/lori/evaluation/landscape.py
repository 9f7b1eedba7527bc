"""What does a model say over the differences of two features, everything else equal?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from lori.data.preferences import Preferences
from lori.errors import InputError
from lori.model.ordered import OrderedModel

POINTS = 121
SEEN = 1e-3  # of the data's range: smaller thresholds are none
BEYOND = 3.0  # axes reach this many times as far as the largest threshold on them


@dataclass(frozen=True, eq=False)
class Landscape:
    """Left differs from right by x in the feature `across` and by y in the feature `up`; arrays are (y, x)."""

    across: str
    up: str
    x: np.ndarray
    y: np.ndarray
    left: np.ndarray  # probability that left is preferred
    tie: np.ndarray
    right: np.ndarray


def landscape(
    model: OrderedModel,
    across: str,
    up: str,
    spans: Sequence[float],
    *,
    at: ArrayLike | None = None,
    points: int = POINTS,
    ties_apart: bool = False,
) -> Landscape:
    """Probabilities over differences up to `spans` in two features, around the alternative `at`.

    With `ties_apart` "no difference counts" is an outcome of its own, also where the model has a coin decide it.
    """
    x, y = (np.linspace(-span, span, points) for span in spans)
    right = np.tile(centre(model, at), (points * points, 1))
    left = right.copy()
    first, second = place_of(model, across), place_of(model, up)
    for place, values in zip((first, second), np.meshgrid(x, y), strict=True):
        left[:, place] += values.ravel()
    asked = replace(model, ties="observed") if ties_apart else model
    chances = asked.predict_proba(left, right).T.reshape(3, points, points)
    return Landscape(across, up, x, y, *chances)


def spans(model: OrderedModel, ranges: ArrayLike) -> dict[str, float]:
    """How far to look in each feature: what happens around thresholds must be seen, and nothing beyond the data."""
    reach = {}
    for place, (name, most) in enumerate(zip(model.features, np.asarray(ranges, float), strict=True)):
        own = [float(level.thresholds[place]) for level in model.levels]
        known = [value for value in own if SEEN * most <= value <= most]
        near = BEYOND * max(known, default=0.0)
        reach[name] = min(near, float(most)) if near > 0 else float(most)
    return reach


def centre(model: OrderedModel, at: ArrayLike | None) -> np.ndarray:
    """The alternative around which differences are looked at; it matters only where rewards are not linear."""
    if at is None:
        if not model.only_differences_matter:
            raise InputError(
                "at", expected="an alternative, because rewards of this model are not linear", got="none",
                fix="pass the data too, whose median alternative is taken, or at=[…]",
            )  # fmt: skip
        return np.zeros(len(model.features))
    point = np.asarray(at, float)
    if point.shape != (len(model.features),):
        raise InputError(
            "at", expected=f"a number for each of {len(model.features)} features", got=f"shape {point.shape}",
            fix="give them in the order of model.features",
        )  # fmt: skip
    return point


def median_alternative(model: OrderedModel, preferences: Preferences) -> np.ndarray:
    """(features,) an alternative in the middle of the data, in the order that the model knows."""
    same = preferences if preferences.features == model.features else preferences.select(model.features)
    return np.median(same.alternatives, axis=0)


def place_of(model: OrderedModel, feature: str) -> int:
    if feature not in model.features:
        raise InputError(
            "feature", expected=f"one of {', '.join(model.features)}", got=feature, fix="check the spelling"
        )
    return model.features.index(feature)
