"""Specifications (Vazquez-Chanlatte et al. 2018): which Boolean task explains demonstrations? Formulas of histories.

Histories are as random as possible while the task φ is done as often as was demonstrated, a share φ̄. If actions at
random do it with probability φ̂, a history is φ̄ / φ̂ times as probable as by chance if it does the task, and (1 −
φ̄) / (1 − φ̂) times if it does not. The log-likelihood of n demonstrations is therefore, up to what no task changes,

    n KL(φ̄ ‖ φ̂) if φ̄ ≥ φ̂, else 0,

and the task with the highest is inferred from a family that is given. A formula is a machine with few states that
reads the cells of a history, so that φ̂ is exact: a sum over cells and states of the machine, step by step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from lori.baselines.base import LEFT, RIGHT
from lori.baselines.soft import DemonstrationLearner, Demonstrations, moved
from lori.errors import InputError
from lori.policies.mdp import FactoredMDP

OPEN, DONE, FAILED = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Formula:
    """A machine: `table[state]` (*cells) is the state after reading a cell, beginning with state 0."""

    name: str
    table: np.ndarray  # (states, *cells) int
    accepting: tuple[bool, ...]  # of each state, is the task done if the history ends there?

    def __and__(self, other: Formula) -> Formula:
        """Both, by running the two machines side by side."""
        width = len(other.accepting)
        table = [one * width + two for one in self.table for two in other.table]
        accepting = tuple(one and two for one in self.accepting for two in other.accepting)
        return Formula(f"{self.name} and {other.name}", np.stack(table), accepting)

    def holds(self, cells: np.ndarray) -> np.ndarray:
        """(histories,) of cells (histories, steps, features)."""
        state = np.zeros(len(cells), int)
        for step in range(cells.shape[1]):
            state = self.table[(state, *cells[:, step].T)]
        return np.array(self.accepting)[state]

    def by_chance(self, mdp: FactoredMDP, start: np.ndarray, horizon: int) -> float:
        """With what probability it holds if every action is as likely as any other."""
        count, actions = len(self.accepting), len(mdp.actions)
        mass = np.zeros((count, *mdp.grid.cells))
        np.add.at(mass, (self.table[0], *np.indices(mdp.grid.cells)), start)
        for _ in range(horizon):
            after = [moved(mdp, np.broadcast_to(own / actions, (actions, *own.shape))) for own in mass]
            mass = np.zeros_like(mass)
            for state, own in enumerate(after):
                np.add.at(mass, (self.table[state], *np.indices(mdp.grid.cells)), own)
        return float(mass.reshape(count, -1).sum(axis=1)[np.array(self.accepting)].sum())


def reach(name: str, region: np.ndarray) -> Formula:
    """Some state of the history lies in the region, a mask (*cells)."""
    return Formula(
        f"reach {name}", np.stack([np.where(region, DONE, OPEN), np.full(region.shape, DONE)]), (False, True)
    )


def avoid(name: str, region: np.ndarray) -> Formula:
    """No state of the history lies in the region."""
    return Formula(
        f"avoid {name}", np.stack([np.where(region, DONE, OPEN), np.full(region.shape, DONE)]), (True, False)
    )


def then(first: str, one: np.ndarray, second: str, other: np.ndarray) -> Formula:
    """Some state lies in the first region and a later one in the second."""
    begun = np.where(one, 1, 0)
    table = np.stack([begun, np.where(other, 2, 1), np.full(one.shape, 2)])
    return Formula(f"reach {first} and then {second}", table, (False, False, True))


def until(first: str, one: np.ndarray, second: str, other: np.ndarray) -> Formula:
    """The second region is reached, and all states before lie in the first."""
    table = np.where(other, DONE, np.where(one, OPEN, FAILED))
    rest = [np.full(one.shape, DONE), np.full(one.shape, FAILED)]
    return Formula(f"stay in {first} until {second}", np.stack([table, *rest]), (False, True, False))


def family(regions: Mapping[str, Any]) -> list[Formula]:
    """Reach and avoid each region, one and then another, stay in one until another, and two of the first at once."""
    masks = {name: np.asarray(region, bool) for name, region in regions.items()}
    single = [make(name, region) for make in (reach, avoid) for name, region in masks.items()]
    paired = [make(*one, *other) for make in (then, until) for one, other in permutations(masks.items(), 2)]
    both = [one & other for one, other in combinations(single, 2) if one.name.split()[-1] != other.name.split()[-1]]
    return [*single, *paired, *both]


class SpecificationInference(DemonstrationLearner):
    """The task, of a family of formulas, that explains demonstrations best.

    Parameters
    ----------
    regions : names of regions and their masks (*cells), from which `family` makes formulas.
    formulas : formulas of one's own instead.

    Attributes
    ----------
    formula_ : the best one; scores_ : n KL(φ̄ ‖ φ̂) of each formula by its name, the best first.
    demonstrated_, by_chance_ : φ̄ and φ̂ of the best one.
    """

    def __init__(self, *, regions: Mapping[str, Any] | None = None, formulas: Sequence[Formula] | None = None) -> None:
        self.regions = regions
        self.formulas = formulas

    def _learn(self, given: Demonstrations, mdp: FactoredMDP) -> None:
        formulas = list(self.formulas or ()) + family(self.regions or {})
        _check(formulas, mdp)
        start, count = given.start(mdp), len(given.cells)
        shares = [float(formula.holds(given.cells).mean()) for formula in formulas]
        chances = [formula.by_chance(mdp, start, given.horizon) for formula in formulas]
        scores = np.array([count * gain(*own) for own in zip(shares, chances, strict=True)])
        order = np.argsort(-scores, kind="stable")
        self.scores_ = {formulas[place].name: float(scores[place]) for place in order}
        best = int(order[0])
        self.formula_, self.demonstrated_, self.by_chance_ = formulas[best], shares[best], chances[best]
        done = (count * shares[best] + 0.5) / (count + 1)  # so that nothing is impossible
        chance = min(max(chances[best], 1e-12), 1 - 1e-12)
        self.factors_ = np.array([(1 - done) / (1 - chance), done / chance])

    def holds(self, states: Any) -> np.ndarray:
        """(histories,) is the task done by states (n, steps, features)?"""
        return self.formula_.holds(self._histories(states, states)[0])

    def predict_proba(self, left: Any, right: Any) -> np.ndarray:
        """Columns: left preferred, tie, right preferred, of states (n, steps, features): which is the more probable?"""
        one, other = (self.factors_[self.formula_.holds(own).astype(int)] for own in self._histories(left, right))
        table = np.zeros((len(one), 3))
        table[:, LEFT], table[:, RIGHT] = one / (one + other), other / (one + other)
        return table


def gain(share: float, chance: float) -> float:
    """KL(share ‖ chance) of a yes or no, 0 where it is demonstrated no more often than by chance."""
    if share <= chance:
        return 0.0
    rest = (1 - share) * np.log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return float(share * np.log(share / chance) + rest) if chance > 0 else np.inf


def _check(formulas: Iterable[Formula], mdp: FactoredMDP) -> None:
    formulas = list(formulas)
    if not formulas or any(formula.table.shape[1:] != mdp.grid.cells for formula in formulas):
        raise InputError(
            "regions", expected=f"one region or more, each a mask of the cells {mdp.grid.cells}",
            got="none" if not formulas else "other shapes", fix="mark the cells of each region",
        )  # fmt: skip
