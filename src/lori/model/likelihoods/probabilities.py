"""Probabilities of a preference from ordered reward differences, and their derivatives: equations (4) and (5).

Notation (docs/notation.md), for one pair and level i:

    gap        a_i = α_i (r_i(x*) − r_i(x°))        how much better the left alternative is
    tolerance  b_i = α_i ε_i ≥ 0                    how large a gap must be before it counts

    s_i = σ( a_i − b_i)                             level i says "better"       equation (4)
    t_i = σ(−a_i − b_i)                             level i says "worse"        equation (4)
    e_i = 1 − s_i − t_i = (exp(2 b_i) − 1) s_i t_i  level i says "no matter"    equation (4)

    Pr(x* ≻ x°) = Σ_i s_i Π_{j<i} e_j               the first level that speaks decides      equation (5)

The product form of e_i is exact, so nothing is subtracted. Equation (5) is evaluated from the last level
upwards, p_i = s_i + e_i p_{i+1} = s_i (1 + (exp(2 b_i) − 1) t_i p_{i+1}), with what happens after a full tie
as its last term p_{k+1}: one recursion serves any number of levels and every tie rule at a cost linear in k.

`gap` and `tolerance` are indexed by level first; whatever follows (one pair, or many) is carried along.

Derivatives are in closed form, because they are what a fit spends its time on; the tests compare them with automatic
differentiation. With q = 1 − t, p the probability from the next level on, m = exp(2b) − 1 and c = 1 − exp(−2b), for
one level L = log s + log(1 + m t p), and

    ω = m t p / (1 + m t p)     the probability that the level passed the decision on, given the outcome
    ρ = ω / c                   finite at b = 0

    ∂L/∂a = (1 − s) − ω q       ∂L/∂b = −(1 − s) + 2ρ − ω q       ∂L/∂log p = ω

The gradient of the whole in level j is Ω_j times that of the level, Ω_j = Π_{i<j} ω_i being the probability that
the decision came down to it. In the curvature the sums over upper levels telescope:

    H_jj = Ω_j (Λ_j + (1 − Ω_j) l_j l_jᵀ)
    H_jl = Ω_j P_jl (X_j + ω_j (1 − Ω_j) l_j) l_lᵀ           for j < l,  P_jl = Π_{j<i<l} ω_i

with l, Λ the level's own gradient and curvature and X its mixed derivative with log p. Cost: O(k) for value and
gradient (appendix A has O(k²)), O(k²) for the curvature. What stands above the first level, as slips do, is one more
ω: the same formulas hold with Ω_1 = ω instead of 1.

All functions take gap (levels, …) and tolerance (levels, …) as sequences over levels of broadcastable arrays, of
NumPy or of JAX, and compute with the engine that these belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from lori.model.engines import arrays_of, jax, log_sigmoid, softplus

if TYPE_CHECKING:
    from lori.model.likelihoods.lapses import Slips

TieRule = Literal["split", "observed", "printed"]
TIE_RULES: tuple[str, ...] = get_args(TieRule)
"""What a tie of all levels means. `split`: a fair coin decides; `observed`: it is an outcome of its own;
`printed`: equation (5) to the letter, a full tie is nobody's preference and is never seen."""

Levels: TypeAlias = "jax.Array | Sequence[jax.Array]"

LOG_HALF = float(np.log(0.5))
STEEP = 40.0  # log-odds beyond which a probability is certain; their product stays within float32


class Outcomes(NamedTuple):
    """Log-probabilities of what can be seen for a pair."""

    left: Any
    tie: Any
    right: Any


class Decisions(NamedTuple):
    """Probabilities of which level decides, and for whom; the three parts sum to one over levels."""

    left: Any  # (levels, ...) the level decides for left
    right: Any  # (levels, ...) the level decides for right
    nobody: Any  # (...) every level ties


def log_better(gap: Levels, tolerance: Levels, rule: TieRule) -> jax.Array:
    """log Pr(x* ≻ x°): equation (5), plus half of a full tie under the rule `split`."""
    last = len(gap) - 1
    log_p = arrays_of(*gap).full(gap[last].shape, LOG_HALF)
    for i in range(last, -1, -1):
        says_better = log_sigmoid(gap[i] - tolerance[i])
        if i == last and rule != "split":
            log_p = says_better
        else:
            log_p = says_better + _log_one_plus_passed_on(gap[i], tolerance[i], log_p)
    return log_p


def log_full_tie(gap: Levels, tolerance: Levels) -> jax.Array:
    """log Π_i e_i: no level sees a difference that counts."""
    equal = [_log_equal(a, b) for a, b in zip(gap, tolerance, strict=True)]
    return sum(equal[1:], start=equal[0])


