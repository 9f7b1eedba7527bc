"""Gradients of policies: which way do an actor and its critic go, given what came of some episodes?

Proximal policy optimisation (Schulman et al. 2017): the chance of what turned out better than the critic expected
rises, by no more than a fifth in an update; the critic moves to what came.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from lori.policies.observing import Observing
from lori.policies.policy import layers

CLIP = 0.2  # of the ratio of chances, beyond which a step is not followed further
PASSES = 6  # over the episodes of an update
LOOK = 0.95  # λ of the advantages' weighted look-ahead (Schulman et al. 2016)


class Learned(NamedTuple):
    """What training moves: networks, and what the optimiser remembers."""

    actor: Any
    spread: Any  # log standard deviations of amounts
    critic: Any


def advantages(gains: np.ndarray, values: np.ndarray, alive: np.ndarray, discount: float) -> np.ndarray:
    """(steps, episodes, levels): how much better than expected each action turned out, looking ahead by `LOOK`."""
    steps = len(gains)
    follows = np.concatenate([alive[1:], np.zeros_like(alive[:1])])[..., None]
    after = np.concatenate([values[1:], np.zeros_like(values[:1])]) * follows
    surprise = gains + discount * after - values
    ahead = np.zeros_like(surprise)
    for t in range(steps - 1, -1, -1):
        later = ahead[t + 1] if t + 1 < steps else 0.0
        ahead[t] = surprise[t] + discount * LOOK * later * follows[t]
    return ahead


def padded(*parts: np.ndarray) -> tuple[np.ndarray, ...]:
    """To a power of two rows, so that code is compiled for few shapes; the last part, the weights, is zero there."""
    room = 1 << max(9, (len(parts[0]) - 1).bit_length())
    return tuple(np.pad(part, [(0, room - len(part)), *[(0, 0)] * (part.ndim - 1)]) for part in parts)


@jax.jit
def climbed(
    form: Observing, learned: Learned, memory: Any, batch: tuple[Any, ...], rate: Any, entropy: Any
) -> tuple[Learned, Any]:
    """The networks after some passes over a batch: what was seen, done, how much better than expected that was, what
    came of it for each level, and which rows count."""
    inputs, chosen, advantage, target, weight = batch
    total = weight.sum()

    def chances(own: Learned) -> tuple[jax.Array, jax.Array]:
        policy = replace(form, parameters=own.actor, spread=own.spread)
        return policy.log_chance(policy.outputs(inputs), chosen)

    before = chances(learned)[0]

    def lost(own: Learned) -> jax.Array:
        logs, variety = chances(own)
        ratio = jnp.exp(logs - before)
        climbed = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * advantage)
        hidden = form.hidden
        missed = (layers(own.critic, inputs, hidden, target.shape[1]) - target) ** 2
        each = -climbed - entropy * variety + 0.5 * missed.sum(axis=1)
        return jnp.sum(weight * each) / total

    optimiser = optax.adam(rate)

    def one(_: Any, both: tuple[Learned, Any]) -> tuple[Learned, Any]:
        own, kept = both
        change, kept = optimiser.update(jax.grad(lost)(own), kept)
        return optax.apply_updates(own, change), kept

    return jax.lax.fori_loop(0, PASSES, one, (learned, memory))
