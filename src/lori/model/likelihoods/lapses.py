"""Lapses: answers that have nothing to do with the question.

With probability λ an answer is a slip, drawn at random from the outcomes that the question offers (n of them); else it
is what the model says, with log-probability L:

    V = log P,   P = (1 − λ) exp(L) + λ / n

With π = (1 − λ) exp(L) / P, the probability that an answer was none, derivatives follow from those of L:

    ∂V/∂L = π                  ∂²V/∂L² = π (1 − π)
    ∂V/∂λ = (1/n − exp(L)) / P     ∂²V/∂λ² = −(∂V/∂λ)²        ∂²V/∂L∂λ = −exp(L) / (n P²)

P is bounded below by λ / n, so that one answer costs no more than log(n / λ) however strange it is: this is what keeps
a few slips from being taken for a level.
"""

from __future__ import annotations

from lori.model.engines import arrays_of, jax
from lori.model.likelihoods.probabilities import Derivatives, InLapse, Levels

RAREST, MOST = 1e-9, 0.9  # bounds of a learned rate; at the lower one there are no slips in any data
CLOSED = 1e-8  # a tolerance below this is computed as if it were this: an impossible tie may still be a slip


def opened(tolerance: Levels) -> list[jax.Array]:
    """Tolerances at which the logarithm of every outcome is finite, with its derivatives."""
    return [arrays_of(own).maximum(own, CLOSED) for own in tolerance]


def with_lapse(log_probability: jax.Array, lapse: jax.Array, offered: int) -> jax.Array:
    """V, for λ above zero."""
    arrays = arrays_of(log_probability, lapse)
    return arrays.logaddexp(arrays.log1p(-lapse) + log_probability, arrays.log(lapse / offered))


def lapse_derivatives(found: Derivatives, lapse: jax.Array, offered: int) -> Derivatives:
    """Derivatives of V by gaps, tolerances and λ, from those of L."""
    arrays, chance = arrays_of(found.value, lapse), 1 / offered
    deliberate = arrays.exp(found.value)
    total = (1 - lapse) * deliberate + lapse * chance
    meant = (1 - lapse) * deliberate / total  # π
    slipped = lapse * chance / total  # 1 − π
    slope = (chance - deliberate) / total
    across = -deliberate * chance / total**2
    gradient = [(meant * by_gap, meant * by_tolerance) for by_gap, by_tolerance in found.gradient]
    both = meant * slipped
    curvature = {}
    for (one, other), parts in found.curvature.items():
        products = [a * b for a in found.gradient[one] for b in found.gradient[other]]
        curvature[one, other] = tuple(
            meant * part + both * product for part, product in zip(parts, products, strict=True)
        )
    mixed = [(across * by_gap, across * by_tolerance) for by_gap, by_tolerance in found.gradient]
    return Derivatives(arrays.log(total), gradient, curvature, InLapse(slope, -(slope**2), mixed))
