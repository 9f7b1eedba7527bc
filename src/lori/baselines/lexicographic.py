"""Lexicographic orders of given attributes: which is looked at first? Ordinal learners, in one table over subsets.

An order compares two alternatives by its first attribute, and by the next where they do not differ there (or differ
by no more than a just-noticeable difference). A pair that differs in the attributes D is therefore decided by the
attribute x after the set S of attributes that come before it, if S ∩ D = ∅ and x ∈ D. Counting pairs by (S, x) gives
the best order exactly (Yee et al. 2007; the greedy order is Kohli and Jedidi's 2007), the number of orders that agree
with all pairs, and their vote on a new pair (Yaman et al. 2008), with 2^n instead of n! steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from lori.baselines.base import OrdinalLearner, PreferenceLearner, directions, verdict_shares
from lori.data.preferences import Preferences
from lori.errors import DataError, InputError, one_of, whole

MOST = 14  # attributes whose subsets are listed
QUICK = 10  # attributes up to which just-noticeable differences are learned with exact orders
TRIED = np.linspace(0.0, 0.7, 15)  # quantiles of differences that may go unnoticed
SWEEPS = 5


def noticed(left: np.ndarray, right: np.ndarray, jnd: np.ndarray) -> np.ndarray:
    """(pairs, features) +1 where left has more, −1 where it has less, 0 where the difference is not noticed."""
    difference = left - right
    return (np.sign(difference) * (np.abs(difference) > jnd)).astype(int)


def support(signs: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(subsets, features, 2) by S and x: the choices that x decides after S, for "more is better" and for "less is"."""
    size = signs.shape[1]
    differ = (signs != 0) @ (1 << np.arange(size))
    ways = np.stack([signs > 0, signs < 0], axis=2)  # of left
    weight = ways * counts[:, :1, None] + ways[:, :, ::-1] * counts[:, 2:, None]
    table = np.zeros((1 << size, size, 2))
    np.add.at(table, differ, weight)
    return subset_sums(table)[::-1]  # D within the complement of S, whose number is 2^n − 1 − S


def subset_sums(table: np.ndarray) -> np.ndarray:
    """At each set, the sum over all its subsets (first axis, sets as bits)."""
    total, shape = table.copy(), table.shape
    for bit in range(len(table).bit_length() - 1):
        halves = total.reshape(-1, 2, 1 << bit, *shape[1:])
        halves[:, 1] += halves[:, 0]
    return total


def best_order(table: np.ndarray, allowed: np.ndarray) -> tuple[list[int], list[int]]:
    """The order and directions (+1 or −1) that agree with most choices, by dynamic programming over subsets."""
    size = table.shape[1]
    gain = np.where(allowed, table, -np.inf)
    way, each = gain.argmax(axis=2), gain.max(axis=2)
    following, best = np.full(1 << size, -1), np.zeros(1 << size)
    bits = 1 << np.arange(size)
    for chosen in range((1 << size) - 2, -1, -1):
        left = np.flatnonzero(~chosen & bits)
        value = each[chosen, left] + best[chosen | bits[left]]
        place = int(value.argmax())
        following[chosen], best[chosen] = left[place], value[place]
    order, signs, chosen = [], [], 0
    for _ in range(size):
        order.append(int(following[chosen]))
        signs.append(1 - 2 * int(way[chosen, order[-1]]))
        chosen |= 1 << order[-1]
    return order, signs


def greedy_order(signs: np.ndarray, counts: np.ndarray, allowed: np.ndarray) -> tuple[list[int], list[int]]:
    """Next always the attribute that decides most of the rest rightly, less what it decides wrongly."""
    order: list[int] = []
    chosen_ways: list[int] = []
    balance = counts[:, 0] - counts[:, 2]
    for _ in range(signs.shape[1]):
        net = balance @ signs
        both = np.where(allowed, np.stack([net, -net], axis=1), -np.inf)
        both[order] = -np.inf
        place, way = np.unravel_index(both.argmax(), both.shape)
        order.append(int(place))
        chosen_ways.append(1 - 2 * int(way))
        balance = np.where(signs[:, place] == 0, balance, 0.0)
    return order, chosen_ways


