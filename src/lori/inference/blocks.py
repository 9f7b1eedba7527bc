"""Blocks: value, gradient and curvature of the negative log-likelihood of some rows, compiled.

Blocks of rows stay in a core's cache (`lori.inference.arrangement`), and many parameter vectors (starts) are evaluated
at once. What a row is and how blocks become sums is the likelihood's; where rows live, and that there may be many parts
of them, is not known here either: see `lori.inference.sources`. Small sums are NumPy's: see `lori.inference.plain`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lori.inference import plain
from lori.inference.arrangement import ALIKE, FEW_ROWS, FEWER_ROWS, laid_out
from lori.inference.statistics import Scaling
from lori.inference.threads import THREADS
from lori.model.engines import compiled, jax, jnp
from lori.model.likelihoods.base import Block, Observations, Point
from lori.model.precision import double_precision
from lori.model.specification import Specification

FEW_FEATURES = 16  # up to here, and for few rows, code is shared between numbers of starts:
FEW_STARTS = 8  # they are evaluated in as many turns as there are eights of them


class Evaluation(NamedTuple):
    """Value, gradient and curvature at each vector; parts not asked for are None."""

    value: np.ndarray
    gradient: np.ndarray | None = None
    curvature: np.ndarray | None = None

    def __add__(self, other: Any) -> Evaluation:
        """Of a sum: evaluations add up part by part, as far as both have it."""
        return Evaluation(*(a + b for a, b in zip(self, other, strict=True) if a is not None and b is not None))

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> Evaluation:
        """Each part that is there, changed."""
        return Evaluation(*(function(part) for part in self if part is not None))


Pending = Callable[[], Evaluation]


def evaluate(
    specification: Specification,
    scaling: Scaling,
    groups: Sequence[Observations],
    vectors: np.ndarray,
    order: int,
) -> Evaluation:
    """`vectors` (groups, starts, parameters), in standardised units → values (groups, starts) and derivatives."""
    return begun(specification, scaling, groups, vectors, order)()


def begun(
    specification: Specification,
    scaling: Scaling,
    groups: Sequence[Observations],
    vectors: np.ndarray,
    order: int,
    single: bool = False,
    lane: int | None = None,
) -> Pending:
    """The same, on its way: whoever wants it calls what is returned. So other lanes can begin, too.

    `single`: it is worth code of its own that there is one start, because it is evaluated very often. `lane`: where it
    is computed, if these groups are always computed there.
    """
    vectors = np.asarray(vectors, float)
    if plain.suffices(specification, groups, vectors.shape[1]):
        found = Evaluation(*plain.evaluate(specification, scaling, groups, vectors, order))
        return lambda: found
    if specification.likelihood.single_precision:
        narrow = specification.narrow(vectors).all(axis=0)
        if narrow.any() and not narrow.all():  # few thresholds are too wide for it
            back = np.argsort(np.argsort(~narrow, kind="stable"))
            return _side_by_side(
                [
                    _compiled(specification, scaling, groups, vectors[:, some], order, lane=lane)
                    for some in (narrow, ~narrow)
                ],
                back,
            )
    return _compiled(specification, scaling, groups, vectors, order, single, lane)


def begun_roughly(
    specification: Specification,
    scaling: Scaling,
    groups: Sequence[Observations],
    vectors: np.ndarray,
    lane: int | None = None,
) -> Pending:
    """The negative log-likelihood (groups, vectors) alone, only as exact as the weight of a draw needs it.

    Rows are computed in single precision where their formulas allow it, in about half of the time; blocks are added up
    in double precision. Vectors for which that is not enough, with wide thresholds or values that are no numbers, are
    computed in double precision.
    """
    vectors = np.asarray(vectors, float)
    if plain.suffices(specification, groups):
        found = Evaluation(plain.roughly(specification, scaling, groups, vectors))
        return lambda: found
    if not specification.likelihood.layout(specification).allows_single_precision:
        return _compiled(specification, scaling, groups, vectors, 0, lane=lane)
    narrow = specification.narrow(vectors, np.float32).all(axis=0)
    single = vectors[:, narrow].astype(np.float32)
    rough = _compiled(specification, scaling, groups, single, 0, lane=lane) if narrow.any() else None

    def ended() -> Evaluation:
        values = np.full(vectors.shape[:2], np.nan)
        if rough is not None:
            values[:, narrow] = rough().value
        lost = ~np.isfinite(values).all(axis=0)
        if lost.any():
            values[:, lost] = _compiled(specification, scaling, groups, vectors[:, lost], 0, lane=lane)().value
        return Evaluation(values)

    return ended


@double_precision
def _compiled(
    specification: Specification,
    scaling: Scaling,
    groups: Sequence[Observations],
    vectors: np.ndarray,
    order: int,
    single: bool = False,
    lane: int | None = None,
) -> Pending:
    """`begun`, compiled, in the precision of the vectors; different numbers of starts share the code."""
    starts, likelihood = vectors.shape[1], specification.likelihood
    quick, layout = likelihood.quick, likelihood.layout(specification)
    if not quick and starts > ALIKE:  # code that takes long to compile serves any number
        some = [vectors[:, first : first + ALIKE] for first in range(0, starts, ALIKE)]
        return _side_by_side([_compiled(specification, scaling, groups, own, order, lane=lane) for own in some])
    padded = each = starts
    whole = sum(group.rows for group in groups) * (THREADS if groups[0].some else 1)
    if not (single and starts == 1) and (not quick or _shared(whole, specification)):
        one = not quick and (order > 0 or layout.large)  # which fills the cache by itself
        padded, each = -(-starts // ALIKE) * ALIKE, 1 if one else FEW_STARTS
    vectors = np.concatenate([vectors, np.repeat(vectors[:, :1], padded - starts, axis=1)], axis=1)
    turns = vectors.reshape(len(vectors), -1, each, vectors.shape[2])
    rows = laid_out(specification, groups, each if quick else 1, lane)
    suited = specification.suited(vectors)
    arguments = (suited, order, turns, -(-starts // each), scaling.location, scaling.scale, rows)
    run = _evaluate_large if layout.large else _evaluate
    parts = run(*arguments, lane=lane)
    return lambda: Evaluation(*(np.asarray(part)[:, :starts] for part in parts))


def _side_by_side(some: list[Pending], order: Any = slice(None)) -> Pending:
    """Evaluations of some vectors each, as one, in this order."""

    def ended() -> Evaluation:
        both = zip(*(own() for own in some), strict=True)
        return Evaluation(*(np.concatenate(parts, axis=1)[:, order] for parts in both if parts[0] is not None))

    return ended


def _shared(rows: int, specification: Specification) -> bool:
    """Is one piece of code compiled for different numbers of starts? On few rows, each of its own takes longer."""
    return specification.likelihood.quick and rows <= FEW_ROWS and len(specification.features) <= FEW_FEATURES


def room(starts: int, rows: int, specification: Specification) -> int:
    """How many starts may be tried where so many are wanted: on few rows more of them take little time."""
    if not _shared(rows, specification):
        return starts
    return FEW_STARTS if starts <= FEW_STARTS and rows > FEWER_ROWS else -(-starts // ALIKE) * ALIKE


def log_likelihood(specification: Specification) -> Callable[..., jax.Array]:
    """A function of (vector, location, scale, rows) to be traced, for one group; rows come from `laid_out`.

    Samplers map it over many vectors, and differentiate it once: vectors are then evaluated together, with the
    gradient, as `evaluate` does. (Mapped by JAX itself, the fast and the careful formulas of the likelihood would both
    be computed for each vector.)
    """

    def evaluated(order: int) -> Callable[..., Any]:
        def together(vectors: jax.Array, data: Any) -> tuple[jax.Array, ...]:
            parts = _sums(specification, order, vectors[None], *data)
            return tuple(-part[0] for part in parts)

        @jax.custom_batching.custom_vmap
        def single(vector: jax.Array, data: Any) -> tuple[jax.Array, ...]:
            return tuple(part[0] for part in together(vector[None], data))

        @single.def_vmap
        def mapped(size: int, is_mapped: Any, vectors: jax.Array, data: Any) -> tuple[Any, Any]:
            return together(vectors, data), (True,) * (order + 1)

        return single

    value, value_and_gradient = evaluated(0), evaluated(1)

    @jax.custom_vjp
    def function(vector: jax.Array, *data: Any) -> jax.Array:
        return value(vector, data)[0]

    def forward(vector: jax.Array, *data: Any) -> tuple[jax.Array, jax.Array]:
        return value_and_gradient(vector, data)

    def backward(gradient: jax.Array, change: jax.Array) -> tuple[Any, ...]:
        return (change * gradient, *(None,) * 3)

    function.defvjp(forward, backward)
    return function


def _sums(
    specification: Specification, order: int, vectors: jax.Array, location: Any, scale: Any, rows: dict[str, Any]
) -> tuple[jax.Array, ...]:
    """Sums over the blocks of each group, for each start: value, gradient and curvature up to `order`."""
    likelihood = specification.likelihood
    layout = likelihood.layout(specification)

    def terms(kind: str, point: Point, block: jax.Array, weight: jax.Array) -> tuple[jax.Array, ...]:
        rows = Block(block, weight, likelihood.finite_in_padding(kind))
        return layout.terms(specification, kind, order, point, rows)

    def group(starts: jax.Array, kinds: dict[str, Any]) -> tuple[jax.Array, ...]:
        point, total = Point(starts, *(jnp.asarray(own, starts.dtype) for own in (location, scale))), None
        for kind in likelihood.kinds:
            *laid, filled = kinds[kind]
            if not laid[0].shape[0]:
                continue

            def add_block(place: Any, sums: Any, kind: str = kind, laid: list[jax.Array] = laid) -> Any:
                block = [jax.lax.dynamic_index_in_dim(part, place, keepdims=False) for part in laid]
                own = terms(kind, point, *(part.astype(starts.dtype) for part in block))
                return jax.tree.map(jnp.add, sums, own)

            shapes = jax.eval_shape(partial(terms, kind), point, *(part[0] for part in laid))
            nothing = jax.tree.map(lambda own: jnp.zeros(own.shape), shapes)
            sums = jax.lax.fori_loop(0, filled, add_block, nothing)
            total = sums if total is None else jax.tree.map(jnp.add, total, sums)
        if total is None:
            return tuple(jnp.zeros((len(starts), *shape)) for shape in _shapes(specification, order))
        return layout.assembled(specification, order, point, total)

    if all(len(blocks) == len(vectors) for blocks, *_ in rows.values()):
        return jax.lax.map(lambda own: group(*own), (vectors, rows))
    weights = {kind: own[1] for kind, own in rows.items()}  # the same rows for all groups

    def reweighted(starts: jax.Array, weights: dict[str, Any]) -> tuple[jax.Array, ...]:
        return group(starts, {kind: (rows[kind][0][0], own, rows[kind][2][0]) for kind, own in weights.items()})

    return jax.lax.map(lambda own: reweighted(*own), (vectors, weights))


def _shapes(specification: Specification, order: int) -> Sequence[tuple[int, ...]]:
    """Of value, gradient and curvature, up to `order`."""
    return ((), (specification.size,), (specification.size,) * 2)[: order + 1]


def _in_turns(
    specification: Specification, order: int, vectors: jax.Array, used: Any, location: Any, scale: Any, rows: Any
) -> tuple[jax.Array, ...]:
    """`_sums` for vectors (groups, turns, starts, parameters); after the first `used` turns there are zeros."""
    sums = partial(_sums, specification, order, location=location, scale=scale, rows=rows)
    if vectors.shape[1] == 1:
        return sums(vectors[:, 0])

    def turn(place: Any, found: Any) -> Any:
        own = sums(jax.lax.dynamic_index_in_dim(vectors, place, axis=1, keepdims=False))
        return jax.tree.map(partial(jax.lax.dynamic_update_index_in_dim, index=place, axis=1), found, own)

    nothing = tuple(jnp.zeros((*vectors.shape[:3], *shape)) for shape in _shapes(specification, order))
    found = jax.lax.fori_loop(0, used, turn, nothing)
    return tuple(part.reshape(len(part), -1, *part.shape[3:]) for part in found)


_evaluate = compiled(_in_turns)
_evaluate_large = compiled(_in_turns, plainly=True)
