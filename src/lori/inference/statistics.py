"""Statistics: counts, moments and a sample of the data from one pass over them, and the scaling that follows.

Features are scaled inside a fit, so that starts, prior and tolerances fit all data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.inference.threads import cut, together
from lori.model.specification import Specification

Observed = Preferences | Choices

SAMPLE = 20_000  # pairs that stand for all in shares of deciding levels, notes and average slopes


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a fit needs to know of the data beside their likelihood; those of parts add up."""

    pairs: int
    outcomes: np.ndarray  # (outcomes,) how often each was observed
    moments: Moments
    sample: Observed  # evenly spaced pairs
    extreme: np.ndarray  # (features,) how many values are far from all others
    weights: np.ndarray  # (2,) of all comparisons together, and how many comparisons have one

    @classmethod
    def of(cls, preferences: Observed, sample: int = SAMPLE) -> Statistics:
        few = preferences
        if len(preferences) > sample:
            few = preferences.subset(np.linspace(0, len(preferences) - 1, sample).astype(int))
        counts, weight = preferences.comparisons, preferences.weight
        fences = Fences.of(few)
        outside = fences.passed_by(preferences.alternatives)
        return cls(
            pairs=len(preferences),
            outcomes=preferences.outcome_totals,
            moments=Moments.of(preferences, fences if outside.any() else None, counts),
            sample=few,
            extreme=outside,
            weights=np.array([counts.sum()] * 2 if weight is None else [counts @ weight, counts @ (weight > 0)]),
        )

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.pairs + other.pairs,
            self.outcomes + other.outcomes,
            self.moments + other.moments,
            type(self.sample).concatenate([self.sample, other.sample]),  # type: ignore[list-item]
            self.extreme + other.extreme,
            self.weights + other.weights,
        )

    @cached_property
    def differences(self) -> np.ndarray:
        """(rows, features) within the pairs or sets of the sample; several things are said of them."""
        return self.sample.differences

    @property
    def comparisons(self) -> int:
        return round(self.outcomes.sum())

    @property
    def weight_factor(self) -> float:
        """What makes weights average one over comparisons."""
        total, count = self.weights
        return float(count / total) if total else 1.0

    @property
    def ranges(self) -> np.ndarray:
        """(features,) largest minus smallest value among the sample."""
        return np.ptp(self.sample.alternatives, axis=0)

    @property
    def deviation(self) -> np.ndarray:
        """(features,) what a typical difference amounts to, as a deviation."""
        return np.sqrt(self.moments.square / (2 * self.moments.comparisons))


MIDDLE = 10_000  # values, evenly spaced, are enough for a median
MANY = 100_000  # rows from which on the cores share them
FAR = 100.0  # times as far from the middle as is typical: no measurement, but a code or a slip of the pen


