"""Choice from a set of few alternatives, exactly: a sum over who survives each level, with derivatives.

At a level each alternative y of a set T has utility r(y) + Gumbel noise of scale 1/α, independent between levels. With
w_y = exp(α r(y)), W_A = Σ_{y∈A} w_y and κ = exp(−αε), exp(−utility) is exponential with rate w_y, and survivors are
those that arrive within 1/κ times as long as the first one took: Pr(survivors ⊆ A) = κ W_A / D_A with
D_A = κ W_A + W_{T∖A}. Inclusion and exclusion would give Pr(survivors = A) as a difference of nearly equal numbers.
Integrated by parts, it is a sum of positive terms, one for each order in which the survivors can be lined up. Orders
that begin alike have factors in common, so that the sum runs over sets that grow by one alternative at a time:

    P(∅) = κ,     P({y}) = κ w_y / D_{y},     P(A) = (1 − κ) Σ_{y∈A} w_y P(A∖y) / D_A

Nothing is subtracted: small probabilities keep all of their digits. The next level chooses among the survivors; after
the last one a coin does (`split`), or what is left is the answer (`observed`). Two alternatives are equations (4) and
(5) of the paper; one level with ε = 0 is multinomial logit. docs/sets.md has the derivation.

With V(A) the chance of the outcome once A is left, and B(A) = V(A) + (1 − κ) Σ_{y∉A} w_y B(A∪y) / D_{A∪y} that on the
way through A, derivatives follow from one sweep up (P and its slopes) and one down (B). Each set adds B times how its
own factor bends, and what it does to the slopes of those before it. `_survivors` has the formulas.

Weights are relative to the best of T, and what was chosen is left out of the products, so that gaps may be as large as
they like; `gap` is α (r(y) − r(first)), levels × others × rows, the first alternative being one that was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from lori.model.engines import jax, jnp
from lori.model.likelihoods.combinations import Group, Subsets, subsets_of
from lori.model.likelihoods.probabilities import TieRule

LARGEST = 600.0  # the largest tolerance: exp(−LARGEST) and its inverse are numbers
SETS = (0, 0, 1, 2, 1, 2)  # where each part of a `_Level` has its sets T
Pair = tuple[int, int]


class Moments(NamedTuple):
    """A log-probability with derivatives by the gaps of the others and the tolerance, level by level."""

    value: Any  # (…)
    gradient: list[Any]  # for each level (variables, …): the gaps of the others, then the tolerance if it has one
    curvature: dict[Pair, Any]  # for each two levels (variables, variables, …), the first being the earlier


class _Chances(NamedTuple):
    """The same of probabilities, for each set that may be left: (…, sets, …)."""

    value: Any
    first: list[Any]
    second: dict[Pair, Any]


def log_choice(
    gap: Sequence[jax.Array], tolerance: Sequence[Any | None], rule: TieRule, tied: int, order: int
) -> Moments:
    """Log-probability of the first `tied` alternatives, with derivatives up to `order`.

    `gap[i]` is (others, …); `tolerance[i]` is αε, None where ε is zero for certain.
    """
    if tolerance[0] is None:
        return _logit(gap[0], order)
    known = subsets_of(len(gap[0]) + 1, tied)
    large = LARGEST / tied / max(len(gap) - 1, 1)
    sizes = known.sizes[known.states]
    last = 1 / sizes if rule == "split" and tied == 1 else (sizes == tied).astype(float)
    after = _Chances(last.reshape(-1, *(1,) * (gap[0].ndim - 1)), [], {})
    for level in reversed(range(1, len(gap))):
        own, limit = jnp.clip(gap[level], -large, large), tolerance[level]
        if limit is None:
            after = _sharp(known, own, order)
        else:
            after = _chances(_survivors(known, own, limit, after.value, False, order), after, tied, order)
    return _logarithm(_survivors(known, gap[0], tolerance[0], after.value, True, order), after, tied, order)


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


# -- one level ---------------------------------------------------------------------------------------------


class _Level(NamedTuple):
    """A level that keeps those near its best, for each set T before it. What was chosen is left out of the products.

    Variables are the gaps of the others and the tolerance.
    """

    log_factor: Any  # (T, …) of what was left out
    value: Any  # (T, …) the chance of the outcome
    first: Any  # (variables, T, …)
    second: Any  # (variables, variables, T, …)
    left: Any  # (states, T, …) Pr(survivors = A)
    left_first: Any  # (variables, states, T, …)


def _survivors(known: Subsets, others: jax.Array, tolerance: Any, after: jax.Array, full: bool, order: int) -> _Level:
    """From chances V(A) `after` a level (states, …), those before it, for the `full` set alone or for every state."""
    a = jnp.concatenate([jnp.zeros_like(others[:1]), others])
    if full:
        return _level(known, a[:, None], tolerance, after[:, None], order)
    parts = [
        _placed(group, _level(group.known, a[group.members], tolerance, after[group.states], order))
        for group in known.groups
    ]
    return _Level(*(
        None if own[0] is None else jnp.concatenate(own, axis=axis)
        for axis, own in zip(SETS, zip(*parts, strict=True), strict=True)
    ))  # fmt: skip


def _placed(group: Group, found: _Level) -> _Level:
    """What is known of the sets of one size, by the variables and states of all alternatives; the rest is zero."""
    every = np.arange(group.members.shape[1])

    def spread(values: Any, *tables: np.ndarray) -> Any:
        if values is None:
            return None
        padded = jnp.pad(values, [(0, 1)] * len(tables) + [(0, 0)] * (values.ndim - len(tables)))
        if len(tables) == 1:
            return padded[tables[0], every]
        return padded[tables[0][:, None], tables[1][None], every]

    return found._replace(
        first=spread(found.first, group.variable),
        second=spread(found.second, group.variable, group.variable),
        left=spread(found.left, group.state),
        left_first=spread(found.left_first, group.variable, group.state),
    )


def _level(known: Subsets, a: jax.Array, tolerance: Any, after: jax.Array, order: int) -> _Level:
    """For sets T with gaps `a` (alternatives, T, …), from chances V(A) after the level (states, T, …).

    Beside P and B there are, with r = 1 / D_A, ρ = 1 − κ (one for single alternatives), N = Σ_{y∈A} w_y P(A∖y) and
    P = ρ N r, the slopes s_z = ∂ log D_A / ∂gap_z and t = −∂ log D_A / ∂tolerance. R_z = w_z B(A∪z) ρ r − B s_z
    is what a gap does to all that goes through A: ∂_z = Σ_A P R_z, and ∂_z ∂_z' = Σ_A (∂_z' P R_z + ∂_z P R_z'), on top
    of the slope itself where z = z'.
    """
    tied, count = known.tied, a.shape[0]

    def column(table: np.ndarray) -> np.ndarray:
        """A table that is constant over T and rows."""
        return table.reshape(*table.shape, *(1,) * (a.ndim - 1))

    best = jax.lax.stop_gradient(jnp.max(a, axis=0))
    weight = jnp.exp(a - best)
    rise = jnp.concatenate([jnp.ones_like(weight[:tied]), weight[tied:]])
    log_factor = jnp.sum(a[:tied], axis=0) - tied * best
    limit = jnp.minimum(jnp.asarray(tolerance), LARGEST)
    kappa, rho = jnp.exp(-limit), -jnp.expm1(-limit)
    kappa, rho = (jnp.broadcast_to(own, best.shape) for own in (kappa, rho))
    within = jnp.tensordot(known.inside.astype(float), weight, axes=1)
    r = 1 / (kappa * within + jnp.tensordot((~known.inside).astype(float), weight, axes=1))

    def by_size(values: jax.Array) -> list[jax.Array]:
        return [values[part] for part in known.parts]

    def with_none(values: jax.Array) -> jax.Array:
        return jnp.concatenate([values, jnp.zeros_like(values[:1])])

    several = column(known.sizes > 1)
    step = by_size(jnp.where(several, rho, 1.0) * r)
    inflow, reached = [jnp.zeros_like(kappa)[None]], [kappa[None]]
    for size in range(1, count + 1):
        inflow.append(jnp.sum(rise[known.elements[size]] * reached[-1][known.before[size]], axis=1))
        reached.append(inflow[-1] * step[size])
    p = jnp.concatenate(reached)
    left = p[known.states]
    value = jnp.sum(left * after, axis=0)
    if order == 0:
        return _Level(log_factor, value, None, None, left, None)

    ends = by_size(with_none(jnp.broadcast_to(after, left.shape))[known.state_of])
    onward = [ends[count]]
    for size in reversed(range(1, count)):
        ahead = (step[size + 1] * onward[0])[known.behind[size]]
        onward.insert(0, ends[size] + jnp.sum(rise[known.absent[size]] * ahead, axis=1))
    b = jnp.concatenate([jnp.zeros_like(kappa)[None], *onward])
    flow = jnp.concatenate(step) * b
    share = weight[1:, None] * r
    into = column(known.inside[:, 1:].T)
    slope = jnp.where(into, kappa, 1.0) * share
    change = rise[1:, None] * with_none(flow)[known.grown] - b * slope  # R
    by_gap = jnp.sum(p * change, axis=1)
    t = kappa * within * r
    opened = jnp.where(several, kappa, 0.0)
    single = known.parts[1]
    entered = jnp.sum(rise * flow[single], axis=0)
    n = jnp.concatenate(inflow) * r
    by_limit = jnp.sum(b * (opened * n + p * t), axis=0) - kappa * entered
    first = jnp.concatenate([by_gap, by_limit[None]])
    if order == 1:
        return _Level(log_factor, value, first, None, left, None)

    none = jnp.zeros((count - 1, 1, *kappa.shape))
    slopes = [jnp.concatenate([none, -kappa[None, None]])]  # of P, by size: (variables, sets, T, …)
    gained = [jnp.zeros_like(slopes[0])]  # ∂N r
    for size in range(1, count + 1):
        part = known.parts[size]
        passed = jnp.sum(rise[known.elements[size]] * slopes[-1][:, known.before[size]], axis=2)
        own = rise[1:, None] * with_none(reached[size - 1])[known.without[size - 1]]
        gained.append(r[part] * jnp.concatenate([passed[:-1] + own, passed[-1:]]))
        gaps = gained[-1][:-1] - n[part] * slope[:, part]
        factor = rho if size > 1 else 1.0
        limits = opened[part] * n[part] + factor * gained[-1][-1] + p[part] * t[part]
        slopes.append(jnp.concatenate([factor * gaps, limits[None]]))
    by, gain = jnp.concatenate(slopes, axis=1), jnp.concatenate(gained, axis=1)
    across = jnp.sum(change[:, None] * by, axis=2)  # (others, variables, T, …)
    both = across[:, :-1] + jnp.swapaxes(across[:, :-1], 0, 1)
    both = both + column(np.eye(count - 1)) * by_gap
    turn = jnp.sum(b * (opened * gain[:-1] + t * by[:-1] + jnp.where(into, kappa * p, 0.0) * share), axis=1)
    mixed = across[:, -1] + turn
    bent = opened * (2 * (gain[-1] + n * t) - n) + jnp.where(several, rho, 1.0) * 2 * t * gain[-1] + p * t * (2 * t - 1)
    twice = jnp.sum(b * bent, axis=0) + jnp.sum(b[single] * p[single], axis=0)
    second = jnp.concatenate([
        jnp.concatenate([both, mixed[:, None]], axis=1), jnp.concatenate([mixed, twice[None]])[None]
    ])  # fmt: skip
    return _Level(log_factor, value, first, second, left, by[:, known.states])


def _before(own: _Level, after: _Chances, order: int) -> _Chances:
    """Chances before a level, but for its factor: one for each T."""
    if order == 0:
        return _Chances(own.value, [], {})
    first = [own.first, *(jnp.sum(own.left * each[:, :, None], axis=1) for each in after.first)]
    if order == 1:
        return _Chances(own.value, first, {})
    second = {(0, 0): own.second}
    for place, each in enumerate(after.first, start=1):
        second[0, place] = jnp.sum(own.left_first[:, None] * each[None, :, :, None], axis=2)
    for (i, j), each in after.second.items():
        second[i + 1, j + 1] = jnp.sum(own.left * each[:, :, :, None], axis=2)
    return _Chances(own.value, first, second)


def _chances(own: _Level, after: _Chances, tied: int, order: int) -> _Chances:
    """Chances before a level, for every state. The factor has the gaps of what else was chosen."""
    found, factor = _before(own, after, order), jnp.exp(own.log_factor)
    value = factor * found.value
    if order == 0:
        return _Chances(value, [], {})
    first = [factor * each for each in found.first]
    second = {at: factor * each for at, each in found.second.items()}
    if tied > 1:
        ones = _chosen(own, tied)
        for (i, j), each in second.items():
            if i == 0:
                second[i, j] = each + ones[:, None] * first[j]
        if order == 2:
            second[0, 0] = second[0, 0] + (first[0] + ones * value)[:, None] * ones
        first[0] = first[0] + ones * value
    return _Chances(value, first, second)


def _logarithm(own: _Level, after: _Chances, tied: int, order: int) -> Moments:
    """Of the chance of the outcome from all alternatives."""
    found = _before(own, after, order)
    value = (own.log_factor + jnp.log(found.value))[0]
    if order == 0:
        return Moments(value, [], {})
    slopes = [(each / found.value)[:, 0] for each in found.first]
    curvature = {
        (i, j): (each / found.value)[:, :, 0] - slopes[i][:, None] * slopes[j] for (i, j), each in found.second.items()
    }
    return Moments(value, [slopes[0] + _chosen(own, tied)[:, 0], *slopes[1:]] if tied > 1 else slopes, curvature)


def _chosen(own: _Level, tied: int) -> np.ndarray:
    """(variables, T, …) one for the gaps of what was chosen beside the first."""
    return (np.arange(len(own.first)) < tied - 1).astype(float).reshape(-1, *(1,) * own.value.ndim)


def _sharp(known: Subsets, others: jax.Array, order: int) -> _Chances:
    """A last level without a threshold, after others: a softmax among those who are left."""
    weight = jnp.exp(others)
    members = known.members[:, 1:].astype(float)
    value = 1 / (1 + jnp.tensordot(members, weight, axes=1))
    if order == 0:
        return _Chances(value, [], {})
    share = members.T.reshape(*members.T.shape, *(1,) * (others.ndim - 1)) * weight[:, None] * value
    first = -share * value
    if order == 1:
        return _Chances(value, [first], {})
    eye = np.eye(len(others)).reshape(*(len(others),) * 2, *(1,) * others.ndim)
    return _Chances(value, [first], {(0, 0): eye * first - 2 * first[:, None] * share})


def _logit(others: jax.Array, order: int) -> Moments:
    """One level without a threshold."""
    total = jnp.logaddexp(jax.nn.logsumexp(others, axis=0), 0.0)
    if order == 0:
        return Moments(-total, [], {})
    share = jnp.exp(others - total)
    if order == 1:
        return Moments(-total, [-share], {})
    eye = np.eye(len(others)).reshape(*(len(others),) * 2, *(1,) * (others.ndim - 1))
    return Moments(-total, [-share], {(0, 0): share[:, None] * share - eye * share})
