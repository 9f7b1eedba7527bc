"""Derivatives of one row's log-probability in its gaps and tolerances: value, gradient and curvature in closed form.

This is what a fit spends its time on; the tests compare with automatic differentiation of
`lori.model.likelihoods.probabilities`. Letters as there: s, t say "better" and "worse", q = 1 − t, p is the probability
from the next level on, m = exp(2b) − 1, c = 1 − exp(−2b). For one level L = log s + log(1 + m t p), and

    ω = m t p / (1 + m t p)     the probability that the level passed the decision on, given the outcome
    ρ = ω / c                   finite at b = 0

    ∂L/∂a = (1 − s) − ω q       ∂L/∂b = −(1 − s) + 2ρ − ω q       ∂L/∂log p = ω

The gradient of the whole in level j is Ω_j times that of the level, Ω_j = Π_{i<j} ω_i being the probability that
the decision came down to it. In the curvature the sums over upper levels telescope:

    H_jj = Ω_j (Λ_j + (1 − Ω_j) l_j l_jᵀ)
    H_jl = Ω_j P_jl (X_j + ω_j (1 − Ω_j) l_j) l_lᵀ           for j < l,  P_jl = Π_{j<i<l} ω_i

with l, Λ the level's own gradient and curvature and X its mixed derivative with log p. Cost: O(k) for value and
gradient (appendix A has O(k²)), O(k²) for the curvature.

All functions take gap (levels, …) and tolerance (levels, …) as sequences over levels of broadcastable arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.nn import log_sigmoid, softplus

from lori.model.likelihoods.base import Derivatives, pairs_of_levels
from lori.model.likelihoods.probabilities import LOG_HALF, Levels, TieRule

SAFE = 300.0  # gaps and tolerances up to this size leave exp(), and products of two of them, within float64


class _Levels(NamedTuple):
    """What the derivatives are made of, for each level."""

    value: jax.Array
    better: list[jax.Array]  # s
    worse: list[jax.Array]  # t
    passed: list[jax.Array]  # ω
    rho: list[jax.Array]  # ρ


def better(gap: Levels, tolerance: Levels, rule: TieRule) -> Derivatives:
    """Derivatives of `log_better`, one exponential for each level where the numbers allow it."""
    largest = jnp.max(jnp.stack([jnp.max(jnp.abs(a) + b) for a, b in zip(gap, tolerance, strict=True)]))
    levels = jax.lax.cond(
        largest < SAFE,
        lambda a, b: _levels_by_products(a, b, rule),
        lambda a, b: _levels_by_logarithms(a, b, rule),
        list(gap),
        list(tolerance),
    )
    return _combined(levels, tolerance)


def tie(gap: Levels, tolerance: Levels) -> Derivatives:
    """Derivatives of `log_full_tie`: levels add up, so the curvature has no mixed blocks."""
    value, gradient, curvature = jnp.zeros_like(gap[0]), [], {}
    for j, (a, b) in enumerate(zip(gap, tolerance, strict=True)):
        log_s, log_t = log_sigmoid(a - b), log_sigmoid(-a - b)
        s, t = jnp.exp(log_s), jnp.exp(log_t)
        c = -jnp.expm1(-2 * b)
        value += jnp.log(c) + 2 * b + log_s + log_t
        gradient.append((t - s, 2 / c - (1 - s) - (1 - t)))
        spread_s, spread_t = s * (1 - s), t * (1 - t)
        mixed = spread_s - spread_t
        curvature[j, j] = (
            -spread_s - spread_t,
            mixed,
            mixed,
            -4 * (1 - c) / c**2 - spread_s - spread_t,
        )
    zero = jnp.zeros_like(gap[0])
    ordered = {pair: curvature.get(pair, (zero, zero, zero, zero)) for pair in pairs_of_levels(len(gap))}
    return Derivatives(value, gradient, ordered)


def _levels_by_products(gap: Levels, tolerance: Levels, rule: TieRule) -> _Levels:
    """One exponential for each level and one logarithm in all."""
    last = len(gap) - 1
    p = jnp.full_like(gap[last], 0.5 if rule == "split" else 0.0)
    states = []
    for a, b in reversed(list(zip(gap, tolerance, strict=True))):
        away, widened = jnp.exp(-a), jnp.exp(b)
        s = 1 / (1 + away * widened)
        t = away / (away + widened)
        tp = t * p
        kept = 1 / (1 + jnp.expm1(2 * b) * tp)  # 1 − ω
        rho = jnp.exp(2 * b) * tp * kept
        states.append((s, t, -jnp.expm1(-2 * b) * rho, rho))
        p = s / kept
    return _Levels(jnp.log(p), *(list(part) for part in zip(*reversed(states), strict=True)))


def _levels_by_logarithms(gap: Levels, tolerance: Levels, rule: TieRule) -> _Levels:
    """The same for any size of gap and tolerance."""
    last = len(gap) - 1
    log_p = jnp.full_like(gap[last], LOG_HALF if rule == "split" else -jnp.inf)
    states = []
    for a, b in reversed(list(zip(gap, tolerance, strict=True))):
        log_s = log_sigmoid(a - b)
        v = 2 * b - softplus(a + b) + log_p
        c = -jnp.expm1(-2 * b)
        rho = 1 / (jnp.exp(-v) + c)
        states.append((jnp.exp(log_s), jnp.exp(-softplus(a + b)), c * rho, rho))
        positive = jnp.maximum(v, 0.0)
        log_p = log_s + jnp.where(v > 0, v + jnp.log(jnp.exp(-positive) + c), jnp.log1p(c * jnp.exp(v - positive)))
    return _Levels(log_p, *(list(part) for part in zip(*reversed(states), strict=True)))


def _combined(levels: _Levels, tolerance: Levels) -> Derivatives:
    gradients, curvatures, mixed = [], [], []
    for s, t, omega, rho, b in zip(*levels[1:], tolerance, strict=True):
        r, q, kept = 1 - s, 1 - t, 1 - omega
        spread, handed = s * r, omega * q
        omega_b = kept * (2 * rho - handed)
        rho_b = rho * ((2 - q) * kept - 2 * jnp.exp(-2 * b) * rho)
        gradients.append((r - handed, -r + 2 * rho - handed))
        across = spread - omega_b * q - handed * t
        curvatures.append((handed * (kept * q - t) - spread, across, 2 * rho_b - spread - omega_b * q - handed * t))
        mixed.append((-kept * handed, omega_b))

    count = len(gradients)
    reached = [jnp.ones_like(levels.value)]
    for omega in levels.passed[:-1]:
        reached.append(reached[-1] * omega)
    gradient = [(reached[j] * g[0], reached[j] * g[1]) for j, g in enumerate(gradients)]
    curvature = {}
    for j in range(count):
        (ga, gb), (aa, ab, bb), rest = gradients[j], curvatures[j], 1 - reached[j]
        same = reached[j] * (ab + rest * ga * gb)
        curvature[j, j] = (reached[j] * (aa + rest * ga * ga), same, same, reached[j] * (bb + rest * gb * gb))
        down = reached[j]
        side_a = mixed[j][0] + levels.passed[j] * rest * ga
        side_b = mixed[j][1] + levels.passed[j] * rest * gb
        for later in range(j + 1, count):
            la, lb = gradients[later]
            along_a, along_b = down * side_a, down * side_b
            curvature[j, later] = (along_a * la, along_a * lb, along_b * la, along_b * lb)
            down = down * levels.passed[later]
    return Derivatives(levels.value, gradient, curvature)
