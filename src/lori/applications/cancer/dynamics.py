"""How do tumour volume and white blood cells answer to treatment? The paper's pharmacodynamic simulator."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

SMALLEST = 0.01  # the noise can carry the volume to zero or below, where log(1000 / z) is undefined


@dataclass(frozen=True)
class Cancer:
    """State (tumour volume z, white blood cell count w), treatment or none at each of `horizon` decisions."""

    horizon: int = 20
    noise: float = 0.5
    features: tuple[str, ...] = ("tumour", "wbc")
    actions: tuple[str, ...] = ("wait", "treat")

    def initial(self, key: jax.Array) -> jax.Array:
        """z ~ N(30, 5²), w = 8."""
        return jnp.stack([jnp.maximum(30.0 + 5.0 * jax.random.normal(key), SMALLEST), jnp.asarray(8.0)])

    def expected(self, state: jax.Array, action: jax.Array) -> jax.Array:
        """The next state without noise."""
        volume, cells = jnp.maximum(state[0], SMALLEST), state[1]
        return jnp.stack(
            [
                volume + 0.003 * volume * jnp.log(1000.0 / volume) - 0.15 * volume * action,
                cells + 1.2 - 0.15 * cells - 0.4 * cells * action,
            ]
        )

    def step(self, key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
        following = self.expected(state, action) + self.noise * jax.random.normal(key, (2,))
        return following.at[0].max(SMALLEST)
