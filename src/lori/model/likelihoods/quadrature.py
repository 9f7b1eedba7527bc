"""Choice from a set of many alternatives: an integral over how good the best of each level was, with derivatives.

The model is that of `lori.model.likelihoods.subsets`: exp(−utility) of alternative y at level i is exponential with
rate w_iy = exp(α r_i(y)), and those survive who arrive within E_i = exp(αε_i) times as long as the first one took.
Given the time t_i of the first one of each level, alternatives are independent. With s = exp(−w t), q = exp(−w E t),
and a formal δ_i with δ_i² = 0 that marks the first one of level i,

    C_i(y) = q_iy + (s_iy − q_iy + δ_i w_iy s_iy) C_{i+1}(y)     out, or one of those who go on
    C_i(x) =        (s_ix − q_ix + δ_i w_ix s_ix) C_{i+1}(x)     what was chosen goes on
    P(x)   = ∫ dt_1 … dt_k dτ [δ_1 … δ_k] Π_y C_1(y)             each level has exactly one first

The last step picks one: C(y) = exp(−v_y τ) and C(x) = exp(−τ) is a softmax with weights v_y. It is a last level without
threshold (v = w), a coin (v = 1), or, where ties are an outcome of their own, the last level, which nobody else must
pass (v = E w). All terms are positive, so small probabilities keep their digits. Exponentials are needed for each
alternative and each node of one level only; their products for all nodes.

Times spread over as many scales as rates do. With t = exp(u − exp(a − u)), a being the smallest scale, the integrand
falls off double-exponentially on both sides, and equal steps in u converge exponentially (Takahasi and Mori 1974). How
short they must be does not depend on the rates: each set has as many nodes as the spread of its rates asks for, up to a
limit, which is lower for sets of many alternatives.

Derivatives are those of the logarithm of a sum over nodes (Louis 1982). Each C is a polynomial in the δ_i,
see `multilinear`.

Weights are relative to what was chosen: `gap[i]` is α (r_i(y) − r_i(x)).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from lori.model.engines import jax, jnp
from lori.model.likelihoods.multilinear import (
    Polynomial,
    exponential,
    inverse,
    logarithm,
    minus,
    plus,
    times,
)
from lori.model.likelihoods.probabilities import TieRule

NODES = (28, 36, 36)  # for the first level, each of those in between, and the pick, where there are few alternatives
STEP, ROUGH = 0.4, 0.7  # how far apart they may stand, in logarithms of time; where 1e-4 of a probability will do
AFFORDED = 8  # others, rounded up: with more of them there are
TILE = 12  # nodes of a level that are computed at once, and as many such tiles as it takes,
MOST, FEWER = 8, 3  # up to so many times the nodes above; where there are many alternatives, and one less if rough
COIN_NODES = 24  # a coin among twice as many is exact
BELOW, ABOVE = 2.9, 3.3  # how far nodes go beyond the smallest and the largest scale
NEGLIGIBLE = 27.6  # what is smaller by this, as logarithms, adds 1e-12 of the whole
LARGEST = 300.0  # logarithm of the largest exponent: beyond, exp(−exp()) is zero in any case
CACHED, TILED = 1 << 15, 1 << 13  # numbers that are worked on at once; where there are many alternatives
TOGETHER = 4  # alternatives that share a logarithm
SMALLEST = 1e-75  # such that the product of so many is a number


class Found(NamedTuple):
    """Log-probability of what was chosen, with derivatives by all parameters as far as they were asked for."""

    value: Any  # (rows,)
    scores: Any = None  # (rows, parameters)
    curvature: Any = None  # (parameters, parameters), summed over rows with their weight


def log_choice(
    gap: Sequence[jax.Array],
    tolerance: Sequence[Any | None],
    present: jax.Array,
    rule: TieRule,
    jacobian: Sequence[jax.Array] | None,
    weight: jax.Array | None,
    order: int,
    rough: bool = False,
) -> Found:
    """Log-probability that the first alternative is chosen, with derivatives up to `order`.

    `gap[i]` and `present` are (others, rows), `tolerance[i]` is αε, None where ε is zero for certain, and `jacobian[i]`
    is ∂gap/∂parameters, (others, parameters, rows). Parameters are those of level 1, its tolerance if it has one,
    those of level 2, and so on. Order 0 needs no jacobian. `rough`: to 1e-4 will do.
    """
    if order == 0:
        jacobian, weight = [jnp.zeros((len(own), 0, own.shape[1])) for own in gap], jnp.ones(present.shape[1])
    assert jacobian is not None
    assert weight is not None
    more = -len(present) % TOGETHER
    present = jnp.pad(present, ((0, more), (0, 0)))
    gap = [jnp.pad(own, ((0, more), (0, 0))) for own in gap]
    jacobian = [jnp.pad(own, ((0, more), (0, 0), (0, 0))) for own in jacobian]
    jacobian = [jnp.where(present[:, None], own, 0.0) for own in jacobian]
    others, rows = present.shape
    sharp = next((level for level, own in enumerate(tolerance) if own is None), None)
    coin = sharp is None and rule == "split"
    passed = sharp if sharp is not None else len(gap) - (not coin)  # levels from which several can go on
    ones = jnp.ones((others, 1, rows))
    if coin:
        pick, by_pick = jnp.zeros((others, rows)), jnp.zeros((others, 0, rows))
    elif sharp is not None:
        pick, by_pick = gap[sharp], jacobian[sharp]
    else:
        pick, by_pick = gap[-1] + jnp.asarray(tolerance[-1]), jnp.concatenate([jacobian[-1], ones], axis=1)
    tolerances = [jnp.clip(own, 0.0, LARGEST) for own in tolerance[:passed]]
    design = [part for own in jacobian[:passed] for part in (own, ones)] + [by_pick]
    rates = [_rates(own, present) for own in [*gap[:passed], pick]]
    unused = sum(own.shape[1] for own in jacobian[passed + 1 :]) + sum(
        own is not None for own in tolerance[passed + 1 :]
    )
    few, many = coin and others < 2 * COIN_NODES, others > AFFORDED
    counts = [*([NODES[0]] + [NODES[1]] * passed)[:passed], (others + 2) // 2 if few else NODES[2]]
    tile = [min(TILE, own) for own in counts[:-1]] + [counts[-1] if few else TILE] if many else list(counts)
    tile[0] = max(1, min(tile[0], (TILED if many else CACHED) // (others * prod(tile[1:]))))
    times_as_many = MOST if not many else FEWER - rough
    most = [-(-own * times_as_many // each) for own, each in zip(counts, tile, strict=True)]

    def of_block(own: tuple[list[jax.Array], list[jax.Array], jax.Array]) -> tuple[jax.Array, ...]:
        rates, design, weight = own
        ends = jax.lax.stop_gradient(jax.vmap(lambda own: _ends(own, tolerances))(rates))
        widths = [jnp.max(highest - lowest) for lowest, highest in ends]
        tiles: list[Any] = [
            _needed(own, ROUGH if rough else STEP, *each) for own, *each in zip(widths, tile, most, strict=True)
        ]
        if few:
            tiles[-1] = 1

        def added(number: Any, before: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
            """Sums over nodes so far and over those of one more tile, each divided by exp of what comes first."""
            grids: list[Any] = []
            for level in reversed(range(passed + 1)):
                number, own = jnp.divmod(number, tiles[level])
                grids.insert(
                    0, _nodes(ends[level], own * tile[level] + np.arange(tile[level]), tile[level] * tiles[level])
                )
            grids[-1] = _coin(tile[-1], len(weight)) if few else _picked(*grids[-1])
            more = jax.vmap(lambda *own: _sums(own[0], tolerances, own[1], own[2], order))(rates, design, grids)
            highest = jnp.maximum(before[0], more[0])
            ours, theirs = jnp.exp(before[0] - highest), jnp.exp(more[0] - highest)
            both = zip(before[1:], more[1:], strict=True)
            return highest, *(_times_rows(ours, a) + _times_rows(theirs, b) for a, b in both)

        parameters = sum(part.shape[-1] for part in design)
        nothing = [jnp.zeros((len(weight), *[parameters] * power)) for power in range(order + 1)]
        start = (jnp.full(len(weight), -jnp.inf), *nothing)
        highest, total, *derivatives = jax.lax.fori_loop(0, prod(tiles), added, start)
        value = highest + jnp.log(total)
        if order == 0:
            return (value,)
        score = derivatives[0] / total[:, None]
        if order == 1:
            return value, score
        bend = derivatives[1] / total[:, None, None] - score[:, :, None] * score[:, None]
        return value, score, jnp.tensordot(weight, bend, axes=1)

    block = max(1, min(rows, CACHED // (others * prod(counts))))

    def in_blocks(own: jax.Array, mode: str = "edge") -> jax.Array:
        """(…, rows) → (blocks, rows of a block, …); the last row fills the last block."""
        filled = jnp.pad(jnp.moveaxis(own, -1, 0), ((0, -rows % block), *[(0, 0)] * (own.ndim - 1)), mode=mode)
        return filled.reshape(len(filled) // block, block, *filled.shape[1:])

    laid = *jax.tree.map(in_blocks, (rates, design)), in_blocks(weight, "constant")
    value, *derivatives = jax.lax.map(of_block, laid)
    if order > 0:
        derivatives[0] = jnp.pad(derivatives[0].reshape(-1, derivatives[0].shape[-1])[:rows], ((0, 0), (0, unused)))
    if order > 1:
        derivatives[1] = jnp.pad(derivatives[1].sum(axis=0), (0, unused))
    return Found(value.reshape(-1)[:rows], *derivatives)


def _rates(gap: jax.Array, present: jax.Array) -> jax.Array:
    """Logarithms of the rates; those who are not there never come."""
    return jnp.where(present, jnp.clip(gap, -LARGEST, LARGEST), -jnp.inf)


def _ends(rates: list[jax.Array], tolerances: list[jax.Array]) -> list[tuple[jax.Array, jax.Array]]:
    """Between which scales, as logarithms, nodes stand: for each level and the pick.

    However steep the last level is, what was chosen wins where the first one keeps nobody else. So times of the pick
    that are far below the chance of that do not count.
    """
    found = []
    for level, own in enumerate(rates):
        everybody = jnp.logaddexp(jax.nn.logsumexp(own), 0.0)
        lowest = -everybody - (tolerances[level] if level < len(tolerances) else 0.0)
        highest = -everybody if level == 0 else jnp.zeros_like(everybody)
        if level == len(tolerances) > 0:
            alone = -jnp.logaddexp(jax.nn.logsumexp(rates[0]) + tolerances[0], 0.0)
            lowest = jnp.maximum(lowest, alone - NEGLIGIBLE)
        found.append((lowest, highest))
    return found


def _needed(width: jax.Array, step: float, tile: int, most: int) -> jax.Array:
    """How many tiles of nodes a range of this width asks for."""
    return jnp.clip(jnp.ceil((width + BELOW + ABOVE) / (step * tile)), 1, most).astype(int)


def _nodes(ends: tuple[jax.Array, jax.Array], number: jax.Array, count: Any) -> tuple[jax.Array, jax.Array]:
    """(rows, nodes) logarithms of times and of weights, of the nodes of these numbers among so many."""
    lowest, highest = (own[:, None] for own in ends)
    step = (highest - lowest + BELOW + ABOVE) / (count - 1)
    place = lowest - BELOW + step * number
    fall = jnp.exp(lowest - place)
    return place - fall, jnp.log(step * (1 + fall))


def _picked(time: jax.Array, share: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The same of the pick, with the density of what was chosen."""
    return time, share + time - jnp.exp(time)