def decided(signs: np.ndarray, order: Any, ways: Any) -> np.ndarray:
    """(pairs,) +1 where the order prefers left, −1 where right, 0 where it sees no difference."""
    verdict = np.zeros(len(signs), int)
    for place, way in zip(order, ways, strict=True):
        verdict = np.where(verdict == 0, way * signs[:, place], verdict)
    return verdict


def _checked_jnd(jnd: Any, features: int) -> np.ndarray:
    given = np.asarray(0.0 if isinstance(jnd, str) else jnd, float)
    if given.shape not in ((), (features,)) or not np.all(np.isfinite(given) & (given >= 0)):
        raise InputError(
            "jnd", expected="'learned', a number from 0, or one for each feature", got=repr(jnd)[:40], fix="use jnd=0"
        )
    return np.broadcast_to(given, features).astype(float)


def _allowed(increasing: Any, decreasing: Any, features: tuple[str, ...]) -> np.ndarray:
    """(features, 2) may more be better, may less be?"""
    known = directions(increasing, decreasing, features)
    return np.stack([known >= 0, known <= 0], axis=1)


def _few(features: int, what: str) -> None:
    if features > MOST:
        raise DataError(
            "preferences", expected=f"at most {MOST} features, for {what}", got=str(features),
            fix="select some of them, or use VariableVoting",
        )  # fmt: skip


