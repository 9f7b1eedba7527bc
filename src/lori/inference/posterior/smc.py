"""Sequential Monte Carlo: draws from a posterior with several modes, and its evidence.

Particles start as draws from the prior. Step by step the likelihood is let in, as much at a time as leaves three
quarters of them effective; between steps they are resampled and moved by random walks whose shape is that of the
particles (BlackJAX does both), reflected at the bounds. Independent populations run side by side, so that what they
disagree in is known: that is the check.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lori.errors import MissingExtra
from lori.inference.problem import Density, Problem
from lori.model.engines import jax, jnp
from lori.model.precision import double_precision
from lori.model.specification import Specification

POPULATIONS = 2
EFFECTIVE = 0.75  # share of particles that must stay effective when more of the likelihood is let in
WALK, LEAST_STEPS = 2, 12  # steps of the random walk for each parameter at each temperature, and in all
LAST = 6  # times as many steps at the end
ACCEPTED = 0.25  # share of steps that a random walk should accept
MOST = 200  # temperatures, after which something is wrong


class Population(NamedTuple):
    """What one run of the sampler gives."""

    draws: np.ndarray  # (particles, parameters)
    log_evidence: float
    temperatures: int
    accepted: float  # share of accepted steps at the end
    finished: bool


@double_precision
def sample_by_smc(problem: Problem, *, particles: int, generator: np.random.Generator) -> list[Population]:
    """Independent populations of the posterior, `particles` in all; the prior must be proper."""
    assert problem.prior is not None
    own = -(-particles // POPULATIONS)
    density, data = problem.density(own)
    starts = [problem.prior.draw(problem.specification, own, generator) for _ in range(POPULATIONS)]
    seeds = generator.integers(2**31, size=POPULATIONS)
    _tempered(density, _steps(problem.specification), jax.random.key(0), _state(starts[0]), 1.0, data)  # compiles

    @double_precision
    def run(start: np.ndarray, seed: int) -> Population:
        return _run(density, start, int(seed), data)

    with ThreadPoolExecutor(POPULATIONS) as pool:
        return list(pool.map(run, starts, seeds))


def _run(density: Density, start: np.ndarray, seed: int, data: Any) -> Population:
    key = jax.random.key(seed)
    steps, state = _steps(density.specification), _state(start)
    stretch, log_evidence, temperatures, accepted = 1.0, 0.0, 0, 0.0
    while float(state[2]) < 1 and temperatures < MOST:
        key, own = jax.random.split(key)
        state, gained, accepted = _tempered(density, steps, own, state, stretch, data)
        log_evidence += float(gained)
        stretch = _adapted(stretch, float(accepted), first=temperatures == 0)
        temperatures += 1
    finished = float(state[2]) >= 1
    for _ in range(LAST):
        key, own = jax.random.split(key)
        state, _, accepted = _tempered(density, steps, own, state, stretch, data)
        stretch = _adapted(stretch, float(accepted))
    return Population(np.asarray(state[0]), log_evidence, temperatures, float(accepted), finished)


def _steps(specification: Specification) -> int:
    return max(WALK * specification.size, LEAST_STEPS)


def _state(particles: np.ndarray) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Particles with equal weights at temperature zero, where the likelihood does not count."""
    return jnp.asarray(particles), jnp.full(len(particles), 1 / len(particles)), jnp.zeros(())


def _adapted(stretch: float, accepted: float, first: bool = False) -> float:
    """Longer steps where many are accepted; the first moves, from the prior to itself, teach little."""
    return stretch if first else float(np.clip(stretch * np.exp(2 * (accepted - ACCEPTED)), 0.05, 5.0))


@partial(jax.jit, static_argnums=(0, 1))
def _tempered(density: Density, steps: int, key: Any, state: Any, stretch: Any, data: Any) -> Any:
    """Resample, move at the present temperature, and weigh for the next."""
    kernels = _blackjax()
    lower, upper = density.specification.bounds

    def log_prior(vector: jax.Array) -> jax.Array:
        return density.log_prior(reflected(vector, lower, upper))

    def likelihood(vector: jax.Array) -> jax.Array:
        return density.log_likelihood(reflected(vector, lower, upper), data)

    walk = kernels.random_walk.build_additive_step()

    def move(key: Any, walker: Any, log_density: Any, factor: jax.Array) -> Any:
        return walk(key, walker, log_density, kernels.random_walk.normal(factor))

    kernel = kernels.adaptive_tempered.build_kernel(
        log_prior, likelihood, move, kernels.random_walk.init, kernels.resampling.systematic, EFFECTIVE
    )
    particles, weights, temperature = state
    size = density.specification.size
    centred = particles - weights @ particles
    covariance = (centred * weights[:, None]).T @ centred
    covariance += 1e-9 * jnp.diag(jnp.diag(covariance)) + 1e-14 * jnp.eye(size)
    factor = stretch * 2.38 / jnp.sqrt(size) * jnp.linalg.cholesky(covariance)
    smc_state = kernels.tempered.TemperedSMCState(particles, weights, temperature)
    new, info = kernel(key, smc_state, steps, {"factor": factor[None]})
    moved = reflected(new.particles, lower, upper)
    return (
        (moved, new.weights, new.tempering_param),
        info.log_likelihood_increment,
        info.update_info.acceptance_rate.mean(),
    )


def reflected(vector: jax.Array, lower: np.ndarray, upper: np.ndarray) -> jax.Array:
    """A vector that crossed its bounds, mirrored back; a symmetric move stays symmetric."""
    up = jnp.where(np.isfinite(lower), jnp.abs(vector - np.where(np.isfinite(lower), lower, 0.0)) + lower, vector)
    down = jnp.where(np.isfinite(upper), upper - jnp.abs(np.where(np.isfinite(upper), upper, 0.0) - up), up)
    return jnp.clip(down, lower, upper)


class _Kernels(NamedTuple):
    adaptive_tempered: Any
    tempered: Any
    resampling: Any
    random_walk: Any


def _blackjax() -> _Kernels:
    try:
        from blackjax.mcmc import random_walk
        from blackjax.smc import adaptive_tempered, resampling, tempered
    except ImportError:
        raise MissingExtra("blackjax", "bayes") from None
    return _Kernels(adaptive_tempered, tempered, resampling, random_walk)
