"""Plain sums: small problems with linear rewards are added up by NumPy, without waiting for JAX to load and compile.

The formulas are those of `lori.inference.blocks`, for the arrays of either engine. Compiled code is two to three
times as fast, but takes seconds to be made for each number of levels, so that a survey of some hundred choices would
spend its time on that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Literal

import numpy as np

from lori.inference.statistics import Scaling
from lori.model.likelihoods.base import Block, Observations, Point
from lori.model.specification import Specification

MOST_ROWS, MOST_GROUPS = 3000, 32  # up to here NumPy is done before JAX is loaded and has compiled,
LEAST = 16_384  # and up to so many rows × starts before compiled code has begun
RowWise = Literal["values", "scores"]
ELEMENTS = 65_536  # with so many rows × starts at a time


def suffices(specification: Specification, groups: Sequence[Observations], starts: int | None = None) -> bool:
    """Are there so few rows, of rewards whose sums need no automatic differentiation, that NumPy ends first?

    Not where they are a part of more: the other parts need compiled code anyway, at the same time. So do samples of
    very many rows, for which single precision will do; but a call of that takes longer than few `starts` do here.
    """
    layout = specification.likelihood.layout(specification)
    if layout.light:
        return True
    if not layout.plain or any(group.some for group in groups) or len(groups) > MOST_GROUPS:
        return False
    rows = sum(group.rows for group in groups)
    if specification.likelihood.single_precision:
        return starts is not None and rows * starts <= LEAST
    return rows <= MOST_ROWS


def evaluate(
    specification: Specification, scaling: Scaling, groups: Sequence[Observations], vectors: np.ndarray, order: int
) -> tuple[np.ndarray, ...]:
    """Value, gradient and curvature of the negative log-likelihood at vectors (groups, starts, parameters)."""
    keep_memory()
    each = [_apart(specification, scaling, *own, order) for own in zip(groups, vectors, strict=True)]
    return tuple(np.stack(parts) for parts in zip(*each, strict=True))


def _apart(
    specification: Specification, scaling: Scaling, group: Observations, starts: np.ndarray, order: int
) -> tuple[Any, ...]:
    """`_of_group`, the few starts with very wide thresholds by themselves: they take four times as long."""
    narrow = specification.narrow(starts)
    if narrow.all() or not narrow.any():
        return _of_group(specification, scaling, group, starts, order)
    parts = [_of_group(specification, scaling, group, starts[some], order) for some in (narrow, ~narrow)]
    back = np.argsort(np.argsort(~narrow, kind="stable"))
    return tuple(np.concatenate(both)[back] for both in zip(*parts, strict=True))


def roughly(
    specification: Specification, scaling: Scaling, groups: Sequence[Observations], vectors: np.ndarray
) -> np.ndarray:
    """(groups, vectors) the negative log-likelihood, in single precision where that will do: as good a weight of a
    draw, in half of the time. Sums of rows are off by some 1e-7 of their size."""
    keep_memory()
    single = Scaling(scaling.location.astype(np.float32), scaling.scale.astype(np.float32))
    found = np.empty(vectors.shape[:2])
    for group, own, values in zip(groups, vectors, found, strict=True):
        narrow = specification.narrow(own, np.float32)
        for some, units, precision in ((narrow, single, np.float32), (~narrow, scaling, np.float64)):
            if some.any():
                values[some] = _of_group(specification, units, group, own[some].astype(precision), 0)[0]
    return found


@cache
def keep_memory() -> None:
    """Memory that is freed from now on stays with the process.

    The allocator of the GNU C library gives it back at once, so that each of the many arrays of a sum would begin with
    fresh pages, which takes three times as long as the sum itself; once an array of this size was freed, it does not.
    """
    np.empty(3 << 20)


def _of_group(
    specification: Specification, scaling: Scaling, group: Observations, starts: np.ndarray, order: int
) -> tuple[Any, ...]:
    layout = specification.likelihood.layout(specification)
    point, total = Point(starts, scaling.location, scaling.scale), None
    with np.errstate(all="ignore"):  # a start may be where probabilities vanish
        for kind, rows in group.kinds.items():
            contrasts, weight = _contrasts(group, kind, starts.dtype), rows.weight.astype(starts.dtype, copy=False)
            step = max(64, ELEMENTS // (len(starts) * prod(contrasts.shape[1:-1])))
            for first in range(0, len(rows), step):
                some = slice(first, first + step)
                block = Block(contrasts[..., some], weight[some], bool(np.all(weight[some] > 0)))
                terms = layout.terms(specification, kind, order, point, block)
                total = terms if total is None else tuple(a + b for a, b in zip(total, terms, strict=True))
        if total is None:
            size = specification.size
            return tuple(np.zeros((len(starts), *shape)) for shape in ((), (size,), (size, size))[: order + 1])
        return layout.assembled(specification, order, point, total)


def by_rows(
    what: RowWise,
    specification: Specification,
    kind: str,
    scaling: Scaling,
    observations: Observations,
    vectors: np.ndarray,
) -> np.ndarray:
    """The log-probability (vectors, rows) of each row of a kind, or that and its gradient (vectors, 1 + parameters,
    rows)."""
    layout = specification.likelihood.layout(specification)
    point = Point(np.asarray(vectors, float), scaling.location, scaling.scale)
    with np.errstate(all="ignore"):
        return getattr(layout, what)(specification, kind, point, _contrasts(observations, kind, point.starts.dtype))


def _contrasts(group: Observations, kind: str, precision: np.dtype) -> np.ndarray:
    """(features, rows) of one kind, kept beside what is laid out for compiled code."""
    kept, key = group.laid.contrasts, (kind, precision)
    if key not in kept:
        kept[key] = np.ascontiguousarray(group.kinds[kind].contrasts().T, precision)
    return kept[key]
