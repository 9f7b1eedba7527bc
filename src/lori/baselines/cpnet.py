"""CP-nets (Boutilier et al. 2004): what is better, all else being equal? Preferences that hold in a context.

Each attribute has parents, and for every assignment u of these an order of its own values, x ≻_u x′. Changing one
attribute to a value that is better in its context, all else being equal, is an improving flip. One alternative
dominates another if improving flips lead from the worse to the better; otherwise neither is said to be better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from lori.baselines.attributes import Attributes
from lori.baselines.base import OrdinalLearner, verdict_shares
from lori.data.preferences import Preferences
from lori.errors import DataError, InputError, whole

MOST_OUTCOMES = 4096  # combinations of values whose dominance is listed
BINS = (4, 3, 2)  # values of a feature, as many as that allows

Outcome = tuple[int, ...]
Tables = Sequence[Mapping[Outcome, Sequence[int]]]


@dataclass(frozen=True, eq=False)
class CPNet:
    """Parents of each attribute, and for each assignment of these the values from best to worst. Acyclic.

    >>> dinner = CPNet((2, 2), ((), (0,)), ({(): (1, 0)}, {(0,): (0, 1), (1,): (1, 0)}))
    >>> dinner.dominates((1, 1), (0, 0)), dinner.dominates((0, 1), (1, 1))
    (True, False)
    """

    sizes: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: Tables

    def __post_init__(self) -> None:
        if self.order is None:
            raise InputError("parents", expected="an acyclic net", got="a cycle", fix="leave one of its parents out")

    @cached_property
    def order(self) -> list[int] | None:
        """Attributes, each after its parents; None if there is a cycle."""
        return topological(self.parents)

    def rank(self, attribute: int, outcome: Outcome) -> int:
        """Of the value that the outcome has, 0 for the best in its context."""
        context = tuple(outcome[parent] for parent in self.parents[attribute])
        return list(self.tables[attribute][context]).index(outcome[attribute])

    def improving_flips(self, outcome: Outcome, among: Sequence[int] | None = None) -> Iterator[Outcome]:
        """Every outcome with one attribute changed for the better."""
        for attribute in range(len(self.sizes)) if among is None else among:
            context = tuple(outcome[parent] for parent in self.parents[attribute])
            values = list(self.tables[attribute][context])
            for value in values[: values.index(outcome[attribute])]:
                yield (*outcome[:attribute], value, *outcome[attribute + 1 :])

    def dominates(self, better: Outcome, worse: Outcome) -> bool:
        """Do improving flips lead from `worse` to `better`?

        Attributes that agree with the goal, as do all that depend on them, are left alone (suffix fixing), which
        loses no answer and spares most of the search.
        """
        better, worse = tuple(better), tuple(worse)
        assert self.order is not None
        seen, open_ones = {worse}, [worse]
        while open_ones:
            now = open_ones.pop()
            last = max((place for place, own in enumerate(self.order) if now[own] != better[own]), default=-1)
            if last < 0:
                return now == better and better != worse
            for following in self.improving_flips(now, self.order[: last + 1]):
                if following not in seen:
                    seen.add(following)
                    open_ones.append(following)
        return False

    @cached_property
    def relation(self) -> np.ndarray:
        """(outcomes, outcomes) does the first dominate the second? Outcomes are numbered as `number` has them."""
        outcomes = list(product(*map(range, self.sizes)))
        numbers = {outcome: place for place, outcome in enumerate(outcomes)}
        above: dict[int, int] = {}  # of each outcome, those that dominate it, as bits
        assert self.order is not None
        for outcome in sorted(outcomes, key=lambda own: [self.rank(place, own) for place in self.order]):  # type: ignore[union-attr]
            bits = 0
            for better in self.improving_flips(outcome):
                bits |= above[numbers[better]] | 1 << numbers[better]
            above[numbers[outcome]] = bits
        width = -(-len(outcomes) // 8)
        rows = [np.frombuffer(above[place].to_bytes(width, "little"), np.uint8) for place in range(len(outcomes))]
        return np.unpackbits(np.array(rows), axis=1, count=len(outcomes), bitorder="little").astype(bool).T

    def number(self, outcomes: np.ndarray) -> np.ndarray:
        return np.ravel_multi_index(tuple(np.asarray(outcomes).T), self.sizes)


def topological(parents: Sequence[Sequence[int]]) -> list[int] | None:
    """Every number after those that it depends on; None where that cannot be."""
    order: list[int] = []
    while len(order) < len(parents):
        ready = [own for own in range(len(parents)) if own not in order and set(parents[own]) <= set(order)]
        if not ready:
            return None
        order.append(ready[0])
    return order


class CPNetLearner(OrdinalLearner):
    """A CP-net that entails as many of the preferences as possible and contradicts few.

    Tables are majorities: in each context, the values of an attribute are ordered by how often they were on the winning
    side of a pair whose two alternatives share that context. Parents are added one at a time while the number of
    choices entailed less contradicted grows.

    Parameters
    ----------
    parents : at most so many for each attribute.
    bins : values of a feature with more than so many; None takes up to four, fewer where there are many features.

    Attributes
    ----------
    net_ : the learned `CPNet`.
    entailed_ : how many choices it foretells.
    contradicted_ : how many it gets wrong.
    """

    def __init__(self, *, parents: int = 1, bins: int | None = None) -> None:
        self.parents = parents
        self.bins = bins

    def _learn(self, preferences: Preferences) -> None:
        most = whole("parents", self.parents, 0)
        self.attributes_ = self._attributes(preferences.shown)
        problem = _Problem.of(preferences, self.attributes_)
        parents: list[tuple[int, ...]] = [() for _ in self.attributes_.sizes]
        best = problem.net(parents)
        score = problem.score(best)
        while True:
            found = None
            for own, other in product(range(len(parents)), repeat=2):
                if own == other or other in parents[own] or len(parents[own]) >= most:
                    continue
                changed = [(*old, other) if place == own else old for place, old in enumerate(parents)]
                if topological(changed) is None:
                    continue
                net = problem.net(changed)
                if (value := problem.score(net)) > score:
                    found, score = (changed, net), value
            if found is None:
                break
            parents, best = found
        self.net_ = best
        self.entailed_, self.contradicted_ = problem.told(best)

    def _attributes(self, shown: np.ndarray) -> Attributes:
        tried = BINS if self.bins is None else (whole("bins", self.bins, 2),)
        for bins in tried:
            found = Attributes.of(shown, bins)
            if np.prod(found.sizes, dtype=float) <= MOST_OUTCOMES:
                return found
        raise DataError(
            "preferences", expected=f"at most {MOST_OUTCOMES:,} combinations of values, for a CP-net",
            got=f"{shown.shape[1]} features with {tried[-1]} or more each", fix="select some of the features",
        )  # fmt: skip

    def _verdicts(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        one, other = (self.net_.number(self.attributes_.codes(side)) for side in (left, right))
        relation = self.net_.relation
        return verdict_shares(relation[one, other].astype(int) - relation[other, one].astype(int))


@dataclass(frozen=True, eq=False)
class _Problem:
    """Pairs as values of attributes, the winner first, each kind once."""

    sizes: tuple[int, ...]
    better: np.ndarray  # (kinds, attributes)
    worse: np.ndarray
    weight: np.ndarray  # (kinds,) choices

    @classmethod
    def of(cls, preferences: Preferences, attributes: Attributes) -> _Problem:
        counts = preferences.weighted_counts
        left, right = (attributes.codes(side) for side in (preferences.left_features, preferences.right_features))
        rows = np.concatenate([np.hstack([left, right]), np.hstack([right, left])])
        kinds, which = np.unique(rows, axis=0, return_inverse=True)
        weight = np.bincount(which.ravel(), np.concatenate([counts[:, 0], counts[:, 2]]), len(kinds))
        size = left.shape[1]
        return cls(attributes.sizes, kinds[weight > 0, :size], kinds[weight > 0, size:], weight[weight > 0])

    def net(self, parents: Sequence[tuple[int, ...]]) -> CPNet:
        return CPNet(self.sizes, tuple(parents), [self._table(own, above) for own, above in enumerate(parents)])

    def _table(self, own: int, parents: tuple[int, ...]) -> dict[Outcome, tuple[int, ...]]:
        columns = list(parents)
        context = self.better[:, columns]
        usable = (context == self.worse[:, columns]).all(axis=1) & (self.better[:, own] != self.worse[:, own])
        table = {}
        for assignment in product(*(range(self.sizes[parent]) for parent in parents)):
            rows = usable & (context == np.array(assignment, int)).all(axis=1)
            votes = np.zeros((self.sizes[own],) * 2)
            np.add.at(votes, (self.better[rows, own], self.worse[rows, own]), self.weight[rows])
            beaten = np.sign(votes - votes.T).sum(axis=1) + 1e-9 * (votes - votes.T).sum(axis=1)  # Copeland's rule
            table[assignment] = tuple(int(value) for value in np.argsort(-beaten, kind="stable"))
        return table

    def told(self, net: CPNet) -> tuple[float, float]:
        one, other = net.number(self.better), net.number(self.worse)
        return float(self.weight @ net.relation[one, other]), float(self.weight @ net.relation[other, one])

    def score(self, net: CPNet) -> float:
        entailed, contradicted = self.told(net)
        return entailed - contradicted
