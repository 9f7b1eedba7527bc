"""Occupation measures on the cancer grid: what do they gain where whole trajectories are compared?

The mean of a trajectory's states is linear in how often each cell is visited. So backward induction with the reward w·x
of each state x, one direction w after the other, gives the corners of what means can be had on the grid. The plan "on
average" is the first corner that reaches the cap of the first level: the smallest tumour among those, as a chain of two
linear programmes has it but for a mixture of two neighbours. Being preferred is not linear in the means, as single
trajectories vary around them: the best corner tells what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.experiments.bench.contest import Measured, Row
from lori.policies.comparison import how_often_preferred
from lori.policies.mdp import FactoredMDP
from lori.policies.policy import Policy, policy_kind
from lori.policies.rollouts import roll_out
from lori.policies.simulator import View


@policy_kind
@dataclass(frozen=True, eq=False)
class Scheduled(Policy):
    """An action for each step and each cell of a grid."""

    table: np.ndarray  # (steps, *cells, actions)
    lower: np.ndarray  # (features,) the centre of the first cell
    upper: np.ndarray
    actions: tuple[str, ...]
    kind: ClassVar[str] = "scheduled"

    def probabilities(self, view: View) -> jax.Array:
        table, lower, upper = (jnp.asarray(part) for part in (self.table, self.lower, self.upper))
        last = jnp.array(table.shape[1:-1]) - 1
        cell = jnp.clip(jnp.round((view.state - lower) / (upper - lower) * last), 0, last).astype(int)
        return table[(jnp.round(view.done * len(table)).astype(int), *cell)]


@dataclass(frozen=True)
class OccupationSettings:
    """How fine, and how often."""

    cells: int = 100
    """Of each feature."""
    directions: int = 25
    """Of the reward, from nearly the tumour alone to nearly white blood cells alone."""
    followed: int = 4_000
    """Trajectories of each policy."""
    seed: int = 100
    """Of the trajectories that judge; directions are chosen on others, from 1000 on."""


SMOKE = OccupationSettings(cells=10, directions=3, followed=50)


def measure(settings: OccupationSettings) -> Measured:
    simulator, model, mdp = Cancer(), world.true_model(), world.mdp(settings.cells)
    start = _start(simulator, mdp)
    worth = np.geomspace(0.5, 50.0, settings.directions)  # of white blood cells, in units of the tumour's volume
    corners = [corner(mdp, simulator.horizon, np.array([-1.0, each])) for each in worth]
    means = np.array([occupied(mdp, table, start) for table in corners])
    behaviour = world.behaviour_policy(cells=settings.cells)

    def preferred(table: np.ndarray, seed: int) -> tuple[float, np.ndarray]:
        policy = Scheduled(table, np.array(mdp.grid.lower), np.array(mdp.grid.upper), simulator.actions)
        ours = roll_out(simulator, policy, count=settings.followed, seed=seed)
        theirs = roll_out(simulator, behaviour, count=settings.followed, seed=seed + 1)
        return how_often_preferred(model, ours.means, theirs.means)[0], ours.means.mean(axis=0)

    enough = int(np.argmax(means[:, 1] >= world.ENOUGH)) if (means[:, 1] >= world.ENOUGH).any() else len(means) - 1
    best = int(np.argmax([preferred(table, 1000)[0] for table in corners]))
    measured = Measured()
    for name, place in (("on average: cells up to 5, then the tumour", enough), ("the best direction", best)):
        chance, seen = preferred(corners[place], settings.seed)
        note = (
            f"preferred to the clinicians in {chance:.1%}; mean tumour {seen[0]:.2f} ({means[place, 0]:.2f} by its "
            f"occupation measure), mean cells {seen[1]:.2f} ({means[place, 1]:.2f})"
        )
        measured.rows.append(Row("cancer, whole trajectories", name, note=note, measures={"preferred": chance}))
    return measured


def corner(mdp: FactoredMDP, horizon: int, weights: np.ndarray) -> np.ndarray:
    """(steps, *cells, actions): the best actions for the mean of weights @ state, by backward induction."""
    reward = mdp.grid.states @ weights
    values, tables = reward, []
    for _ in range(horizon):
        after = _expected(mdp, values)
        tables.append(np.eye(len(mdp.actions))[np.argmax(after, axis=0)])
        values = reward + after.max(axis=0)
    return np.stack(tables[::-1])


def occupied(mdp: FactoredMDP, table: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(features,): the mean state of a policy, from how often each cell is visited at each step."""
    now, total = start, np.tensordot(start, mdp.grid.states, axes=2)
    for step in table:
        after = np.zeros_like(now)
        for action in range(len(mdp.actions)):
            first, second = (factor[action] for factor in mdp.factors)
            after += first.T @ (now * step[..., action]) @ second
        now = after
        total = total + np.tensordot(now, mdp.grid.states, axes=2)
    return total / (len(table) + 1)


def _expected(mdp: FactoredMDP, values: np.ndarray) -> np.ndarray:
    """(actions, *cells) of what comes next, for two features."""
    return np.stack([mdp.factors[0][a] @ values @ mdp.factors[1][a].T for a in range(len(mdp.actions))])


def _start(simulator: Any, mdp: FactoredMDP) -> np.ndarray:
    """(*cells) where trajectories begin."""
    states = np.asarray(jax.vmap(simulator.initial)(jax.random.split(jax.random.key(1000), 20_000)))
    counts = np.zeros(mdp.grid.cells)
    np.add.at(counts, tuple(mdp.grid.cells_of(states).T), 1.0)
    return counts / counts.sum()
