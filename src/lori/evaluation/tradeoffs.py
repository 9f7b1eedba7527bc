"""Trade-offs between two features: what does a model say over their differences, everything else equal?

A landscape holds the probabilities of a choice over both differences; a trade-off is the line in it on which so much of
one feature makes up for a loss of the other (the paper's organ figure).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from lori.errors import InputError
from lori.inference.statistics import Observed
from lori.model.ordered import OrderedModel

PIXELS = 121  # of a landscape, along each axis
SEEN = 1e-3  # of the data's range: smaller thresholds are none
BEYOND = 3.0  # axes reach this many times as far as the largest threshold on them
POINTS, GAINS, BISECTIONS = 61, 241, 30
FEWER = 8  # bisections for each draw of the posterior
QUANTILES = (0.025, 0.975)


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
    points: int = PIXELS,
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


def median_alternative(model: OrderedModel, preferences: Observed) -> np.ndarray:
    """(features,) an alternative in the middle of the data, in the order that the model knows."""
    same = preferences if preferences.features == model.features else preferences.select(model.features)
    return np.median(same.alternatives, axis=0)


def place_of(model: OrderedModel, feature: str) -> int:
    if feature not in model.features:
        raise InputError(
            "feature", expected=f"one of {', '.join(model.features)}", got=feature, fix="check the spelling"
        )
    return model.features.index(feature)


@dataclass(frozen=True, eq=False)
class TradeOff:
    """For each loss of a feature, the gain of another at which both alternatives are equally likely to be chosen.

    A loss goes in the direction that is worse, a gain in the direction that is better. Infinity stands where no gain
    up to `most` makes up for the loss.
    """

    loss_of: str
    gain_of: str
    more_is_better: tuple[bool, bool]  # of the two features
    lost: np.ndarray  # (points,) losses from 0
    price: np.ndarray  # (points,)
    band: np.ndarray  # (2, points): between these gains neither side is preferred as often as not
    interval: np.ndarray | None  # (2, points) 95 % of the draws have their price between these
    most: float
    limit: float | None  # the smallest loss that no such gain makes up for, None where there is none


def trade_off(
    model: OrderedModel,
    loss_of: str,
    gain_of: str,
    *,
    up_to: float,
    most: float,
    at: ArrayLike | None = None,
    draws: Sequence[OrderedModel] | None = None,
) -> TradeOff:
    """Losses up to `up_to` against gains up to `most`, around the alternative `at`; `draws` give the interval."""
    lost = np.linspace(0, up_to, POINTS)
    exchange = _Exchange.between(model, loss_of, gain_of, at)

    def more_often(side: int, other: OrderedModel, sign: float) -> np.ndarray:
        return exchange.crossing(lost, most, lambda *pair: sign * (other.predict_proba(*pair)[:, side] - 0.5))

    apart = replace(model, ties="observed")
    band = np.stack([more_often(2, apart, -1.0), more_often(0, apart, 1.0)])
    interval = None
    if draws:
        drawn = [exchange.crossing(lost, most, draw.preference, bisections=FEWER) for draw in draws]
        interval = np.quantile(np.stack(drawn), QUANTILES, axis=0, method="nearest")
    price = exchange.crossing(lost, most, model.preference)
    more = (exchange.directions[0] > 0, exchange.directions[1] > 0)
    limit = exchange.limit(lost, price, most, model.preference)
    return TradeOff(loss_of, gain_of, more, lost, price, band, interval, most, limit)


def prices(model: OrderedModel, loss_of: str, gain_of: str, lost: np.ndarray, most: float) -> np.ndarray:
    """The gain that makes up for each loss: both are preferred equally often there. Infinity beyond `most`."""
    return _Exchange.between(model, loss_of, gain_of, None).crossing(lost, most, model.preference)


def direction(model: OrderedModel, feature: str) -> float:
    """1 where more of the feature is better and −1 where less is, on the level where it weighs most."""
    place = place_of(model, feature)
    weights = [level.alpha * level.weights[place] for level in model.levels]
    return -1.0 if max(weights, key=abs) < 0 else 1.0


@dataclass(frozen=True, eq=False)
class _Exchange:
    """An alternative that loses in one feature and gains in another, against itself without either."""

    base: np.ndarray  # (features,)
    places: tuple[int, int]
    directions: tuple[float, float]

    @classmethod
    def between(cls, model: OrderedModel, loss_of: str, gain_of: str, at: ArrayLike | None) -> _Exchange:
        names = (loss_of, gain_of)
        places, directions = (tuple(of(model, name) for name in names) for of in (place_of, direction))
        return cls(centre(model, at), places, directions)  # type: ignore[arg-type]

    def crossing(
        self, lost: np.ndarray, most: float, favour: Callable[..., np.ndarray], *, bisections: int = BISECTIONS
    ) -> np.ndarray:
        """For each loss, the smallest gain at which `favour(left, right)` rises to zero; infinity if none does.

        Favour need not grow with the gain where a feature enters several levels, so the first rise on a grid is
        taken, and refined by bisection.
        """
        gains = np.linspace(0, most, GAINS)
        values = favour(*self._sides(np.repeat(lost, GAINS), np.tile(gains, len(lost))))
        risen = values.reshape(len(lost), GAINS) >= 0
        place = risen.argmax(axis=1)
        low, high = gains[np.maximum(place - 1, 0)], gains[place]
        for _ in range(bisections):
            middle = (low + high) / 2
            above = favour(*self._sides(lost, middle)) >= 0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.where(risen.any(axis=1), (low + high) / 2, np.inf)

    def limit(
        self, lost: np.ndarray, price: np.ndarray, most: float, favour: Callable[..., np.ndarray]
    ) -> float | None:
        """Between the last loss that has a price and the first that has none."""
        if not np.isinf(price).any():
            return None
        place = int(np.isinf(price).argmax())
        low, high = lost[max(place - 1, 0)], lost[place]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            payable = favour(*self._sides(np.array([middle]), np.array([most])))[0] >= 0
            low, high = (middle, high) if payable else (low, middle)
        return float(low)

    def _sides(self, lost: np.ndarray, gains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        right = np.tile(self.base, (len(lost), 1))
        left = right.copy()
        for place, change, sign in zip(self.places, (-lost, gains), self.directions, strict=True):
            left[:, place] += sign * change
        return left, right
