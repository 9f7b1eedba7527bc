"""Uncertainty: how precisely the free parameters are known.

Covariances from the observed information (`observed`), from the sandwich that does not trust the likelihood
(`robust`), or from the sandwich over whole agents, whose choices are not independent (`clustered`).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from lori.data.preferences import Preferences
from lori.errors import InputError
from lori.inference.problem import Problem

ErrorKind = Literal["observed", "robust", "clustered"]
ERROR_KINDS: tuple[str, ...] = get_args(ErrorKind)
FLAT = 1e-7  # a direction with less information than this, relative to its parameters' own, is not identified


class Uncertainty(NamedTuple):
    """Covariance of the free parameters; rows of parameters at a bound or not identified are NaN or zero."""

    covariance: np.ndarray
    at_bound: np.ndarray  # (parameters,) bool
    unidentified: list[tuple[int, ...]]  # sets of parameters that the data cannot tell apart (or at all)


def uncertainty(
    problem: Problem,
    vector: np.ndarray,
    *,
    information: np.ndarray,
    curvature: np.ndarray,
    data: Preferences | None,
    kind: ErrorKind,
) -> Uncertainty:
    """`information` is that of the likelihood, `curvature` adds the prior: what is known in the end.

    The sandwich forms need the rows themselves, of `data` in memory.
    """
    lower, upper = problem.specification.bounds
    at_bound = (vector <= lower) | (vector >= upper)
    free = np.flatnonzero(~at_bound)
    unidentified = _flat_directions(information[np.ix_(free, free)], free)
    covariance = np.zeros((len(vector), len(vector)))
    lost = sorted({i for group in unidentified for i in group})
    known = np.array([i for i in free if i not in lost], int)
    if len(known):
        bread = np.linalg.pinv(curvature[np.ix_(known, known)], hermitian=True)
        if kind != "observed":
            if data is None:
                raise InputError(
                    "standard_errors", expected="observed for data that are not in memory", got=kind,
                    fix="use --standard-errors observed",
                )  # fmt: skip
            scores, weight, origin = problem.scores(vector)
            bread = bread @ _meat(scores[:, known], weight, origin, data, kind) @ bread
        covariance[np.ix_(known, known)] = bread
    covariance[lost, :] = covariance[:, lost] = np.nan
    return Uncertainty(covariance, at_bound, unidentified)


def unknown(vector: np.ndarray) -> Uncertainty:
    """For models with too many parameters for second derivatives: no standard errors."""
    return Uncertainty(np.full((len(vector), len(vector)), np.nan), np.zeros(len(vector), bool), [])


def _flat_directions(information: np.ndarray, free: np.ndarray) -> list[tuple[int, ...]]:
    """Sets of free parameters along which the likelihood does not change."""
    diagonal = np.diag(information)
    scale = np.sqrt(np.maximum(diagonal, 0.0))
    nothing = diagonal <= FLAT * max(1.0, diagonal.max(initial=0.0)) * 1e-3
    groups: list[tuple[int, ...]] = [(int(free[i]),) for i in np.flatnonzero(nothing)]
    rest = np.flatnonzero(~nothing)
    if len(rest) > 1:
        scaled = information[np.ix_(rest, rest)] / np.outer(scale[rest], scale[rest])
        values, vectors = np.linalg.eigh(scaled)
        for direction in vectors[:, np.abs(values) < FLAT].T:
            members = tuple(int(free[i]) for i in rest[np.abs(direction) > 0.1])
            if members not in groups:
                groups.append(members)
    return groups


def _meat(scores: np.ndarray, weight: np.ndarray, origin: np.ndarray, data: Preferences, kind: ErrorKind) -> np.ndarray:
    """Σ of squared scores: over comparisons, or over agents with the usual correction for few of them.

    A row that stands for n comparisons of weight w contributes n (w s)(w s)ᵀ, as n rows would.
    """
    if kind == "robust":
        unit = data.weights[origin]
        return (scores * (weight * unit)[:, None]).T @ scores
    assert data.agent is not None
    agents, index = np.unique(data.agent[origin], return_inverse=True)
    sums = np.zeros((len(agents), scores.shape[1]))
    np.add.at(sums, index, scores * weight[:, None])
    groups, n, k = len(agents), data.n_comparisons, scores.shape[1]
    correction = groups / max(groups - 1, 1) * (n - 1) / max(n - k, 1)
    return correction * sums.T @ sums
