"""T-REX (Brown et al. 2019): what would a single reward say? The paper's one-dimensional counterpart of LORI.

    Pr(left ≻ right) = σ(Σ_{s in left} r(s) − Σ_{s in right} r(s))

`TREX` has a linear reward, which is LORI with one level; `NetworkTREX` has a network that sees single steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from lori.baselines.base import LEFT, RIGHT, TIE, PreferenceLearner
from lori.data.preferences import Preferences
from lori.data.validation import as_numbers
from lori.errors import DataError, InputError, whole
from lori.estimators.contract import as_preferences
from lori.estimators.lori import LORI


def TREX(**settings: Any) -> LORI:
    """LORI with one level and no threshold: Pr(left ≻ right) = σ(r(left) − r(right)).

    `settings` are those of `LORI`, except for `levels` and `epsilon`, which make it T-REX.

    >>> TREX(seed=1)
    LORI(epsilon=0.0, lapse=0.0, levels=1, seed=1)
    """
    return LORI(levels=1, epsilon=0.0, lapse=0.0, **settings)


class NetworkTREX(PreferenceLearner):
    """T-REX with a network r(s) = u · s + v · tanh(W s + b) of a single step.

    Alternatives are trajectories, X (n, 2, steps, features) with NaN after the end of a shorter one, or single steps as
    everywhere. It is trained on all pairs at once, by quasi-Newton steps from small random weights, with a Gaussian
    prior on the weights of standardised features.

    Parameters
    ----------
    hidden : tanh units; 0 for a linear reward.
    penalty : precision of the prior.
    iterations : of the training.
    seed : of the first weights.
    """

    def __init__(self, *, hidden: int = 16, penalty: float = 1.0, iterations: int = 300, seed: int = 0) -> None:
        self.hidden = hidden
        self.penalty = penalty
        self.iterations = iterations
        self.seed = seed

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> NetworkTREX:
        """Learn from pairs of trajectories, X (n, 2, steps, features) with y, or from what other methods take."""
        if getattr(X, "ndim", 0) != 4:
            return super().fit(X, y, sample_weight)
        steps = as_numbers(X, "X")
        if steps.shape[1] != 2 or not all(steps.shape):
            raise DataError(
                "X", expected="pairs of trajectories (n, 2, steps, features)", got=f"shape {steps.shape}",
                fix="stack left and right: numpy.stack([left, right], axis=1)",
            )  # fmt: skip
        numbers = np.arange(2 * len(steps), dtype=float).reshape(-1, 2, 1)  # pairs of trajectories by their numbers
        pairs, self.coding_ = as_preferences(numbers, y, sample_weight)
        self.n_features_in_ = steps.shape[3]
        self.features_ = tuple(f"x{number}" for number in range(1, self.n_features_in_ + 1))
        self._train(_Trajectories.of(steps.reshape(-1, *steps.shape[2:])), numbers[:, :, 0].astype(int), pairs)
        return self

    def predict_proba(self, left: Any, right: Any = None) -> np.ndarray:
        """Columns: left preferred, tie, right preferred; takes trajectories (n, steps, features) as well."""
        if right is None and getattr(left, "ndim", 0) == 4:
            left, right = left[:, 0], left[:, 1]
        if right is None or np.ndim(left) != 3:
            return super().predict_proba(left, right)
        self._fitted()
        one, other = (_Trajectories.of(as_numbers(side, "trajectories")) for side in (left, right))
        if len(one.offsets) != len(other.offsets) or one.values.shape[1] != self.n_features_in_:
            raise DataError(
                "left and right", expected=f"as many trajectories of {self.n_features_in_} features", got="others",
                fix="compare trajectories pair by pair",
            )  # fmt: skip
        return self._chances(one.summed(self.reward(one.values)) - other.summed(self.reward(other.values)))

    def reward(self, states: Any) -> np.ndarray:
        """(steps,) r of each state (steps, features)."""
        self._fitted()
        scaled = (np.asarray(states, float) - self.location_) / self.scale_
        return _rewards(self.parameters_, scaled, self.hidden)[0]

    def _learn(self, preferences: Preferences) -> None:
        single = _Trajectories.of(preferences.alternatives[:, None])
        self._train(single, np.stack([preferences.left, preferences.right], axis=1), preferences)

    def _train(self, given: _Trajectories, pairs: np.ndarray, answers: Preferences) -> None:
        hidden, size = whole("hidden", self.hidden, 0), given.values.shape[1]
        if not (np.isfinite(self.penalty) and self.penalty > 0):
            raise InputError("penalty", expected="a number above 0", got=repr(self.penalty)[:40], fix="use penalty=1.0")
        counts = answers.weighted_counts
        self.tie_ = float(counts[:, TIE].sum() / counts.sum())
        deviation = given.values.std(axis=0)
        self.location_, self.scale_ = given.values.mean(axis=0), np.where(deviation > 0, deviation, 1.0)
        scaled = (given.values - self.location_) / self.scale_
        number = len(given.offsets) - 1

        def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
            rewards, units = _rewards(parameters, scaled, hidden)
            totals = given.summed(rewards)
            gap = totals[pairs[:, 0]] - totals[pairs[:, 1]]
            value = -(counts[:, LEFT] @ log_expit(gap) + counts[:, RIGHT] @ log_expit(-gap))
            slope = counts[:, RIGHT] * expit(gap) - counts[:, LEFT] * expit(-gap)
            each = np.bincount(pairs[:, 0], slope, number) - np.bincount(pairs[:, 1], slope, number)
            gradient = _gradient(parameters, scaled, units, np.repeat(each, np.diff(given.offsets)), hidden)
            return value + 0.5 * self.penalty * parameters @ parameters, gradient + self.penalty * parameters

        generator = np.random.default_rng(whole("seed", self.seed, 0))
        start = 0.3 * generator.normal(size=size + hidden * (size + 2))
        steps = whole("iterations", self.iterations, 1)
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps})
        self.parameters_ = found.x

    def _probabilities(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self._chances(self.reward(left) - self.reward(right))

    def _chances(self, gap: np.ndarray) -> np.ndarray:
        sides = (1 - self.tie_) * np.stack([expit(gap), expit(-gap)])
        return np.stack([sides[0], np.full(len(gap), self.tie_), sides[1]], axis=1)


@dataclass(frozen=True, eq=False)
class _Trajectories:
    """Steps of all trajectories, one after the other."""

    values: np.ndarray  # (steps, features)
    offsets: np.ndarray  # (trajectories + 1,)

    @classmethod
    def of(cls, padded: np.ndarray) -> _Trajectories:
        """From (trajectories, steps, features), NaN after the end."""
        there = ~np.isnan(padded).all(axis=2)
        ended = there[:, :1].all() and np.all(np.diff(there.astype(int), axis=1) <= 0)
        if not ended or not np.all(np.isfinite(padded[there])):
            raise DataError(
                "trajectories", expected="finite states, with NaN in all features only after the end",
                got="other gaps", fix="move the steps of each trajectory to its beginning",
            )  # fmt: skip
        return cls(padded[there], np.concatenate([[0], np.cumsum(there.sum(axis=1))]))

    def summed(self, rewards: np.ndarray) -> np.ndarray:
        return np.add.reduceat(rewards, self.offsets[:-1])


def _parts(parameters: np.ndarray, size: int, hidden: int) -> tuple[np.ndarray, ...]:
    """u, W, b and v."""
    u, matrix, bias, v = np.split(parameters, np.cumsum([size, size * hidden, hidden]))
    return u, matrix.reshape(size, hidden), bias, v


def _rewards(parameters: np.ndarray, scaled: np.ndarray, hidden: int) -> tuple[np.ndarray, np.ndarray]:
    """(steps,) rewards, and the units' activations (steps, hidden)."""
    u, matrix, bias, v = _parts(parameters, scaled.shape[1], hidden)
    units = np.tanh(scaled @ matrix + bias)
    return scaled @ u + units @ v, units


def _gradient(
    parameters: np.ndarray, scaled: np.ndarray, units: np.ndarray, slope: np.ndarray, hidden: int
) -> np.ndarray:
    """Of a loss whose slope in each reward is given."""
    *_, v = _parts(parameters, scaled.shape[1], hidden)
    inner = slope[:, None] * v * (1 - units**2)
    return np.concatenate([scaled.T @ slope, (scaled.T @ inner).ravel(), inner.sum(axis=0), units.T @ slope])
