"""What do some rows say of given parameters: value, gradient and curvature of their negative log-likelihood?

This is the compiled part. Rows are laid out in blocks that stay in a core's cache, and many parameter vectors
(starts) are evaluated at once. Where the rows live, and that there may be many parts of them, is not known here:
see `lori.inference.sources.memory`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lori.inference import chain_rule
from lori.inference.chain_rule import seen
from lori.inference.scaling import Scaling
from lori.model.likelihoods import derivatives
from lori.model.likelihoods.observations import Observations
from lori.model.precision import double_precision
from lori.model.specification import Specification

BLOCK_ELEMENTS = 8192  # rows × starts that are computed together
FEW_FEATURES = 16  # up to here the products of two features are laid out for all levels and starts together
FEW_ROWS = 20_000  # up to here compiled code is shared between nearly equal numbers of starts
FEWER_ROWS, ALIKE = 2000, 64  # up to here between any up to 64, and between numbers of rows up to twice as large


_COMPILED: set[Any] = set()
_COMPILING = threading.Lock()


class Evaluation(NamedTuple):
    """Value, gradient and curvature at each vector; parts not asked for are None."""

    value: np.ndarray
    gradient: np.ndarray | None = None
    curvature: np.ndarray | None = None

    def __add__(self, other: Any) -> Evaluation:
        """Of a sum: evaluations add up part by part."""
        return Evaluation(*(a + b for a, b in zip(self, other, strict=True) if a is not None and b is not None))


@double_precision
def evaluate(
    specification: Specification,
    scaling: Scaling,
    groups: list[Observations],
    vectors: np.ndarray,
    order: int,
) -> Evaluation:
    """`vectors` (groups, starts, parameters), in standardised units → values (groups, starts) and derivatives."""
    vectors = np.asarray(vectors, float)
    starts = vectors.shape[1]
    room = _room(starts, sum(group.rows for group in groups), specification)
    vectors = np.concatenate([vectors, np.repeat(vectors[:, :1], room - starts, axis=1)], axis=1)
    rows = laid_out(groups, room, specification.linear)
    arguments = (specification, order, vectors, scaling.location, scaling.scale, *rows)
    key = (specification, order, vectors.shape, rows[0][0].shape, rows[1][0].shape)
    if key in _COMPILED:
        parts = _evaluate(*arguments)
    else:
        with _COMPILING:  # threads that need the same code wait for the first one to compile it
            parts = _evaluate(*arguments)
            _COMPILED.add(key)
    return Evaluation(*(np.asarray(part)[:, :starts] for part in parts))


def _room(starts: int, rows: int, specification: Specification) -> int:
    """For how many starts code is compiled: on few rows that takes longer than to compute some in vain."""
    if rows > FEW_ROWS or len(specification.features) > FEW_FEATURES:
        return starts
    if rows <= FEWER_ROWS:
        return -(-starts // ALIKE) * ALIKE
    return 1 << max(3, (starts - 1).bit_length()) if starts <= 16 else -(-starts // 8) * 8


def log_likelihood(specification: Specification) -> Callable[..., jax.Array]:
    """A function of (vector, location, scale, decided, tied) to be traced, for one group; rows come from `laid_out`.

    Samplers map it over many vectors, and differentiate it once: vectors are then evaluated together, with the
    gradient, as `evaluate` does. (Mapped by JAX itself, the fast and the careful formulas of `derivatives.better`
    would both be computed for each vector.)
    """

    def evaluated(order: int):
        def together(vectors, data):
            parts = _evaluate(specification, order, vectors[None], *data)
            return tuple(-part[0] for part in parts)

        @jax.custom_batching.custom_vmap
        def single(vector, data):
            return tuple(part[0] for part in together(vector[None], data))

        @single.def_vmap
        def mapped(size, is_mapped, vectors, data):
            return together(vectors, data), (True,) * (order + 1)

        return single

    value, value_and_gradient = evaluated(0), evaluated(1)

    @jax.custom_vjp
    def function(vector, *data):
        return value(vector, data)[0]

    def forward(vector, *data):
        return value_and_gradient(vector, data)

    def backward(gradient, change):
        return (change * gradient, *(None,) * 4)

    function.defvjp(forward, backward)
    return function


def laid_out(groups: list[Observations], starts: int, linear: bool) -> tuple[Any, Any]:
    """Decided and tied rows with their weights, (groups, blocks, …), on the device; kept with the first group.

    Blocks are such that so many starts, evaluated together, stay in cache.
    """
    wanted = max(64, BLOCK_ELEMENTS // starts)
    kept = groups[0].blocks
    key = (wanted, *groups[1:])  # a group may stand beside others whole or sampled; without itself: no cycle
    if key not in kept:
        decided = _blocks([(g.decided, g.decided_weight) for g in groups], wanted, linear)
        tied = _blocks([(g.tied, g.tied_weight) for g in groups], wanted, linear)
        kept.clear()  # one layout at a time: memory is worth more than laying out again
        kept[key] = jax.device_put((decided, tied))
    return kept[key]


def _blocks(groups: list[tuple[np.ndarray, np.ndarray]], wanted: int, linear: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows as (groups, blocks, features, rows in a block) if linear, else (groups, blocks, rows, 2, features).

    Blocks are padded by rows of weight zero. Their number is rounded up to steps of an eighth, for few rows and
    starts to a power of two, so that data sets of similar size share compiled code.
    """
    lengths = [len(weight) for _, weight in groups]
    longest, few = max(lengths), sum(lengths) <= FEWER_ROWS and wanted >= BLOCK_ELEMENTS // ALIKE
    block, count = 1, 0
    if longest:
        block = min(wanted, 1 << max(7 if few else 3, (longest - 1).bit_length()))
        count = -(-longest // block)
        step = 1 << max(0, (count - 1).bit_length() if few else count.bit_length() - 4)
        count = -(-count // step) * step
    shape = groups[0][0].shape[1:]
    rows = np.zeros((len(groups), count, *((*shape, block) if linear else (block, *shape))))
    weights = np.zeros((len(groups), count, block))
    for g, (pairs, weight) in enumerate(groups):
        whole = len(weight) // block
        for first, last, size in ((0, whole, block), (whole, whole + 1, len(weight) % block)):
            part = slice(first * block, first * block + (last - first) * size)
            if size and last > first:
                own = pairs[part].reshape(last - first, size, *shape)
                if linear:
                    rows[g, first:last, :, :size] = own.transpose(0, 2, 1)
                else:
                    rows[g, first:last, :size] = own
                weights[g, first:last, :size] = weight[part].reshape(last - first, size)
    return rows, weights


@partial(jax.jit, static_argnums=(0, 1))
def _evaluate(specification: Specification, order: int, vectors, location, scale, decided, tied):
    """Sums over the blocks of each group, for each start: value, gradient and curvature up to `order`."""
    by_products = specification.linear and not specification.alpha_slots

    def terms(outcome, starts, pairs, weight):
        rows = _row_derivatives(specification, outcome, starts, location, scale, pairs)
        if by_products:
            return _products(order, rows, pairs, weight, certain=outcome == "better")
        return chain_rule.evaluated(specification, order, rows, starts, location, scale, pairs, weight)

    def group(arguments):
        starts, decided_rows, tied_rows = arguments
        total = None
        for outcome, rows in (("better", decided_rows), ("tie", tied_rows)):
            if not rows[0].shape[0]:
                continue

            def add_block(sums, block, outcome=outcome):
                return jax.tree.map(jnp.add, sums, terms(outcome, starts, *block)), None

            shapes = jax.eval_shape(partial(terms, outcome), starts, rows[0][0], rows[1][0])
            sums, _ = jax.lax.scan(add_block, jax.tree.map(lambda s: jnp.zeros(s.shape), shapes), rows)
            total = sums if total is None else jax.tree.map(jnp.add, total, sums)
        if total is None:
            size = specification.size
            return tuple(jnp.zeros((len(starts), *shape)) for shape in ((), (size,), (size, size))[: order + 1])
        if by_products:
            return _assembled(specification, order, total, jax.vmap(specification.unpack)(starts).alpha, scale)
        return total

    return jax.lax.map(group, (vectors, decided, tied))


def _row_derivatives(specification: Specification, outcome: str, starts, location, scale, pairs):
    """Each row's log-probability and its derivatives in gaps and tolerances, arrays (starts, rows)."""
    parameters = jax.vmap(specification.unpack)(starts)
    gaps = []
    for reward, own, alpha in zip(specification.rewards, parameters.rewards, parameters.alpha.T, strict=True):
        if specification.linear:
            difference = own / scale @ pairs
        else:
            units = jax.vmap(lambda values, reward=reward: reward.in_units(values, location, scale))(own)
            difference = jax.vmap(lambda values, reward=reward: specification.gap(reward, values, pairs))(units)
        gaps.append(alpha[:, None] * difference)
    tolerances = list((parameters.alpha * parameters.epsilon).T[:, :, None])
    if outcome == "tie":
        return derivatives.tie(gaps, tolerances)
    return derivatives.better(gaps, tolerances, specification.ties)


def _products(order: int, rows: derivatives.Derivatives, x, weight, certain: bool):
    """For linear rewards ∂gap/∂weights is the row itself: sums over rows are products of a few matrices.

    Returns sums over the rows of a block: values (starts,); of each derivative times (1, x); and of the
    derivatives in two gaps times x xᵀ. Unless `certain` (of finite derivatives in padding, too), rows of weight
    zero are left out by force.
    """

    def stacked(parts: list[jax.Array]) -> jax.Array:
        rows = jnp.stack(parts, axis=1)
        return rows if certain else jnp.where(weight > 0, rows, 0.0)

    value = seen(rows.value, weight).sum(axis=-1)
    if order == 0:
        return (value,)
    ones_and_x = jnp.concatenate([jnp.ones((1, x.shape[1])), x]) * weight
    first = [part for both in rows.gradient for part in both]
    second = [part for parts in rows.curvature.values() for part in parts[1:]] if order == 2 else []
    sums = stacked(first + second) @ ones_and_x.T
    if order == 1:
        return value, sums
    upper = np.triu_indices(x.shape[0])
    both = stacked([parts[0] for parts in rows.curvature.values()])
    if x.shape[0] <= FEW_FEATURES:
        return value, sums, both @ (x[upper[0]] * x[upper[1]] * weight).T
    grams = jnp.einsum("spr,fr,gr->spfg", both * weight, x, x)
    return value, sums, grams[:, :, upper[0], upper[1]]


def _assembled(specification: Specification, order: int, total, alpha, scale):
    """Value, gradient and curvature of the negative log-likelihood from the sums of `_products`."""
    value = -total[0]
    if order == 0:
        return (value,)
    starts, features, levels = alpha.shape[0], len(scale), specification.levels
    sums = -total[1] / jnp.append(1.0, scale)
    gradient = jnp.zeros((starts, specification.size))
    for j in range(levels):
        size = alpha[:, j]
        gradient = gradient.at[:, specification.reward_slices[j]].set(sums[:, 2 * j, 1:] * size[:, None])
        if j in specification.epsilon_slots:
            gradient = gradient.at[:, specification.epsilon_slots[j]].set(sums[:, 2 * j + 1, 0] * size)
    if order == 1:
        return value, gradient

    others, upper = sums[:, 2 * levels :], np.triu_indices(features)
    in_gaps = -total[2] / (scale[upper[0]] * scale[upper[1]])
    curvature = jnp.zeros((starts, specification.size, specification.size))

    def put(curvature, one, other, block):
        curvature = curvature.at[:, one, other].set(block)
        return curvature.at[:, other, one].set(jnp.swapaxes(block, 1, 2))

    def slot(level):
        start = specification.epsilon_slots.get(level)
        return None if start is None else slice(start, start + 1)

    for i, (j, later) in enumerate(derivatives.pairs_of_levels(levels)):
        size = (alpha[:, j] * alpha[:, later])[:, None, None]
        one, other = specification.reward_slices[j], specification.reward_slices[later]
        gram = jnp.zeros((starts, features, features)).at[:, upper[0], upper[1]].set(in_gaps[:, i])
        gram = gram.at[:, upper[1], upper[0]].set(in_gaps[:, i])
        curvature = put(curvature, one, other, size * gram)
        ab, ba, bb = others[:, 3 * i, 1:], others[:, 3 * i + 1, 1:], others[:, 3 * i + 2, 0]
        if slot(later):
            curvature = put(curvature, one, slot(later), size * ab[:, :, None])
        if slot(j) and later != j:
            curvature = put(curvature, slot(j), other, size * ba[:, None, :])
        if slot(j) and slot(later):
            curvature = put(curvature, slot(j), slot(later), size * bb[:, None, None])
    return value, gradient, curvature
