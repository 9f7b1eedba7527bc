"""How well do given parameters explain the data: one objective, a sum over blocks of rows?

The objective is the negative log-likelihood of equation (7), minus the log-prior if there is one. Where no data
and no prior tell two parameter vectors apart, the smaller one is taken: a ridge of `RIDGE` units breaks such
draws and is far below anything that a likelihood can show.

Many parameter vectors are evaluated at once (multi-start), for one data set or for many (per agent): vectors
have shape (groups, starts, parameters) and rows (groups, blocks, rows in a block, …).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lori.inference import derivatives
from lori.inference.observations import Observations
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.specification import Specification

RIDGE = 1e-6
FEW_ROWS = 20_000
BLOCK_ELEMENTS = 4096  # rows × starts that are computed together: what stays in a core's cache


class Evaluation(NamedTuple):
    """Value, gradient and curvature of the objective at each vector (parts not asked for are None)."""

    value: np.ndarray
    gradient: np.ndarray | None = None
    curvature: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Objective:
    """The negative log-posterior (or log-likelihood) of one specification on one or many data sets."""

    specification: Specification
    groups: tuple[Observations, ...]
    prior: Prior | None

    def evaluate(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """`vectors` (groups, starts, parameters) → values (groups, starts), and derivatives up to `order`."""
        return _sum(self.likelihood(vectors, order), self.penalty(vectors, order))

    @double_precision
    def likelihood(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """The negative log-likelihood alone; its curvature is the observed information."""
        vectors = np.asarray(vectors, float)
        starts = vectors.shape[1]
        room = starts
        if sum(group.rows for group in self.groups) <= FEW_ROWS:  # reuse compiled code for nearly as many starts
            room = 1 << max(3, (starts - 1).bit_length())
            vectors = np.concatenate([vectors, np.repeat(vectors[:, :1], room - starts, axis=1)], axis=1)
        wanted = max(64, BLOCK_ELEMENTS // room)
        decided = _blocks([(g.decided, g.decided_weight) for g in self.groups], wanted)
        tied = _blocks([(g.tied, g.tied_weight) for g in self.groups], wanted)
        parts = _evaluate(self.specification, order, vectors, decided, tied)
        return Evaluation(*(np.asarray(part)[:, :starts] for part in parts))

    def penalty(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """Minus the log-prior, and the ridge."""
        value, first, second = (
            0.5 * RIDGE * np.sum(vectors**2, axis=-1),
            RIDGE * vectors,
            np.full_like(vectors, RIDGE),
        )
        if self.prior:
            scales = self.prior.scales(self.specification)
            slope, bend = self.prior.slopes(vectors, scales)
            value, first, second = (
                value - self.prior.log_density(vectors, scales),
                first - slope,
                second - bend,
            )
        return Evaluation(*(value, first, second[..., None] * np.eye(vectors.shape[-1]))[: order + 1])


def _sum(one: Evaluation, other: Evaluation) -> Evaluation:
    return Evaluation(*(a + b for a, b in zip(one, other, strict=True) if a is not None and b is not None))


def _blocks(groups: list[tuple[np.ndarray, np.ndarray]], wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and weights as (groups, blocks, rows in a block, …), padded by rows of weight zero.

    The number of blocks is rounded up to steps of an eighth, so that data sets of nearly the same size share
    compiled code.
    """
    longest = max(len(weight) for _, weight in groups)
    if longest == 0:
        block, count = 1, 0
    else:
        block = min(wanted, 1 << max(3, (longest - 1).bit_length()))
        count = -(-longest // block)
        step = 1 << max(0, count.bit_length() - 4)
        count = -(-count // step) * step
    rows, weights = [], []
    for pairs, weight in groups:
        missing = block * count - len(weight)
        rows.append(np.pad(pairs, [(0, missing)] + [(0, 0)] * (pairs.ndim - 1)))
        weights.append(np.pad(weight, (0, missing)))
    shape = (len(groups), count, block)
    stacked = np.stack(rows)
    return stacked.reshape(shape + stacked.shape[2:]), np.stack(weights).reshape(shape)


@partial(jax.jit, static_argnums=(0, 1))
def _evaluate(specification: Specification, order: int, vectors, decided, tied):
    """Sum of `_block_terms` over the blocks of each group, for each start."""

    def group(arguments):
        starts, decided_rows, tied_rows = arguments
        size = specification.size
        total = tuple(jnp.zeros((len(starts), *shape)) for shape in ((), (size,), (size, size))[: order + 1])
        for outcome, rows in (("better", decided_rows), ("tie", tied_rows)):

            def add_block(total, block, outcome=outcome):
                terms = _block_terms(specification, order, outcome, starts, *block)
                return jax.tree.map(jnp.add, total, terms), None

            if rows[0].shape[0]:
                total, _ = jax.lax.scan(add_block, total, rows)
        return total

    return jax.lax.map(group, (vectors, decided, tied))


def _block_terms(specification: Specification, order: int, outcome: str, starts, pairs, weight):
    """Negative log-likelihood of one block of rows and its derivatives, for each start.

    By the chain rule: derivatives of each row in its gaps and tolerances (`lori.inference.derivatives`) times
    those of gaps and tolerances in the parameters, which for linear rewards are the rows themselves.
    """
    parameters = jax.vmap(specification.unpack)(starts)
    gaps = [
        jax.vmap(lambda values, reward=reward: specification.gap(reward, values, pairs))(own) * alpha[:, None]
        for reward, own, alpha in zip(specification.rewards, parameters.rewards, parameters.alpha.T, strict=True)
    ]
    tolerances = list((parameters.alpha * parameters.epsilon).T[:, :, None])
    if outcome == "tie":
        rows = derivatives.tie(gaps, tolerances)
    else:
        rows = derivatives.better(gaps, tolerances, specification.ties)
    value = -_weighted(rows.value, weight)
    if order == 0:
        return (value,)
    if not specification.linear or specification.alpha_slots:
        return value, *_general_derivatives(specification, order, rows, starts, pairs, weight)
    return value, *_linear_derivatives(specification, order, rows, parameters.alpha, pairs, weight)


def _weighted(rows: jax.Array, weight: jax.Array) -> jax.Array:
    """Σ over rows (the last axis) by weight; a row of weight zero is padding, whatever its value."""
    return jnp.where(weight > 0, rows, 0.0) @ weight


def _linear_derivatives(specification: Specification, order: int, rows, alpha, pairs, weight):
    """∂gap/∂weights is α times the row, ∂tolerance/∂ε is α."""
    gradient = jnp.zeros((alpha.shape[0], specification.size))
    for j, (in_gap, in_tolerance) in enumerate(rows.gradient):
        size = alpha[:, j]
        by_weight = -(jnp.where(weight > 0, in_gap, 0.0) * weight) @ pairs * size[:, None]
        gradient = gradient.at[:, specification.reward_slices[j]].set(by_weight)
        if j in specification.epsilon_slots:
            total = -_weighted(in_tolerance, weight) * size
            gradient = gradient.at[:, specification.epsilon_slots[j]].set(total)
    if order == 1:
        return (gradient,)
    squares = (pairs[:, :, None] * pairs[:, None, :]).reshape(len(pairs), -1)
    features = pairs.shape[1]
    curvature = jnp.zeros((alpha.shape[0], specification.size, specification.size))

    def put(curvature, one, other, block):
        curvature = curvature.at[:, one, other].set(block)
        return curvature.at[:, other, one].set(jnp.swapaxes(block, 1, 2))

    def slot(level):
        start = specification.epsilon_slots.get(level)
        return None if start is None else slice(start, start + 1)

    for (j, later), parts in rows.curvature.items():
        size = -(alpha[:, j] * alpha[:, later])[:, None, None]
        aa, ab, ba, bb = (jnp.where(weight > 0, part, 0.0) * weight for part in parts)
        one, other = specification.reward_slices[j], specification.reward_slices[later]
        curvature = put(curvature, one, other, size * (aa @ squares).reshape(-1, features, features))
        if slot(later):
            curvature = put(curvature, one, slot(later), size * (ab @ pairs)[:, :, None])
        if slot(j) and later != j:
            curvature = put(curvature, slot(j), other, size * (ba @ pairs)[:, None, :])
        if slot(j) and slot(later):
            curvature = put(curvature, slot(j), slot(later), size * bb.sum(-1)[:, None, None])
    return gradient, curvature


def _general_derivatives(specification: Specification, order: int, rows, starts, pairs, weight):
    """Any reward: Jacobians of gaps and tolerances by automatic differentiation."""
    levels = specification.levels
    slopes = -jnp.stack([part for both in zip(*rows.gradient, strict=True) for part in both], axis=1)
    slopes = jnp.where(weight > 0, slopes, 0.0) * weight  # (starts, gaps then tolerances, rows)

    def scaled(vector):
        """Gaps, then tolerances: (2 levels, rows)."""
        gap, tolerance = jax.vmap(lambda pair: specification.scaled(specification.unpack(vector), pair))(pairs)
        return jnp.concatenate([jnp.stack(gap), tolerance.T])

    def linearised(vector, own):
        return jnp.sum(own * scaled(vector))

    gradient = jax.vmap(jax.grad(linearised))(starts, slopes)
    if order == 1:
        return (gradient,)
    full: list[list[Any]] = [[None] * (2 * levels) for _ in range(2 * levels)]
    for (j, later), (aa, ab, ba, bb) in rows.curvature.items():
        for one, other, part in (
            (j, later, aa), (j, levels + later, ab), (levels + j, later, ba), (levels + j, levels + later, bb),
        ):  # fmt: skip
            full[one][other] = full[other][one] = -jnp.where(weight > 0, part, 0.0) * weight
    inner = jnp.stack([jnp.stack(row, axis=1) for row in full], axis=1)  # (starts, 2k, 2k, rows)

    def curvature(vector, own_slopes, own_inner):
        jacobian = jax.jacfwd(scaled)(vector)  # (2k, rows, parameters)
        return jnp.einsum("zrp,zyr,yrq->pq", jacobian, own_inner, jacobian) + jax.hessian(linearised)(
            vector, own_slopes
        )

    return gradient, jax.vmap(curvature)(starts, slopes, inner)
