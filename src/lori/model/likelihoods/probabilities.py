"""Probabilities of a preference from ordered reward differences: equations (4) and (5).

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

All functions take gap (levels, …) and tolerance (levels, …) as sequences over levels of broadcastable arrays, of
NumPy or of JAX, and compute with the engine that these belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from lori.model.engines import arrays_of, jax, log_sigmoid, softplus

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
