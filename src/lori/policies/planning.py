"""Planning: which action is best in each cell, when the first reward counts first? Lexicographic value iteration.

Gábor, Kalmár and Szepesvári (1998): on each level, values beyond a cap do not count, so that the next level
decides among all actions that reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from lori.errors import InputError, whole
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.policies.finite.lexicographic import LexicographicPlan
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.finite.models import plan_for_model
from lori.policies.mdp import FactoredMDP, Grid
from lori.policies.policy import Tabular

TIE = 1e-9  # action values within this relative difference are tied: rounding must not decide


@dataclass(frozen=True, eq=False)
class Plan:
    """What the best actions are worth, and the policy that takes them."""

    values: np.ndarray  # (levels, *cells)
    action_values: np.ndarray  # (levels, actions, *cells)
    policy: Tabular
    notes: tuple[str, ...] = ()  # what to know about the plan, in plain sentences


@double_precision
def plan(
    mdp: FactoredMDP,
    rewards: ArrayLike,
    caps: Sequence[float | None] | None = None,
    discount: float = 0.95,
    sweeps: int = 100,
) -> Plan:
    """The lexicographically best policy for rewards (levels, *cells) in priority order.

    A cap is in the units of a reward per step: keeping it up for ever is enough (None: more is always better).
    """
    checked = np.asarray(rewards, float)
    if checked.shape[1:] != mdp.grid.cells or not len(checked):
        raise InputError(
            "rewards", expected=f"the shape (levels, {', '.join(map(str, mdp.grid.cells))})", got=str(checked.shape),
            fix="give one reward for each level and cell",
        )  # fmt: skip
    if not np.all(np.isfinite(checked)):
        raise InputError("rewards", expected="finite numbers", got="NaN or infinity", fix="use a large penalty instead")
    if not 0 <= discount < 1:
        raise InputError("discount", expected="a number from 0 to below 1", got=str(discount), fix="use 0.95")
    ceilings = _checked_caps(caps, len(checked)) / (1 - discount)
    action_values, values, tied = _planned(mdp, checked, ceilings, discount, whole("sweeps", sweeps, 1))
    table = np.eye(len(mdp.actions))[np.argmax(tied, axis=0)]
    policy = Tabular(table, np.array(mdp.grid.lower), np.array(mdp.grid.upper), mdp.actions)
    notes = tuple(
        f"Level {place} never decides: its cap lies below every reward."
        for place, (reward, cap) in enumerate(zip(checked, ceilings * (1 - discount), strict=True), start=1)
        if cap <= reward.min()
    )
    return Plan(np.asarray(values), np.asarray(action_values), policy, notes)


@overload
def plan_for(model: OrderedModel, mdp: FactoredMDP, discount: float = 0.95, sweeps: int = 100) -> Plan: ...
@overload
def plan_for(
    model: OrderedModel, mdp: FiniteMDP, discount: float = 0.95, sweeps: int = 100, **options: Any
) -> LexicographicPlan: ...
def plan_for(
    model: OrderedModel, mdp: FactoredMDP | FiniteMDP, discount: float = 0.95, sweeps: int = 100, **options: Any
) -> Plan | LexicographicPlan:
    """The best policy for the rewards of a model, read as rewards per step: a cap binds the sum, not each step.

    In a `FiniteMDP` the plan is one of `plan_lexicographic`, whose `horizon` and `reading` are further options, and a
    level's threshold is its slack. On a grid:

    Thresholds do not enter: a first level that hardly ever decides a comparison is put first all the same. So plan for
    levels that the data support (`LORI.supported`); `lori.prefer` plans with the whole model.
    """
    if isinstance(mdp, FiniteMDP):
        return plan_for_model(model, mdp, discount=discount, **options)
    if model.features != mdp.grid.features:
        raise InputError(
            "model", expected=f"one of the features {', '.join(mdp.grid.features)}, as the grid has them",
            got=", ".join(model.features), fix="use the model and the grid of the same world",
        )  # fmt: skip
    rewards, caps = [], []
    for level in model.levels:
        reward = _per_step(level, mdp.grid)
        zero = reward.min()  # preferences do not know where zero is, the backup does: values must not be negative
        rewards.append(reward - zero)
        caps.append(None if level.cap is None else max(level.cap - zero, 0.0))
    return plan(mdp, np.stack(rewards), caps, discount, sweeps)


@partial(jax.jit, static_argnames="sweeps")
def _planned(
    mdp: FactoredMDP, rewards: jax.Array, ceilings: jax.Array, discount: float, sweeps: int
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Action values, values and best actions after `sweeps` backups of all levels together.

    Q_i = min(c_i, R_i + min(c_i, γ E[V_i])), c_i = cap_i / (1 − γ); V_i is that of the lexicographically greatest Q.
    """
    ceiling = ceilings.reshape(-1, *[1] * (1 + len(mdp.grid.cells)))

    def backup(values: jax.Array) -> jax.Array:
        future = discount * jnp.swapaxes(mdp.expected(jnp.moveaxis(values, 0, -1)), 0, 1)
        return jnp.minimum(ceiling, rewards[:, None] + jnp.minimum(ceiling, future))

    before = jax.lax.fori_loop(0, sweeps - 1, lambda _, values: _greatest(backup(values))[0], jnp.zeros_like(rewards))
    action_values = backup(before)
    return action_values, *_greatest(action_values)


def _greatest(action_values: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The values (levels, *cells) of the lexicographically greatest actions, and which actions (actions, *cells)
    these are: on each level the best of those that are tied so far."""
    tied = jnp.ones(action_values.shape[1:], bool)
    values = []
    for level in action_values:
        best = jnp.max(jnp.where(tied, level, -jnp.inf), axis=0)
        tied &= level >= best - TIE * jnp.abs(best)
        values.append(best)
    return jnp.stack(values), tied


@double_precision
def _per_step(level: Level, grid: Grid) -> np.ndarray:
    """The reward of each cell on a level; of a capped one, what is summed up before the cap."""
    weights = level.reward.weights(level.parameters)
    if weights is not None:
        return grid.states @ weights
    flat = jnp.asarray(grid.states.reshape(-1, len(grid.features)))
    return np.asarray(jax.vmap(level.reward, (None, 0))(jnp.asarray(level.parameters), flat)).reshape(grid.cells)


def _checked_caps(caps: Sequence[float | None] | None, levels: int) -> np.ndarray:
    given = [np.inf if cap is None else float(cap) for cap in (caps if caps is not None else [None] * levels)]
    if len(given) != levels or np.isnan(given).any():
        raise InputError(
            "caps", expected=f"a number or None for each of {levels} levels", got=str(list(caps or [])),
            fix="use None where more is always better",
        )  # fmt: skip
    return np.array(given)
