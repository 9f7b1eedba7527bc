"""Lapses: answers that have nothing to do with the question.

With probability λ an answer is a slip, drawn at random from the outcomes that the question offers (n of them); else it
is what the model says, with log-probability L:

    V = log P,   P = (1 − λ) exp(L) + λ / n

With π = (1 − λ) exp(L) / P, the probability that an answer was none, derivatives follow from those of L:

    ∂V/∂L = π                  ∂²V/∂L² = π (1 − π)
    ∂V/∂λ = (1/n − exp(L)) / P     ∂²V/∂λ² = −(∂V/∂λ)²        ∂²V/∂L∂λ = −exp(L) / (n P²)

P is bounded below by λ / n, so that one answer costs no more than log(n / λ) however strange it is: this is what keeps
a few slips from being taken for a level. Slips stand above the first level as levels stand above each other: π is one
more ω in the formulas of `lori.model.likelihoods.probabilities`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lori.model.engines import arrays_of, jax
from lori.model.likelihoods.derivatives import Above, Derivatives, InLapse
from lori.model.likelihoods.probabilities import Levels
from lori.model.logarithm import log

RAREST, MOST = 1e-9, 0.9  # bounds of a learned rate; at the lower one there are no slips in any data
CLOSED = 1e-8  # a tolerance below this is computed as if it were this: an impossible tie may still be a slip


def opened(tolerance: Levels) -> list[jax.Array]:
    """Tolerances at which the logarithm of every outcome is finite, with its derivatives."""
    return [arrays_of(own).maximum(own, CLOSED) for own in tolerance]


def with_lapse(log_probability: jax.Array, lapse: jax.Array, offered: int) -> jax.Array:
    """V, for λ above zero."""
    arrays = arrays_of(log_probability, lapse)
    return arrays.logaddexp(arrays.log1p(-lapse) + log_probability, arrays.log(lapse / offered))


@dataclass(frozen=True, eq=False)
class Slips:
    """What slips make of an answer that has this probability, exp(L), without them; what is asked for is computed."""

    probability: jax.Array
    lapse: jax.Array
    offered: int

    @cached_property
    def value(self) -> jax.Array:
        return log(self._answered)

    @cached_property
    def reached(self) -> jax.Array:
        return self._deliberate * self._inverse

    @cached_property
    def rest(self) -> jax.Array:
        return self.lapse / self.offered * self._inverse

    @cached_property
    def first(self) -> jax.Array:
        return (1 / self.offered - self.probability) * self._inverse

    @cached_property
    def second(self) -> jax.Array:
        return -(self.first**2)

    @cached_property
    def mixed(self) -> jax.Array:
        return -1 / self.offered / (1 - self.lapse) * self._inverse

    @cached_property
    def _deliberate(self) -> jax.Array:
        return (1 - self.lapse) * self.probability

    @cached_property
    def _answered(self) -> jax.Array:
        return self._deliberate + self.lapse / self.offered

    @cached_property
    def _inverse(self) -> jax.Array:
        return 1 / self._answered


def lapse_derivatives(found: Derivatives, top: Above) -> Derivatives:
    """Derivatives of V by gaps, tolerances and λ, from those of L, whatever they come from."""
    gradient = [(top.reached * by_gap, top.reached * by_tolerance) for by_gap, by_tolerance in found.gradient]
    curvature: Any = {}
    for (one, other), parts in found.curvature.items():
        products = [a * b for a in gradient[one] for b in found.gradient[other]]
        curvature[one, other] = tuple(
            top.reached * part + top.rest * product for part, product in zip(parts, products, strict=True)
        )
    mixed = [(top.mixed * by_gap, top.mixed * by_tolerance) for by_gap, by_tolerance in gradient]
    return Derivatives(top.value, gradient, curvature, InLapse(top.first, top.second, mixed))