def _coin(count: int, rows: int) -> tuple[jax.Array, jax.Array]:
    """(rows, nodes) at which a coin among twice as many is exact."""
    roots, parts = np.polynomial.legendre.leggauss(count)
    time, share = np.log(-np.log((roots + 1) / 2)), np.log(parts / 2)
    return jnp.broadcast_to(time, (rows, count)), jnp.broadcast_to(share, (rows, count))


def _times_rows(factor: jax.Array, values: jax.Array) -> jax.Array:
    """(rows,) times (rows, …)."""
    return factor.reshape(-1, *(1,) * (values.ndim - 1)) * values


class _Level(NamedTuple):
    """Out, going on and coming first at a level, with derivatives by the gap; those by the tolerance follow."""

    out: Polynomial  # q
    on: Polynomial  # s − q + δ w t s
    out_1: Polynomial  # ∂q by the gap, or the tolerance, or minus that of s − q by the tolerance
    on_1: Polynomial
    out_2: Polynomial
    on_2: Polynomial


def _level(level: int, log_rate: Any, log_time: jax.Array, tolerance: Any) -> _Level:
    z = jnp.exp(jnp.minimum(log_rate + log_time, LARGEST))  # w t
    late = jnp.exp(jnp.minimum(log_rate + log_time + tolerance, LARGEST))  # w E t
    between = jnp.exp(jnp.minimum(log_rate + log_time + tolerance + jnp.log(-jnp.expm1(-tolerance)), LARGEST))
    s, q = jnp.exp(-z), jnp.exp(-late)
    first = z * s
    q_1 = -late * q
    q_2 = q_1 * (1 - late)
    mark = 1 << level
    return _Level(
        out={0: q},
        on={0: -jnp.expm1(-between) * s, mark: first},
        out_1={0: q_1},
        on_1={0: -first - q_1, mark: first * (1 - z)},
        out_2={0: q_2},
        on_2={0: -first * (1 - z) - q_2, mark: first * (1 - 3 * z + z * z)},
    )


