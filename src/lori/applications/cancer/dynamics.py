"""Dynamics: how do tumour volume and white blood cells answer to treatment? The paper's simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

SMALLEST = 0.01  # the noise can carry the volume to zero or below, where log(1000 / z) is undefined
FIRST_VOLUME, FIRST_SPREAD, FIRST_CELLS = 30.0, 5.0, 8.0  # z ~ N(30, 5²) and w = 8 at the beginning


@dataclass(frozen=True)
class Cancer:
    """State (tumour volume z, white blood cell count w), treatment or none at each of `horizon` decisions."""

    horizon: int = 20
    noise: float = 0.5
    features: tuple[str, ...] = ("tumour", "wbc")
    actions: tuple[str, ...] = ("wait", "treat")

    def initial(self, key: jax.Array) -> jax.Array:
        volume = FIRST_VOLUME + FIRST_SPREAD * jax.random.normal(key)
        return jnp.stack([jnp.maximum(volume, SMALLEST), jnp.asarray(FIRST_CELLS)])

    def expected(self, state: Any, action: Any) -> Any:
        """The next state without noise; JAX array in, JAX array out, and the same with NumPy."""
        array = state.__array_namespace__()
        volume, cells = array.maximum(state[0], SMALLEST), state[1]
        return array.stack(
            [
                volume + 0.003 * volume * array.log(1000.0 / volume) - 0.15 * volume * action,
                cells + 1.2 - 0.15 * cells - 0.4 * cells * action,
            ]
        )

    def step(self, key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
        following = self.expected(state, action) + self.noise * jax.random.normal(key, (2,))
        return following.at[0].max(SMALLEST)
