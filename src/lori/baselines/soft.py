"""Soft policies on factored MDPs: what does somebody do who follows a reward for some steps, but not strictly?

The reward of a trajectory is the sum over its states and actions. Soft values V_t = log Σ_a exp(r(s, a) +
E[V_{t+1}]), from V_τ(s) = r(s) at the last state, make actions as random as that allows: with probability exp(Q − V).
Where moves are certain, a trajectory then has probability exp(reward) / Z, and log Z is the value of its start.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from lori.data.validation import as_numbers
from lori.errors import DataError, InputError
from lori.estimators.contract import Estimator, not_fitted
from lori.policies.mdp import FactoredMDP
from lori.policies.rollouts import Rollouts

Own = TypeVar("Own", bound="DemonstrationLearner")


class Demonstrations(NamedTuple):
    """Trajectories as cells and actions."""

    cells: np.ndarray  # (trajectories, horizon + 1, features) int
    actions: np.ndarray  # (trajectories, horizon)

    @classmethod
    def of(cls, rollouts: Rollouts, mdp: FactoredMDP) -> Demonstrations:
        """Checked, and in the world that `mdp` describes."""
        if not isinstance(rollouts, Rollouts) or not isinstance(mdp, FactoredMDP):
            raise DataError(
                "demonstrations", expected="Rollouts and the FactoredMDP they come from",
                got=f"{type(rollouts).__name__} and {type(mdp).__name__}", fix="call fit(rollouts, mdp)",
            )  # fmt: skip
        if rollouts.features != mdp.grid.features:
            raise InputError(
                "mdp", expected=f"the features of the demonstrations, {', '.join(rollouts.features)}",
                got=", ".join(mdp.grid.features), fix="use the MDP of the world they come from",
            )  # fmt: skip
        rollouts.decisions(len(mdp.actions))
        return cls(mdp.grid.cells_of(np.asarray(rollouts.states, float)), np.asarray(rollouts.actions).astype(int))

    @property
    def horizon(self) -> int:
        return self.actions.shape[1]

    def start(self, mdp: FactoredMDP) -> np.ndarray:
        """(*cells,) how often trajectories begin in each cell."""
        mass = np.zeros(mdp.grid.cells)
        np.add.at(mass, tuple(self.cells[:, 0].T), 1 / len(self.cells))
        return mass


class DemonstrationLearner(Estimator):
    """A method that learns from demonstrations in a world that is known: `fit(rollouts, mdp)`."""

    mdp_: FactoredMDP

    def fit(self: Own, rollouts: Rollouts, mdp: FactoredMDP) -> Own:
        """Learn from demonstrations in the world that `mdp` describes."""
        given = Demonstrations.of(rollouts, mdp)
        self._learn(given, mdp)
        self.mdp_, self.features_, self.horizon_ = mdp, mdp.grid.features, given.horizon
        return self

    def _learn(self, given: Demonstrations, mdp: FactoredMDP) -> None:
        raise NotImplementedError

    def _fitted(self) -> FactoredMDP:
        if not hasattr(self, "mdp_"):
            raise not_fitted(type(self).__name__)
        return self.mdp_

    def _histories(self, left: Any, right: Any) -> tuple[np.ndarray, np.ndarray]:
        """Cells (pairs, steps, features) of two arrays of trajectories, which are compared pair by pair."""
        grid = self._fitted().grid
        sides = as_numbers(left, "left"), as_numbers(right, "right")
        for name, side in zip(("left", "right"), sides, strict=True):
            known = side.ndim == 3 and side.shape == sides[0].shape and side.shape[2] == len(grid.features)
            if not known or not np.all(np.isfinite(side)):
                raise DataError(
                    name, expected=f"finite states (trajectories, steps, {len(grid.features)} features) like left",
                    got=f"an array of shape {side.shape}", fix="pass the states of whole trajectories",
                )  # fmt: skip
        one, other = (grid.cells_of(side) for side in sides)
        return one, other


def expected(mdp: FactoredMDP, values: np.ndarray) -> np.ndarray:
    """(actions, *cells) E[values in the next cell], as `FactoredMDP.expected`, with NumPy."""
    after = []
    for action in range(len(mdp.actions)):
        result = values
        for factor in mdp.factors:  # takes the first axis and puts it last: in the end all are in place
            result = np.tensordot(result, factor[action], axes=(0, 1))
        after.append(result)
    return np.stack(after)


def moved(mdp: FactoredMDP, mass: np.ndarray) -> np.ndarray:
    """(*cells,) where mass (actions, *cells) is one step later."""
    total = np.zeros(mdp.grid.cells)
    for action, own in enumerate(mass):
        result = own
        for factor in mdp.factors:
            result = np.tensordot(result, factor[action], axes=(0, 0))
        total += result
    return total


def soft_policy(
    mdp: FactoredMDP, reward: np.ndarray, horizon: int, forbidden: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Log-probabilities of actions (horizon, actions, *cells), and soft values at the start (*cells,).

    `reward` (*cells,) is that of being in a cell, −inf in one that must not be entered; `forbidden` (actions, *cells)
    marks actions that must not be taken.
    """
    values = reward
    policy = np.empty((horizon, len(mdp.actions), *mdp.grid.cells))
    for step in reversed(range(horizon)):
        action_values = reward + finite_expectation(mdp, values)
        if forbidden is not None:
            action_values = np.where(forbidden, -np.inf, action_values)
        values = np.logaddexp.reduce(action_values, axis=0)
        policy[step] = action_values - np.where(np.isfinite(values), values, 0.0)
    return policy, values


def finite_expectation(mdp: FactoredMDP, values: np.ndarray) -> np.ndarray:
    """`expected`, where −inf is what can be reached but must not be."""
    lost = np.isneginf(values)
    if not lost.any():
        return expected(mdp, values)
    reached = expected(mdp, lost.astype(float)) > 0
    return np.where(reached, -np.inf, expected(mdp, np.where(lost, 0.0, values)))


def visits(mdp: FactoredMDP, policy: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(horizon + 1, *cells) how probable each cell is at each step, for log-probabilities of actions."""
    mass = [start]
    for step in policy:
        mass.append(moved(mdp, np.exp(step) * mass[-1]))
    return np.stack(mass)
