"""The paper's own procedure: RMSprop from one start, for comparison (algorithms 1 and 2).

Weights with a known sign and thresholds are exponentials of free numbers that start near 0; the learning rate is
0.001, the discount 0.9; it stops as soon as ten steps have gained nothing. As there: float32, raw features, one
start, no prior.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lori.model.likelihoods import Observations
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
    kinds = {
        kind: (jnp.asarray(rows.alternatives(), jnp.float32), jnp.asarray(rows.weight, jnp.float32))
        for kind, rows in observations.kinds.items()
        if len(rows)
    }
    optimiser = optax.rmsprop(LEARNING_RATE, decay=DISCOUNT, eps=EPSILON)

    def natural(free: jax.Array) -> jax.Array:
        return jnp.where(bounded, sign * jnp.exp(free), free)

    @jax.jit
    def descend(start: jax.Array) -> tuple[jax.Array, Any]:
        def loss(free: jax.Array) -> jax.Array:
            vector = natural(free)
            terms = [
                weight @ jax.vmap(partial(specification.log_probability, kind), (None, 0))(vector, rows)
                for kind, (rows, weight) in kinds.items()
            ]
            return -sum(terms[1:], start=terms[0])

        def going(state: Any) -> jax.Array:
            _, _, values, step = state
            now, before = values[step % (PATIENCE + 1)], values[(step + 1) % (PATIENCE + 1)]
            return (step < limit) & ((step < PATIENCE) | (now <= before))

        def advance(state: Any) -> Any:
            free, memory, values, step = state
            update, memory = optimiser.update(jax.grad(loss)(free), memory)
            free = optax.apply_updates(free, update)
            values = values.at[(step + 1) % (PATIENCE + 1)].set(loss(free))
            return free, memory, values, step + 1

        values = jnp.full(PATIENCE + 1, jnp.inf).at[0].set(loss(start))
        free, _, _, steps = jax.lax.while_loop(going, advance, (start, optimiser.init(start), values, 0))
        return natural(free), steps

    noise = 0.01 * np.random.default_rng(seed).normal(size=specification.size)
    vector, steps = descend(jnp.asarray(noise, jnp.float32))
    return PaperRun(np.asarray(vector, float), int(steps), int(steps) < limit)
