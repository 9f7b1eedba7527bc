"""Arrangement: how do rows lie in blocks, for compiled code to run through them?

A block stays in a core's cache. Data of similar size are laid out alike, so that they share compiled code, and what was
laid out stays on its device for the next call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from lori.inference.threads import together
from lori.model.engines import jax
from lori.model.lanes import device
from lori.model.likelihoods.base import Layout, Observations, Rows
from lori.model.specification import Specification

BLOCK_ELEMENTS = 8192  # rows × starts that are computed together,
BLOCK_CELLS = 32_768  # rows × features,
BLOCK_ROWS = 2048  # and rows, twice as many from four levels on: of few starts, whose curvatures take more room
FEW_ELEMENTS = 256  # of rows that take much room each,
LARGE, FEWEST_ELEMENTS = 100.0, 64  # and, from this effort on, very much,
HEAVY, HEAVY_BLOCK, HEAVY_BLOCKS = 1000.0, 8, 32  # or, from this one on, rows in a block; so many blocks share code
CHUNK = 1 << 16  # numbers that are laid out at a time, which stay in cache
SLAB = 1 << 19  # rows that are evaluated in one call, at most; the cores take slabs in turn, and
MANY_ROWS = 1 << 14  # from so many rows on all slabs share compiled code
FEW_ROWS = 30_000  # up to here, compiled code is shared between numbers of starts up to 32, up to 64, and so on;
FEWER_ROWS = 2000  # up to here also between numbers of rows up to twice as large
ALIKE = 32  # starts that share code
SAMPLE_BLOCKS, SAMPLE_ROWS = 8, 1024  # samples of different sizes share code for as many blocks of as many rows
ALIGNED = 64  # bytes


def laid_out(
    specification: Specification, groups: Sequence[Observations], starts: int, lane: int | None = None
) -> dict[str, Any]:
    """For each kind of outcome its rows and their weights, (groups, blocks, …), and how many blocks (groups,) have
    rows, on the device of the lane; rows stay laid out.

    Blocks are such that so many starts, evaluated together, stay in cache. Groups that were reweighted share what is
    laid out with those that they were made from: only weights are laid out again. Where all groups are the same rows
    with other weights (the classes of a mixture), the rows stand there once.
    """
    layout, quick = specification.likelihood.layout(specification), specification.likelihood.quick
    effort = specification.likelihood.effort
    elements = FEW_ELEMENTS if effort < LARGE else FEWEST_ELEMENTS
    wanted = HEAVY_BLOCK if effort >= HEAVY else max(HEAVY_BLOCK, elements // starts)
    if quick:
        cells = 1 << (BLOCK_CELLS // max(len(specification.features), 1)).bit_length() - 1
        wanted = max(64, min(BLOCK_ELEMENTS // starts, cells, BLOCK_ROWS * min(2, max(1, specification.levels // 2))))
    first, others = groups[0], groups[1:]  # what belongs to several groups is kept with the first of them
    apart = [own for own in others if own.laid is not first.laid]
    sample = specification.likelihood.single_precision and first.rows <= FEW_ROWS
    wanted = min(wanted, SAMPLE_ROWS) if sample else wanted
    sizes = partial(_sizes, wanted=wanted, quick=quick, sample=sample)

    def kept(cache: dict[Any, Any], key: Any, make: Callable[[list[Rows]], Any]) -> dict[str, Any]:
        found = cache.get(key)
        if found is None:
            made = {kind: make([own.kinds[kind] for own in groups]) for kind in first.kinds}
            found = jax.device_put(made, device(lane))
            cache.clear()  # one layout at a time: memory is worth more than laying out again
            cache[key] = found
        return found

    blocks = kept(
        first.laid.blocks,
        (layout, wanted, sample, lane, *(own.laid for own in others if apart)),
        lambda rows: _blocks(rows if apart else rows[:1], layout, *sizes(rows)),
    )
    weights = kept(first.weights, (layout, wanted, sample, lane, *others), lambda rows: _weights(rows, *sizes(rows)))
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

    def put(own: np.ndarray, rows: Rows, first: int, last: int, size: int) -> None:
        start = first * block
        if size < block:
            own[first:last] = 0.0
        layout.put(own[first:last], rows, slice(start, start + (last - first) * size), size)

    parts = [
        (own, rows, *part)
        for own, rows in zip(laid, groups, strict=True)
        for part in _parts(len(rows), block, own[:1].size)
    ]
    together(put, *zip(*parts, strict=True))
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