def _sums(
    rates: list[jax.Array],
    tolerances: list[jax.Array],
    design: list[jax.Array],
    grids: list[tuple[jax.Array, jax.Array]],
    order: int,
) -> tuple[jax.Array, ...]:
    """Sums over nodes of the integrand and its derivatives, all divided by exp of what comes first."""
    last = len(tolerances)
    full = (1 << last) - 1

    def spread(values: jax.Array, level: int) -> jax.Array:
        """(nodes of a level,) → (nodes of each level)."""
        return values.reshape(*(-1 if axis == level else 1 for axis in range(last + 1)))

    def along(level: int) -> tuple[jax.Array, jax.Array]:
        return rates[level], spread(grids[level][0], level)[..., None]

    come = jnp.exp(jnp.minimum(sum(along(last)), LARGEST))
    others = _Moments({0: jnp.exp(-come)}, [{0: -come}], {(0, 0): {0: -come}})
    for level in reversed(range(last)):
        others = _before(_level(level, *along(level), tolerances[level]), others, order)
    shape = tuple(len(own[0]) for own in grids)

    def over_others(values: jax.Array) -> jax.Array:
        return jnp.broadcast_to(values, (*shape, values.shape[-1])) @ jnp.ones(values.shape[-1])

    every = {mask: over_others(own) for mask, own in logarithm(others.value).items()}
    every[0] = over_others(_log_products(others.value[0]))
    size = every[0] + sum(spread(own[1], level) for level, own in enumerate(grids))
    highest = jax.lax.stop_gradient(jnp.maximum(jnp.max(size), -1e300))
    every = {mask: own * jnp.exp(size - highest) for mask, own in exponential(every).items()}

    own = [_level(level, 0.0, spread(grids[level][0], level), tolerances[level]) for level in range(last)]

    def chosen(*by: int) -> Polynomial:
        """The integrand, or its derivative by tolerances of levels in the part of what was chosen."""
        found = every
        for level, at in enumerate(own):
            often = by.count(level)
            found = times(found, at.on if often == 0 else {0: -(at.out_1 if often == 1 else at.out_2)[0]})
        return found

    whole = chosen()
    total = jnp.sum(whole[full])
    if order == 0:
        return highest, total
    places = np.cumsum([0] + [part.shape[1] for part in design])
    tolerance_places = [places[2 * level + 1] for level in range(last)]

    nodes = np.prod(shape)

    def flat(values: jax.Array) -> jax.Array:
        """(nodes, …)."""
        return jnp.broadcast_to(values, (*shape, *values.shape[last + 1 :])).reshape(nodes, *values.shape[last + 1 :])

    def mean(values: Polynomial) -> jax.Array:
        """(others,) of the coefficient that counts."""
        return jnp.ones(nodes) @ flat(sum(own * whole[full ^ mask][..., None] for mask, own in values.items()))

    first = jnp.concatenate([mean(own) @ part for part, own in zip(design, others.first, strict=True)])
    for level, place in enumerate(tolerance_places):
        first = first.at[place].add(jnp.sum(chosen(level)[full]))
    if order == 1:
        return highest, total, first

    scores = {
        mask: jnp.concatenate([
            (flat(own[mask]) @ part if mask in own else jnp.zeros((nodes, part.shape[1])))
            for part, own in zip(design, others.first, strict=True)
        ], axis=1)
        for mask in range(full + 1)
    }  # fmt: skip
    second = jnp.zeros((places[-1], places[-1]))
    for mask, own_scores in scores.items():
        for other, their_scores in scores.items():
            if not mask & other:
                second += own_scores.T @ (flat(whole[full ^ mask ^ other])[:, None] * their_scores)
    for level, place in enumerate(tolerance_places):
        partly = chosen(level)
        cross = sum(flat(partly[full ^ mask]) @ own for mask, own in scores.items() if full ^ mask in partly)
        second = second.at[place].add(cross).at[:, place].add(cross)
        for other, there in enumerate(tolerance_places):
            both = chosen(level, other)
            second = second.at[place, there].add(jnp.sum(both[full]) if full in both else 0.0)
    blocks = {pair: design[pair[0]].T @ (mean(own)[:, None] * design[pair[1]]) for pair, own in others.second.items()}
    count = len(design)
    second += jnp.block([
        [blocks[a, b] if a <= b else blocks[b, a].T for b in range(count)] for a in range(count)
    ])  # fmt: skip
    return highest, total, first, second


