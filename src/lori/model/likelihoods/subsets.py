"""Choice from a set of few alternatives, exactly: a sum over who survives each level, with derivatives.

At a level each alternative y of a set T has utility r(y) + Gumbel noise of scale 1/α, independent between levels. With
w_y = exp(α r(y)), W_A = Σ_{y∈A} w_y and c = exp(αε) − 1, exp(−utility) is exponential with rate w_y, and survivors are
those that arrive within 1 + c times as long as the first one took: Pr(survivors ⊆ A) = W_A / (W_A + (1 + c) W_{T∖A}).
Inclusion and exclusion would give Pr(survivors = A) as a difference of nearly equal numbers. Integrated by parts, it is
a sum of positive terms, one for each order in which the survivors can be lined up, A_1 ⊂ A_2 ⊂ … ⊂ A:

    Pr(survivors = A) = (1/c) Σ_orders Π_i  c w_{y_i} / (W_T + c W_{T∖A_i})

so that small probabilities keep all of their digits. The next level chooses among the survivors; after the last one a
coin does (`split`), or what is left is the answer (`observed`). Two alternatives are equations (4) and (5) of the
paper; one level with ε = 0 is multinomial logit. docs/sets.md has the derivation.

The probability of an outcome is a sum over ways to it, so its derivatives are moments of those of the ways, given the
outcome (Louis 1982): with ω the chance of a way and δ its score, ∂ log P = E δ and ∂² log P = E ∂δ + Var δ.

Weights are relative to the first alternative, which was chosen: `gap` is α (r(y) − r(first)), levels × others × rows.
All is computed in logarithms and divided by 1 + c, so that gaps and thresholds may be as large as they like.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np

from lori.model.engines import jax, jnp
from lori.model.likelihoods.probabilities import TieRule

NOTHING = -1e300  # the logarithm of a sum of nothing


class Moments(NamedTuple):
    """A log-probability, or one for each set that may be left (sets, …), with derivatives."""

    value: Any  # (…)
    gradient: list[Any]  # one for each variable: of each level the gaps of the others, then the tolerance if it has one
    curvature: dict[tuple[int, int], Any]  # for each two variables, the first being the earlier


def log_choice(
    gap: Sequence[jax.Array], tolerance: Sequence[Any | None], rule: TieRule, tied: int, order: int
) -> Moments:
    """Log-probability of the first `tied` alternatives, with derivatives up to `order`.

    `gap[i]` is (others, …); `tolerance[i]` is αε, None where ε is zero for certain.
    """
    count = len(gap[0]) + 1
    tables = _tables(count, tied)
    sizes = [len(members) for members in tables.states]
    if rule == "split" and tied == 1:
        last = -np.log(np.array(sizes, float))
    else:
        last = np.array([0.0 if size == tied else -np.inf for size in sizes])
    shape = (len(sizes),) + (1,) * (gap[0].ndim - 1)
    found = Moments(last.reshape(shape), [], {})
    for level in reversed(range(len(gap))):
        own, first = tolerance[level], level == 0
        if own is None:
            found = _sharp(tables, gap[level], found, first, order)
        else:
            found = _level(tables, gap[level], jnp.asarray(own), found, first, order)
    return found


def survival(weights: Sequence[float], tolerance: float) -> dict[tuple[int, ...], float]:
    """Pr(survivors = A) of one level, for every set A that is not empty; weights are exp(α r)."""
    count, spread = len(weights), np.expm1(tolerance)
    total = sum(weights)
    found: dict[tuple[int, ...], float] = {}
    for size in range(1, count + 1):
        for own in combinations(range(count), size):
            outside = total + spread * sum(weights[y] for y in range(count) if y not in own)
            if size == 1:
                found[own] = weights[own[0]] / outside
            else:
                ways = (weights[y] * found[tuple(z for z in own if z != y)] for y in own)
                found[own] = spread * sum(ways) / outside
    return found


@dataclass(frozen=True)
class _Tables:
    """What does not depend on numbers: the sets that may be left, and the orders in which survivors line up."""

    count: int
    tied: int

    @cached_property
    def states(self) -> list[tuple[int, ...]]:
        """Sets that contain what was chosen, all alternatives first."""
        others = range(self.tied, self.count)
        return [
            (*range(self.tied), *some)
            for size in reversed(range(len(others) + 1))
            for some in combinations(others, size)
        ]

    @cached_property
    def visits(self) -> list[tuple[int, tuple[int, ...]]]:
        """(state, A) for each part A of each state."""
        return [
            (number, some)
            for number, members in enumerate(self.states)
            for size in range(1, len(members) + 1)
            for some in combinations(members, size)
        ]

    @cached_property
    def ways(self) -> list[tuple[int, tuple[int, ...]]]:
        """(state, order) of the survivors, wherever what was chosen survives."""
        chosen = set(range(self.tied))
        return [
            (number, order)
            for number, members in enumerate(self.states)
            for size in range(self.tied, len(members) + 1)
            for order in permutations(members, size)
            if chosen <= set(order)
        ]

    def of(self, first: bool) -> _Arrays:
        return _arrays(self.count, self.tied, first)


class _Arrays(NamedTuple):
    """The same as arrays, of all states or of the first one alone."""

    inside: np.ndarray  # (visits, alternatives) is it in A?
    members: np.ndarray  # (visits, alternatives) is it in T?
    inside_bits: np.ndarray  # (visits,) A, T and T∖A as numbers
    members_bits: np.ndarray
    beyond_bits: np.ndarray
    whole: np.ndarray  # (visits,) A = T
    steps: np.ndarray  # (ways, longest) the visits of a way; one more than there are: none
    passes: np.ndarray  # (visits, ways) 1 where a way passes a visit
    home: np.ndarray  # (states, visits) 1 where a visit belongs to a state
    among: np.ndarray  # (ways, alternatives) 1 for its survivors
    length: np.ndarray  # (ways,)
    starts: np.ndarray  # (ways,) the state that it starts at
    ends: np.ndarray  # (ways,) the state that is left
    all_left: np.ndarray  # (ways,) A = T at the end
    owner: np.ndarray  # (states, ways) 1 where a way starts at a state


@cache
def _tables(count: int, tied: int) -> _Tables:
    return _Tables(count, tied)


@cache
def _arrays(count: int, tied: int, first: bool) -> _Arrays:
    tables = _tables(count, tied)
    visits = [own for own in tables.visits if own[0] == 0 or not first]
    ways = [own for own in tables.ways if own[0] == 0 or not first]
    place = {own: number for number, own in enumerate(visits)}
    number = {members: place for place, members in enumerate(tables.states)}
    steps = np.full((len(ways), count), len(visits))
    for way, (state, order) in enumerate(ways):
        for step in range(len(order)):
            steps[way, step] = place[state, tuple(sorted(order[: step + 1]))]
    everybody, starting = range(count), range(1 if first else len(tables.states))
    ends = [tuple(sorted(order)) for _, order in ways]
    inside = np.array([[y in own for y in everybody] for _, own in visits], float)
    members = np.array([[y in tables.states[state] for y in everybody] for state, _ in visits], float)
    bits = 2 ** np.arange(count)
    return _Arrays(
        inside=inside,
        members=members,
        inside_bits=(inside @ bits).astype(int),
        members_bits=(members @ bits).astype(int),
        beyond_bits=((members - inside) @ bits).astype(int),
        whole=np.array([own == tables.states[state] for state, own in visits]),
        steps=steps,
        passes=np.array([(steps == visit).any(axis=1) for visit in range(len(visits))], float),
        home=np.array([[state == own for state, _ in visits] for own in starting], float),
        among=np.array([[y in own for y in everybody] for own in ends], float),
        length=np.array([len(order) for _, order in ways]),
        starts=np.array([state for state, _ in ways]),
        ends=np.array([number[own] for own in ends]),
        all_left=np.array([own == tables.states[state] for own, (state, _) in zip(ends, ways, strict=True)]),
        owner=np.array([[state == own for state, _ in ways] for own in starting], float),
    )


def _level(tables: _Tables, others: jax.Array, tolerance: Any, after: Moments, first: bool, order: int) -> Moments:
    """From log-probabilities after a level, those before it."""
    known = tables.of(first)
    a = jnp.concatenate([jnp.zeros_like(others[:1]), others])
    column = (slice(None),) + (None,) * (a.ndim - 1)  # tables are constant over rows
    whole, all_left = known.whole[column], known.all_left[column]
    log_rest = jnp.log(-jnp.expm1(-tolerance))  # log of c / (1 + c); that of 1 / (1 + c) is −tolerance
    log_sums = _log_sums(a)
    in_all, beyond = log_sums[known.members_bits], log_sums[known.beyond_bits]
    log_d = jnp.where(whole, in_all, jnp.logaddexp(in_all - tolerance, log_rest + beyond))

    def along(visited: jax.Array) -> jax.Array:
        """(ways, …) the sum of what belongs to visits, over the steps of a way."""
        return jnp.concatenate([visited, jnp.zeros_like(visited[:1])])[known.steps].sum(axis=1)

    survivors = jnp.tensordot(known.among, a, axes=1)
    more = (known.length - 1)[column]
    ways = survivors - along(log_d) + more * log_rest - jnp.where(all_left, 0.0, tolerance) + after.value[known.ends]
    highest = jnp.stack([ways[known.owner[own] > 0].max(axis=0) for own in range(len(known.owner))])
    sizes = jnp.exp(ways - highest[known.starts])
    total = jnp.tensordot(known.owner, sizes, axes=1)
    value = highest + jnp.log(total)
    if order == 0:
        return Moments(value, [], {})

    share = sizes / total[known.starts]  # of a way, given the outcome
    # Scores of a way: by each gap, by the tolerance, then by what comes after.
    inside, members = known.inside, known.members
    by_gap, within = [], []  # ∂ log D of each visit, and the part of it that comes from A
    for y in range(1, tables.count):
        low, high, full = (_share(a[y] + own - log_d) for own in (-tolerance, log_rest, 0.0))
        out = (members - inside)[:, y][column]
        by_gap.append(jnp.where(whole, members[:, y][column] * full, members[:, y][column] * low + out * high))
        within.append(jnp.where(whole, 0.0, inside[:, y][column] * low))
    by_tolerance = jnp.where(whole, 0.0, -_share(log_sums[known.inside_bits] - tolerance - log_d))
    scores = [known.among[:, y][column] - along(own) for y, own in enumerate(by_gap, start=1)]
    opening = jnp.exp(-tolerance - log_rest)  # ∂ log(c / (1 + c))
    scores.append(more * opening - jnp.where(all_left, 0.0, 1.0) - along(by_tolerance))
    scores += [own[known.ends] for own in after.gradient]

    def mean(values: Any) -> jax.Array:
        return jnp.tensordot(known.owner, share * values, axes=1)

    gradient = [mean(own) for own in scores]
    if order == 1:
        return Moments(value, gradient, {})

    visited = jnp.tensordot(known.passes, share, axes=1)  # how likely each visit is, given the outcome

    def expected(values: jax.Array) -> jax.Array:
        """Minus the mean of second derivatives of log D over visits."""
        return -jnp.tensordot(known.home, visited * values, axes=1)

    size = tables.count - 1
    curvature: dict[tuple[int, int], Any] = {}
    for one in range(len(scores)):
        for other in range(one, len(scores)):
            both = mean(scores[one] * scores[other]) - gradient[one] * gradient[other]
            if other < size:
                both = both + expected(by_gap[one] * (float(one == other) - by_gap[other]))
            elif other == size and one < size:
                both = both + expected(-within[one] - by_gap[one] * by_tolerance)
            elif one == other == size:
                both = both + expected(-by_tolerance - by_tolerance**2) - mean(more * opening * (1 + opening))
            elif one > size:
                both = both + mean(after.curvature[one - size - 1, other - size - 1][known.ends])
            curvature[one, other] = both
    return Moments(value, gradient, curvature)


def _sharp(tables: _Tables, others: jax.Array, after: Moments, first: bool, order: int) -> Moments:
    """The same for a level without a threshold: its best alternative is what is left."""
    a = jnp.concatenate([jnp.zeros_like(others[:1]), others])
    states = tables.states[: 1 if first else None]
    column = (slice(None),) + (None,) * (a.ndim - 1)
    members = np.array([[float(y in own) for y in range(tables.count)] for own in states])
    log_total = _log_sums(a)[np.array([sum(1 << y for y in own) for own in states])]
    only = np.array([len(tables.states) - 1])  # the state in which what was chosen is alone
    value = (after.value[only] if tables.tied == 1 else -jnp.inf) - log_total
    if order == 0:
        return Moments(value, [], {})
    shares = [jnp.exp(a[y] - log_total) * members[:, y][column] for y in range(1, tables.count)]
    none = jnp.zeros_like(log_total)
    gradient = [-own for own in shares] + [own[only] + none for own in after.gradient]
    if order == 1:
        return Moments(value, gradient, {})
    size = len(shares)
    curvature = {}
    for one in range(len(gradient)):
        for other in range(one, len(gradient)):
            if other < size:
                curvature[one, other] = -shares[one] * (float(one == other) - shares[other])
            elif one < size:
                curvature[one, other] = none
            else:
                curvature[one, other] = after.curvature[one - size, other - size][only] + none
    return Moments(value, gradient, curvature)


def _share(log_share: jax.Array) -> jax.Array:
    """A part of D by D, at most one; what is no part of it may be anything."""
    return jnp.exp(jnp.minimum(log_share, 0.0))


def _log_sums(a: jax.Array) -> jax.Array:
    """log W_A of every set A, numbered by its bits; −∞ of the empty one is a very small number."""
    sums = [jnp.full_like(a[0], NOTHING)]
    for own in a:
        sums += [own if place == 0 else jnp.logaddexp(each, own) for place, each in enumerate(sums)]
    return jnp.stack(sums)
