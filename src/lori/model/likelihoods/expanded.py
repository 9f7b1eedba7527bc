"""Choice among two or three alternatives: the sum over who survives, written out term by term.

The same sums as in `lori.model.likelihoods.subsets`, which has the formulas and any number of alternatives. With so few
of them every term may be an array of its own: nothing is gathered or stacked, what cannot happen is left out, and the
compiler keeps a row's numbers in registers. That takes a third of the time; from four alternatives on there are too
many terms to compile.

Sets of alternatives are bit masks, the first bit being what was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations_with_replacement, pairwise
from operator import add
from typing import Any, NamedTuple

import numpy as np

from lori.model.engines import jax, jnp
from lori.model.likelihoods.probabilities import TieRule
from lori.model.likelihoods.subsets import LARGEST, Moments

MOST = 3  # alternatives
PARTS = 2  # that rows are computed in
CHOSEN = 1
Variable = tuple[int, int]  # a level, and another alternative whose gap it is, or zero for the level's tolerance


class _Chance(NamedTuple):
    """The chance of the outcome once some are left; derivatives that are not there are zero."""

    value: Any
    first: dict[Variable, Any]
    second: dict[tuple[Variable, Variable], Any]  # the earlier variable first


def log_choice(gap: Sequence[jax.Array], tolerance: Sequence[Any | None], rule: TieRule, order: int) -> Moments:
    """As `subsets.log_choice` for one chosen alternative and a first level that has a threshold.

    Tolerances are the same for all rows, the last axis. Curvatures of many rows are computed in parts: what leaves a
    loop is not computed again wherever it is used.
    """
    others, rows = len(gap[0]), gap[0].shape[-1]
    levels = [
        [(level, y % (others + 1)) for y in range(1, others + 1 + (limit is not None))]
        for level, limit in enumerate(tolerance)
    ]

    def entries(gap: Sequence[jax.Array]) -> jax.Array:
        return _entries(levels, gap, tolerance, rule, order)

    if order < 2 or gap[0].ndim == 1 or rows % PARTS:
        return _moments(levels, entries(gap), order)
    parts = [jnp.moveaxis(own.reshape(*own.shape[:-1], PARTS, rows // PARTS), -2, 0) for own in gap]
    found = jnp.moveaxis(jax.lax.map(entries, parts), 0, -2)
    return _moments(levels, found.reshape(*found.shape[:-2], rows), order)


def _entries(
    levels: list[list[Variable]],
    gap: Sequence[jax.Array],
    tolerance: Sequence[Any | None],
    rule: TieRule,
    order: int,
) -> jax.Array:
    """(entries, …): the log-probability, then its slope by each variable, then the curvature of each two of them."""
    everybody = (1 << len(gap[0]) + 1) - 1
    states = range(CHOSEN, everybody + 1, 2)
    large = LARGEST / max(len(gap) - 1, 1)
    coin = {state: 1 / state.bit_count() if rule == "split" else float(state == CHOSEN) for state in states}
    after = {state: _Chance(value, {}, {}) for state, value in coin.items()}
    for level in reversed(range(1, len(gap))):
        own, limit = [jnp.clip(each, -large, large) for each in gap[level]], tolerance[level]
        if limit is None:
            after = {state: _softmax(level, state, own, order) for state in states}
        else:
            after = {state: _through(level, state, own, limit, after, order)[1] for state in states}
    best, chance = _through(0, everybody, list(gap[0]), tolerance[0], after, order)
    found, scale = [jnp.log(chance.value) - best], 1 / chance.value
    if order > 0:
        slope = {variable: chance.first[variable] * scale for own in levels for variable in own}
        found += slope.values()
    if order > 1:
        second = chance.second
        for one, other in combinations_with_replacement(slope, 2):
            pair = (one, other) if (one, other) in second else (other, one)
            found.append(second[pair] * scale - slope[one] * slope[other])
    return jnp.stack(found)


def _moments(levels: list[list[Variable]], entries: jax.Array, order: int) -> Moments:
    """The same entries, level by level."""
    if order == 0:
        return Moments(entries[0], [], {})
    ends = np.cumsum([1, *map(len, levels)])
    gradient = [entries[first:last] for first, last in pairwise(ends)]
    if order == 1:
        return Moments(entries[0], gradient, {})
    every = [variable for own in levels for variable in own]
    place = {pair: ends[-1] + number for number, pair in enumerate(combinations_with_replacement(every, 2))}

    def entry(one: Variable, other: Variable) -> jax.Array:
        return entries[place[(one, other) if (one, other) in place else (other, one)]]

    curvature = {
        (i, j): jnp.stack([jnp.stack([entry(one, other) for other in levels[j]]) for one in levels[i]])
        for i, j in combinations_with_replacement(range(len(levels)), 2)
    }
    return Moments(entries[0], gradient, curvature)


def _through(
    level: int, members: int, gap: Sequence[jax.Array], tolerance: Any, after: dict[int, _Chance], order: int
) -> tuple[Any, _Chance]:
    """Chances before a level from those after it: those of its survivors. Of the first level what was chosen is left
    out of the products, and the gap of the best comes first."""
    if members == CHOSEN:
        return 0.0, after[CHOSEN]
    others = _alternatives(members)[1:]
    sets = sorted((own for own in range(1, members + 1) if own & ~members == 0), key=int.bit_count)
    best = jax.lax.stop_gradient(jnp.maximum(0.0, reduce(jnp.maximum, [gap[y - 1] for y in others])))
    weight = {0: jnp.exp(-best), **{y: jnp.exp(gap[y - 1] - best) for y in others}}
    rise: dict[int, Any] = {**weight, 0: 1.0} if level == 0 else weight
    limit = jnp.minimum(jnp.asarray(tolerance), LARGEST)
    kappa, rho = jnp.exp(-limit), -jnp.expm1(-limit)
    within = {own: _sum(weight[y] for y in _alternatives(own)) for own in sets}
    r = {own: 1 / (kappa * within[own] + within.get(members ^ own, 0.0)) for own in sets}
    step = {own: rho * each if own.bit_count() > 1 else each for own, each in r.items()}
    inflow, p = {}, {0: kappa}
    for own in sets:
        inflow[own] = _sum(rise[y] * p[own ^ 1 << y] for y in _alternatives(own))
        p[own] = inflow[own] * step[own]
    left = [own for own in sets if own & CHOSEN]
    value = _sum(p[own] * after[own].value for own in left)
    if order == 0:
        return best, _Chance(value, {}, {})

    b: dict[int, Any] = {}
    for own in reversed(sets):
        ways = [rise[y] * step[own | 1 << y] * b[own | 1 << y] for y in _alternatives(members & ~own)]
        b[own] = _sum([*ways, *([after[own].value] if own & CHOSEN else [])])
    flow = {own: step[own] * each for own, each in b.items()}
    share = {(z, own): weight[z] * r[own] for z in others for own in sets}
    slope = {(z, own): kappa * each if own >> z & 1 else each for (z, own), each in share.items()}
    change = {(z, 0): rise[z] * flow[1 << z] for z in others}
    for z in others:
        for own in sets:
            gained = 0.0 if own >> z & 1 else rise[z] * flow[own | 1 << z]
            change[z, own] = gained - b[own] * slope[z, own]
    t = {own: kappa * within[own] * r[own] for own in sets}
    n = {own: inflow[own] * r[own] for own in sets}
    opened: dict[int, Any] = {own: kappa if own.bit_count() > 1 else 0.0 for own in sets}
    first = {(level, z): _sum(p[own] * change[z, own] for own in (0, *sets)) for z in others}
    entered = kappa * _sum(rise[y] * flow[1 << y] for y in (0, *others))
    first[level, 0] = _sum(b[own] * (opened[own] * n[own] + p[own] * t[own]) for own in sets) - entered
    handed = _handed([(p[own], after[own].first) for own in left])
    if order == 1:
        return best, _Chance(value, first | handed, {})

    by: dict[Variable, dict[int, Any]] = {(level, z): {0: 0.0} for z in others} | {(level, 0): {0: -kappa}}  # of P
    gain: dict[Variable, dict[int, Any]] = {variable: {} for variable in by}  # of N, divided by D
    for own in sets:
        for variable, slopes in by.items():
            z = variable[1]
            ways = [rise[y] * slopes[own ^ 1 << y] for y in _alternatives(own)]
            ways += [rise[z] * p[own ^ 1 << z]] if z and own >> z & 1 else []
            gain[variable][own] = r[own] * _sum(ways)
            grown = gain[variable][own] * (rho if own.bit_count() > 1 else 1.0)
            slopes[own] = grown + (-p[own] * slope[z, own] if z else opened[own] * n[own] + p[own] * t[own])

    def across(z: int, variable: Variable) -> Any:
        return _sum(change[z, own] * each for own, each in by[variable].items())

    def turned(z: int) -> Any:
        """What the tolerance does to the factors of each set, by a gap."""
        own_gain, own_by = gain[level, z], by[level, z]
        inside = {own: p[own] * slope[z, own] if own >> z & 1 else 0.0 for own in sets}
        return _sum(b[own] * (opened[own] * own_gain[own] + t[own] * own_by[own] + inside[own]) for own in sets)

    def bent(own: int) -> Any:
        """The same by the tolerance once more."""
        once, single = gain[level, 0][own], own.bit_count() == 1
        factor = once if single else rho * once
        found = 2 * t[own] * factor + p[own] * t[own] * (2 * t[own] - 1)
        return found + (p[own] if single else kappa * (2 * (once + n[own] * t[own]) - n[own]))

    second = {((level, 0), (level, 0)): _sum(b[own] * bent(own) for own in sets)}
    for place, z in enumerate(others):
        second[(level, 0), (level, z)] = across(z, (level, 0)) + turned(z)
        second[(level, z), (level, z)] = 2 * across(z, (level, z)) + first[level, z]
        for y in others[place + 1 :]:
            second[(level, z), (level, y)] = across(z, (level, y)) + across(y, (level, z))
    for variable, slopes in by.items():
        passed = _handed([(slopes[own], after[own].first) for own in left])
        second |= {(variable, later): each for later, each in passed.items()}
    second |= _handed([(p[own], after[own].second) for own in left])
    return best, _Chance(value, first | handed, second)


def _softmax(level: int, members: int, gap: Sequence[jax.Array], order: int) -> _Chance:
    """A last level without a threshold."""
    others = _alternatives(members)[1:]
    weight = {y: jnp.exp(gap[y - 1]) for y in others}
    value = 1 / _sum([1.0, *weight.values()])
    if order == 0:
        return _Chance(value, {}, {})
    share = {y: own * value for y, own in weight.items()}
    first = {(level, y): -own * value for y, own in share.items()}
    if order == 1:
        return _Chance(value, first, {})
    second = {
        ((level, y), (level, z)): (first[level, y] if y == z else 0.0) - 2 * first[level, y] * share[z]
        for y in others
        for z in others
        if y <= z
    }
    return _Chance(value, first, second)


def _handed(parts: Sequence[tuple[Any, dict[Any, Any]]]) -> dict[Any, Any]:
    """Sums of factors times what is known of each key, where it is."""
    keys = dict.fromkeys(key for _, known in parts for key in known)
    return {key: _sum(factor * known[key] for factor, known in parts if key in known) for key in keys}


def _alternatives(own: int) -> list[int]:
    return [y for y in range(own.bit_length()) if own >> y & 1]


def _sum(terms: Any) -> Any:
    """Without the zeros of things that cannot happen."""
    there = [own for own in terms if not (isinstance(own, float) and own == 0.0)]
    return reduce(add, there) if there else 0.0
