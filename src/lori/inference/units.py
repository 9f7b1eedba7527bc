"""Units: what the fitted numbers mean in the user's units, and with what standard errors.

Inside a fit features have deviation 1 and rewards with a free scale have α = 1. Reported are weights per unit of
each feature, ε in the units of the reward, thresholds ε / |weight| as feature differences, and caps. Standard
errors travel by the delta method with exact derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lori.inference.scaling import Scaling
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.model.specification import Specification

Asked = tuple[float | None, ...]


class Reported(NamedTuple):
    """The numbers of one level in the user's units."""

    parameters: jax.Array
    epsilon: jax.Array
    alpha: jax.Array
    thresholds: jax.Array  # (features,) for linear and capped rewards, empty otherwise


@dataclass(frozen=True, eq=False)
class Units:
    """The way from the vector of free parameters to reported numbers.

    `alpha` is what the user asked for: a number, or None where α is learned. A learned α of a reward with free
    scale is reported such that the weights sum to one in absolute value.
    """

    specification: Specification
    scaling: Scaling
    alpha: tuple[float | None, ...]

    @double_precision
    def model(self, vector: np.ndarray, alternatives: np.ndarray) -> OrderedModel:
        """The complete model in the user's units; slopes of networks are averages over `alternatives`."""
        levels = []
        for reward, own in zip(self.specification.rewards, self._computed(vector)[0], strict=True):
            factor = 1 / float(own.alpha) if reward.free_scale else 1.0
            scaled = reward if factor == 1.0 else reward.with_scale(factor)
            parameters = np.asarray(own.parameters)
            slopes = scaled.slopes(parameters, alternatives[:10_000])
            levels.append(Level(scaled, parameters, float(own.epsilon), float(own.alpha), slopes))
        return OrderedModel(tuple(levels), self.specification.features, self.specification.likelihood.rule)

    def model_at_centre(self, vector: np.ndarray) -> OrderedModel:
        """The complete model, slopes of networks being those at the middle of the data."""
        return self.model(vector, self.scaling.location[None])

    @double_precision
    def standard_errors(self, vector: np.ndarray, covariance: np.ndarray) -> list[Reported]:
        """Standard error of each reported number, given the covariance of the free parameters."""

        def error(part: jax.Array) -> np.ndarray:
            rows = np.asarray(part).reshape(-1, part.shape[-1])
            touched = [np.flatnonzero(row != 0) for row in rows]  # what a number does not depend on may be unknown
            variance = [
                row[own] @ covariance[np.ix_(own, own)] @ row[own] for row, own in zip(rows, touched, strict=True)
            ]
            spread = np.array(variance, float).reshape(part.shape[:-1])
            return np.sqrt(np.where(spread > 0, spread, np.nan))

        jacobian = self._computed(vector)[1]
        return [Reported(*(error(part) for part in level)) for level in jacobian]  # type: ignore[arg-type]

    @double_precision
    def of_draws(self, vectors: np.ndarray) -> list[Reported]:
        """The numbers of each level for many vectors (draws, parameters), each with a leading axis of draws."""
        every = _reported_of_many(
            self.specification, self.alpha, np.asarray(vectors, float), self.scaling.location, self.scaling.scale
        )
        return [Reported(*(np.asarray(part) for part in level)) for level in every]  # type: ignore[arg-type]

    def _computed(self, vector: np.ndarray) -> tuple[list[Reported], list[Reported]]:
        return _reported_and_jacobian(
            self.specification,
            self.alpha,
            np.asarray(vector, float),
            self.scaling.location,
            self.scaling.scale,
        )


@partial(jax.jit, static_argnums=(0, 1))
def _reported_and_jacobian(
    specification: Specification, alpha: Asked, vector: jax.Array, location: Any, scale: Any
) -> tuple[list[Reported], list[Reported]]:
    def reported(own: jax.Array) -> list[Reported]:
        return _reported(specification, alpha, own, location, scale)

    return reported(vector), jax.jacfwd(reported)(vector)


@partial(jax.jit, static_argnums=(0, 1))
def _reported_of_many(
    specification: Specification, alpha: Asked, vectors: jax.Array, location: Any, scale: Any
) -> list[Reported]:
    return jax.vmap(lambda own: _reported(specification, alpha, own, location, scale))(vectors)


def _reported(
    specification: Specification, asked: Asked, vector: jax.Array, location: Any, scale: Any
) -> list[Reported]:
    numbers = specification.unpack(vector)
    levels = []
    for level, reward in enumerate(specification.rewards):
        parameters = reward.in_units(numbers.rewards[level], location, scale)
        epsilon, alpha = numbers.epsilon[level], numbers.alpha[level]
        own = reward.weights(parameters)
        weights = jnp.zeros(0) if own is None else own
        if reward.free_scale:
            total = jnp.sum(jnp.abs(weights))
            given = asked[level]
            alpha = jnp.asarray(given) if given is not None else jnp.where(total > 0, total, 1.0)
            parameters, weights = reward.multiplied(parameters, 1 / alpha), weights / alpha
            epsilon = epsilon / alpha
        thresholds = epsilon / jnp.abs(jnp.where(weights == 0, jnp.nan, weights))
        levels.append(Reported(parameters, epsilon, alpha, thresholds))
    return levels
