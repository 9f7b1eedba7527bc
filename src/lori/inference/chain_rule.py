"""For rewards of any kind: how do derivatives in gaps and tolerances become derivatives in parameters?

A level's gap and tolerance depend on the level's own parameters alone. JAX differentiates them; what the
log-probability makes of gaps and tolerances is known (`lori.model.likelihoods.derivatives`).
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from lori.model.likelihoods.derivatives import Derivatives
from lori.model.specification import Specification


def seen(rows: jax.Array, weight: jax.Array) -> jax.Array:
    """Rows (the last axis) times their weight; a row of weight zero is padding, whatever its value."""
    return jnp.where(weight > 0, rows, 0.0) * weight


def evaluated(
    specification: Specification, order: int, rows: Derivatives, starts, location, scale, pairs, weight
) -> tuple[jax.Array, ...]:
    """Value, gradient and curvature of the negative log-likelihood for each start, summed over the rows of a block."""
    value = -seen(rows.value, weight).sum(axis=-1)
    if order == 0:
        return (value,)
    if specification.linear:
        pairs = pairs.T
    levels = [_Level(specification, place, location, scale, pairs) for place in range(specification.levels)]
    owns = [starts[:, level.slots] for level in levels]
    slopes = [-jnp.stack([seen(part, weight) for part in both], axis=1) for both in rows.gradient]
    back = np.argsort(np.concatenate([level.slots for level in levels]))  # from level by level to the vector's order
    by_level = [jax.vmap(jax.grad(level.linearised))(*both) for level, *both in zip(levels, owns, slopes, strict=True)]
    gradient = jnp.concatenate(by_level, axis=1)[:, back]
    if order == 1:
        return value, gradient
    jacobians = [jax.vmap(jax.jacfwd(level.scaled))(own) for level, own in zip(levels, owns, strict=True)]
    blocks: dict[tuple[int, int], jax.Array] = {}
    for (i, j), second in rows.curvature.items():
        inner = -jnp.stack([seen(part, weight) for part in second], axis=1).reshape(len(starts), 2, 2, -1)
        block = jnp.einsum("szrp,szyr,syrq->spq", jacobians[i], inner, jacobians[j])
        if i == j and not levels[i].flat:
            block += jax.vmap(jax.hessian(levels[i].linearised))(owns[i], slopes[i])
        blocks[j, i], blocks[i, j] = jnp.swapaxes(block, 1, 2), block
    places = range(len(levels))
    curvature = jnp.concatenate([jnp.concatenate([blocks[i, j] for j in places], axis=2) for i in places], axis=1)
    return value, gradient, curvature[:, back][:, :, back]


@dataclass(frozen=True, eq=False)
class _Level:
    """One level's gaps and tolerances on some pairs, as functions of its own free parameters."""

    specification: Specification
    place: int
    location: jax.Array
    scale: jax.Array
    pairs: jax.Array

    @property
    def slots(self) -> np.ndarray:
        """Where these parameters are in the vector: those of the reward, then ε and α if they are learned."""
        rewards, own = self.specification.reward_slices[self.place], self.specification
        learned = [slots[self.place] for slots in (own.epsilon_slots, own.alpha_slots) if self.place in slots]
        return np.array([*range(rewards.start, rewards.stop), *learned], dtype=int)

    @property
    def flat(self) -> bool:
        """Whether gap and tolerance have no second derivatives."""
        return self.specification.rewards[self.place].linear and self.place not in self.specification.alpha_slots

    def scaled(self, own: jax.Array) -> jax.Array:
        """Gaps and tolerances, (2, rows)."""
        known, reward = self.specification, self.specification.rewards[self.place]
        size = reward.size(known.features)
        epsilon = own[size] if self.place in known.epsilon_slots else known.epsilon[self.place] or 0.0
        alpha = own[-1] if self.place in known.alpha_slots else known.alpha[self.place] or 1.0
        gap = alpha * known.gap(reward, reward.in_units(own[:size], self.location, self.scale), self.pairs)
        return jnp.stack([gap, jnp.full_like(gap, alpha * epsilon)])

    def linearised(self, own: jax.Array, slopes: jax.Array) -> jax.Array:
        return jnp.sum(slopes * self.scaled(own))
