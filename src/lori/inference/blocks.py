"""Blocks: value, gradient and curvature of the negative log-likelihood of some rows, compiled.

Rows are laid out in blocks that stay in a core's cache, and many parameter vectors (starts) are evaluated at once.
What a row is and how blocks become sums is the likelihood's; where rows live, and that there may be many parts of
them, is not known here either: see `lori.inference.sources`. Small sums are NumPy's: see `lori.inference.plain`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from lori.inference import plain
from lori.inference.statistics import Scaling
from lori.model.engines import compiled, jax, jnp
from lori.model.likelihoods.base import Block, Layout, Observations, PlainLayout, Point, Rows
from lori.model.precision import double_precision
from lori.model.specification import Specification

BLOCK_ELEMENTS = 8192  # rows × starts that are computed together
FEW_ELEMENTS = 256  # of rows that take much room each
CHUNK = 1 << 15  # rows that are laid out at a time
FEW_FEATURES = 16  # up to here compiled code is shared between numbers of starts
FEW_ROWS = 30_000  # and up to here between eight, between 32, and so on
FEWER_ROWS = 2000  # up to here between any up to 32, and between numbers of rows up to twice as large
FEW_STARTS, ALIKE = 8, 32
ALIGNED = 64  # bytes
REMEMBERED = 512  # pieces of compiled code that are known to exist

_COMPILED: OrderedDict[Any, None] = OrderedDict()
_COMPILING = threading.Lock()


class Evaluation(NamedTuple):
    """Value, gradient and curvature at each vector; parts not asked for are None."""

    value: np.ndarray
    gradient: np.ndarray | None = None
    curvature: np.ndarray | None = None

    def __add__(self, other: Any) -> Evaluation:
        """Of a sum: evaluations add up part by part."""
        return Evaluation(*(a + b for a, b in zip(self, other, strict=True) if a is not None and b is not None))

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> Evaluation:
        """Each part that is there, changed."""
        return Evaluation(*(function(part) for part in self if part is not None))


def evaluate(
    specification: Specification,
    scaling: Scaling,
    groups: Sequence[Observations],
    vectors: np.ndarray,
    order: int,
    single: bool = False,
) -> Evaluation:
    """`vectors` (groups, starts, parameters), in standardised units → values (groups, starts) and derivatives.

    `single`: it is worth code of its own that there is one start, because it is evaluated very often.
    """
    vectors = np.asarray(vectors, float)
    if plain.suffices(specification, groups):
        return Evaluation(*plain.evaluate(specification, scaling, groups, vectors, order))
    return _evaluate_compiled(specification, scaling, groups, vectors, order, single)


@double_precision
def _evaluate_compiled(
    specification: Specification,
    scaling: Scaling,
    groups: Sequence[Observations],
    vectors: np.ndarray,
    order: int,
    single: bool = False,
) -> Evaluation:
    """The same, compiled; different numbers of starts share the code."""
    starts = vectors.shape[1]
    if starts > 1 and not specification.likelihood.quick:  # code for one serves any number, and fills the cache
        turns = [
            _evaluate_compiled(specification, scaling, groups, vectors[:, own : own + 1], order)
            for own in range(starts)
        ]
        return Evaluation(
            *(np.concatenate(parts, axis=1) for parts in zip(*turns, strict=True) if parts[0] is not None)
        )
    alone = single and starts == 1
    padded = 1 if alone else room(starts, sum(group.rows for group in groups), specification)
    vectors = np.concatenate([vectors, np.repeat(vectors[:, :1], padded - starts, axis=1)], axis=1)
    rows = laid_out(specification, groups, padded)
    suited = specification.suited(vectors)
    arguments = (suited, order, vectors, scaling.location, scaling.scale, rows)
    key = (suited, order, vectors.shape, *(part.shape for kind in rows.values() for part in kind))
    if key in _COMPILED:
        parts = _evaluate(*arguments)
    else:
        with _COMPILING:  # threads that need the same code wait for the first one to compile it
            parts = _evaluate(*arguments)
            _COMPILED[key] = None
            while len(_COMPILED) > REMEMBERED:
                _COMPILED.popitem(last=False)
    return Evaluation(*(np.asarray(part)[:, :starts] for part in parts))


def room(starts: int, rows: int, specification: Specification) -> int:
    """For how many starts code is compiled: on few rows that takes longer than to compute some in vain."""
    if not specification.likelihood.quick:
        return starts
    if rows > FEW_ROWS or len(specification.features) > FEW_FEATURES:
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


def laid_out(specification: Specification, groups: Sequence[Observations], starts: int) -> dict[str, Any]:
    """For each kind of outcome its rows and their weights, (groups, blocks, …), on the device; rows stay laid out.

    Blocks are such that so many starts, evaluated together, stay in cache. Groups that were reweighted share what is
    laid out with those that they were made from: only weights are laid out again. Where all groups are the same rows
    with other weights (the classes of a mixture), the rows stand there once.
    """
    layout, quick = specification.likelihood.layout(specification), specification.likelihood.quick
    wanted = max(64, BLOCK_ELEMENTS // starts) if quick else max(8, FEW_ELEMENTS // starts)
    first, others = groups[0], groups[1:]  # what belongs to several groups is kept with the first of them
    apart = [own for own in others if own.laid is not first.laid]

    def kept(cache: dict[Any, Any], key: Any, make: Callable[[list[Rows]], np.ndarray]) -> dict[str, jax.Array]:
        found = cache.get(key)
        if found is None:
            found = jax.device_put({kind: make([own.kinds[kind] for own in groups]) for kind in first.kinds})
            cache.clear()  # one layout at a time: memory is worth more than laying out again
            cache[key] = found
        return found

    blocks = kept(
        first.laid.blocks,
        (layout, wanted, *(own.laid for own in others if apart)),
        lambda rows: _blocks(rows if apart else rows[:1], layout, *_sizes(rows, wanted, quick)),
    )
    weights = kept(first.weights, (layout, wanted, *others), lambda rows: _weights(rows, *_sizes(rows, wanted, quick)))
    return {kind: (blocks[kind], weights[kind]) for kind in blocks}


def _sizes(groups: list[Rows], wanted: int, quick: bool = True) -> tuple[int, int]:
    """Rows in a block, and blocks.

    The number of blocks is rounded up to steps of an eighth, of sets a half, for few rows and starts to a power of two,
    so that data sets of similar size share compiled code; not where many groups would be mostly padding.
    """
    lengths = [len(rows) for rows in groups]
    longest, room = max(lengths), max(sum(lengths), len(lengths) << 7)
    few = quick and room <= FEWER_ROWS and wanted >= BLOCK_ELEMENTS // ALIKE
    if not longest:
        return 1, 0
    block = min(wanted, 1 << max(7 if few else 3, (longest - 1).bit_length()))
    count = -(-longest // block)
    alike = 4 if quick else 2  # code for sets takes long to compile
    step = 1 << max(0, (count - 1).bit_length() if few else count.bit_length() - alike)
    return block, -(-count // step) * step


def _blocks(groups: list[Rows], layout: Layout, block: int, count: int) -> np.ndarray:
    """(groups, blocks, *shape of a block), padded by rows of zeros."""
    laid = _zeros((len(groups), count, *layout.shape(groups[0], block)))
    for own, rows in zip(laid, groups, strict=True):
        for first, last, size in _parts(len(rows), block):
            start = first * block
            layout.put(own[first:last], rows, slice(start, start + (last - first) * size), size)
    return laid


def _weights(groups: list[Rows], block: int, count: int) -> np.ndarray:
    """(groups, blocks, rows in a block), zero in padding."""
    laid = _zeros((len(groups), count * block))
    for own, rows in zip(laid, groups, strict=True):
        own[: len(rows)] = rows.weight
    return laid.reshape(len(groups), count, block)


def _zeros(shape: tuple[int, ...]) -> np.ndarray:
    """Where a device that is the processor itself takes arrays as they are, instead of copying them."""
    size, spare = int(np.prod(shape)), ALIGNED // 8
    room = np.zeros(size + spare)
    start = -room.ctypes.data % ALIGNED // 8
    return room[start : start + size].reshape(shape)


def _parts(length: int, block: int) -> Iterator[tuple[int, int, int]]:
    """First and last block and the rows in each, of parts that stay in cache while they are laid out."""
    whole, step = length // block, max(1, CHUNK // block)
    for first in range(0, whole, step):
        yield first, min(first + step, whole), block
    if length % block:
        yield whole, whole + 1, length % block


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
        point, total = Point(starts, location, scale), None
        for kind in likelihood.kinds:
            own = kinds[kind]
            if not own[0].shape[0]:
                continue

            def add_block(sums: Any, block: Any, kind: str = kind) -> tuple[Any, None]:
                return jax.tree.map(jnp.add, sums, terms(kind, point, *block)), None

            shapes = jax.eval_shape(partial(terms, kind), point, own[0][0], own[1][0])
            sums, _ = jax.lax.scan(add_block, jax.tree.map(lambda s: jnp.zeros(s.shape), shapes), own)
            total = sums if total is None else jax.tree.map(jnp.add, total, sums)
        if total is None:
            size = specification.size
            return tuple(jnp.zeros((len(starts), *shape)) for shape in ((), (size,), (size, size))[: order + 1])
        return layout.assembled(specification, order, point, total)

    if all(len(blocks) == len(vectors) for blocks, _ in rows.values()):
        return jax.lax.map(lambda own: group(*own), (vectors, rows))
    weights = {kind: own[1] for kind, own in rows.items()}  # the same rows for all groups
    return jax.lax.map(
        lambda own: group(own[0], {kind: (rows[kind][0][0], each) for kind, each in own[1].items()}), (vectors, weights)
    )


_evaluate = compiled(_sums, static_argnums=(0, 1))


# -- row by row ------------------------------------------------------------------------------------------


def row_log_likelihood(
    specification: Specification, scaling: Scaling, observations: Observations, vectors: np.ndarray
) -> dict[str, np.ndarray]:
    """For each kind (vectors, rows): the log-probability of each row, without its weight."""
    if plain.suffices(specification, [observations]):
        return plain.by_rows("values", specification, scaling, observations, vectors)
    return {
        kind: _by_rows(_row_values, specification, kind, scaling, rows, vectors)
        for kind, rows in observations.kinds.items()
    }


def row_scores(
    specification: Specification, scaling: Scaling, observations: Observations, vectors: np.ndarray
) -> dict[str, np.ndarray]:
    """For each kind (vectors, 1 + parameters, rows): a row's log-probability and its gradient, without its weight."""
    if plain.suffices(specification, [observations]):
        return plain.by_rows("scores", specification, scaling, observations, vectors)
    return {
        kind: _by_rows(_row_scores, specification, kind, scaling, rows, vectors)
        for kind, rows in observations.kinds.items()
    }