class LexicographicOrder(OrdinalLearner):
    """The order of attributes with the highest likelihood, when each answer is wrong with the same probability.

    Parameters
    ----------
    increasing, decreasing : features of which more, or less, is better; that of the others is learned.
    jnd : a difference up to this is not noticed: a number in units of the features, one for each, or `learned`.
    search : `exact` (all orders, by dynamic programming) or `greedy`; `auto` is exact up to 14 features.

    Attributes
    ----------
    order_ : the features, the first one first; directions_ : +1 or −1 for each of these; jnd_ : in the order of
    features.
    """

    def __init__(self, *, increasing: Any = (), decreasing: Any = (), jnd: Any = 0.0, search: str = "auto") -> None:
        self.increasing = increasing
        self.decreasing = decreasing
        self.jnd = jnd
        self.search = search

    def _learn(self, preferences: Preferences) -> None:
        one_of("search", self.search, ("auto", "exact", "greedy"))
        allowed = _allowed(self.increasing, self.decreasing, preferences.features)
        jnd = _checked_jnd(self.jnd, preferences.n_features)
        if self.search == "exact":
            _few(preferences.n_features, "exact orders")
        self.jnd_ = _learned_jnd(self._found, preferences, allowed) if isinstance(self.jnd, str) else jnd
        signs = noticed(preferences.left_features, preferences.right_features, self.jnd_)
        places, ways = self._found(signs, preferences.weighted_counts, allowed, MOST)
        self.places_, self.directions_ = tuple(places), tuple(ways)
        self.order_ = tuple(preferences.features[place] for place in places)

    def _found(self, signs: Any, counts: Any, allowed: Any, most: int) -> tuple[list[int], list[int]]:
        if self.search == "greedy" or signs.shape[1] > most:
            return greedy_order(signs, counts, allowed)
        return best_order(support(signs, counts), allowed)

    def _verdicts(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return verdict_shares(decided(noticed(left, right, self.jnd_), self.places_, self.directions_))


def _learned_jnd(found: Any, preferences: Preferences, allowed: np.ndarray) -> np.ndarray:
    """One threshold after the other, by the likelihood of the best order; quantiles of the differences are tried."""
    left, right, counts = preferences.left_features, preferences.right_features, preferences.weighted_counts
    tried = np.quantile(np.abs(left - right), TRIED, axis=0)
    tried[0] = 0.0

    def log_likelihood(jnd: np.ndarray) -> float:
        signs = noticed(left, right, jnd)
        verdict = decided(signs, *found(signs, counts, allowed, QUICK))
        right_ones = counts[verdict > 0, 0].sum() + counts[verdict < 0, 2].sum()
        wrong = counts[verdict > 0, 2].sum() + counts[verdict < 0, 0].sum()
        open_ones = counts[verdict == 0][:, [0, 2]].sum()
        rate = (right_ones + 0.5) / (right_ones + wrong + 1)
        return right_ones * np.log(rate) + wrong * np.log1p(-rate) - open_ones * np.log(2)

    jnd = np.zeros(preferences.n_features)
    best = log_likelihood(jnd)
    for _ in range(SWEEPS):
        before = best
        for place in range(len(jnd)):
            for value in np.unique(tried[:, place]):
                changed = np.where(np.arange(len(jnd)) == place, value, jnd)
                if (now := log_likelihood(changed)) > best:
                    best, jnd = now, changed
        if best == before:
            break
    return jnd


class VariableVoting(OrdinalLearner):
    """Yaman's variable voting: attributes of the lowest rank on which two alternatives differ vote with equal weight.

    All ranks begin at 1. Whenever the vote is against a preference, or undecided, the attributes that voted against
    it are moved one rank down, until nothing moves. Repeated and contradictory pairs count by their majority.
    Directions that are not given are those that most choices agree with; `jnd` as in `LexicographicOrder`, without
    `learned`.

    ranks_ : (features,) from 1 for what is looked at first.
    """

    def __init__(self, *, increasing: Any = (), decreasing: Any = (), jnd: Any = 0.0) -> None:
        self.increasing = increasing
        self.decreasing = decreasing
        self.jnd = jnd

    def _learn(self, preferences: Preferences) -> None:
        self.jnd_ = _checked_jnd(self.jnd, preferences.n_features)
        known = directions(self.increasing, self.decreasing, preferences.features)
        signs = noticed(preferences.left_features, preferences.right_features, self.jnd_)
        balance = preferences.weighted_counts[:, 0] - preferences.weighted_counts[:, 2]
        seen = np.where(balance @ signs < 0, -1, 1)
        self.directions_ = np.where(known == 0, seen, known)
        self.ranks_ = variable_ranks(_majorities(signs * self.directions_, balance))

    def _verdicts(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        votes = noticed(left, right, self.jnd_) * self.directions_
        ranks = np.where(votes != 0, self.ranks_, len(self.ranks_) + 1)
        first = ranks == ranks.min(axis=1, keepdims=True)
        return verdict_shares(np.sign((votes * first).sum(axis=1)))


def _majorities(votes: np.ndarray, balance: np.ndarray) -> np.ndarray:
    """Each pattern of votes once, seen from the winner, in the order of appearance."""
    turned = np.where(balance < 0, -1, 1)
    patterns, first, which = np.unique(votes * turned[:, None], axis=0, return_index=True, return_inverse=True)
    total = np.bincount(which.ravel(), np.abs(balance), len(patterns))
    known = {pattern.tobytes(): place for place, pattern in enumerate(patterns)}
    against = np.array([total[known[other.tobytes()]] if other.tobytes() in known else 0.0 for other in -patterns])
    kept = np.flatnonzero((total > against) & patterns.any(axis=1))
    return patterns[kept[np.argsort(first[kept])]]


def variable_ranks(patterns: np.ndarray) -> np.ndarray:
    """Ranks from votes (preferences, features): +1 for the winner, −1 against it, 0 for neither."""
    size = patterns.shape[1]
    ranks, moved = np.ones(size, int), True
    while moved:
        moved = False
        for votes in patterns:
            lowest = ranks[votes != 0].min()
            first = (votes != 0) & (ranks == lowest)
            against = first & (votes < 0)
            if against.sum() >= (first & (votes > 0)).sum() and lowest < size:
                ranks[against] += 1
                moved = moved or bool(against.any())
    return ranks


class ModelVoting(PreferenceLearner):
    """Yaman's model voting: every order of the attributes votes, by its posterior probability under a flat prior.

    With `slip` 0 these are the orders that agree with all preferences, with equal weight. Otherwise an order is worth
    (1 − slip)^agreeing · slip^disagreeing, and a slip of `None` (default) is the one with the highest marginal
    likelihood. At most 14 features. `increasing`, `decreasing` and `jnd` as in `VariableVoting`.

    slip_ : the rate; log_orders_ : the logarithm of the summed worth of all orders (with slip 0, of their number).
    """

    def __init__(
        self, *, increasing: Any = (), decreasing: Any = (), jnd: Any = 0.0, slip: float | None = None
    ) -> None:
        self.increasing = increasing
        self.decreasing = decreasing
        self.jnd = jnd
        self.slip = slip

    def _learn(self, preferences: Preferences) -> None:
        if self.slip is not None and not 0 <= self.slip < 0.5:
            raise InputError("slip", expected="None or a rate from 0 to below ½", got=repr(self.slip), fix="use None")
        _few(preferences.n_features, "all orders")
        self.jnd_ = _checked_jnd(self.jnd, preferences.n_features)
        allowed = _allowed(self.increasing, self.decreasing, preferences.features)
        signs = noticed(preferences.left_features, preferences.right_features, self.jnd_)
        counts = preferences.weighted_counts
        table = support(signs, counts)
        self.tie_ = float(counts[:, 1].sum() / counts.sum())
        self.slip_ = self._rate(table, allowed) if self.slip is None else float(self.slip)
        worth = _worth(table, allowed, self.slip_)
        before, after = _sums(worth)
        self.log_orders_ = float(after[0])
        if self.log_orders_ == -np.inf:
            raise InputError(
                "preferences", expected="an order of the attributes that agrees with all of them, for slip=0",
                got="none", fix="use slip=None, which learns a rate of wrong answers",
            )  # fmt: skip
        size = preferences.n_features
        onwards = after[np.arange(1 << size)[:, None] | (1 << np.arange(size))]
        joint = np.exp(before[:, None, None] + worth + onwards[:, :, None] - self.log_orders_)
        joint[(np.arange(1 << size)[:, None] >> np.arange(size)) & 1 == 1] = 0.0
        self.votes_ = subset_sums(joint)  # at T: that the first outside T is x, after attributes of T alone
        self.before_, self.worth_ = before, worth

    @staticmethod
    def _rate(table: np.ndarray, allowed: np.ndarray) -> float:
        def loss(rate: float) -> float:
            return -_sums(_worth(table, allowed, rate))[1][0]

        return float(minimize_scalar(loss, bounds=(1e-4, 0.499), method="bounded", options={"xatol": 1e-4}).x)

    def _probabilities(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        signs = noticed(left, right, self.jnd_)
        differ = signs != 0
        outside = (1 << signs.shape[1]) - 1 - differ @ (1 << np.arange(signs.shape[1]))
        votes = self.votes_[outside] * differ[:, :, None]  # (pairs, features, more or less is better)
        up = signs[:, :, None] > 0
        share = np.where(up, votes, votes[:, :, ::-1])[:, :, 0].sum(axis=1)
        share = np.where(differ.any(axis=1), self.slip_ + (1 - 2 * self.slip_) * share, 0.5)
        return np.stack(
            [(1 - self.tie_) * share, np.full(len(share), self.tie_), (1 - self.tie_) * (1 - share)], axis=1
        )

    def sample_orders(self, count: int = 100, seed: int = 0) -> list[tuple[str, ...]]:
        """Orders drawn from all that vote, each with the probability that its vote has."""
        features, generator = self._fitted(), np.random.default_rng(seed)
        after, size = _sums(self.worth_)[1], len(self._fitted())
        drawn = []
        for _ in range(whole("count", count, 1)):
            order: list[int] = []
            chosen = 0
            while len(order) < size:
                rest = [place for place in range(size) if place not in order]
                log = np.logaddexp.reduce(self.worth_[chosen, rest], axis=1) + after[[chosen | 1 << x for x in rest]]
                order.append(int(generator.choice(rest, p=np.exp(log - after[chosen]))))
                chosen |= 1 << order[-1]
            drawn.append(tuple(features[place] for place in order))
        return drawn


def _worth(table: np.ndarray, allowed: np.ndarray, slip: float) -> np.ndarray:
    """(subsets, features, 2) log of the factor that x brings after S, with more or with less being better."""
    wrong = table[:, :, ::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        log = table * np.log1p(-slip) + np.where(wrong > 0, wrong * np.log(slip), 0.0)
    return np.where(allowed, log, -np.inf)


def _sums(worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each set, the log of the summed worth of all orders of it, and of all orders of what is left."""
    each = np.logaddexp.reduce(worth, axis=2)
    count, size = each.shape
    bits = 1 << np.arange(size)
    before, after = np.full(count, -np.inf), np.full(count, -np.inf)
    before[0], after[-1] = 0.0, 0.0
    for chosen in range(1, count):
        last = np.flatnonzero(chosen & bits)
        before[chosen] = np.logaddexp.reduce(before[chosen ^ bits[last]] + each[chosen ^ bits[last], last])
    for chosen in range(count - 2, -1, -1):
        rest = np.flatnonzero(~chosen & bits)
        after[chosen] = np.logaddexp.reduce(each[chosen, rest] + after[chosen | bits[rest]])
    return before, after
