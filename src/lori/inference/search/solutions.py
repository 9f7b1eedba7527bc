"""Solutions: where starts ended, and which of these optima count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SAME = 0.05  # log-likelihood units within which two optima count as the same
CLOSE, FEW = 3.0, 3  # within which more rows may decide otherwise; so many are tried there
KEEP = 8  # distinct candidates that are polished, more where that is free
RIVAL, RIVALS = 12.0, 8  # beyond which one is out of the question; so many are kept


@dataclass(frozen=True, eq=False)
class Solutions:
    """Where each start ended. Of several groups all arrays begin with (groups, starts), else with (problems,)."""

    vectors: np.ndarray  # (…, parameters)
    values: np.ndarray
    converged: np.ndarray  # bool
    curvature: np.ndarray | None = None  # (…, parameters, parameters) there, where it is known
    gradient: np.ndarray | None = None  # (…, parameters) of what is held at a bound; zero elsewhere

    def grouped(self, groups: int) -> Solutions:
        """Problems, one group after another, as (groups, starts)."""
        return _each(lambda array: array.reshape((groups, -1, *array.shape[1:])), self)

    def beside(self, other: Solutions) -> Solutions:
        """These and others of the same groups."""
        return _each(lambda *arrays: np.concatenate(arrays, axis=1), self, other)

    def winners(self) -> Solutions:
        """The best of each group, as the only one."""
        best = self.values.argmin(axis=1)
        return _each(lambda array: array[np.arange(len(best)), best][:, None], self)

    def distinct(self, count: int, same: float = SAME, within: float = np.inf) -> np.ndarray:
        """The best vectors of each group, one for each value, as long as it is `within` so many units of the best;
        repeated where others have more."""
        chosen: list[list[int]] = []
        for values in self.values:
            near = np.flatnonzero(np.isfinite(values) & (values <= values.min() + within))
            kept: list[int] = []
            for i in near[np.argsort(values[near])] if len(near) else [0]:
                if len(kept) < count and all(abs(values[i] - values[j]) > same for j in kept):
                    kept.append(int(i))
            chosen.append(kept)
        most = max(len(kept) for kept in chosen)
        return np.stack(
            [vectors[kept + kept[:1] * (most - len(kept))] for vectors, kept in zip(self.vectors, chosen, strict=True)]
        )

    def rivals(self, unit: float = 1.0) -> tuple[np.ndarray, ...]:
        """Of each group, the other optima that are not out of the question; on a sample, each row stands for `unit`."""
        return tuple(
            np.unique(vectors[1:][np.any(vectors[1:] != vectors[0], axis=1)], axis=0)
            for vectors in self.distinct(RIVALS, SAME * unit, RIVAL)
        )


def stacked(parts: list[Solutions]) -> Solutions:
    """The problems of several solutions, one after another."""
    return _each(lambda *arrays: np.concatenate(arrays), *parts)


def _each(function: Callable[..., np.ndarray], *parts: Solutions) -> Solutions:
    """Apply a function to each array of one or more solutions."""
    names = ["vectors", "values", "converged"]
    names += [name for name in ("curvature", "gradient") if all(getattr(part, name) is not None for part in parts)]
    return Solutions(**{name: function(*(getattr(part, name) for part in parts)) for name in names})
