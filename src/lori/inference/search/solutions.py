"""Solutions: where starts ended, and which of these optima count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

SAME = 0.05  # log-likelihood units within which two optima count as the same
CLOSE, FEW = 3.0, 3  # within which, on a sample, all rows may decide otherwise; so many are tried there
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

    def distinct(self, count: int, same: float = SAME) -> np.ndarray:
        """The best vectors of each group, one for each value; repeated where others have more."""
        chosen: list[list[int]] = []
        for values in self.values:
            order = [int(i) for i in np.argsort(values) if np.isfinite(values[i])] or [0]
            kept: list[int] = []
            for i in order:
                if len(kept) < count and all(abs(values[i] - values[j]) > same for j in kept):
                    kept.append(i)
            chosen.append(kept)
        most = max(len(kept) for kept in chosen)
        return np.stack(
            [vectors[kept + kept[:1] * (most - len(kept))] for vectors, kept in zip(self.vectors, chosen, strict=True)]
        )

    def close(self) -> np.ndarray:
        """The best optima of each group that more rows could put in another order; mostly there is only one."""
        return self._within(CLOSE).distinct(FEW)

    def rivals(self) -> tuple[np.ndarray, ...]:
        """Of each group, the other optima that are not out of the question."""
        return tuple(
            np.unique(vectors[1:][np.any(vectors[1:] != vectors[0], axis=1)], axis=0)
            for vectors in self._within(RIVAL).distinct(RIVALS)
        )

    def _within(self, distance: float) -> Solutions:
        """Those that are further from the best of their group count as infinitely bad."""
        far = ~(self.values <= self.values.min(axis=1, keepdims=True) + distance)
        return replace(self, values=np.where(far, np.inf, self.values))


def stacked(parts: list[Solutions]) -> Solutions:
    """The problems of several solutions, one after another."""
    return _each(lambda *arrays: np.concatenate(arrays), *parts)


def _each(function: Callable[..., np.ndarray], *parts: Solutions) -> Solutions:
    """Apply a function to each array of one or more solutions."""
    names = ["vectors", "values", "converged"]
    names += [name for name in ("curvature", "gradient") if all(getattr(part, name) is not None for part in parts)]
    return Solutions(**{name: function(*(getattr(part, name) for part in parts)) for name in names})