def log_outcomes(gap: Levels, tolerance: Levels, rule: TieRule) -> Outcomes:
    """Log-probabilities of left, tie and right; their exponentials sum to one."""
    tie = log_full_tie(gap, tolerance)
    return Outcomes(
        left=log_better(gap, tolerance, rule),
        tie=arrays_of(tie).full_like(tie, -np.inf) if rule == "split" else tie,
        right=log_better([-a for a in gap], tolerance, rule),
    )


def outcome_probabilities(
    gap: Sequence[np.ndarray], tolerance: Sequence[np.ndarray], rule: TieRule
) -> list[np.ndarray]:
    """Probabilities of left and right, with a tie between them where it is an outcome: equation (5) without logarithms.

    For many draws at once, in NumPy and any precision, where the tails of a probability do not matter.
    """
    start = 0.5 if rule == "split" else 0.0
    left, tie, right = (np.full_like(gap[0], own) for own in (start, 1.0, start))
    for a, b in zip(reversed(gap), reversed(tolerance), strict=True):
        up, bar = np.exp(np.maximum(np.minimum(a, STEEP), -STEEP)), np.exp(np.minimum(b, STEEP))
        better = up / (up + bar)
        worse = np.reciprocal(up * bar + 1)
        equal = np.maximum(np.subtract(1 - better, worse, out=up), 0, out=up)
        left, right, tie = equal * left + better, equal * right + worse, equal * tie
    return [left, tie, right] if rule == "observed" else [left, right]


def decisions(gap: Levels, tolerance: Levels) -> Decisions:
    """Which level decides: (s_i, t_i) Π_{j<i} e_j for each level i, and Π e_i for nobody."""
    arrays = arrays_of(*gap, *tolerance)
    left, right, reached = [], [], arrays.zeros(arrays.shape(gap[0]))
    for a, b in zip(gap, tolerance, strict=True):
        left.append(arrays.exp(reached + log_sigmoid(a - b)))
        right.append(arrays.exp(reached + log_sigmoid(-a - b)))
        reached = reached + _log_equal(a, b)
    return Decisions(left=arrays.stack(left), right=arrays.stack(right), nobody=arrays.exp(reached))


def lexicographic_order(rewards_left: ArrayLike, rewards_right: ArrayLike, epsilon: ArrayLike) -> np.ndarray:
    """The model without noise (property (ii) of the paper): 1, 0 or −1 as left, nobody or right is preferred.

    The first level whose reward difference exceeds its ε decides.
    """
    difference = np.asarray(rewards_left, float) - np.asarray(rewards_right, float)
    threshold = np.asarray(epsilon, float).reshape((-1,) + (1,) * (difference.ndim - 1))
    verdict = np.sign(difference) * (np.abs(difference) > threshold)
    first = np.argmax(verdict != 0, axis=0)
    return np.take_along_axis(verdict, first[None], axis=0)[0].astype(int)


def _log_one_plus_passed_on(gap: jax.Array, tolerance: jax.Array, log_next: jax.Array) -> jax.Array:
    """log(1 + (exp(2b) − 1) t p): what a level adds by passing the decision on to the next.

    With v = 2b + log t + log p and c = 1 − exp(−2b) this is log(1 + c exp(v)). The branch v > 0 avoids the
    overflow of exp(v); b = 0 gives exactly 0 with a finite derivative, so that ε = 0 needs no special case.
    """
    arrays = arrays_of(gap, tolerance, log_next)
    v = 2 * tolerance - softplus(gap + tolerance) + log_next
    c = -arrays.expm1(-2 * tolerance)
    large = v > 0
    v_large, v_small = arrays.where(large, v, 0.0), arrays.where(large, 0.0, v)
    return arrays.where(large, v_large + arrays.log(arrays.exp(-v_large) + c), arrays.log1p(c * arrays.exp(v_small)))


def _log_equal(gap: jax.Array, tolerance: jax.Array) -> jax.Array:
    """log e_i; minus infinity where the tolerance is zero."""
    arrays = arrays_of(gap, tolerance)
    both = 2 * tolerance - softplus(tolerance - gap) - softplus(tolerance + gap)
    return arrays.log(-arrays.expm1(-2 * tolerance)) + both


SAFE = 300.0  # gaps and tolerances up to this size leave exp(), and products of two of them, within float64


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


