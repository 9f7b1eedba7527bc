"""Derivatives of the log-probabilities of a preference by gaps and tolerances, up to the second order.

They are in closed form, because they are what a fit spends its time on; the tests compare them with automatic
differentiation. The notation is that of `lori.model.likelihoods.probabilities`. With q = 1 − t, p the probability from
the next level on, m = exp(2b) − 1 and c = 1 − exp(−2b), for one level L = log s + log(1 + m t p), and

    ω = m t p / (1 + m t p)     the probability that the level passed the decision on, given the outcome
    ρ = ω / c                   finite at b = 0

    ∂L/∂a = (1 − s) − ω q       ∂L/∂b = −(1 − s) + 2ρ − ω q       ∂L/∂log p = ω

The gradient of the whole in level j is Ω_j times that of the level, Ω_j = Π_{i<j} ω_i being the probability that
the decision came down to it. In the curvature the sums over upper levels telescope:

    H_jj = Ω_j (Λ_j + (1 − Ω_j) l_j l_jᵀ)
    H_jl = Ω_j P_jl (X_j + ω_j (1 − Ω_j) l_j) l_lᵀ           for j < l,  P_jl = Π_{j<i<l} ω_i

with l, Λ the level's own gradient and curvature and X its mixed derivative with log p. Cost: O(k) for value and
gradient (appendix A has O(k²)), O(k²) for the curvature. What stands `Above` the first level, as slips do, is one more
ω: the same formulas hold with Ω_1 = ω instead of 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from lori.model.engines import arrays_of, jax, log_sigmoid, softplus
from lori.model.likelihoods.probabilities import LOG_HALF, Levels, TieRule, log_better
from lori.model.logarithm import log

FAR = 550.0  # a gap beyond this size is computed as if it were this: log-probabilities are linear there,
WIDE = 150.0  # unless tolerances are larger than this, where levels are computed by their logarithms;
SINGLE_FAR, SINGLE_WIDE = 60.0, 25.0  # the same in single precision


Variable = tuple[int, int]  # a level, and which of its two numbers
GAP, TOLERANCE = 0, 1
LAPSE: Variable = (-1, TOLERANCE)  # the rate of slips: like a tolerance, it is the same for all rows


class InLapse(NamedTuple):
    """Derivatives by a learned lapse rate."""

    first: jax.Array
    second: jax.Array
    mixed: list[tuple[jax.Array, jax.Array]]  # level → with (gap, tolerance)


class Derivatives(NamedTuple):
    """Of one row: log-probability, and derivatives by (gap, tolerance) of each level and pair of levels."""

    value: jax.Array
    gradient: list[tuple[jax.Array, jax.Array]]  # level → (∂a, ∂b)
    curvature: dict[tuple[int, int], tuple[jax.Array, jax.Array, jax.Array, jax.Array]]
    """(j, l) with j ≤ l → (∂a_j∂a_l, ∂a_j∂b_l, ∂b_j∂a_l, ∂b_j∂b_l)"""
    lapse: InLapse | None = None  # where its rate is a parameter, see `lori.model.likelihoods.lapses`

    def by(self, one: Variable, other: Variable | None = None) -> jax.Array:
        """The derivative by a variable, or by two of them in order."""
        if one == LAPSE:
            assert self.lapse is not None
            if other is None:
                return self.lapse.first
            return self.lapse.second if other == LAPSE else self.lapse.mixed[other[0]][other[1]]
        if other is None:
            return self.gradient[one[0]][one[1]]
        return self.curvature[one[0], other[0]][2 * one[1] + other[1]]


def pairs_of_levels(levels: int) -> list[tuple[int, int]]:
    """(j, l) with j ≤ l, in the order in which `Derivatives.curvature` has them."""
    return [(j, later) for j in range(levels) for later in range(j, levels)]


class Above(Protocol):
    """What comes between the levels and an answer (`lori.model.likelihoods.lapses`): the log-probability of the answer,
    the probability that it came from the levels and that it did not, and the derivatives of the rate of slips."""

    @property
    def value(self) -> jax.Array: ...

    @property
    def reached(self) -> jax.Array: ...

    @property
    def rest(self) -> jax.Array: ...

    @property
    def first(self) -> jax.Array: ...

    @property
    def second(self) -> jax.Array: ...

    @property
    def mixed(self) -> jax.Array: ...  # times the gradient by a gap or tolerance


class _Levels(NamedTuple):
    """What the derivatives are made of, for each level."""

    probability: jax.Array
    value: jax.Array  # its logarithm, where it is asked for
    better: list[jax.Array]  # s
    worse: list[jax.Array]  # t
    passed: list[jax.Array]  # ω
    kept: list[jax.Array]  # 1 − ω
    twice: list[jax.Array]  # 2ρ


def better_derivatives(
    gap: Levels,
    tolerance: Levels,
    rule: TieRule,
    order: int = 2,
    above: Callable[[Any], Above] | None = None,
    wide: bool | None = None,
) -> Derivatives:
    """Derivatives of `log_better` up to `order`, one exponential for each level where the numbers allow it.

    `above` makes an answer of the probability that the levels give it. `wide` says whether a tolerance may be larger
    than `WIDE`; what is not said is found out, at a price where code is compiled.
    """
    arrays = arrays_of(*gap, *tolerance)
    if wide is None:
        wide = arrays.max(arrays.stack([arrays.max(b) for b in tolerance])) > (SINGLE_WIDE if _single(gap[0]) else WIDE)
        if arrays is not np:
            return _combined(_levels(gap, tolerance, rule, wide), tolerance, above)
    if arrays is np and order == 0:
        return Derivatives(_value(gap, tolerance, rule, bool(wide), above), [], {})
    if wide:
        return _combined(_levels_by_logarithms(gap, tolerance, rule), tolerance, above)
    return _combined(_levels_by_products(gap, tolerance, rule, above is None), tolerance, above)


def _levels(gap: Levels, tolerance: Levels, rule: TieRule, wide: Any) -> _Levels:
    """By logarithms or by products, whichever it turns out to be."""
    return jax.lax.cond(
        wide,
        lambda a, b: _levels_by_logarithms(a, b, rule),
        lambda a, b: _levels_by_products(a, b, rule),
        list(gap),
        list(tolerance),
    )


def _value(gap: Levels, tolerance: Levels, rule: TieRule, wide: bool, above: Callable[[Any], Above] | None) -> Any:
    """The log-probability alone, of NumPy's arrays."""
    if wide:
        log_p = log_better(gap, tolerance, rule)
        return log_p if above is None else above(np.exp(log_p)).value
    p: Any = 0.5 if rule == "split" else 0.0
    for a, b in reversed(list(zip(gap, tolerance, strict=True))):
        up, widened = np.exp(_near(a)), np.exp(b)
        either = up * widened  # s (1 + m t p), in place
        either += 1
        np.divide(np.expm1(2 * b) * p, either, out=either)
        either += 1
        either *= up
        up += widened
        either /= up
        p = either
    return np.log(p) + _beyond(gap[0]) if above is None else above(p).value


