"""Solutions: where starts ended, which of these optima count, and what a search found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

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


@dataclass(frozen=True, eq=False)
class Found:
    """The best optimum of each group, and how the search went."""

    vectors: np.ndarray  # (groups, parameters)
    values: np.ndarray  # (groups,)
    converged: np.ndarray  # (groups,)
    curvature: np.ndarray | None  # (groups, parameters, parameters) of the objective there, where it is known
    gradient: np.ndarray | None  # (groups, parameters) of what is held at a bound there, zero elsewhere
    starts: int
    share_at_best: np.ndarray  # (groups,) share of random starts that reached the best optimum of the search
    rivals: tuple[np.ndarray, ...]  # for each group (optima, parameters): others that are not much worse

    @classmethod
    def best_of(cls, searches: Sequence[Found]) -> Found:
        """Of several searches, the best for each group; starts are those of all."""
        values = np.stack([found.values for found in searches])
        best = values.argmin(axis=0)
        groups = np.arange(len(best))

        def of_best(name: str) -> Any:
            parts = [getattr(found, name) for found in searches]
            return None if parts[0] is None else np.stack(parts)[best, groups]

        at_best = np.where(values <= values.min(axis=0) + SAME, [found.share_at_best for found in searches], 0.0)
        starts = np.array([found.starts for found in searches])
        return cls(
            vectors=of_best("vectors"),
            values=of_best("values"),
            converged=of_best("converged"),
            curvature=of_best("curvature"),
            gradient=of_best("gradient"),
            starts=int(starts.sum()),
            share_at_best=starts @ at_best / starts.sum(),
            rivals=tuple(searches[own].rivals[group] for group, own in enumerate(best)),
        )

    @classmethod
    def either(cls, one: Found, other: Found, first: np.ndarray) -> Found:
        """For each group that of `one` where `first` says so, else that of `other`."""

        def part(name: str) -> Any:
            own, else_ = getattr(one, name), getattr(other, name)
            if own is None or else_ is None:
                return None
            return np.where(first.reshape(-1, *(1,) * (own.ndim - 1)), own, else_)

        return replace(
            one, **{name: part(name) for name in ("vectors", "values", "converged", "curvature", "gradient")}
        )

    @classmethod
    def of(cls, won: Solutions, *, starts: int, share_at_best: np.ndarray, rivals: tuple[np.ndarray, ...]) -> Found:
        """From the winners of each group."""
        return cls(
            vectors=won.vectors[:, 0],
            values=won.values[:, 0],
            converged=won.converged[:, 0],
            curvature=None if won.curvature is None else won.curvature[:, 0],
            gradient=None if won.gradient is None else won.gradient[:, 0],
            starts=starts,
            share_at_best=share_at_best,
            rivals=rivals,
        )


def stacked(parts: list[Solutions]) -> Solutions:
    """The problems of several solutions, one after another."""
    return _each(lambda *arrays: np.concatenate(arrays), *parts)


def _each(function: Callable[..., np.ndarray], *parts: Solutions) -> Solutions:
    """Apply a function to each array of one or more solutions."""
    names = ["vectors", "values", "converged"]
    names += [name for name in ("curvature", "gradient") if all(getattr(part, name) is not None for part in parts)]
    return Solutions(**{name: function(*(getattr(part, name) for part in parts)) for name in names})