@dataclass(frozen=True, eq=False)
class Fences:
    """Between which values a feature lies but for extreme ones, such as the code 999999 for a missing answer.

    As far as is typical means the median distance from the median, of those values that differ from it.
    """

    lower: np.ndarray  # (features,)
    upper: np.ndarray

    @classmethod
    def of(cls, preferences: Observed) -> Fences:
        values = preferences.shown[:: max(1, len(preferences.shown) // MIDDLE)]
        if not len(values):
            return cls(np.full(values.shape[1], -np.inf), np.full(values.shape[1], np.inf))
        columns = np.ascontiguousarray(values.T)
        middle = np.array([_median(own) for own in columns])
        apart = np.abs(columns - middle[:, None])
        far = FAR * np.array([_median(own[own > 0]) if own.any() else np.inf for own in apart])
        return cls(middle - far, middle + far)

    def passed_by(self, values: np.ndarray) -> np.ndarray:
        """(features,) how many of the values (rows, features) lie outside."""
        parts = [values[part] for part in cut(len(values), least=MANY)]
        if all(together(self._enclose, parts) if len(parts) > 1 else map(self._enclose, parts)):
            return np.zeros(values.shape[1], int)
        return np.sum(~self.hold(values), axis=0)

    def _enclose(self, values: np.ndarray) -> bool:
        lowest, highest = _along(np.minimum, values, np.inf), _along(np.maximum, values, -np.inf)
        return bool((lowest >= self.lower).all() and (highest <= self.upper).all())

    def hold(self, values: np.ndarray) -> np.ndarray:
        """(rows, features) is the value between the fences?"""
        return (values >= self.lower) & (values <= self.upper)


def _median(values: np.ndarray) -> float:
    """That of one column; `np.median` loads masked arrays, which takes longer, and `np.quantile` sorts more."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    return float(np.partition(values, [half - 1, half])[half - 1 : half + 1].mean())


def _along(function: np.ufunc, values: np.ndarray, initial: float) -> np.ndarray:
    """(features,) the smallest or largest of values (rows, features); many rows side by side, as processors like it."""
    together, features = 512, values.shape[1]
    whole = len(values) // together * together
    wide = function.reduce(values[:whole].reshape(-1, together * features), axis=0, initial=initial)
    rest = np.concatenate([wide.reshape(together, features), values[whole:]])
    return function.reduce(rest, axis=0, initial=initial)


ELEMENTS, FEWEST = 65_536, 4096  # numbers at a time, and rows at least: they stay in cache


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over comparisons from which a scaling follows; they can be added up over parts of the data.

    Comparisons with an extreme value of a feature do not count for that feature.
    """

    comparisons: np.ndarray  # (features,)
    total: np.ndarray  # (features,) of twice the mean: left plus right
    square: np.ndarray  # (features,) of twice the variance: the squared difference
    square_total: np.ndarray  # (features,) of twice the mean, squared

    @classmethod
    def of(cls, data: Observed, fences: Fences | None = None, counts: np.ndarray | None = None) -> Moments:
        """Observations count as often as they were made, or once each if nobody compared anything."""
        counts = data.comparisons if counts is None else counts
        repeated = counts if counts.any() else np.ones(len(data))
        parts = together(partial(cls._of_part, data, fences, repeated), cut(len(data), least=MANY))
        return sum(parts[1:], start=parts[0])

    @classmethod
    def _of_part(cls, data: Observed, fences: Fences | None, repeated: np.ndarray, rows: slice) -> Moments:
        comparisons, total, square, square_total = np.zeros((4, data.n_features))
        step = max(FEWEST, ELEMENTS // max(data.n_features, 1))
        for start in range(rows.start, rows.stop, step):
            part = slice(start, min(start + step, rows.stop))
            inside, both, apart = data.within(part, None if fences is None else fences.hold)
            times = repeated[part]
            if inside is not None:
                both, apart = np.where(inside, both, 0.0), np.where(inside, apart, 0.0)
                comparisons += times @ inside
            else:
                comparisons += times.sum()
            total += times @ both
            square += times @ apart
            both *= both
            square_total += times @ both
        return cls(comparisons, total, square, square_total)

    @classmethod
    def of_all(cls, groups: Sequence[Observed]) -> Moments:
        """Of the data of several groups together."""
        parts = [Statistics.of(group).moments for group in groups]
        return sum(parts[1:], start=parts[0])

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.comparisons + other.comparisons,
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
        if not standardised or not moments.comparisons.any():
            return cls(np.zeros_like(moments.total), np.ones_like(moments.total))
        counts = np.maximum(moments.comparisons, 1.0)
        location = moments.total / (2 * counts)
        deviation = np.sqrt(moments.square / (2 * counts))
        between = np.sqrt(np.maximum(moments.square_total / (4 * counts) - location**2, 0.0))
        constant = np.where(between > 1e-6 * np.abs(location), between, 1.0)
        return cls(location, np.where(deviation > 1e-12 * np.abs(location), deviation, constant))

    @classmethod
    def within(cls, specification: Specification, moments: Moments) -> Scaling:
        """The scaling for a model, some of whose rewards may ask for features of the same scale."""
        usual = cls.of(moments, specification.standardised)
        return cls(*specification.tied(usual.location, usual.scale))
