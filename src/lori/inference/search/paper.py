"""What would the paper's own procedure find? RMSprop from one start, for comparison (algorithms 1 and 2).

Weights with a known sign and thresholds are exponentials of free numbers that start near 0; the learning rate is
0.001, the discount 0.9; it stops as soon as ten steps have gained nothing. As there: float32, raw features, one
start, no prior.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lori.model.likelihoods.observations import Observations
from lori.model.specification import Specification

LEARNING_RATE, DISCOUNT, EPSILON, PATIENCE = 1e-3, 0.9, 1e-6, 10


class PaperRun(NamedTuple):
    vector: np.ndarray
    passes: int
    stopped: bool  # by its own rule rather than by the limit


def run_paper_method(
    specification: Specification, observations: Observations, *, seed: int, limit: int = 100_000
) -> PaperRun:
    """Minimise the negative log-likelihood of `observations` (in raw units) as the paper does."""
    import optax  # nobody else needs it, and importing it takes longer than a small fit

    lower, upper = specification.bounds
    positive, negative = np.isfinite(lower) & (lower >= 0), np.isfinite(upper) & (upper <= 0)
    sign = jnp.asarray(np.where(negative, -1.0, 1.0), jnp.float32)
    bounded = jnp.asarray(positive | negative)
    rows = jnp.asarray(observations.decided, jnp.float32)
    weight = jnp.asarray(observations.decided_weight, jnp.float32)
    tied = jnp.asarray(observations.tied, jnp.float32)
    tied_weight = jnp.asarray(observations.tied_weight, jnp.float32)
    optimiser = optax.rmsprop(LEARNING_RATE, decay=DISCOUNT, eps=EPSILON)

    def natural(free):
        return jnp.where(bounded, sign * jnp.exp(free), free)

    @jax.jit
    def descend(start):
        def loss(free):
            vector = natural(free)
            total = weight @ jax.vmap(specification.log_better, (None, 0))(vector, rows)
            if len(tied):
                total += tied_weight @ jax.vmap(specification.log_tie, (None, 0))(vector, tied)
            return -total

        def going(state):
            _, _, losses, step = state
            now, before = losses[step % (PATIENCE + 1)], losses[(step + 1) % (PATIENCE + 1)]
            return (step < limit) & ((step < PATIENCE) | (now <= before))

        def advance(state):
            free, memory, losses, step = state
            update, memory = optimiser.update(jax.grad(loss)(free), memory)
            free = optax.apply_updates(free, update)
            losses = losses.at[(step + 1) % (PATIENCE + 1)].set(loss(free))
            return free, memory, losses, step + 1

        losses = jnp.full(PATIENCE + 1, jnp.inf).at[0].set(loss(start))
        free, _, _, steps = jax.lax.while_loop(going, advance, (start, optimiser.init(start), losses, 0))
        return natural(free), steps

    noise = 0.01 * np.random.default_rng(seed).normal(size=specification.size)
    vector, steps = descend(jnp.asarray(noise, jnp.float32))
    return PaperRun(np.asarray(vector, float), int(steps), int(steps) < limit)
