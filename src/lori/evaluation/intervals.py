"""Intervals of weights and thresholds: between which bounds do the main numbers of a model lie?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lori.language.results import Summary
from lori.model.ordered import OrderedModel
from lori.model.quantity import Quantity

QUANTILES = (0.025, 0.975)
LEAST, MOST = 0.005, 8  # weights with a smaller share of their level are left out, and so are further ones


@dataclass(frozen=True)
class Known:
    """A weight or a threshold with its 95 % interval, None where that is unknown."""

    level: int  # from 1
    kind: str  # weight or threshold
    feature: str
    value: float
    interval: tuple[float, float] | None

    @property
    def quantity(self) -> Quantity:
        return Quantity(self.value, None, self.interval)


def known(summary: Summary, draws: Sequence[OrderedModel] | None = None) -> list[Known]:
    """The main weights of every level and thresholds of what leads it.

    Intervals are those of `draws` where given, else as reported.
    """
    rows = []
    for place, level in enumerate(summary.levels):
        share = level.importance
        main = [name for name in sorted(share, key=lambda each: -share[each])[:MOST] if share[name] >= LEAST]
        told = [("weight", name, level.weights[name]) for name in main]
        if level.threshold:
            told += [("threshold", name, level.thresholds[name]) for name in level.leading]
        for kind, name, number in told:
            if number.value is None:
                continue
            interval = number.interval
            if draws:
                column = summary.features.index(name)
                values = [getattr(draw.levels[place], f"{kind}s")[column] for draw in draws]
                low, high = np.quantile(values, QUANTILES, method="nearest")
                interval = (float(low), float(high)) if np.std(values) > 0 else None
            rows.append(Known(level.level, kind, name, number.value, interval))
    return rows
