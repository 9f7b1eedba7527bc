"""Rollouts: what happens when a policy is followed? Many trajectories at once, and the decisions in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from lori.data.trajectories import Trajectories
from lori.data.validation import as_numbers
from lori.errors import DataError, InputError
from lori.model.precision import double_precision
from lori.policies.policy import Policy
from lori.policies.simulator import Simulator, View


@dataclass(frozen=True, eq=False)
class Rollouts:
    """Trajectories of equal length and the actions that led to them."""

    states: np.ndarray  # (count, horizon + 1, features)
    actions: np.ndarray  # (count, horizon) int
    features: tuple[str, ...]

    @property
    def means(self) -> np.ndarray:
        """(count, features): each trajectory as one alternative."""
        return self.states.mean(axis=1)

    def trajectories(self) -> Trajectories:
        return Trajectories.from_arrays(list(self.states), features=self.features)

    def decisions(self, actions: int) -> tuple[np.ndarray, np.ndarray]:
        """The states (decisions, features) in which something was decided, and what (decisions,), checked.

        The last state of each trajectory has no decision after it.
        """
        states, chosen = as_numbers(self.states, "states"), as_numbers(self.actions, "actions")
        count, horizon = chosen.shape if chosen.ndim == 2 else (0, 0)
        if chosen.ndim != 2 or states.shape != (count, horizon + 1, len(self.features)):
            raise DataError(
                "demonstrations",
                expected="states (trajectories, decisions + 1, features) and actions (trajectories, decisions)",
                got=f"arrays of shape {states.shape} and {chosen.shape}", fix="pass what roll_out returns",
            )  # fmt: skip
        if chosen.size == 0:
            raise DataError(
                "demonstrations", expected="at least one decision",
                got=f"{count} trajectories of {horizon} decisions", fix="record longer or more trajectories",
            )  # fmt: skip
        if not np.all(np.isfinite(states)):
            raise DataError(
                "states", expected="finite numbers", got="NaN or infinity", fix="remove or mend those trajectories"
            )
        if not np.all(np.isin(chosen, np.arange(actions))):
            raise DataError(
                "actions", expected=f"whole numbers from 0 to {actions - 1}", got="others",
                fix="number the actions as the simulator does",
            )  # fmt: skip
        return states[:, :-1].reshape(-1, states.shape[2]), chosen.astype(int).ravel()


@double_precision
def roll_out(simulator: Simulator, policy: Policy, *, count: int = 1000, seed: int = 0) -> Rollouts:
    """Follow `policy` in `simulator` for `count` trajectories."""
    if policy.actions != simulator.actions:
        raise InputError(
            "policy", expected=f"a policy for the actions {', '.join(simulator.actions)}",
            got=f"one for {', '.join(policy.actions)}", fix="use a policy that was made for this simulator",
        )  # fmt: skip
    states, actions = _followed(simulator, policy, jax.random.split(jax.random.key(seed), count))
    if not bool(jnp.all(jnp.isfinite(states))):
        raise InputError(
            "simulator", expected="finite states", got="NaN or infinity after some step",
            fix="keep what the simulator computes within its valid range",
        )  # fmt: skip
    return Rollouts(np.asarray(states), np.asarray(actions), simulator.features)


@partial(jax.jit, static_argnums=0)
def _followed(simulator: Simulator, policy: Policy, keys: jax.Array) -> tuple[jax.Array, jax.Array]:
    return jax.vmap(partial(trajectory, simulator, policy))(keys)


def trajectory(simulator: Simulator, policy: Policy, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The states (horizon + 1, features) and actions (horizon,) of one trajectory."""
    horizon = simulator.horizon

    def decide(carried, step):
        state, total = carried
        choosing, moving = jax.random.split(jax.random.fold_in(rest, step))
        chances = policy.probabilities(View(state, total / (step + 1), step / horizon))
        action = jnp.sum(jax.random.uniform(choosing) >= jnp.cumsum(chances)[:-1])
        following = simulator.step(moving, state, action)
        return (following, total + following), (following, action)

    first, rest = jax.random.split(key)
    start = simulator.initial(first)
    _, (states, actions) = jax.lax.scan(decide, (start, start), jnp.arange(horizon))
    return jnp.concatenate([start[None], states]), actions
