"""Lexicographic preference trees (Booth et al. 2010, Bräuning and Hüllermeier 2017): what is looked at next, and when?

Each node of the tree looks at one attribute, whose values it orders from best to worst. Alternatives with different
values there are decided; those that share a value go on to the node below it, so that which attribute comes next, and
which of its values is better, may depend on the values of those before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.baselines.attributes import Attributes
from lori.baselines.base import OrdinalLearner, verdict_shares
from lori.data.preferences import Preferences
from lori.errors import whole


@dataclass(frozen=True, eq=False)
class Node:
    """An attribute, the rank of each of its values (0 for the best), and the node below each (None at the end)."""

    attribute: int
    ranks: np.ndarray
    below: tuple[Node | None, ...]

    def verdict(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """(pairs,) +1 for left, −1 for right, 0 for neither, of values (pairs, attributes)."""
        one, other = left[:, self.attribute], right[:, self.attribute]
        found = np.sign(self.ranks[other] - self.ranks[one])
        for value, node in enumerate(self.below):
            rows = (one == value) & (other == value)
            if node is not None and rows.any():
                found[rows] = node.verdict(left[rows], right[rows])
        return found

    @property
    def size(self) -> int:
        """How many nodes there are, this one included."""
        return 1 + sum(node.size for node in self.below if node is not None)


class LexicographicTree(OrdinalLearner):
    """A lexicographic preference tree with conditional importance, learned greedily.

    Each node takes the attribute that decides most of its pairs rightly, less what it decides wrongly, for each pair
    that it decides; its values are ordered by majorities (Copeland's rule). A branch needs `least` choices to have a
    tree of its own; below that it has the tree of all pairs that the attribute leaves open.

    Parameters
    ----------
    bins : values of a feature that has more.
    least : choices that a branch of its own needs.

    Attributes
    ----------
    tree_ : the first `Node`.
    attributes_ : how features became values.
    """

    def __init__(self, *, bins: int = 4, least: int = 20) -> None:
        self.bins = bins
        self.least = least

    def _learn(self, preferences: Preferences) -> None:
        self.attributes_ = Attributes.of(preferences.shown, whole("bins", self.bins, 2))
        counts = preferences.weighted_counts
        left, right = (self.attributes_.codes(side) for side in (preferences.left_features, preferences.right_features))
        balance = counts[:, 0] - counts[:, 2]
        first = balance >= 0
        better, worse = np.where(first[:, None], left, right), np.where(first[:, None], right, left)
        weight = np.stack([np.maximum(counts[:, 0], counts[:, 2]), np.minimum(counts[:, 0], counts[:, 2])], axis=1)
        sizes = self.attributes_.sizes
        tree = _grown(better, worse, weight, sizes, tuple(range(len(sizes))), whole("least", self.least, 1))
        assert tree is not None
        self.tree_ = tree

    def _verdicts(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return verdict_shares(self.tree_.verdict(self.attributes_.codes(left), self.attributes_.codes(right)))


def _grown(
    better: np.ndarray, worse: np.ndarray, weight: np.ndarray, sizes: tuple[int, ...], rest: tuple[int, ...], least: int
) -> Node | None:
    """The best tree of the attributes that are left; `weight` (pairs, 2): choices for and against the better side."""
    if not rest:
        return None
    scores, ranks = zip(*(_judged(better[:, own], worse[:, own], weight, sizes[own]) for own in rest), strict=True)
    place = int(np.argmax(scores))
    own, others = rest[place], tuple(attribute for attribute in rest if attribute != rest[place])
    same = better[:, own] == worse[:, own]
    shared = _grown(better[same], worse[same], weight[same], sizes, others, least)
    below = []
    for value in range(sizes[own]):
        rows = same & (better[:, own] == value)
        enough = weight[rows].sum() >= least
        below.append(_grown(better[rows], worse[rows], weight[rows], sizes, others, least) if enough else shared)
    return Node(own, ranks[place], tuple(below))


def _judged(better: np.ndarray, worse: np.ndarray, weight: np.ndarray, size: int) -> tuple[float, np.ndarray]:
    """How well an attribute decides, and the rank of each of its values."""
    votes = np.zeros((size, size))
    np.add.at(votes, (better, worse), weight[:, 0])
    np.add.at(votes, (worse, better), weight[:, 1])
    np.fill_diagonal(votes, 0.0)
    net = votes - votes.T
    worth = np.sign(net).sum(axis=1) + 1e-9 * net.sum(axis=1)
    ranks = np.empty(size, int)
    ranks[np.argsort(-worth, kind="stable")] = np.arange(size)
    agreeing = votes[ranks[:, None] < ranks].sum()
    decided = votes.sum()
    return (2 * agreeing - decided) / (decided + 1), ranks
