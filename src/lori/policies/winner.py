"""Von Neumann winners: what should one choose where preferences go in circles? The mixture that nothing beats.

With p_ij the probability that i is preferred to j (a tie counting half), the mixture w is worth Σ_i w_i (p_ij − ½)
against j. Choosing against somebody who knows the mixture is a game with a symmetric matrix, whose value is zero: a
linear programme finds w with

    min_j Σ_i w_i p_ij = ½,      exploitability = ½ − min_j Σ_i w_i p_ij = 0.

Where one alternative beats all others it is the winner with weight one; where preferences go in circles several share.
(Kreweras 1965; Fishburn 1984, maximal lotteries; Dudík et al. 2015, von Neumann winner.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from lori.errors import FitError, InputError, whole
from lori.inference.posterior.draws import Posterior
from lori.language import plans
from lori.model.ordered import OrderedModel

ASYMMETRY = 1e-6  # p_ij + p_ji is 1 up to this
RARE = 1e-9  # smaller weights are rounding
MIDDLE = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class Winner:
    """The mixture that nothing beats, and how sure it is."""

    alternatives: tuple[str, ...]
    weights: np.ndarray  # (alternatives,)
    exploitability: float  # how far below ½ the mixture's chance can be pushed; 0 at the exact solution
    probability: np.ndarray  # (alternatives, alternatives) Pr(row preferred to column), a tie counting half
    draws: np.ndarray | None = None  # (draws, alternatives): the mixture for each draw of a posterior

    @property
    def interval(self) -> np.ndarray | None:
        """(alternatives, 2): 95 % of the posterior, None where there is no posterior."""
        return None if self.draws is None else np.quantile(self.draws, MIDDLE, axis=0).T

    @property
    def chance_of_winning(self) -> np.ndarray | None:
        """(alternatives,): how probably each one beats all others, which the posterior says; None without one."""
        return None if self.draws is None else (self.draws > 1 - 1e-6).mean(axis=0)

    def __str__(self) -> str:
        spread = self.interval
        rows = [(self.weights[i], name, None if spread is None else spread[i]) for i, name in
                enumerate(self.alternatives) if self.weights[i] > 0]  # fmt: skip
        circle = bool(np.count_nonzero(self.weights > 0) > 1)
        return "\n".join(plans.winner([(n, w, s) for w, n, s in sorted(rows, key=lambda row: -row[0])], circle))

    def to_dict(self) -> dict[str, Any]:
        spread = self.interval
        return {
            "alternatives": list(self.alternatives), "weights": self.weights.tolist(),
            "exploitability": self.exploitability, "probability": self.probability.tolist(),
            "interval": None if spread is None else spread.tolist(),
        }  # fmt: skip


def winner(
    preferences: ArrayLike | OrderedModel | Any,
    alternatives: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    draws: int = 200,
) -> Winner:
    """The mixture over alternatives that nothing beats.

    Parameters
    ----------
    preferences
        Pr(row preferred to column) as a matrix with ½ on its diagonal; or a model (an `OrderedModel` or a fitted
        `LORI`), or a `Posterior` or a list of models drawn from one, which tells how often each of the alternatives is
        preferred to each other.
    alternatives
        Their features (alternatives, features), where a model is given.
    names
        Of the alternatives.
    draws
        Of a posterior, whose spread is that of the mixture.
    """
    if isinstance(preferences, Posterior):
        preferences = preferences.models(whole("draws", draws, 2))
    if isinstance(preferences, list | tuple) and preferences and isinstance(preferences[0], OrderedModel):
        return _of_many(preferences, alternatives, names)
    model = getattr(preferences, "model_", preferences)
    if isinstance(model, OrderedModel):
        return _solved(preference_probabilities(model, alternatives), names)
    return _solved(_checked(preferences), names)


def preference_probabilities(model: OrderedModel, alternatives: ArrayLike | None) -> np.ndarray:
    """Pr(row preferred to column), a tie counting half."""
    x = np.asarray(alternatives, float) if alternatives is not None else np.empty(0)
    if x.ndim != 2 or x.shape[1] != len(model.features) or not len(x) or not np.all(np.isfinite(x)):
        raise InputError(
            "alternatives", expected=f"finite numbers, a column for each of the features {', '.join(model.features)}",
            got=f"an array of shape {x.shape}", fix="give one row for each alternative",
        )  # fmt: skip
    rows, columns = np.divmod(np.arange(len(x) ** 2), len(x))
    chances = np.asarray(model.predict_proba(x[rows], x[columns]))
    matrix = (chances[:, 0] + chances[:, 1] / 2).reshape(len(x), len(x))
    return (matrix + 1 - matrix.T) / 2


def _of_many(models: Sequence[OrderedModel], alternatives: Any, names: Sequence[str] | None) -> Winner:
    matrices = [preference_probabilities(model, alternatives) for model in models]
    pooled = _solved(np.mean(matrices, axis=0), names)
    mixtures = np.array([_solved(matrix, names).weights for matrix in matrices])
    return Winner(pooled.alternatives, pooled.weights, pooled.exploitability, pooled.probability, mixtures)


def _solved(matrix: np.ndarray, names: Sequence[str] | None) -> Winner:
    count = len(matrix)
    called = tuple(names) if names is not None else tuple(f"alternative {place + 1}" for place in range(count))
    if len(called) != count or len(set(called)) != count:
        raise InputError("names", expected=f"{count} different names", got=str(len(called)), fix="give one for each")
    payoff = matrix - 0.5
    found = linprog(
        np.append(np.zeros(count), -1.0), A_ub=np.hstack([-payoff.T, np.ones((count, 1))]), b_ub=np.zeros(count),
        A_eq=np.append(np.ones(count), 0.0)[None], b_eq=[1.0], bounds=[(0, None)] * count + [(None, None)],
        method="highs-ds",
    )  # fmt: skip
    if found.status != 0:
        raise FitError(f"The linear programme could not be solved: {found.message}")
    weights = _polished(payoff, np.where(found.x[:count] > RARE, found.x[:count], 0.0))
    return Winner(called, weights, float(max(-(weights @ payoff).min(), 0.0)), matrix)


def _polished(payoff: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The solution on its support to the last digits: every alternative in it is worth the same, which is nothing."""
    weights = weights / weights.sum()
    own = np.flatnonzero(weights)
    system = np.vstack([payoff[np.ix_(own, own)].T, np.ones(len(own))])
    exact = np.linalg.lstsq(system, np.append(np.zeros(len(own)), 1.0), rcond=None)[0]
    refined = np.zeros_like(weights)
    refined[own] = np.maximum(exact, 0.0)
    refined /= refined.sum()
    return refined if (refined @ payoff).min() > (weights @ payoff).min() else weights


def _checked(preferences: Any) -> np.ndarray:
    try:
        matrix = np.asarray(preferences, float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InputError(
            "preferences", expected="a square matrix of probabilities, a model or a posterior",
            got=f"an array of shape {matrix.shape}", fix="let [i, j] be the probability that i is preferred to j",
        )  # fmt: skip
    if not np.all((matrix >= 0) & (matrix <= 1)) or np.abs(matrix + matrix.T - 1).max() > ASYMMETRY:
        raise InputError(
            "preferences", expected="probabilities with [i, j] + [j, i] = 1 and ½ on the diagonal", got="others",
            fix="count a tie half for either side",
        )  # fmt: skip
    return (matrix + 1 - matrix.T) / 2