def pairs_of_levels(levels: int) -> list[tuple[int, int]]:
    """(j, l) with j ≤ l, in the order in which `Derivatives.curvature` has them."""
    return [(j, later) for j in range(levels) for later in range(j, levels)]


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
    gap: Levels, tolerance: Levels, rule: TieRule, order: int = 2, above: Callable[[Any], Slips] | None = None
) -> Derivatives:
    """Derivatives of `log_better` up to `order`, one exponential for each level where the numbers allow it.

    `above` makes an answer of the probability that the levels give it.
    """
    arrays = arrays_of(*gap, *tolerance)
    ends = [
        (arrays.max(a, initial=0.0), -arrays.min(a, initial=0.0), arrays.max(b))
        for a, b in zip(gap, tolerance, strict=True)
    ]
    safe = arrays.max(arrays.stack([arrays.maximum(up, down) + b for up, down, b in ends])) < SAFE
    if arrays is np:
        if order == 0:
            return Derivatives(_value(gap, tolerance, rule, bool(safe), above), [], {})
        levels = (_levels_by_products if safe else _levels_in_numpy)(gap, tolerance, rule, above is None)
        return _combined(levels, tolerance, above)
    levels = jax.lax.cond(
        safe,
        lambda a, b: _levels_by_products(a, b, rule),
        lambda a, b: _levels_by_logarithms(a, b, rule),
        list(gap),
        list(tolerance),
    )
    return _combined(levels, tolerance, above)


def _value(gap: Levels, tolerance: Levels, rule: TieRule, safe: bool, above: Callable[[Any], Slips] | None) -> Any:
    """The log-probability alone, of NumPy's arrays."""
    if not safe:
        log_p = log_better(gap, tolerance, rule)
        return log_p if above is None else above(np.exp(log_p)).value
    p: Any = 0.5 if rule == "split" else 0.0
    for a, b in reversed(list(zip(gap, tolerance, strict=True))):
        up, widened = np.exp(a), np.exp(b)
        either = up * widened  # s (1 + m t p), in place
        either += 1
        np.divide(np.expm1(2 * b) * p, either, out=either)
        either += 1
        either *= up
        up += widened
        either /= up
        p = either
    return np.log(p) if above is None else above(p).value


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


def _levels_in_numpy(gap: Levels, tolerance: Levels, rule: TieRule, in_logarithms: bool = True) -> _Levels:
    """By products, and by logarithms where a gap or a tolerance is too large for them."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # where numbers are too large
        levels = _levels_by_products(gap, tolerance, rule, in_logarithms)
    large = np.zeros(np.shape(levels.value), bool)
    for a, b in zip(gap, tolerance, strict=True):
        large |= ~(np.abs(a) + b < SAFE)
    if not large.any():
        return levels

    def few(numbers: Levels) -> list[Any]:
        return [np.broadcast_to(own, large.shape)[large] for own in numbers]

    careful = _levels_by_logarithms(few(gap), few(tolerance), rule)

    def mended(own: Any, found: Any) -> Any:
        whole = np.array(own)
        whole[large] = found
        return whole

    numbers = [mended(*both) for both in zip(levels[:2], careful[:2], strict=True)]
    by_level = [
        [mended(*both) for both in zip(*parts, strict=True)] for parts in zip(levels[2:], careful[2:], strict=True)
    ]
    return _Levels(*numbers, *by_level)


def _levels_by_products(gap: Levels, tolerance: Levels, rule: TieRule, in_logarithms: bool = True) -> _Levels:
    """One exponential for each level and one logarithm in all; not even that one where only slips would ask for it."""
    last = len(gap) - 1
    arrays = arrays_of(*gap, *tolerance)
    p = arrays.full_like(gap[last], 0.5 if rule == "split" else 0.0)
    states = []
    for a, b in reversed(list(zip(gap, tolerance, strict=True))):
        up, widened = arrays.exp(a), arrays.exp(b)
        s = up / (up + widened)
        t = 1 / (1 + up * widened)
        tp = t * p
        kept = 1 / (1 + arrays.expm1(2 * b) * tp)  # 1 − ω
        twice = 2 * arrays.exp(2 * b) * tp
        twice *= kept
        states.append((s, t, -0.5 * arrays.expm1(-2 * b) * twice, kept, twice))
        p = s / kept
    value = arrays.log(p) if in_logarithms else p
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


def _combined(levels: _Levels, tolerance: Levels, above: Callable[[Any], Slips] | None = None) -> Derivatives:
    arrays, top = arrays_of(levels.value), None if above is None else above(levels.probability)
    reached: Any = None if top is None else top.reached  # Ω_j, where it is not one
    rest: Any = None if top is None else top.rest  # 1 − Ω_j
    own, gradient, within, sides, last = [], [], [], [], len(tolerance) - 1
    for level, (s, t, omega, kept, twice, b) in enumerate(zip(*levels[2:], tolerance, strict=True)):
        r, q = 1 - s, 1 - t
        spread, handed = s * r, omega * q
        omega_b = (twice - handed) * kept  # what is changed in place below belongs to nobody else
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
        bb -= spread + both
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
            side_a, side_b = reached * (side_a + omega * less_a), reached * (side_b + omega * less_b)
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
