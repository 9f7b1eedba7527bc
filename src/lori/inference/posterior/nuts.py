"""NUTS: the No-U-Turn sampler of BlackJAX, for a posterior with a single mode, started there."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lori.errors import MissingExtra
from lori.inference.problem import Density, Problem
from lori.model.engines import jax, jnp
from lori.model.precision import double_precision

CHAINS = 4
WARM_UP = 500


class Chains(NamedTuple):
    """What the chains give."""

    draws: np.ndarray  # (chains, draws, parameters)
    divergences: int


@double_precision
def sample_by_nuts(problem: Problem, start: np.ndarray, *, draws: int, generator: np.random.Generator) -> Chains:
    """Chains that begin near `start`, the mode, `draws` in all."""
    density, data = problem.density(CHAINS)
    lower, upper = problem.specification.bounds
    inside = np.clip(start, lower + 0.05, upper - 0.05)
    starts = _freed(inside, lower, upper) + 0.05 * generator.normal(size=(CHAINS, len(start)))
    keys = jax.random.split(jax.random.key(int(generator.integers(2**31))), CHAINS)
    kept, divergent = _run(density, -(-draws // CHAINS), keys, starts, data)
    return Chains(np.asarray(kept), int(divergent))


@partial(jax.jit, static_argnums=(0, 1))
def _run(density: Density, draws: int, keys: Any, starts: Any, data: Any) -> tuple[jax.Array, jax.Array]:
    blackjax = _blackjax()
    lower, upper = density.specification.bounds

    def log_density(free: jax.Array) -> jax.Array:
        vector = _bound(free, lower, upper)
        stretched = _log_stretch(free, lower, upper)
        return density.log_likelihood(vector, data) + density.log_prior(vector) + stretched

    def chain(key: Any, start: jax.Array) -> tuple[Any, jax.Array]:
        warm, run = jax.random.split(key)
        adaptation = blackjax.window_adaptation(blackjax.nuts, log_density)
        (state, parameters), _ = adaptation.run(warm, start, num_steps=WARM_UP)
        kernel = blackjax.nuts(log_density, **parameters).step

        def step(state: Any, key: Any) -> tuple[Any, Any]:
            state, info = kernel(key, state)
            return state, (state.position, info.is_divergent)

        _, (positions, divergent) = jax.lax.scan(step, state, jax.random.split(run, draws))
        return _bound(positions, lower, upper), divergent.sum()

    kept, divergent = jax.lax.map(lambda both: chain(*both), (keys, starts))
    return kept, divergent.sum()


# Bounds are taken away by logarithms; a parameter with two of them has a logistic instead.


def _sides(lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, ...]:
    below, above = np.isfinite(lower), np.isfinite(upper)
    return below & ~above, above & ~below, below & above


def _bound(free: Any, lower: np.ndarray, upper: np.ndarray) -> Any:
    """The vector within its bounds, from one without."""
    below, above, both = _sides(lower, upper)
    width = np.where(both, upper - lower, 1.0)
    vector = jnp.where(below, np.where(below, lower, 0.0) + jnp.exp(jnp.where(below, free, 0.0)), free)
    vector = jnp.where(above, np.where(above, upper, 0.0) - jnp.exp(jnp.where(above, free, 0.0)), vector)
    return jnp.where(both, np.where(both, lower, 0.0) + width * jax.nn.sigmoid(free), vector)


def _freed(vector: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The inverse of `_bound`."""
    below, above, both = _sides(lower, upper)
    free = np.where(below, np.log(np.where(below, vector - lower, 1.0)), vector)
    free = np.where(above, np.log(np.where(above, upper - vector, 1.0)), free)
    share = np.where(both, (vector - lower) / np.where(both, upper - lower, 1.0), 0.5)
    return np.where(both, np.log(share / (1 - share)), free)


def _log_stretch(free: jax.Array, lower: np.ndarray, upper: np.ndarray) -> jax.Array:
    """log |∂ vector / ∂ free|, up to a constant."""
    below, above, both = _sides(lower, upper)
    logistic = jax.nn.log_sigmoid(free) + jax.nn.log_sigmoid(-free)
    return jnp.sum(jnp.where(below | above, free, 0.0) + jnp.where(both, logistic, 0.0))


def _blackjax() -> Any:
    try:
        import blackjax
    except ImportError:
        raise MissingExtra("blackjax", "bayes") from None
    return blackjax
