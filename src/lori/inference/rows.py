"""Rows one by one: the log-probability of each and its gradient, or sums of them over the rows of each group.

`lori.inference.blocks` adds up all rows; here they are apart, for scores, for people, and for what is held out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from lori.inference import plain
from lori.inference.plain import RowWise
from lori.inference.statistics import Scaling
from lori.inference.threads import together
from lori.model.engines import compiled, jax, jnp
from lori.model.likelihoods.base import Observations, PlainLayout, Point, Rows
from lori.model.precision import double_precision
from lori.model.specification import Specification

ROWS_AT_A_TIME = 1 << 13


def by_rows(
    what: RowWise, specification: Specification, scaling: Scaling, observations: Observations, vectors: np.ndarray
) -> dict[str, np.ndarray]:
    """For each kind what each row says, without its weight: the log-probability (vectors, rows), or as scores that and
    its gradient (vectors, 1 + parameters, rows)."""
    parts = {kind: _of_rows(what, specification, scaling, observations, kind, vectors) for kind in observations.kinds}
    return {kind: own[0] if len(own) == 1 else np.concatenate(own, axis=-1) for kind, own in parts.items()}


def by_groups(
    what: RowWise,
    specification: Specification,
    scaling: Scaling,
    observations: Observations,
    vectors: np.ndarray,
    group: np.ndarray,
    groups: int,
) -> np.ndarray:
    """The same times weights, added up over the rows of each group (observations,); the last axis is the groups."""
    total = np.zeros((len(vectors), *((1 + specification.size,) if what == "scores" else ()), groups))
    for kind, rows in observations.kinds.items():
        own = group[rows.origin]

        def summed(
            values: np.ndarray, some: slice, rows: Rows = rows, own: np.ndarray = own
        ) -> tuple[np.ndarray, np.ndarray]:
            return _summed(values * rows.weight[some], own[some])

        for place, sums in _of_rows(what, specification, scaling, observations, kind, vectors, summed):
            total[..., place] += sums
    return total


def _summed(values: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which groups there are, and the sums of values (…, rows) over the rows of each."""
    if not len(group):
        return group, values
    if (np.diff(group) < 0).any():
        order = np.argsort(group, kind="stable")
        values, group = values[..., order], group[order]
    first = np.flatnonzero(np.append(True, np.diff(group) > 0))
    return group[first], np.add.reduceat(values, first, axis=-1)


def _of_rows(
    what: RowWise,
    specification: Specification,
    scaling: Scaling,
    observations: Observations,
    kind: str,
    vectors: np.ndarray,
    use: Callable[[np.ndarray, slice], Any] = lambda values, _: values,
) -> list[Any]:
    """What is made of the rows of one kind, some rows at a time; the cores share them."""
    rows = observations.kinds[kind]
    if plain.suffices(specification, [observations]):
        return [use(plain.by_rows(what, specification, kind, scaling, observations, vectors), slice(len(rows)))]
    closed = specification.likelihood.layout(specification).plain
    point = Point(np.asarray(vectors, float), scaling.location, scaling.scale)
    specification = specification.suited(point.starts)
    function, axis = _row_values if what == "values" else _row_scores, -1 if closed else 0

    @double_precision
    def found(start: int) -> Any:
        some = slice(start, start + ROWS_AT_A_TIME)
        own = rows.contrasts(some).T if closed else (rows.alternatives(some) - scaling.location) / scaling.scale
        there = own.shape[axis]
        if start and there < ROWS_AT_A_TIME:  # filled up, so that all parts share their code
            own = np.take(own, np.arange(ROWS_AT_A_TIME) % there, axis=axis)
        return use(np.asarray(function(specification, kind, point, own))[..., :there], some)

    starts = range(0, max(len(rows), 1), ROWS_AT_A_TIME)
    return together(found, starts) if len(starts) > 1 else [found(0)]


@compiled
def _row_values(specification: Specification, kind: str, point: Point, rows: jax.Array) -> jax.Array:
    layout = specification.likelihood.layout(specification)
    if layout.plain:
        return cast(PlainLayout, layout).values(specification, kind, point, rows)
    one = partial(specification.log_probability, kind)
    return jax.vmap(jax.vmap(one, (None, 0)), (0, None))(point.starts, rows)


@compiled
def _row_scores(specification: Specification, kind: str, point: Point, rows: jax.Array) -> jax.Array:
    layout = specification.likelihood.layout(specification)
    if layout.plain:
        return cast(PlainLayout, layout).scores(specification, kind, point, rows)
    one = jax.value_and_grad(partial(specification.log_probability, kind))
    value, slope = jax.vmap(jax.vmap(one, (None, 0)), (0, None))(point.starts, rows)
    return jnp.concatenate([value[:, None], jnp.swapaxes(slope, 1, 2)], axis=1)
