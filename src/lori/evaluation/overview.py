"""Overview: what is in the data in a few numbers, and between which bounds do the numbers of a model lie?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lori.data.choices import Choices
from lori.inference.statistics import Observed
from lori.language.numbers import may_be_zero
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
    """The main weights of every level and thresholds of what leads it, unless its weight may be zero.

    Intervals are those of `draws` where given, else as reported.
    """
    rows = []
    for place, level in enumerate(summary.levels):
        share = level.importance
        main = [name for name in sorted(share, key=lambda each: -share[each])[:MOST] if share[name] >= LEAST]
        told = [("weight", name, level.weights[name]) for name in main]
        if level.threshold:
            leading = [name for name in level.leading if not may_be_zero(level.weights[name])]
            told += [("threshold", name, level.thresholds[name]) for name in leading]
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


def values_of(numbers: Sequence[Known], summary: Summary, draws: Sequence[OrderedModel]) -> list[np.ndarray]:
    """Of each number, the values that it has in `draws`."""
    return [
        np.array(
            [getattr(draw.levels[own.level - 1], f"{own.kind}s")[summary.features.index(own.feature)] for draw in draws]
        )
        for own in numbers
    ]


@dataclass(frozen=True)
class FeatureRange:
    """One feature over all alternatives, and how much it differs within pairs."""

    name: str
    smallest: float
    median: float
    largest: float
    typical_difference: float  # the median size


@dataclass(frozen=True)
class Description:
    """Counts of what was observed; agents are only counted."""

    pairs: int
    comparisons: int
    n_ties: int
    identical: int  # pairs with equal features on both sides
    agents: int | None
    weighted: bool
    features: tuple[FeatureRange, ...]
    sizes: tuple[int, int] | None = None  # of sets: the fewest and the most alternatives; then `pairs` counts sets


def describe(preferences: Observed) -> Description:
    table, differences = preferences.alternatives, np.abs(preferences.differences)
    ranges = zip(
        preferences.features, table.min(axis=0), np.median(table, axis=0), table.max(axis=0),
        np.median(differences, axis=0), strict=True,
    )  # fmt: skip
    sizes = None
    if isinstance(preferences, Choices):
        sizes = (int(preferences.sizes.min()), int(preferences.sizes.max()))
    return Description(
        pairs=len(preferences),
        comparisons=preferences.n_comparisons,
        n_ties=preferences.n_ties,
        identical=int(preferences.identical().sum()),
        agents=None if preferences.agent is None else len(np.unique(preferences.agent)),
        weighted=preferences.weight is not None,
        features=tuple(FeatureRange(name, *map(float, numbers)) for name, *numbers in ranges),
        sizes=sizes,
    )
