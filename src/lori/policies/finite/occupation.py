"""Linear programmes over occupation measures: which mixture of policies is best, level after level?

What a policy earns is linear in how often it takes each action in each state, and these occupation measures are the
mixtures of those of policies without chance. So each level solves

    maximise v_i   subject to   v_j ≥ what was reached on each level j above, less its slack

over mixtures, and the linear programme is built column by column (Dantzig and Wolfe 1960): its dual prices λ weigh the
objectives, backward induction finds the policy that is worth most at these prices, and when none is worth more than
those that are known, the mixture is optimal for all policies, randomised or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from lori.errors import FitError

TOLERANCE = 1e-10  # of a level's range: what was reached above may be missed by so much, rounding included
RARE = 1e-8  # a policy with less weight is there by rounding only
ROUNDS = 500  # columns of one level at most


@dataclass(frozen=True)
class Level:
    """An objective in its place: values beyond the threshold do not count; so much less than the best is as good."""

    objective: int
    threshold: float = np.inf
    slack: float = 0.0


@dataclass(frozen=True)
class Reached:
    """What a level got while it was its turn."""

    best: float  # what it could have had, given the levels above
    floor: float  # what the levels below had to leave it


Seller = Callable[[np.ndarray], np.ndarray | None]  # prices → values of the policy that is worth most at these


class Columns:
    """Values of policies that are known so far, and who finds more of them."""

    def __init__(self, values: Sequence[np.ndarray], seller: Seller | None = None) -> None:
        self.values = [np.asarray(value, float) for value in values]
        self.seller = seller

    @property
    def scale(self) -> np.ndarray:
        table = np.array(self.values)
        return np.maximum(np.ptp(table, axis=0), 1e-9 * np.maximum(np.abs(table).max(axis=0), 1.0))

    def bought(self, prices: np.ndarray) -> bool:
        """Whether there was a policy that is worth more than all that are known."""
        if self.seller is None:
            return False
        known = max(prices @ value for value in self.values)
        offered = self.seller(prices)
        if offered is None or prices @ offered <= known + TOLERANCE * max(abs(known), prices @ self.scale):
            return False
        self.values.append(offered)
        return True


def chain(columns: Columns, levels: Sequence[Level]) -> tuple[np.ndarray, list[Reached]]:
    """The weights of the known policies in the best mixture, and what each level reached.

    After the last level, what is still free goes to the first again, beyond its threshold.
    """
    floors: dict[int, float] = {}
    reached = []
    for level in levels:
        best, weights = _maximum(columns, level.objective, floors)
        floors[level.objective] = min(best, level.threshold) - level.slack
        reached.append(Reached(best, floors[level.objective]))
    for level in levels:
        best, weights = _maximum(columns, level.objective, floors)
        floors[level.objective] = max(best, floors[level.objective])
    return weights, reached


def _maximum(columns: Columns, objective: int, floors: dict[int, float]) -> tuple[float, np.ndarray]:
    """The most that mixtures can have of an objective, above the floors of others."""
    for _ in range(ROUNDS):
        table, scale = np.array(columns.values), columns.scale
        held = list(floors)
        lowest = np.array([floors[j] for j in held])
        solved = linprog(
            -table[:, objective] / scale[objective],
            A_ub=-table[:, held].T / scale[held, None] if held else None,
            b_ub=TOLERANCE - lowest / scale[held] if held else None,
            A_eq=np.ones((1, len(table))), b_eq=[1.0], bounds=(0, None), method="highs-ds",
        )  # fmt: skip
        if solved.status != 0:
            raise FitError(f"The linear programme could not be solved: {solved.message}")
        prices = np.zeros(table.shape[1])
        prices[objective] = 1 / scale[objective]
        for j, marginal in zip(held, solved.ineqlin.marginals if held else (), strict=True):
            prices[j] += max(-marginal, 0.0) / scale[j]
        if not columns.bought(prices):
            break
    weights = np.where(solved.x > RARE, solved.x, 0.0)
    weights /= weights.sum()
    return float(weights @ table[:, objective]), weights