def _single(gap: Any) -> bool:
    return gap.dtype == np.float32


def _near(gap: Any) -> Any:
    """A gap, or as much of it as is computed."""
    arrays, far = arrays_of(gap), SINGLE_FAR if _single(gap) else FAR
    return arrays.minimum(arrays.maximum(gap, -far), far)


def _beyond(gap: Any) -> Any:
    """What the log-probability is smaller by, because the gap of the first level is beyond `FAR`.

    Of lower levels such a gap makes no difference: what they hand up is nothing beside s, where b is not wide.
    """
    return arrays_of(gap).minimum(gap + (SINGLE_FAR if _single(gap) else FAR), 0.0)


def tie_derivatives(gap: Levels, tolerance: Levels) -> Derivatives:
    """Derivatives of `log_full_tie`: levels add up, so the curvature has no mixed blocks."""
    arrays = arrays_of(*gap, *tolerance)
    value, gradient, curvature = arrays.zeros_like(gap[0]), [], {}
    for j, (a, b) in enumerate(zip(gap, tolerance, strict=True)):
        log_s, log_t = log_sigmoid(a - b), log_sigmoid(-a - b)
        s, t = arrays.exp(log_s), arrays.exp(log_t)
        c = -arrays.expm1(-2 * b)
        value = value + arrays.log(c) + 2 * b + log_s + log_t
        gradient.append((t - s, 2 / c - (1 - s) - (1 - t)))
        spread_s, spread_t = s * (1 - s), t * (1 - t)
        mixed = spread_s - spread_t
        curvature[j, j] = (
            -spread_s - spread_t,
            mixed,
            mixed,
            -4 * (1 - c) / c**2 - spread_s - spread_t,
        )
    zero = arrays.zeros_like(gap[0])
    ordered = {pair: curvature.get(pair, (zero, zero, zero, zero)) for pair in pairs_of_levels(len(gap))}
    return Derivatives(value, gradient, ordered)


