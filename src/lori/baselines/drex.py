"""D-REX (Brown et al. 2019b): what can be learned from demonstrations alone, if noise makes them worse?

The demonstrated behaviour is cloned, followed with more and more random actions, and trajectories with less noise are
taken to be preferred: ε_i < ε_j ⇒ τ_i ≻ τ_j. T-REX learns a reward from these preferences, which may reach beyond the
demonstrator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lori.baselines.soft import DemonstrationLearner, Demonstrations
from lori.baselines.trex import NetworkTREX
from lori.errors import DataError, InputError, whole
from lori.policies.mdp import FactoredMDP


class DREX(DemonstrationLearner):
    """T-REX on preferences that noise has made.

    Parameters
    ----------
    noise : shares of random actions, from none to all.
    trajectories : that are followed with each of them.
    pairs : preferences that are drawn between trajectories with different noise.
    hidden, penalty : as of `NetworkTREX`; 0 hidden units (default) are a linear reward.
    seed : the same seed gives the same numbers.

    Attributes
    ----------
    reward_ : the fitted `NetworkTREX`; returns_ : mean reward of a trajectory for each share of noise.
    """

    def __init__(
        self,
        *,
        noise: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0),
        trajectories: int = 100,
        pairs: int = 1000,
        hidden: int = 0,
        penalty: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.noise = noise
        self.trajectories = trajectories
        self.pairs = pairs
        self.hidden = hidden
        self.penalty = penalty
        self.seed = seed

    def _learn(self, given: Demonstrations, mdp: FactoredMDP) -> None:
        noise = np.asarray(self.noise, float)
        if noise.ndim != 1 or len(noise) < 2 or not np.all((noise >= 0) & (noise <= 1) & np.isfinite(noise)):
            got = repr(self.noise)[:40]
            raise InputError("noise", expected="two or more shares from 0 to 1", got=got, fix="use (0, 0.5, 1)")
        generator = np.random.default_rng(whole("seed", self.seed, 0))
        count = whole("trajectories", self.trajectories, 1)
        policy = cloned(given, mdp)
        followed = [
            follow(mdp, (1 - share) * policy + share / len(policy), given, count, generator) for share in np.sort(noise)
        ]
        states = np.concatenate([mdp.grid.states[tuple(np.moveaxis(cells, -1, 0))] for cells in followed])
        one, other = generator.integers(len(states), size=(2, 4 * whole("pairs", self.pairs, 1)))
        differ = one // count != other // count
        one, other = one[differ][: self.pairs], other[differ][: self.pairs]
        less, more = np.minimum(one, other), np.maximum(one, other)  # noise grows with the number
        network = NetworkTREX(hidden=self.hidden, penalty=self.penalty, seed=self.seed)
        self.reward_ = network.fit(np.stack([states[less], states[more]], axis=1))
        totals = network.reward(states.reshape(-1, states.shape[2])).reshape(states.shape[:2]).sum(axis=1)
        self.returns_ = totals.reshape(len(noise), count).mean(axis=1)

    def predict_proba(self, left: Any, right: Any) -> np.ndarray:
        """Columns: left preferred, tie, right preferred, of states (n, steps, features).

        Mean features of trajectories (n, features) stand for trajectories that stay there, which is the same for a
        linear reward.
        """
        mdp = self._fitted()
        sides = [np.asarray(side, float) for side in (left, right)]
        if any(side.ndim not in (2, 3) or side.shape[-1] != len(mdp.grid.features) for side in sides):
            raise DataError(
                "left and right", expected=f"trajectories of {len(mdp.grid.features)} features", got="others",
                fix="give states (n, steps, features) or their means (n, features)",
            )  # fmt: skip
        steps = self.horizon_ + 1
        one, other = (np.repeat(side[:, None], steps, axis=1) if side.ndim == 2 else side for side in sides)
        return self.reward_.predict_proba(one, other)


def cloned(given: Demonstrations, mdp: FactoredMDP) -> np.ndarray:
    """(actions, *cells) how often each action was taken in each cell, with half of one added."""
    counts = np.full((len(mdp.actions), *mdp.grid.cells), 0.5)
    np.add.at(counts, (given.actions.ravel(), *given.cells[:, :-1].reshape(-1, given.cells.shape[2]).T), 1.0)
    return counts / counts.sum(axis=0)


def follow(
    mdp: FactoredMDP, policy: np.ndarray, given: Demonstrations, count: int, generator: np.random.Generator
) -> np.ndarray:
    """Cells (count, horizon + 1, features) of trajectories that begin where demonstrations do."""
    cells = [given.cells[generator.integers(len(given.cells), size=count), 0]]
    for _ in range(given.horizon):
        now = cells[-1]
        actions = _drawn(policy[(slice(None), *now.T)].T, generator)
        moves = [_drawn(factor[actions, now[:, place]], generator) for place, factor in enumerate(mdp.factors)]
        cells.append(np.stack(moves, axis=1))
    return np.stack(cells, axis=1)


def _drawn(chances: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """(rows,) one place of each row, by its probabilities."""
    return (generator.random((len(chances), 1)) >= np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)
