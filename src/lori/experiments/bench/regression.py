"""Regression: scikit-learn's one level, as its own documentation advises for very many rows of few features.

Features are standardised beforehand, and both solvers that suit the shape take part: the default one, and Newton's
method, meant for rows that are far more than features. At its best means the faster of the two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lori.experiments.bench.contest import Contestant, Outcome

SOLVERS = {
    "lbfgs": "scikit-learn, 1 level, standardised beforehand",
    "newton-cholesky": "scikit-learn, 1 level, standardised beforehand, by Newton's method",
}


def regression(differences: np.ndarray, left_won: np.ndarray, solver: str = "lbfgs") -> Any:
    """The fitted estimator: one level without a prior, on differences between left and right."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=np.inf, fit_intercept=False, solver=solver).fit(differences, left_won)


def at_its_best(
    differences: np.ndarray, left_won: np.ndarray, answer: Callable[[Any], Any] = lambda fitted: fitted
) -> list[Contestant]:
    """A contestant for each solver, who says what `answer` makes of the fitted estimator."""
    standardised = differences / differences.std(axis=0)

    def run(solver: str) -> Any:
        return answer(regression(standardised, left_won, solver))

    return [Contestant(name, partial(run, solver), note="no standard errors") for solver, name in SOLVERS.items()]


def by_the_best(outcome: Outcome, contestant: str) -> float | None:
    """The median of a contestant by that of the faster solver."""
    ratios = [outcome.relative(contestant, own) for own in SOLVERS.values()]
    known = [own for own in ratios if own is not None]
    return max(known) if known else None
