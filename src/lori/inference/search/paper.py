"""The paper's own procedure: RMSprop from one start, for comparison (algorithms 1 and 2).

Weights with a known sign and thresholds are exponentials of free numbers that start at 0; the learning rate is 0.001,
the discount 0.9; it stops as soon as ten steps have gained nothing. As there: float32, raw features, one start, no
prior. The authors' public scripts differ in the start, the stop and a limit: `SCRIPTED`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lori.model.engines import jax, jnp
from lori.model.likelihoods import Observations
from lori.model.specification import Specification

LEARNING_RATE, DISCOUNT, EPSILON = 1e-3, 0.9, 1e-6


@dataclass(frozen=True)
class Procedure:
    """What the printed algorithms and the public scripts do differently."""

    start: float = 0.0  # deviation of the free numbers around 0 at the beginning
    apart: int = 10  # steps between the two values of the likelihood that the stopping rule compares
    gain: float = 0.0  # it stops when the later one is not better by so much
    limit: int = 100_000  # passes; the paper prints none


PRINTED = Procedure()
SCRIPTED = Procedure(start=0.001, apart=9, gain=1e-6, limit=25_000)


class PaperRun(NamedTuple):
    vector: np.ndarray
    passes: int
    stopped: bool  # by its own rule rather than by the limit


def run_paper_method(
    specification: Specification,
    observations: Observations,
    *,
    seed: int = 0,
    procedure: Procedure = PRINTED,
    limit: int | None = None,
) -> PaperRun:
    """Minimise the negative log-likelihood of `observations` (in raw units) as the paper does, or its scripts.

    `limit` is another one than the procedure's own.
    """
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
    kept, most = procedure.apart + 1, procedure.limit if limit is None else limit

    def natural(free: jax.Array) -> jax.Array:
        return jnp.where(bounded, sign * jnp.exp(free), free)

    @jax.jit
    def descend(start: jax.Array) -> tuple[jax.Array, Any]:
        @jax.value_and_grad
        def loss_and_slope(free: jax.Array) -> jax.Array:
            vector = natural(free)
            terms = [
                weight @ jax.vmap(partial(specification.log_probability, kind), (None, 0))(vector, rows)
                for kind, (rows, weight) in kinds.items()
            ]
            return -sum(terms[1:], start=terms[0])

        def going(state: Any) -> jax.Array:
            *_, values, step = state
            now, before = values[step % kept], values[(step + 1) % kept]
            return (step < most) & ((step < procedure.apart) | (now <= before - procedure.gain))

        def advance(state: Any) -> Any:
            free, slope, memory, values, step = state
            update, memory = optimiser.update(slope, memory)
            free = optax.apply_updates(free, update)
            loss, slope = loss_and_slope(free)
            return free, slope, memory, values.at[(step + 1) % kept].set(loss), step + 1

        loss, slope = loss_and_slope(start)
        values = jnp.full(kept, jnp.inf).at[0].set(loss)
        free, *_, steps = jax.lax.while_loop(going, advance, (start, slope, optimiser.init(start), values, 0))
        return natural(free), steps

    noise = procedure.start * np.random.default_rng(seed).normal(size=specification.size)
    vector, steps = descend(jnp.asarray(noise, jnp.float32))
    return PaperRun(np.asarray(vector, float), int(steps), int(steps) < most)
