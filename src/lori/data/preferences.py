"""Preferences: what was observed? Pairs of alternatives, and how often each side was preferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.data import validation as check
from lori.data.fields import as_indices, checked_fields, known_counts, rows_of
from lori.data.grouping import aggregated, concatenated, group_rows, random_part, unordered_pairs
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

    from lori.data.reading.record import Reading

OUTCOMES = ("left", "tie", "right")
"""What can come out of a comparison, in the order of all tables of counts and probabilities."""


def one_sided(totals: np.ndarray) -> str | None:
    """The side that won every comparison, from the total of each of `OUTCOMES`; None where there is no such side."""
    seen = [outcome for outcome, total in zip(OUTCOMES, totals, strict=True) if total]
    return seen[0] if seen in (["left"], ["right"]) else None


@dataclass(frozen=True, eq=False, repr=False)
class Preferences:
    """Pairwise preferences between alternatives that are described by features.

    Row i says: alternative `left[i]` was preferred `wins[i]` times to alternative `right[i]`, the other way
    round `losses[i]` times, and neither `ties[i]` times. Constructing one checks everything; objects derived
    from a checked one (subsets, splits, …) are not checked again. Indexing selects pairs, so scikit-learn's
    splitters can cut it like an array of shape (pairs, 2, features).
    """

    alternatives: np.ndarray  # (alternatives, features) float64
    left: np.ndarray  # (pairs,) int64, index into alternatives
    right: np.ndarray  # (pairs,)
    wins: np.ndarray  # (pairs,) float64 holding whole numbers: times left was preferred
    losses: np.ndarray
    ties: np.ndarray
    features: tuple[str, ...]
    agent: np.ndarray | None = None  # (pairs,) text: who compared
    weight: np.ndarray | None = None  # (pairs,) float64 from 0; None means 1
    pooled: tuple[str, float | None] | None = None  # how trajectories became features, and by what discount
    reading: Reading | None = None  # how files became this, where it was read
    row: np.ndarray | None = None  # (pairs,) from 1: which rows these were, where others have been left out

    def __post_init__(self) -> None:
        self._set(**checked_fields(self))

    # -- making one ------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        left: Any,
        right: Any,
        *,
        wins: Any = None,
        losses: Any = None,
        ties: Any = None,
        counts: Any = None,
        features: Sequence[str] | None = None,
        agent: Any = None,
        weight: Any = None,
    ) -> Preferences:
        """Preferences from the features of both sides, each (pairs, features).

        Without counts, left was preferred once in each pair; of several counts, the ones left out are zero.
        `counts` (pairs, 3) gives all of them as one table, its columns in the order of `OUTCOMES`.
        Without names, the features are x1, x2, …
        """
        sides = check.as_table(left, "left"), check.as_table(right, "right")
        if sides[0].shape != sides[1].shape:
            raise DataError(
                "left and right",
                expected="two arrays of the same shape (pairs, features)",
                got=f"{sides[0].shape} and {sides[1].shape}",
                fix="describe both sides of every pair by the same features",
            )
        pairs = len(sides[0])
        index = np.arange(2 * pairs)
        return cls.from_indices(
            np.concatenate(sides), index[:pairs], index[pairs:],
            wins=wins, losses=losses, ties=ties, counts=counts, features=features, agent=agent, weight=weight,
        )  # fmt: skip

    @classmethod
    def from_indices(
        cls,
        alternatives: Any,
        left: Any,
        right: Any,
        *,
        wins: Any = None,
        losses: Any = None,
        ties: Any = None,
        counts: Any = None,
        features: Sequence[str] | None = None,
        agent: Any = None,
        weight: Any = None,
    ) -> Preferences:
        """Preferences between rows of a table of alternatives; defaults as in `from_arrays`."""
        table = check.as_table(alternatives, "alternatives")
        names = check.feature_names(features, table.shape[1])
        left = as_indices(left, "left")
        known = known_counts(len(left), wins, losses, ties, counts)
        return cls(table, left, right, features=names, agent=agent, weight=weight, **known)

    @classmethod
    def from_frame(cls, frame: pandas.DataFrame, **options: Any) -> Preferences:
        """Preferences from a pandas table in the pairs form; options as those of `lori.read`."""
        from lori.data.reading.readers import read

        found = read(frame, **options)
        if not isinstance(found, cls):
            raise DataError(
                "frame", expected="a table of pairs", got="one of choices from sets", fix="use lori.read_choices"
            )
        return found

    @staticmethod
    def concatenate(parts: Sequence[Preferences]) -> Preferences:
        """All pairs of several preferences over the same features, one after the other."""
        parts = list(parts)
        together = concatenated(parts)
        return parts[0]._derived(**together)

    # -- looking at it ---------------------------------------------------------------------------------

    @property
    def rows(self) -> np.ndarray:
        """(pairs,) from 1: which rows of what was read these are."""
        return np.arange(1, self.n_pairs + 1) if self.row is None else self.row

    @property
    def n_pairs(self) -> int:
        return len(self.left)

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def n_comparisons(self) -> int:
        """How often somebody compared, whatever came out; weights do not enter."""
        return int(self.outcome_totals.sum())

    @property
    def n_ties(self) -> int:
        """How many of the comparisons ended in a tie."""
        return int(self.ties.sum())

    @property
    def has_ties(self) -> bool:
        return bool(self.ties.any())

    @property
    def one_sided(self) -> str | None:
        """The side, "left" or "right", that won every comparison; None where both won some, or some were tied."""
        return one_sided(self.outcome_totals)

    @property
    def comparisons(self) -> np.ndarray:
        """(pairs,) how often each pair was compared, whatever came out; weights do not enter."""
        total = self.wins + self.losses
        total += self.ties
        return total

    @property
    def outcome_counts(self) -> np.ndarray:
        """(pairs, 3) how often left was preferred, neither, and right: a column for each of `OUTCOMES`."""
        return np.stack([self.wins, self.ties, self.losses], axis=1)

    @property
    def outcome_totals(self) -> np.ndarray:
        """(3,) `outcome_counts` of all pairs together; totals of several preferences add up."""
        return np.array([self.wins.sum(), self.ties.sum(), self.losses.sum()])

    @property
    def weighted_counts(self) -> np.ndarray:
        """(pairs, 3) `outcome_counts` times the weight of the pair."""
        return self.outcome_counts * self.weights[:, None]

    @property
    def weights(self) -> np.ndarray:
        """(pairs,) the weights, ones where none were given."""
        return np.ones(self.n_pairs) if self.weight is None else self.weight

    @property
    def left_features(self) -> np.ndarray:
        """(pairs, features) of the left alternatives."""
        return self._side(self.left, self._successive[0])

    @property
    def right_features(self) -> np.ndarray:
        """(pairs, features) of the right alternatives."""
        return self._side(self.right, self._successive[1])

    @property
    def differences(self) -> np.ndarray:
        """(pairs, features): left minus right."""
        return self.left_features - self.right_features

    @property
    def shown(self) -> np.ndarray:
        """(2 pairs, features) of the alternatives of all pairs, as often as they are compared."""
        return np.concatenate([self.left_features, self.right_features])

    def within(self, pairs: slice, hold: Any = None) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        """Of some pairs, by feature: are both values sound (as `hold` says)? Their sum, and their squared difference,
        which is twice their variance."""
        left, right = (
            self._side(index, first, pairs)
            for index, first in zip((self.left, self.right), self._successive, strict=True)
        )
        inside = None if hold is None else hold(left) & hold(right)
        apart = left - right
        apart *= apart
        return inside, left + right, apart

    @property
    def shape(self) -> tuple[int, int, int]:
        """(pairs, 2, features): scikit-learn cuts along the first axis."""
        return self.n_pairs, 2, self.n_features

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take."""
        return sum(values.nbytes for values in vars(self).values() if isinstance(values, np.ndarray))

    def __len__(self) -> int:
        return self.n_pairs

    def __repr__(self) -> str:
        people = "" if self.agent is None else f", {len(np.unique(self.agent))} agents"
        size = f"{self.n_pairs} pairs, {self.n_comparisons} comparisons"
        return f"Preferences({size}, {self.n_features} features{people})"

    def _repr_html_(self) -> str:
        """As a notebook shows it: how much there is, and the first pairs."""
        return f"<p>{self!r}</p>{self[:5].to_frame().to_html(index=False, border=0)}"

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise TypeError("an array cannot hold the counts of Preferences; use left_features and right_features")

    def identical(self) -> np.ndarray:
        """(pairs,) mask of the pairs whose two alternatives have equal features."""
        return (self.left_features == self.right_features).all(axis=1)

    def pair_numbers(self) -> np.ndarray:
        """(pairs,) which pair of alternatives each row is about, numbered from 0 by first appearance.

        Rows have the same number where the features of their two alternatives are equal, in either order and whoever
        compared. Folds that keep a number together predict no pair that was seen.
        """
        return unordered_pairs(self)

    def to_frame(self) -> pandas.DataFrame:
        """The pairs as a table in the form that `read_pairs` reads."""
        import pandas

        sides = {"left": self.left_features, "right": self.right_features}
        table = {f"{side}.{name}": x[:, i] for side, x in sides.items() for i, name in enumerate(self.features)}
        for counts, column in check.COUNTS.items():
            table[column] = getattr(self, counts).astype(np.int64)
        if self.agent is not None:
            table["agent"] = self.agent.astype(object)
        if self.weight is not None:
            table["weight"] = self.weight
        return pandas.DataFrame(table)

    # -- deriving others -------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Preferences:
        """Some pairs, by position, slice, positions or mask; scikit-learn asks for [positions, ...]."""
        if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
            index = index[0]
        return self.subset(index)

    def subset(self, index: Any) -> Preferences:
        """Some pairs, with only the alternatives that occur in them."""
        if isinstance(index, list | tuple):
            index = np.array(index, dtype=None if len(index) else np.int64)

        def chosen(values: np.ndarray) -> np.ndarray:
            return np.atleast_1d(values[index])

        left = chosen(self.left)
        used, place = np.unique(np.concatenate([left, chosen(self.right)]), return_inverse=True)
        return self._derived(
            alternatives=self.alternatives[used],
            left=place[: len(left)],
            right=place[len(left) :],
            agent=None if self.agent is None else chosen(self.agent),
            weight=None if self.weight is None else chosen(self.weight),
            row=None if self.row is None and self.reading is None else chosen(self.rows),
            **{name: chosen(getattr(self, name)) for name in check.COUNTS},
        )

    def split(self, fraction: float, seed: int = 0, *, by_agent: bool = False) -> tuple[Preferences, Preferences]:
        """Two random parts, the first with this fraction of the pairs, each part in the order observed.

        With `by_agent` all pairs of a person go to the same part, and the first part comes as near to the
        fraction as whole people allow.
        """
        group = group_rows([self._agents()])[1] if by_agent else np.arange(self.n_pairs)
        first = random_part(group, fraction, seed)
        return self.subset(first), self.subset(~first)

    def swap(self) -> Preferences:
        """The same observations with left and right exchanged."""
        return self._derived(left=self.right, right=self.left, wins=self.losses, losses=self.wins)

    def aggregate(self) -> Preferences:
        """Repeated pairs as one row with summed counts, each in the direction in which it came first.

        A pair is repeated where the features of its two alternatives (in either order), its agent and its
        weight are equal. Alternatives with equal features become one.
        """
        return self._derived(**aggregated(self))

    def by_agent(self) -> dict[str, Preferences]:
        """The preferences of each agent, in order of first appearance."""
        agents = self._agents()
        first, group = group_rows([agents])
        rows = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
        return {str(agents[start]): self.subset(own) for start, own in zip(first, rows, strict=True)}

    def weighted(self, weight: Any) -> Preferences:
        """The same pairs with these weights, one for each."""
        return replace(self, weight=weight)

    def select(self, features: Sequence[str]) -> Preferences:
        """The same pairs described by these features only, in this order."""
        names = check.chosen_features(features)
        columns = check.places_of(names, self.features)
        return self._derived(alternatives=self.alternatives[:, columns], features=names)

    # -- inside ----------------------------------------------------------------------------------------

    @cached_property
    def _successive(self) -> tuple[int | None, int | None]:
        """Where the left and the right alternatives begin, if they follow each other in their table."""
        return _first_of_run(self.left), _first_of_run(self.right)

    def _side(self, index: np.ndarray, first: int | None, pairs: slice = slice(None)) -> np.ndarray:
        """The alternatives of some pairs: a view where they follow each other, which saves a copy of large arrays."""
        if first is None:
            return rows_of(self.alternatives, index[pairs])
        return self.alternatives[first : first + len(index)][pairs]

    def _agents(self) -> np.ndarray:
        if self.agent is None:
            raise DataError(
                "agent",
                expected="a label for each pair that says who compared",
                got="preferences without agents",
                fix="give agent=… or a column agent",
            )
        return self.agent

    @staticmethod
    def _sound(**values: Any) -> Preferences:
        """Of fields that somebody has checked."""
        made = object.__new__(Preferences)
        made._set(**values)
        return made

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _derived(self, **changes: Any) -> Preferences:
        """A copy with some fields changed, not checked again: it is made of what was checked."""
        return Preferences._sound(**{field.name: getattr(self, field.name) for field in fields(self)} | changes)


def _first_of_run(index: np.ndarray) -> int | None:
    """The first row, where each of the others follows the one before."""
    count = len(index)
    if count and index[-1] - index[0] == count - 1 and bool((index[1:] - index[:-1] == 1).all()):
        return int(index[0])
    return None
