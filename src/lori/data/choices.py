"""Choices: what was observed? Sets of alternatives, and which one of each set was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.data import validation as check
from lori.data.answers import Answers, Places, check_available, checked_ranks, described, marked
from lori.data.fields import alternative_names, check_constants, checked_choice_fields, names_besides
from lori.data.grouping import concatenated_choices, group_rows, random_part
from lori.data.preferences import Preferences
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

    from lori.data.reading.record import Reading

COLUMNS = (
    "set", "alternative", "available", "chosen", "rank", "best", "worst", "agent", "count", "weight", "occasion",
)  # fmt: skip
"""What columns of a long table mean; any other one is a feature."""


@dataclass(frozen=True, eq=False, repr=False)
class Choices:
    """Choices among the alternatives of sets, which are described by features.

    The alternatives of set i are the rows `offsets[i]` to `offsets[i + 1]` of one table: only those that could be
    chosen, however many there are. Several chosen rows of a set are a tie between them; `worst` says that it is the
    least preferred that was picked. Constructing one checks everything; objects derived from a checked one are not
    checked again. Indexing selects sets, so scikit-learn's splitters can cut it.

    >>> routes = [[[20, 3], [30, 1]], [[25, 2], [20, 4]]]  # minutes and changes of two routes, twice
    >>> Choices.from_arrays(routes, [1, 0], features=["minutes", "changes"], alternatives=["bus", "tram"])
    Choices(2 sets of 2 alternatives, 2 choices, 2 features)
    """

    alternatives: np.ndarray  # (rows, features) float64
    offsets: np.ndarray  # (sets + 1,) int64, where each set begins
    chosen: np.ndarray  # (rows,) bool
    features: tuple[str, ...]
    label: np.ndarray  # (rows,) int64, which of `names` the alternative is
    names: tuple[str, ...]  # what alternatives are called: the columns of tables of probabilities
    agent: np.ndarray | None = None  # (sets,) text: who chose
    times: np.ndarray | None = None  # (sets,) float64 holding whole numbers: how often; None means once
    weight: np.ndarray | None = None  # (sets,) float64 from 0; None means 1
    worst: np.ndarray | None = None  # (sets,) bool: the least preferred was picked; None means nowhere
    occasion: np.ndarray | None = None  # (sets,) int64: sets with the same number are one answer, such as a ranking
    reading: Reading | None = None  # how files became this, where it was read

    def __post_init__(self) -> None:
        self._set(**checked_choice_fields(self))

    # -- making one ------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        chosen: Any,
        *,
        available: Any = None,
        agents: Any = None,
        counts: Any = None,
        weight: Any = None,
        features: Sequence[str] | None = None,
        alternatives: Sequence[str] | None = None,
    ) -> Choices:
        """Choices from the features of all alternatives, X (sets, alternatives, features).

        `chosen` (sets,) has the position of the chosen alternative, or (sets, alternatives) a mask in which several may
        be marked: a tie. `available` (sets, alternatives) says which could be chosen, all by default; what could not
        may have NaN for features. `counts` (sets,) tells how often each choice was observed.
        """
        table, there = described(X, available)
        picked = marked(chosen, there.shape, "chosen")
        check_available(picked, there, "chosen")
        return cls(
            table[there],
            np.concatenate([[0], np.cumsum(there.sum(axis=1))]),
            picked[there],
            features=check.feature_names(features, table.shape[2]),
            label=np.broadcast_to(np.arange(there.shape[1]), there.shape)[there],
            names=alternative_names(alternatives, there.shape[1]),
            agent=agents,
            times=counts,
            weight=weight,
        )

    @classmethod
    def from_rankings(
        cls,
        X: Any,
        ranks: Any,
        *,
        worst: Any = None,
        ties: str = "error",
        available: Any = None,
        agents: Any = None,
        counts: Any = None,
        weight: Any = None,
        features: Sequence[str] | None = None,
        alternatives: Sequence[str] | None = None,
    ) -> Choices:
        """A ranking as a sequence of choices from what is left, X (sets, alternatives, features).

        `ranks` (sets, alternatives) are 1 for the best, 2, …; NaN is below all that have a rank. Equal ranks are a tie
        with ties="observed", otherwise an error. `worst` (sets,) is the position of the least preferred one, which has
        no rank, or a mask. The rest as in `from_arrays`.
        """
        table, there = described(X, available)
        given = check.as_numbers(ranks, "ranks")
        if given.shape != there.shape:
            raise DataError(
                "ranks", expected=f"an array of shape {there.shape}", got=f"shape {given.shape}",
                fix="give a rank, or NaN, for each alternative",
            )  # fmt: skip
        last = np.zeros(there.shape, bool) if worst is None else marked(worst, there.shape, "worst")
        check_available(~np.isnan(given), there, "ranks")
        check_available(last, there, "worst")
        owner, label = np.nonzero(there)
        answers = Answers(table[there], owner, label, checked_ranks(owner, given[there], ties, Places()), last[there])
        return cls.from_answers(
            answers,
            features=check.feature_names(features, table.shape[2]),
            names=alternative_names(alternatives, there.shape[1]),
            agent=agents,
            times=counts,
            weight=weight,
        )

    @classmethod
    def from_best_worst(cls, X: Any, best: Any, worst: Any, **others: Any) -> Choices:
        """Both ends of each set: the best, and the worst of what is left, by position; the rest as in `from_arrays`."""
        first = marked(best, described(X)[1].shape, "best")
        return cls.from_rankings(X, np.where(first, 1.0, np.nan), worst=worst, **others)

    @classmethod
    def from_answers(cls, answers: Answers, **others: Any) -> Choices:
        """The choices that answers consist of; what is known of each set holds for every step of its answer."""
        return cls(**answers.fields(**others))

    @staticmethod
    def concatenate(parts: Sequence[Choices]) -> Choices:
        """All sets of several choices over the same features and names, one after the other."""
        parts = list(parts)
        together = concatenated_choices(parts)
        return parts[0]._derived(**together)

    # -- looking at it ---------------------------------------------------------------------------------

    @property
    def sizes(self) -> np.ndarray:
        """(sets,) how many alternatives each set has."""
        return np.diff(self.offsets)

    @cached_property
    def owner(self) -> np.ndarray:
        """(rows,) the set that each alternative belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def n_comparisons(self) -> int:
        """How many choices there are; weights do not enter."""
        return int(self.comparisons.sum())

    @property
    def comparisons(self) -> np.ndarray:
        """(sets,) how often each choice was made; weights do not enter."""
        return np.ones(len(self)) if self.times is None else self.times

    @property
    def weights(self) -> np.ndarray:
        """(sets,) the weights, ones where none were given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def answers(self) -> np.ndarray:
        """(sets,) the number of the answer that each set is a part of: a set of its own, or a step of a ranking."""
        return np.arange(len(self)) if self.occasion is None else self.occasion

    @property
    def tied(self) -> np.ndarray:
        """(sets,) were several alternatives chosen together?"""
        return np.add.reduceat(self.chosen.astype(int), self.offsets[:-1]) > 1

    @property
    def n_ties(self) -> int:
        """How many of the choices name several alternatives."""
        return int(self.comparisons[self.tied].sum())

    @property
    def has_ties(self) -> bool:
        return bool(self.tied.any())

    @property
    def differences(self) -> np.ndarray:
        """(rows, features) of each alternative that was not chosen: the first chosen one of its set minus it.

        Turned round where the worst was picked.
        """
        return self._contrasts(~self.chosen)

    @property
    def outcome_totals(self) -> np.ndarray:
        """(names,) how often each of the names was chosen, a tie being shared."""
        picked = np.add.reduceat(self.chosen.astype(float), self.offsets[:-1])
        share = (self.comparisons / picked)[self.owner] * self.chosen
        return np.bincount(self.label, share, len(self.names))

    @property
    def one_sided(self) -> None:
        """There are no sides."""
        return None

    @property
    def shown(self) -> np.ndarray:
        """(rows, features) of the alternatives of all sets."""
        return self.alternatives

    def within(self, sets: slice, hold: Any = None) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        """Of some sets, by feature: are all values sound (as `hold` says)? Twice their mean, twice their variance."""
        first, last = self.offsets[sets.start], self.offsets[min(sets.stop, len(self))]
        values, starts = self.alternatives[first:last], self.offsets[sets][: len(self) - sets.start] - first
        starts = starts[starts < len(values)]
        inside = None if hold is None else np.logical_and.reduceat(hold(values), starts)
        sizes = np.diff(np.append(starts, len(values)))
        centre = np.add.reduceat(values, starts) / sizes[:, None]
        spread = np.add.reduceat((values - np.repeat(centre, sizes, axis=0)) ** 2, starts) / (sizes - 1)[:, None]
        return inside, 2 * centre, 2 * spread

    @property
    def shape(self) -> tuple[int, int, int]:
        """(sets, names of alternatives, features): scikit-learn cuts along the first axis."""
        return len(self), len(self.names), self.n_features

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take."""
        held = (getattr(self, field.name) for field in fields(self))
        return sum(values.nbytes for values in held if isinstance(values, np.ndarray))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        least, most = self.sizes.min(), self.sizes.max()
        of = f"{least} alternatives" if least == most else f"{least} to {most} alternatives"
        people = "" if self.agent is None else f", {len(np.unique(self.agent))} agents"
        return f"Choices({len(self)} sets of {of}, {self.n_comparisons} choices, {self.n_features} features{people})"

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise TypeError("an array cannot hold sets of different sizes; use Choices.alternatives and offsets")

    def identical(self) -> np.ndarray:
        """(sets,) mask of the sets all of whose alternatives have equal features."""
        first = self.alternatives[self.offsets[:-1]][self.owner]
        return np.logical_and.reduceat((self.alternatives == first).all(axis=1), self.offsets[:-1])

    def table(self, values: np.ndarray, absent: float = 0.0) -> np.ndarray:
        """(sets, names) of values of the rows, `absent` where an alternative is not in the set."""
        filled = np.full((len(self), len(self.names)), absent)
        filled[self.owner, self.label] = values
        return filled

    def to_frame(self) -> pandas.DataFrame:
        """One row for each alternative of each set, in the long form that `read_choices` reads: −1 marks the worst."""
        import pandas

        check.check_columns(self.features, COLUMNS)
        columns: dict[str, Any] = {"set": self.owner + 1, "alternative": np.array(self.names, object)[self.label]}
        columns |= {name: self.alternatives[:, place] for place, name in enumerate(self.features)}
        columns["chosen"] = self.chosen.astype(int)
        if self.worst is not None:
            columns["chosen"] = np.where(self.worst[self.owner], -columns["chosen"], columns["chosen"])
        for name, column in (("agent", "agent"), ("times", "count"), ("weight", "weight"), ("occasion", "occasion")):
            if getattr(self, name) is not None:
                columns[column] = getattr(self, name)[self.owner]
        return pandas.DataFrame(columns)

    # -- deriving others -------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Choices:
        """Some sets, by position, slice, positions or mask; scikit-learn asks for [positions, ...]."""
        if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
            index = index[0]
        return self.subset(index)

    def subset(self, index: Any) -> Choices:
        """Some sets, in the order asked for."""
        sets = np.atleast_1d(np.arange(len(self))[np.asarray(index) if isinstance(index, list) else index])
        sizes = self.sizes[sets]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.repeat(self.offsets[sets] - offsets[:-1], sizes) + np.arange(offsets[-1])
        kept = {
            name: None if getattr(self, name) is None else getattr(self, name)[sets]
            for name in ("agent", "times", "weight", "worst", "occasion")
        }
        return self._derived(
            alternatives=self.alternatives[rows],
            offsets=offsets,
            chosen=self.chosen[rows],
            label=self.label[rows],
            **kept,
        )

    def split(self, fraction: float, seed: int = 0, *, by_agent: bool = False) -> tuple[Choices, Choices]:
        """Two random parts, the first with this fraction of the sets; what is one answer, or with `by_agent` one
        person, stays together."""
        first = random_part(group_rows([self._agents()])[1] if by_agent else self.answers, fraction, seed)
        return self.subset(first), self.subset(~first)

    def by_agent(self) -> dict[str, Choices]:
        """The choices of each agent, in order of first appearance."""
        agents = self._agents()
        first, group = group_rows([agents])
        parts = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
        return {str(agents[start]): self.subset(own) for start, own in zip(first, parts, strict=True)}

    def weighted(self, weight: Any) -> Choices:
        """The same sets with these weights, one for each."""
        return replace(self, weight=weight)

    def select(self, features: Sequence[str]) -> Choices:
        """The same sets described by these features only, in this order."""
        names = check.chosen_features(features)
        columns = check.places_of(names, self.features)
        return self._derived(alternatives=self.alternatives[:, columns], features=names)

    def with_constants(self, baseline: str | None = None) -> Choices:
        """The same sets with a constant for each name of an alternative but one, the last unless `baseline` says so.

        A constant is a feature that is 1 for that alternative: what people like or dislike about it beside the others.
        """
        others = names_besides(self.names, self.names[-1] if baseline is None else str(baseline))
        check_constants(others, self.names, self.features)
        columns = [self.label == self.names.index(name) for name in others]
        return self._derived(
            alternatives=np.column_stack([self.alternatives, *columns]).astype(float),
            features=(*self.features, *others),
        )

    def as_pairs(self) -> Preferences:
        """The chosen alternative preferred to each other one of its set, as pairs that share their winner.

        This reading counts a choice among n as n − 1 answers: standard errors come out too small. In a tie every chosen
        one is preferred to every other.
        """
        chosen, owner = np.flatnonzero(self.chosen), self.owner
        sizes = self.sizes[owner[chosen]]
        ends = np.cumsum(sizes)
        other = np.repeat(self.offsets[owner[chosen]] - ends + sizes, sizes) + np.arange(sizes.sum())
        one = np.repeat(chosen, sizes)
        kept = ~self.chosen[other]
        one, other = one[kept], other[kept]
        sets = owner[one]
        if self.worst is not None:
            one, other = np.where(self.worst[sets], other, one), np.where(self.worst[sets], one, other)
        known = {"agent": self.agent, "weight": self.weight}
        return Preferences.from_indices(
            self.alternatives, one, other, wins=self.comparisons[sets], features=self.features,
            **{name: None if values is None else values[sets] for name, values in known.items()},
        )  # fmt: skip

    # -- inside ----------------------------------------------------------------------------------------

    def _contrasts(self, rows: np.ndarray) -> np.ndarray:
        """The first chosen alternative of a set minus some of its rows, turned round where the worst was picked."""
        chosen, owner = np.flatnonzero(self.chosen), self.owner[rows]
        first = chosen[np.diff(self.owner[chosen], prepend=-1) > 0]  # sets stand one after the other
        contrast = self.alternatives[first].take(owner, axis=0) - self.alternatives[rows]
        return contrast if self.worst is None else np.where(self.worst[owner][:, None], -contrast, contrast)

    def _agents(self) -> np.ndarray:
        if self.agent is None:
            raise DataError(
                "agent", expected="a label for each set that says who chose", got="choices without agents",
                fix="give agents=… or a column agent",
            )  # fmt: skip
        return self.agent

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _derived(self, **changes: Any) -> Choices:
        """A copy with some fields changed, not checked again: it is made of what was checked."""
        copy = object.__new__(Choices)
        copy._set(**{field.name: getattr(self, field.name) for field in fields(self)} | changes)
        return copy
