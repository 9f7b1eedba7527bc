"""Blocks: value, gradient and curvature of the negative log-likelihood of some rows, compiled.

Rows are laid out in blocks that stay in a core's cache, and many parameter vectors (starts) are evaluated at once.
What a row is and how blocks become sums is the likelihood's; where rows live, and that there may be many parts of
them, is not known here either: see `lori.inference.sources`. Small sums are NumPy's: see `lori.inference.plain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lori.inference import plain
from lori.inference.statistics import Scaling
from lori.inference.threads import THREADS
from lori.model.engines import compiled, jax, jnp
from lori.model.likelihoods.base import Block, Layout, Observations, Point, Rows
from lori.model.precision import double_precision
from lori.model.specification import Specification

BLOCK_ELEMENTS = 8192  # rows × starts that are computed together,
BLOCK_CELLS = 32_768  # rows × features,
BLOCK_ROWS = 2048  # and rows, for each two levels: of few starts, whose curvatures take more room than the rows do
FEW_ELEMENTS = 256  # of rows that take much room each,
HEAVY, HEAVY_BLOCK, HEAVY_BLOCKS = 1000.0, 8, 32  # or, from this effort on, rows in a block; so many blocks share code
CHUNK = 1 << 16  # numbers that are laid out at a time, which stay in cache
SLAB = 1 << 19  # rows that are evaluated in one call, at most; the cores take slabs in turn, and from
MANY_ROWS = 1 << 14  # so many rows on all slabs share compiled code
FEW_FEATURES = 16  # up to here,
FEW_ROWS = 30_000  # and up to here, compiled code is shared between numbers of starts up to 32, up to 64, and so on:
FEW_STARTS, ALIKE = 8, 32  # they are evaluated in as many turns as there are eights of them
FEWER_ROWS = 2000  # up to here it is shared between numbers of rows up to twice as large
SAMPLE_BLOCKS, SAMPLE_ROWS = 8, 1024  # samples of different sizes share code for as many blocks of as many rows
ALIGNED = 64  # bytes


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
    if plain.suffices(specification, groups, vectors.shape[1]):
        return Evaluation(*plain.evaluate(specification, scaling, groups, vectors, order))
    if specification.likelihood.single_precision:
        narrow = specification.narrow(vectors).all(axis=0)
        if narrow.any() and not narrow.all():  # few thresholds are too wide for it
            each = [
                _evaluate_compiled(specification, scaling, groups, vectors[:, some], order)
                for some in (narrow, ~narrow)
            ]
            back = np.argsort(np.argsort(~narrow, kind="stable"))
            both = (np.concatenate(parts, axis=1) for parts in zip(*each, strict=True) if parts[0] is not None)
            return Evaluation(*(part[:, back] for part in both))
    return _evaluate_compiled(specification, scaling, groups, vectors, order, single)


def rough_values(
    specification: Specification, scaling: Scaling, groups: Sequence[Observations], vectors: np.ndarray
) -> np.ndarray:
    """(groups, vectors) the negative log-likelihood, only as exact as the weight of a draw needs it.

    Rows are computed in single precision where their formulas allow it, in about half of the time; blocks are added up
    in double precision. Vectors for which that is not enough, with wide thresholds or values that are no numbers, are
    computed in double precision.
    """
    vectors = np.asarray(vectors, float)
    if plain.suffices(specification, groups):
        return plain.roughly(specification, scaling, groups, vectors)
    if not specification.likelihood.layout(specification).allows_single_precision:
        return _evaluate_compiled(specification, scaling, groups, vectors, 0).value
    found, narrow = np.full(vectors.shape[:2], np.nan), specification.narrow(vectors, np.float32).all(axis=0)
    if narrow.any():
        single = vectors[:, narrow].astype(np.float32)
        found[:, narrow] = _evaluate_compiled(specification, scaling, groups, single, 0).value
    lost = ~np.isfinite(found).all(axis=0)
    if lost.any():
        found[:, lost] = _evaluate_compiled(specification, scaling, groups, vectors[:, lost], 0).value
    return found


@double_precision
def _evaluate_compiled(
    specification: Specification,
    scaling: Scaling,
    groups: Sequence[Observations],
    vectors: np.ndarray,
    order: int,
    single: bool = False,
) -> Evaluation:
    """The same, compiled, in the precision of the vectors; different numbers of starts share the code."""
    starts, likelihood = vectors.shape[1], specification.likelihood
    quick, layout = likelihood.quick, likelihood.layout(specification)
    if not quick and starts > ALIKE:  # code that takes long to compile serves any number
        some = [
            _evaluate_compiled(specification, scaling, groups, vectors[:, first : first + ALIKE], order)
            for first in range(0, starts, ALIKE)
        ]
        return Evaluation(*(np.concatenate(parts, axis=1) for parts in zip(*some, strict=True) if parts[0] is not None))
    padded = each = starts
    whole = sum(group.rows for group in groups) * (THREADS if groups[0].some else 1)
    if not (single and starts == 1) and (not quick or _shared(whole, specification)):
        one = not quick and (order > 0 or layout.large)  # which fills the cache by itself
        padded, each = -(-starts // ALIKE) * ALIKE, 1 if one else FEW_STARTS
    vectors = np.concatenate([vectors, np.repeat(vectors[:, :1], padded - starts, axis=1)], axis=1)
    turns = vectors.reshape(len(vectors), -1, each, vectors.shape[2])
    rows = laid_out(specification, groups, each if quick else 1)
    suited = specification.suited(vectors)
    arguments = (suited, order, turns, -(-starts // each), scaling.location, scaling.scale, rows)
    run = _evaluate_large if layout.large else _evaluate
    parts = run(*arguments)
    return Evaluation(*(np.asarray(part)[:, :starts] for part in parts))


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


def laid_out(specification: Specification, groups: Sequence[Observations], starts: int) -> dict[str, Any]:
    """For each kind of outcome its rows and their weights, (groups, blocks, …), and how many blocks (groups,) have
    rows, on the device; rows stay laid out.

    Blocks are such that so many starts, evaluated together, stay in cache. Groups that were reweighted share what is
    laid out with those that they were made from: only weights are laid out again. Where all groups are the same rows
    with other weights (the classes of a mixture), the rows stand there once.
    """
    layout, quick = specification.likelihood.layout(specification), specification.likelihood.quick
    heavy = specification.likelihood.effort >= HEAVY
    wanted = HEAVY_BLOCK if heavy else max(HEAVY_BLOCK, FEW_ELEMENTS // starts)
    if quick:
        cells = 1 << (BLOCK_CELLS // max(len(specification.features), 1)).bit_length() - 1
        wanted = max(64, min(BLOCK_ELEMENTS // starts, cells, BLOCK_ROWS * max(1, specification.levels // 2)))
    first, others = groups[0], groups[1:]  # what belongs to several groups is kept with the first of them
    apart = [own for own in others if own.laid is not first.laid]
    sample = specification.likelihood.single_precision and first.rows <= FEW_ROWS
    wanted = min(wanted, SAMPLE_ROWS) if sample else wanted
    sizes = partial(_sizes, wanted=wanted, quick=quick, sample=sample)

    def kept(cache: dict[Any, Any], key: Any, make: Callable[[list[Rows]], Any]) -> dict[str, Any]:
        found = cache.get(key)
        if found is None:
            found = jax.device_put({kind: make([own.kinds[kind] for own in groups]) for kind in first.kinds})
            cache.clear()  # one layout at a time: memory is worth more than laying out again
            cache[key] = found
        return found

    blocks = kept(
        first.laid.blocks,
        (layout, wanted, sample, *(own.laid for own in others if apart)),
        lambda rows: _blocks(rows if apart else rows[:1], layout, *sizes(rows)),
    )
    weights = kept(first.weights, (layout, wanted, sample, *others), lambda rows: _weights(rows, *sizes(rows)))
    return {kind: (own, weights[kind], filled) for kind, (own, filled) in blocks.items()}


def _sizes(groups: list[Rows], wanted: int, quick: bool = True, sample: bool = False) -> tuple[int, int]:
    """Rows in a block, and blocks.

    The number of blocks is rounded up to steps of an eighth, of sets a half, for few rows and starts to a power of two,
    and for many rows, or rows that take very long, to slabs, so that data sets of similar size share compiled code; not
    where many groups would be mostly padding. Blocks that are padding alone are not computed.
    """
    lengths = [len(rows) for rows in groups]
    longest, room = max(lengths), max(sum(lengths), len(lengths) << 7)
    few = quick and room <= FEWER_ROWS and wanted >= BLOCK_ELEMENTS // ALIKE
    if not longest:
        return 1, 0
    block = wanted if sample else min(wanted, 1 << max(7 if few else 3, (longest - 1).bit_length()))
    count = -(-longest // block)
    alike = 4 if quick else 2  # code for sets takes long to compile
    step = 1 << max(0, (count - 1).bit_length() if few else count.bit_length() - alike)
    if quick and longest > MANY_ROWS and min(lengths) == longest:
        step = max(1, SLAB // block)
    if sample:
        step = max(step, SAMPLE_BLOCKS)
    if wanted == HEAVY_BLOCK and len(groups) == 1:
        step = max(step, HEAVY_BLOCKS)
    return block, -(-count // step) * step


def _blocks(groups: list[Rows], layout: Layout, block: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(groups, blocks, *shape of a block), padded by rows of zeros; and how many blocks of each group have rows, beyond
    which there may be anything."""
    laid = _room((len(groups), count, *layout.shape(groups[0], block)))
    for own, rows in zip(laid, groups, strict=True):
        for first, last, size in _parts(len(rows), block, own[:1].size):
            start = first * block
            if size < block:
                own[first:last] = 0.0
            layout.put(own[first:last], rows, slice(start, start + (last - first) * size), size)
    return laid, np.array([-(-len(rows) // block) for rows in groups])


def _weights(groups: list[Rows], block: int, count: int) -> np.ndarray:
    """(groups, blocks, rows in a block), zero in padding."""
    laid = _room((len(groups), count * block))
    for own, rows in zip(laid, groups, strict=True):
        own[: len(rows)] = rows.weight
        own[len(rows) : -(-len(rows) // block) * block] = 0.0
    return laid.reshape(len(groups), count, block)


def _room(shape: tuple[int, ...]) -> np.ndarray:
    """Where a device that is the processor itself takes arrays as they are, instead of copying them."""
    size, spare = int(np.prod(shape)), ALIGNED // 8
    room = np.empty(size + spare)
    start = -room.ctypes.data % ALIGNED // 8
    return room[start : start + size].reshape(shape)


def _parts(length: int, block: int, numbers: int) -> Iterator[tuple[int, int, int]]:
    """First and last block, of so many numbers each, and the rows in each, of parts that stay in cache."""
    whole, step = length // block, max(1, CHUNK // max(numbers, 1))
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