@double_precision
def _by_rows(
    function: Callable[..., jax.Array],
    specification: Specification,
    kind: str,
    scaling: Scaling,
    rows: Rows,
    vectors: np.ndarray,
) -> np.ndarray:
    """Some rows at a time, the last axis of what is found."""
    parts, closed = [], specification.likelihood.layout(specification).plain
    point = Point(np.asarray(vectors, float), scaling.location, scaling.scale)
    specification = specification.suited(point.starts)
    for start in range(0, max(len(rows), 1), CHUNK):
        some = slice(start, start + CHUNK)
        own = rows.contrasts(some).T if closed else (rows.alternatives(some) - scaling.location) / scaling.scale
        parts.append(np.asarray(function(specification, kind, point, own)))
    return np.concatenate(parts, axis=-1) if len(parts) > 1 else parts[0]


@partial(compiled, static_argnums=(0, 1))
def _row_values(specification: Specification, kind: str, point: Point, rows: jax.Array) -> jax.Array:
    layout = specification.likelihood.layout(specification)
    if layout.plain:
        return cast(PlainLayout, layout).values(specification, kind, point, rows)
    one = partial(specification.log_probability, kind)
    return jax.vmap(jax.vmap(one, (None, 0)), (0, None))(point.starts, rows)


@partial(compiled, static_argnums=(0, 1))
def _row_scores(specification: Specification, kind: str, point: Point, rows: jax.Array) -> jax.Array:
    layout = specification.likelihood.layout(specification)
    if layout.plain:
        return cast(PlainLayout, layout).scores(specification, kind, point, rows)
    one = jax.value_and_grad(partial(specification.log_probability, kind))
    value, slope = jax.vmap(jax.vmap(one, (None, 0)), (0, None))(point.starts, rows)
    return jnp.concatenate([value[:, None], jnp.swapaxes(slope, 1, 2)], axis=1)
