"""How does a policy weigh the state, the past and the time left? A small network that scores each action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from lori.policies.policy import Policy, policy_kind
from lori.policies.simulator import View


@policy_kind
@dataclass(frozen=True, eq=False)
class Scored(Policy):
    """Take the action with the highest score; scores are linear in what is seen and in a layer of tanh units."""

    centre: np.ndarray  # (inputs,) of what is usually seen
    spread: np.ndarray  # (inputs,)
    hidden: np.ndarray  # (inputs + 1, units) the last row is the bias
    output: np.ndarray  # (inputs + units + 1, actions) the last row is the bias
    actions: tuple[str, ...]
    kind: ClassVar[str] = "scored"

    def scores(self, seen: jax.Array) -> jax.Array:
        """A number for each action, shape (actions,), given the `inputs` of a view."""
        scaled = (seen - self.centre) / self.spread
        units = jnp.tanh(scaled @ self.hidden[:-1] + self.hidden[-1])
        return jnp.concatenate([scaled, units]) @ self.output[:-1] + self.output[-1]

    def probabilities(self, view: View) -> jax.Array:
        return jax.nn.one_hot(jnp.argmax(self.scores(inputs(view))), len(self.actions))


def inputs(view: View) -> jax.Array:
    """The state, what the states so far contribute to the mean of a whole trajectory, and the time."""
    done = jnp.asarray(view.done)
    return jnp.concatenate([view.state, done * view.mean, done[None]])


def untrained(states: np.ndarray, actions: tuple[str, ...], units: int, seed: int) -> Scored:
    """Equal scores for all actions; inputs are scaled by the trajectories (count, horizon + 1, features)."""
    steps = np.arange(states.shape[1] - 1)
    done = np.broadcast_to(steps / len(steps), (len(states), len(steps)))[..., None]
    means = np.cumsum(states, axis=1)[:, :-1] / (steps + 1)[:, None]
    seen = np.concatenate([states[:, :-1], done * means, done], axis=-1).reshape(-1, 2 * states.shape[-1] + 1)
    deviation, size = seen.std(axis=0), seen.shape[1]
    return Scored(
        centre=seen.mean(axis=0),
        spread=np.where(deviation > 0, deviation, 1.0),  # what never varies tells nothing
        hidden=np.random.default_rng(seed).normal(size=(size + 1, units)) / np.sqrt(size),
        output=np.zeros((size + units + 1, len(actions))),
        actions=actions,
    )
