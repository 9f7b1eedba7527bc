"""Constraints (Scobee and Sastry 2020): what must not be, if demonstrations otherwise follow a reward that is known?

Trajectories that violate no constraint of C have probability exp(r₂(trajectory)) / Z(C), where r₂ is the secondary
reward, and the others none. The likelihood of the demonstrations is highest for constraints that take most
probability away and none from what was demonstrated: one after the other, the cell (or action, or action in a cell)
that was never seen and that trajectories of the model so far meet with the highest probability 1 − Z(C ∪ {c}) / Z(C)
is forbidden, until that is less than `least`. The lexicographic reading puts constraints first and r₂ second.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lori.baselines.base import LEFT, RIGHT
from lori.baselines.soft import DemonstrationLearner, Demonstrations, soft_policy
from lori.errors import InputError, one_of, whole
from lori.policies.mdp import FactoredMDP

KINDS = ("cells", "actions", "cells and actions")


class Constraint(NamedTuple):
    """A cell that must not be entered, an action that must not be taken, or an action in a cell; None: whichever."""

    cell: tuple[int, ...] | None
    action: int | None
    probability: float  # that it would have been violated


class ConstraintInference(DemonstrationLearner):
    """Constraints from demonstrations, given the reward that these follow otherwise.

    Parameters
    ----------
    reward : r₂, (*cells,) of being in a cell.
    kind : what a constraint forbids: `cells` (default), `actions` or `cells and actions`.
    least : a constraint must have been met with at least this probability, otherwise its absence proves nothing.
    most : constraints at most.
    slip : probability of a preference that the constraints forbid.

    Attributes
    ----------
    constraints_ : in the order in which they were found.
    forbidden_ : (actions, *cells) what they forbid.
    """

    def __init__(
        self, *, reward: Any, kind: str = "cells", least: float = 0.05, most: int = 20, slip: float = 0.01
    ) -> None:
        self.reward = reward
        self.kind = kind
        self.least = least
        self.most = most
        self.slip = slip

    def _learn(self, given: Demonstrations, mdp: FactoredMDP) -> None:
        reward = np.asarray(self.reward, float)
        _check(mdp, reward, self.least, self.slip)
        seen = np.zeros((len(mdp.actions), *mdp.grid.cells), bool)
        seen[(given.actions.ravel(), *given.cells[:, :-1].reshape(-1, given.cells.shape[2]).T)] = True
        entered = np.asarray(seen.any(axis=0))
        entered[tuple(given.cells[:, -1].T)] = True
        candidates = _candidates(one_of("kind", self.kind, KINDS), seen, entered)
        start, horizon = given.start(mdp), given.horizon
        forbidden, closed = np.zeros_like(seen), np.zeros(mdp.grid.cells, bool)
        found: list[Constraint] = []
        before = log_mass(mdp, reward, forbidden, closed, start, horizon)
        for _ in range(whole("most", self.most, 1)):
            masses = [log_mass(mdp, reward, *_with(forbidden, closed, own), start, horizon) for own in candidates]
            if not masses or 1 - np.exp(min(masses) - before) < self.least:
                break
            place = int(np.argmin(masses))
            cell, action = candidates.pop(place)
            found.append(Constraint(cell, action, float(1 - np.exp(masses[place] - before))))
            forbidden, closed = _with(forbidden, closed, (cell, action))
            before = masses[place]
        self.constraints_, self.forbidden_, self.closed_ = tuple(found), forbidden, closed

    def violates(self, states: Any, actions: Any = None) -> np.ndarray:
        """(trajectories,) does a trajectory of states (n, steps, features) do what is forbidden?"""
        cells, _ = self._histories(states, states)
        broken = self.closed_[tuple(np.moveaxis(cells, -1, 0))].any(axis=1)
        if actions is not None:
            broken |= self.forbidden_[(np.asarray(actions), *np.moveaxis(cells[:, :-1], -1, 0))].any(axis=1)
        return broken

    def predict_proba(self, left: Any, right: Any) -> np.ndarray:
        """Columns: left preferred, tie, right preferred, of states (n, steps, features): constraints first, then r₂."""
        one, other = self._histories(left, right)
        reward = np.asarray(self.reward, float)
        gap = sum(sign * reward[tuple(np.moveaxis(own, -1, 0))].sum(axis=1) for sign, own in ((1, one), (-1, other)))
        broken = self.violates(left).astype(int) - self.violates(right).astype(int)
        first = np.where(broken == 0, 1 / (1 + np.exp(-gap)), np.where(broken < 0, 1 - self.slip, self.slip))
        table = np.zeros((len(first), 3))
        table[:, LEFT], table[:, RIGHT] = first, 1 - first
        return table


def log_mass(
    mdp: FactoredMDP, reward: np.ndarray, forbidden: np.ndarray, closed: np.ndarray, start: np.ndarray, horizon: int
) -> float:
    """log Z, on average over the starts: of all trajectories that violate nothing."""
    _, values = soft_policy(mdp, np.where(closed, -np.inf, reward), horizon, forbidden)
    return float((start[start > 0] * values[start > 0]).sum())


Candidate = tuple[tuple[int, ...] | None, int | None]


def _candidates(kind: str, seen: np.ndarray, entered: np.ndarray) -> list[Candidate]:
    """What was never seen."""
    if kind == "cells":
        return [(tuple(map(int, cell)), None) for cell in np.argwhere(~entered)]
    if kind == "actions":
        return [(None, int(action)) for action in np.flatnonzero(~seen.reshape(len(seen), -1).any(axis=1))]
    return [(tuple(map(int, place[1:])), int(place[0])) for place in np.argwhere(~seen)]


def _with(forbidden: np.ndarray, closed: np.ndarray, own: Candidate) -> tuple[np.ndarray, np.ndarray]:
    """What is forbidden with one constraint more."""
    cell, action = own
    forbidden, closed = forbidden.copy(), closed.copy()
    if action is None:
        closed[cell] = True
    else:
        forbidden[(action, *(cell if cell is not None else (...,)))] = True
    return forbidden, closed


def _check(mdp: FactoredMDP, reward: np.ndarray, least: float, slip: float) -> None:
    if reward.shape != mdp.grid.cells or not np.all(np.isfinite(reward)):
        raise InputError(
            "reward", expected=f"finite numbers for the cells {mdp.grid.cells}", got=f"shape {reward.shape}",
            fix="give the secondary reward of each cell",
        )  # fmt: skip
    if not all(np.all((factor == 0) | (factor == 1)) for factor in mdp.factors):
        raise InputError(
            "mdp", expected="moves that are certain", got="random ones",
            fix="use a world in which each action leads to one cell",
        )  # fmt: skip
    for name, value in (("least", least), ("slip", slip)):
        if not 0 < value < 1:
            raise InputError(
                name, expected="a probability between 0 and 1", got=repr(value)[:40], fix=f"use {name}=0.05"
            )
