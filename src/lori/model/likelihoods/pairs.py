"""Pairs: the likelihood of pairwise preferences, with three outcomes (left preferred, tie, right preferred).

Equations (4) and (5) of the paper are in `probabilities`, their derivatives in `derivatives`. What a tie of all levels
means is the rule of the likelihood.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.data.fields import rows_of
from lori.data.preferences import OUTCOMES, Preferences
from lori.errors import DataError, InputError, one_of
from lori.model.engines import arrays_of, jax
from lori.model.likelihoods.base import Layout, Observations
from lori.model.likelihoods.derivatives import (
    SINGLE_WIDE,
    WIDE,
    Above,
    Derivatives,
    better_derivatives,
    tie_derivatives,
)
from lori.model.likelihoods.lapses import lapse_derivatives
from lori.model.likelihoods.layouts import Alternatives, Differences
from lori.model.likelihoods.probabilities import TIE_RULES, Levels, TieRule, log_better, log_full_tie, log_outcomes

if TYPE_CHECKING:
    from lori.model.rewards import Reward
    from lori.model.specification import Specification

DECIDED, TIED = "decided", "tied"
ALL = slice(None)


@dataclass(frozen=True)
class Pairs:
    """`rule` says what a tie of all levels means: `split`, `observed` or `printed`."""

    rule: TieRule = "split"
    wide: bool | None = None  # may tolerances be very large? None: that is seen when they are there
    single_precision: bool = False  # are sums over many rows computed in single precision?

    @property
    def outcomes(self) -> tuple[str, ...]:
        return OUTCOMES

    @property
    def offered(self) -> tuple[str, ...]:
        return OUTCOMES if self.rule == "observed" else tuple(name for name in OUTCOMES if name != "tie")

    def offers(self, kind: str, gap: Levels) -> int:
        return len(self.offered)

    @property
    def kinds(self) -> tuple[str, ...]:
        return DECIDED, TIED

    @classmethod
    def for_data(cls, rule: str, n_ties: int, epsilon: Sequence[float | None]) -> Pairs:
        """The likelihood for data with so many ties; the rule `auto` is `observed` if there are any, else `split`."""
        one_of("ties", rule, ("auto", *TIE_RULES))
        if rule == "auto":
            rule = "observed" if n_ties else "split"
        if n_ties and rule != "observed":
            raise DataError(
                "ties", expected="forced choices for the tie rule " + repr(rule), got=f"{n_ties} observed ties",
                fix="use ties='observed' (--ties observed), or leave those comparisons out",
            )  # fmt: skip
        if n_ties and any(value == 0 for value in epsilon):
            raise InputError(
                "epsilon", expected="thresholds that may exceed 0 when ties were observed",
                got="a threshold fixed to 0", fix="use epsilon=None: with a zero threshold a tie could never happen",
            )  # fmt: skip
        return cls(rule)  # type: ignore[arg-type]

    # -- rows ----------------------------------------------------------------------------------------------

    def observed(self, data: Preferences) -> Observations:
        """A pair with wins and losses becomes two decided rows; tied rows are in either order.

        Where each pair was decided in one way, rows are in the order of the pairs, and point to them without a copy.
        """
        sides = data.left_features, data.right_features

        def weighted(count: np.ndarray, pairs: np.ndarray) -> np.ndarray:
            own = _some(count, pairs)
            return own if data.weight is None else own * data.weight[pairs]

        won, lost = data.wins > 0, data.losses > 0
        turned = lost if lost.any() else None
        if np.all(won ^ lost):
            every = np.arange(len(data))
            counts = data.wins if turned is None else data.wins + data.losses
            decided = PairRows(*sides, weighted(counts, every), every, None, turned)
        else:
            wins, losses = np.flatnonzero(won), np.flatnonzero(lost)
            origin = np.append(wins, losses)
            weight = np.append(weighted(data.wins, wins), weighted(data.losses, losses))
            decided = PairRows(*sides, weight, origin, origin, np.arange(len(origin)) >= len(wins))
        tied = np.flatnonzero(data.ties)
        place = None if len(tied) == len(data) else tied
        without = PairRows(*sides, weighted(data.ties, tied), tied, place)
        return Observations({DECIDED: decided, TIED: without}, len(data))

    def layout(self, specification: Specification) -> Layout:
        linear = all(reward.linear and reward.free_scale for reward in specification.rewards)
        return Differences() if linear and not specification.shared else Alternatives()

    # -- probabilities ---------------------------------------------------------------------------------------

    def suited(self, tolerance: np.ndarray) -> Pairs:
        """Where single precision would be too small for them, it is double precision."""
        widest = float(np.max(tolerance, initial=0.0))
        single = self.single_precision and widest <= SINGLE_WIDE
        return replace(self, wide=widest > WIDE, single_precision=single)

    def gap(self, reward: Reward, values: jax.Array, row: jax.Array) -> jax.Array:
        return reward.gap(values, row[0], row[1])

    def log_probability(self, kind: str, gap: Levels, tolerance: Levels) -> jax.Array:
        return log_full_tie(gap, tolerance) if kind == TIED else log_better(gap, tolerance, self.rule)

    def derivatives(
        self,
        kind: str,
        gap: Levels,
        tolerance: Levels,
        order: int = 2,
        above: Callable[[Any], Above] | None = None,
    ) -> Derivatives:
        if kind != TIED:
            return better_derivatives(gap, tolerance, self.rule, order, above, self.wide)
        found = tie_derivatives(gap, tolerance)
        return found if above is None else lapse_derivatives(found, above(arrays_of(found.value).exp(found.value)))

    def log_outcomes(self, gap: Levels, tolerance: Levels) -> jax.Array:
        found = log_outcomes(gap, tolerance, self.rule)
        return arrays_of(*found).stack(found)

    def simulate(self, probabilities: np.ndarray, times: int, generator: np.random.Generator) -> np.ndarray:
        """Counts (pairs, 3). Equation (5) to the letter speaks of preferences only: then nobody sees a tie."""
        chances = np.array(probabilities, float)
        if self.rule == "printed":
            chances[:, OUTCOMES.index("tie")] = 0.0
        chances /= chances.sum(axis=1, keepdims=True)
        return generator.multinomial(times, chances)

    # -- what a search and a summary ask ---------------------------------------------------------------------

    @property
    def quick(self) -> bool:
        return True

    @property
    def effort(self) -> float:
        return 1.0

    def simpler(self, groups: Sequence[Observations]) -> tuple[Pairs, tuple[Observations, ...]]:
        return self, tuple(groups)

    def roughly(self, specification: Specification) -> Pairs:
        return replace(self, single_precision=self.only_differences_matter(specification))

    def finite_in_padding(self, kind: str) -> bool:
        return kind == DECIDED

    def only_differences_matter(self, specification: Specification) -> bool:
        return isinstance(self.layout(specification), Differences)

    def nearly_convex(self, specification: Specification) -> bool:
        return specification.levels == 1 and self.only_differences_matter(specification)

    @property
    def concave_in_threshold(self) -> bool:
        """Unless a tie is split, outcomes are products of σ(±a − b) and exp(2b) − 1: their logarithms are concave."""
        return self.rule != "split"

    def needs_thresholds(self, observations: Sequence[Observations]) -> bool:
        return any(len(own.kinds[TIED]) for own in observations)

    @property
    def stuck_at_zero(self) -> bool:
        """When a full tie is split, Pr(≻) is even in the last threshold."""
        return self.rule == "split"

    def explained(self, data: Preferences, compare: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> bool:
        """Pairs with equal features say nothing on weights and do not count."""
        order = compare(data.left_features, data.right_features)
        expected = order[:, None] == np.array([1, 0, -1])
        return bool(np.all(expected[(data.outcome_counts > 0) & ~data.identical()[:, None]]))

    def log_likelihood(self, data: Preferences, log_probabilities: np.ndarray) -> np.ndarray:
        counts = data.weighted_counts  # what was not seen may be impossible
        return np.sum(counts * np.where(counts > 0, log_probabilities, 0.0), axis=-1)


@dataclass(frozen=True, eq=False)
class PairRows:
    """Rows that point into tables of left and right alternatives, the left one being preferred unless `turned`."""

    left: np.ndarray  # (pairs, features)
    right: np.ndarray
    weight: np.ndarray  # (rows,) how often, times the weight of the pair
    origin: np.ndarray  # (rows,) the pair among the data
    place: np.ndarray | None = None  # (rows,) the pair among the tables; None: one after the other
    turned: np.ndarray | None = None  # (rows,) bool; None: nowhere

    def __len__(self) -> int:
        return len(self.weight)

    def alternatives(self, part: slice = ALL) -> np.ndarray:
        left, right, turned = self._sides(part)
        if turned is None:
            return np.stack([left, right], axis=1)
        return np.stack([np.where(turned, right, left), np.where(turned, left, right)], axis=1)

    def contrasts(self, part: slice = ALL) -> np.ndarray:
        left, right, turned = self._sides(part)
        difference = left - right
        if turned is not None:
            difference *= 1.0 - 2.0 * turned  # a fifth of the time of choosing the sign row by row
        return difference

    def taken(self, rows: np.ndarray, weight: np.ndarray) -> PairRows:
        place = rows if self.place is None else self.place[rows]
        turned = None if self.turned is None else self.turned[rows]
        left, right = rows_of(self.left, place), rows_of(self.right, place)
        return PairRows(left, right, weight, self.origin[rows], None, turned)

    def by_outcome(self) -> np.ndarray | None:
        if self.turned is None or self.place is not None:
            return None
        return np.concatenate([np.flatnonzero(~self.turned), np.flatnonzero(self.turned)])

    def part(self, rows: slice) -> PairRows:
        turned = None if self.turned is None else self.turned[rows]
        weight, origin = self.weight[rows], self.origin[rows]
        if self.place is None:
            return PairRows(self.left[rows], self.right[rows], weight, origin, None, turned)
        return PairRows(self.left, self.right, weight, origin, self.place[rows], turned)

    def weighted(self, weight: np.ndarray) -> PairRows:
        return replace(self, weight=weight)

    def __add__(self, other: PairRows) -> PairRows:
        parts = self._compact(), other._compact()

        def both(name: str) -> np.ndarray:
            return np.concatenate([getattr(rows, name) for rows in parts])

        return PairRows(both("left"), both("right"), both("weight"), both("origin"), None, both("turned"))

    def _compact(self) -> PairRows:
        """The same rows, one after the other in tables of their own."""
        turned = np.zeros(len(self), bool) if self.turned is None else self.turned
        if self.place is None:
            return replace(self, turned=turned)
        left, right = rows_of(self.left, self.place), rows_of(self.right, self.place)
        return replace(self, left=left, right=right, place=None, turned=turned)

    def _sides(self, part: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        turned = None if self.turned is None else self.turned[part, None]
        if self.place is None:
            return self.left[part], self.right[part], turned
        place = self.place[part]
        return rows_of(self.left, place), rows_of(self.right, place), turned


def _some(array: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Some rows, or the array itself if they are all (`chosen` is sorted and without repetition)."""
    return array if len(chosen) == len(array) else array[chosen]