def _levels_by_products(gap: Levels, tolerance: Levels, rule: TieRule, in_logarithms: bool = True) -> _Levels:
    """One exponential for each level and one logarithm in all; not even that one where only slips would ask for it."""
    last = len(gap) - 1
    arrays = arrays_of(*gap, *tolerance)
    p = arrays.full_like(gap[last], 0.5 if rule == "split" else 0.0)
    states = []
    for a, b in reversed(list(zip(gap, tolerance, strict=True))):
        up, widened = arrays.exp(_near(a)), arrays.exp(b)
        s = up / (up + widened)
        t = up * widened
        t += 1
        t = 1 / t
        tp = t * p
        raised = arrays.expm1(2 * b) * tp
        raised += 1
        kept = 1 / raised  # 1 − ω
        twice = 2 * arrays.exp(2 * b) * tp
        twice *= kept
        states.append((s, t, -0.5 * arrays.expm1(-2 * b) * twice, kept, twice))
        p = s * raised
    value = log(p) + _beyond(gap[0]) if in_logarithms else p
    return _Levels(p, value, *(list(part) for part in zip(*reversed(states), strict=True)))


def _levels_by_logarithms(gap: Levels, tolerance: Levels, rule: TieRule) -> _Levels:
    """The same for any size of gap and tolerance."""
    last = len(gap) - 1
    arrays = arrays_of(*gap, *tolerance)
    log_p = arrays.full_like(gap[last], LOG_HALF if rule == "split" else -np.inf)
    states = []
    for a, b in reversed(list(zip(gap, tolerance, strict=True))):
        log_s = log_sigmoid(a - b)
        v = 2 * b - softplus(a + b) + log_p
        c = -arrays.expm1(-2 * b)
        rho = 1 / (arrays.exp(-v) + c)
        states.append((arrays.exp(log_s), arrays.exp(-softplus(a + b)), c * rho, 1 - c * rho, 2 * rho))
        positive = arrays.maximum(v, 0.0)
        passed = arrays.where(
            v > 0, v + arrays.log(arrays.exp(-positive) + c), arrays.log1p(c * arrays.exp(v - positive))
        )
        log_p = log_s + passed
    return _Levels(arrays.exp(log_p), log_p, *(list(part) for part in zip(*reversed(states), strict=True)))


def _combined(levels: _Levels, tolerance: Levels, above: Callable[[Any], Above] | None = None) -> Derivatives:
    arrays, top = arrays_of(levels.value), None if above is None else above(levels.probability)
    reached: Any = None if top is None else top.reached  # Ω_j, where it is not one
    rest: Any = None if top is None else top.rest  # 1 − Ω_j
    own, gradient, within, sides, last = [], [], [], [], len(tolerance) - 1
    for level, (s, t, omega, kept, twice, b) in enumerate(zip(*levels[2:], tolerance, strict=True)):
        r, q = 1 - s, 1 - t
        spread, handed = s * r, omega * q
        omega_b = twice - handed  # what is changed in place here and below belongs to nobody else
        omega_b *= kept
        both = omega_b * q
        both += handed * t
        by_a, by_b = r - handed, twice - r
        by_b -= handed
        aa, ab, bb = kept * q, spread - both, 1 + t
        aa -= t
        aa *= handed
        aa -= spread
        bb *= kept
        bb -= arrays.exp(-2 * b) * twice
        bb *= twice  # ∂ρ/∂b
        bb -= spread
        bb -= both
        own.append((by_a, by_b))
        if reached is not None:
            less_a, less_b = rest * by_a, rest * by_b
            aa += less_a * by_a
            ab += less_a * by_b
            bb += less_b * by_b
            aa, ab, bb, by_a, by_b = (reached * x for x in (aa, ab, bb, by_a, by_b))
        gradient.append((by_a, by_b))
        within.append((aa, ab, ab, bb))
        if level == last:
            break
        side_a, side_b = -kept, omega_b
        side_a *= handed
        if reached is not None:
            less_a *= omega
            less_b *= omega
            side_a += less_a
            side_b += less_b
            side_a, side_b = reached * side_a, reached * side_b
        sides.append((side_a, side_b))
        reached = omega if reached is None else reached * omega
        rest = 1 - reached
    curvature: dict[tuple[int, int], tuple[Any, Any, Any, Any]] = {}
    for j in range(last + 1):
        curvature[j, j] = within[j]
        along_a, along_b = sides[min(j, last - 1)] if last else (0.0, 0.0)
        for later in range(j + 1, last + 1):
            a, b = own[later]
            curvature[j, later] = (along_a * a, along_a * b, along_b * a, along_b * b)
            if later < last:
                along_a, along_b = along_a * levels.passed[later], along_b * levels.passed[later]
    if top is None:
        return Derivatives(levels.value, gradient, curvature)
    mixed = [(top.mixed * by_a, top.mixed * by_b) for by_a, by_b in gradient]
    return Derivatives(top.value, gradient, curvature, InLapse(top.first, top.second, mixed))
