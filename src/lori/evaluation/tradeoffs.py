"""How much of one feature makes up for a loss of another? (the paper's organ figure)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from lori.evaluation.landscape import centre, place_of
from lori.model.ordered import OrderedModel

LOSSES, GAINS, BISECTIONS = 61, 241, 30
FEWER = 8  # bisections for each draw of the posterior
QUANTILES = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class TradeOff:
    """For each loss of a feature, the gain of another at which both alternatives are equally likely to be chosen.

    A loss goes in the direction that is worse, a gain in the direction that is better. Infinity stands where no gain
    up to `most` makes up for the loss.
    """

    loss_of: str
    gain_of: str
    more_is_better: tuple[bool, bool]  # of the two features
    losses: np.ndarray  # (losses,) from 0
    price: np.ndarray  # (losses,)
    band: np.ndarray  # (2, losses): between these gains neither side is preferred as often as not
    interval: np.ndarray | None  # (2, losses) 95 % of the draws have their price between these
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
    losses = np.linspace(0, up_to, LOSSES)
    exchange = _Exchange.between(model, loss_of, gain_of, at)

    def more_often(side: int, other: OrderedModel, sign: float) -> np.ndarray:
        return exchange.crossing(losses, most, lambda *pair: sign * (other.predict_proba(*pair)[:, side] - 0.5))

    apart = replace(model, ties="observed")
    band = np.stack([more_often(2, apart, -1.0), more_often(0, apart, 1.0)])
    interval = None
    if draws:
        drawn = [exchange.crossing(losses, most, draw.preference, bisections=FEWER) for draw in draws]
        interval = np.quantile(np.stack(drawn), QUANTILES, axis=0, method="nearest")
    price = exchange.crossing(losses, most, model.preference)
    more = (exchange.directions[0] > 0, exchange.directions[1] > 0)
    limit = exchange.limit(losses, price, most, model.preference)
    return TradeOff(loss_of, gain_of, more, losses, price, band, interval, most, limit)


def prices(model: OrderedModel, loss_of: str, gain_of: str, losses: np.ndarray, most: float) -> np.ndarray:
    """The gain that makes up for each loss: both are preferred equally often there. Infinity beyond `most`."""
    return _Exchange.between(model, loss_of, gain_of, None).crossing(losses, most, model.preference)


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
        self, losses: np.ndarray, most: float, favour: Callable[..., np.ndarray], *, bisections: int = BISECTIONS
    ) -> np.ndarray:
        """For each loss, the smallest gain at which `favour(left, right)` rises to zero; infinity if none does.

        Favour need not grow with the gain where a feature enters several levels, so the first rise on a grid is
        taken, and refined by bisection.
        """
        gains = np.linspace(0, most, GAINS)
        values = favour(*self._sides(np.repeat(losses, GAINS), np.tile(gains, len(losses))))
        risen = values.reshape(len(losses), GAINS) >= 0
        place = risen.argmax(axis=1)
        low, high = gains[np.maximum(place - 1, 0)], gains[place]
        for _ in range(bisections):
            middle = (low + high) / 2
            above = favour(*self._sides(losses, middle)) >= 0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.where(risen.any(axis=1), (low + high) / 2, np.inf)

    def limit(
        self, losses: np.ndarray, price: np.ndarray, most: float, favour: Callable[..., np.ndarray]
    ) -> float | None:
        """Between the last loss that has a price and the first that has none."""
        if not np.isinf(price).any():
            return None
        place = int(np.isinf(price).argmax())
        low, high = losses[max(place - 1, 0)], losses[place]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            payable = favour(*self._sides(np.array([middle]), np.array([most])))[0] >= 0
            low, high = (middle, high) if payable else (low, middle)
        return float(low)

    def _sides(self, losses: np.ndarray, gains: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        right = np.tile(self.base, (len(losses), 1))
        left = right.copy()
        for place, change, sign in zip(self.places, (-losses, gains), self.directions, strict=True):
            left[:, place] += sign * change
        return left, right