def _log_products(values: jax.Array) -> jax.Array:
    """(…, others) → (…, fewer): logarithms, some already added up."""
    return jnp.log(prod(jnp.split(jnp.maximum(values, SMALLEST), TOGETHER, axis=-1)))


class _Moments(NamedTuple):
    """C of each of the others, with derivatives of its logarithm by gap and tolerance of each level from here on."""

    value: Polynomial
    first: list[Polynomial]
    second: dict[tuple[int, int], Polynomial]


def _before(at: _Level, after: _Moments, order: int) -> _Moments:
    """From C after a level, that before it."""
    on = times(at.on, after.value)
    value = plus(at.out, on)
    value[0] = jnp.maximum(value[0], SMALLEST)
    if order == 0:
        return _Moments(value, [], {})
    divided = inverse(value)
    rest = plus({0: 1.0}, minus(after.value))
    out = times(at.out, divided)
    passed = times(on, divided)
    handed = times(times(at.on_1, after.value), divided)
    by_gap = plus(times(at.out_1, divided), handed)
    narrowed = times(rest, divided)
    by_tolerance = times(at.out_1, narrowed)
    first = [by_gap, by_tolerance, *(times(passed, own) for own in after.first)]
    if order == 1:
        return _Moments(value, first, {})
    curved = times(plus(at.out_2, times(at.on_2, after.value)), divided)
    widened = times(at.out_2, narrowed)
    second = {
        (0, 0): plus(curved, minus(times(by_gap, by_gap))),
        (0, 1): plus(widened, minus(times(by_gap, by_tolerance))),
        (1, 1): plus(widened, minus(times(by_tolerance, by_tolerance))),
    }
    by_gap_passed = plus(handed, minus(times(by_gap, passed)))
    lost = minus(times(times(at.out_1, after.value), divided))
    by_tolerance_passed = plus(lost, minus(times(by_tolerance, passed)))
    for place, own in enumerate(after.first):
        second[0, place + 2] = times(by_gap_passed, own)
        second[1, place + 2] = times(by_tolerance_passed, own)
    again = times(passed, out)
    for (one, other), own in after.second.items():
        product = times(again, times(after.first[one], after.first[other]))
        second[one + 2, other + 2] = plus(times(passed, own), product)
    return _Moments(value, first, second)
