"""Layouts: how rows lie in blocks for computing, and how the derivatives of rows become sums.

Where all rewards are linear only differences of features matter, and sums over rows are products of a few matrices
(`Differences`). Rewards of any other kind see the alternatives themselves, and JAX differentiates them level by level
(`Alternatives`). Nothing else asks whether a reward is linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lori.model import normal
from lori.model.engines import arrays_of, jax, jnp
from lori.model.likelihoods.base import Block, Point, Rows
from lori.model.likelihoods.derivatives import Derivatives, pairs_of_levels

if TYPE_CHECKING:
    from lori.model.specification import Parameters, Specification

UNKNOWN_GAP, LARGEST_GAP = 3.0, 20.0  # of rewards whose differences are not known, and where a level is silent
FEW_FEATURES = 16  # up to here the products of two features are laid out for all levels and starts together


def seen(rows: jax.Array, weight: jax.Array) -> jax.Array:
    """Rows (the last axis) times their weight; a row of weight zero is padding, whatever its value."""
    return arrays_of(rows, weight).where(weight > 0, rows, 0.0) * weight


class ByGaps:
    """Layouts of rows that have one gap at each level, between two alternatives."""

    plain: ClassVar[bool] = False

    def terms(
        self: Any, specification: Specification, kind: str, order: int, point: Point, block: Block
    ) -> tuple[jax.Array, ...]:
        parameters = specification.unpack(point.starts)
        gaps = self.gaps(specification, parameters, point, block.rows)
        found = specification.derivatives(kind, parameters, gaps, order)
        return self.sums(specification, order, point, found, block)


@dataclass(frozen=True)
class Differences(ByGaps):
    """Blocks (features, rows) of differences; ∂gap/∂weights is the row itself."""

    plain: ClassVar[bool] = True

    def shape(self, rows: Rows, block: int) -> tuple[int, ...]:
        return (*rows.contrasts(slice(0)).shape[1:], block)

    def put(self, blocks: np.ndarray, rows: Rows, part: slice, size: int) -> None:
        own = rows.contrasts(part)
        blocks[..., :size] = own.reshape(len(blocks), size, -1).transpose(0, 2, 1)

    def typical_gap(self, parameters: np.ndarray, quantile: float) -> float:
        """A quantile of the absolute reward differences, were features independent and normal; capped where a level
        would never speak."""
        deviation = np.sqrt(2) * np.linalg.norm(parameters)
        return float(min(deviation * normal.quantile((1 + quantile) / 2), LARGEST_GAP))

    def gaps(self, specification: Specification, parameters: Parameters, point: Point, rows: Any) -> list[Any]:
        levels = zip(specification.columns, parameters.rewards, parameters.alpha.T, strict=True)
        return [(alpha[:, None] * own / point.scale[part]) @ rows[part] for part, own, alpha in levels]

    def values(self, specification: Specification, kind: str, point: Point, rows: Any) -> Any:
        """(starts, rows) log-probabilities."""
        parameters = specification.unpack(point.starts)
        gaps = self.gaps(specification, parameters, point, rows)
        return specification.derivatives(kind, parameters, gaps, 0).value

    def scores(self, specification: Specification, kind: str, point: Point, rows: Any) -> Any:
        """(starts, 1 + parameters, rows) log-probabilities, and their gradients."""
        arrays = arrays_of(rows, point.starts)
        parameters = specification.unpack(point.starts)
        gaps = self.gaps(specification, parameters, point, rows)
        found = specification.derivatives(kind, parameters, gaps, 1)
        first = [part for both in found.gradient for part in both]
        first += [] if found.lapse is None else [found.lapse.first]
        ones_and_x = arrays.concatenate([arrays.ones((1, rows.shape[1])), rows / point.scale[:, None]])
        products = arrays.concatenate([part[:, None] * ones_and_x for part in first], axis=1)
        in_gradient, _, level = _places(specification)
        size = arrays.concatenate([parameters.alpha, arrays.ones((len(point.starts), 1))], axis=1)[:, level]
        return arrays.concatenate([found.value[:, None], size[:, :, None] * products[:, in_gradient]], axis=1)

    def sums(
        self, specification: Specification, order: int, point: Point, found: Derivatives, block: Block
    ) -> tuple[jax.Array, ...]:
        """Over the rows of a block: values (starts,); of each derivative times (1, x); and of the derivatives in two
        gaps times x xᵀ. Unless the block is `certain`, rows of weight zero are left out by force."""
        x, weight, certain = block
        arrays = arrays_of(x, weight)

        def summed(parts: list[jax.Array], times: jax.Array) -> Any:
            """(starts, parts, …) of parts (starts, rows) times something of each row."""
            if arrays is np and certain:  # without copies of them all
                return np.stack([part @ times.T for part in parts], axis=1)
            rows = arrays.stack(parts, axis=1)
            return (rows if certain else arrays.where(weight > 0, rows, 0.0)) @ times.T

        value = found.value @ weight if certain and arrays is np else seen(found.value, weight).sum(axis=-1)
        if order == 0:
            return (value,)
        ones_and_x = arrays.concatenate([arrays.ones((1, x.shape[1])), x]) * weight
        first = [part for both in found.gradient for part in both]
        second = [part for parts in found.curvature.values() for part in parts[1:]] if order == 2 else []
        if specification.lapse_slot is not None:
            assert found.lapse is not None
            first = [*first, found.lapse.first]
            mixed = [part for both in found.lapse.mixed for part in both]
            second = [*second, found.lapse.second, *mixed] if order == 2 else []
        sums = summed(first + second, ones_and_x)
        if order == 1:
            return value, sums
        upper = _upper(x.shape[0])
        in_gaps = [parts[0] for parts in found.curvature.values()]
        if x.shape[0] <= FEW_FEATURES:
            return value, sums, summed(in_gaps, x[upper[0]] * x[upper[1]] * weight)
        both = arrays.stack(in_gaps, axis=1)
        both = both if certain else arrays.where(weight > 0, both, 0.0)
        grams = arrays.einsum("spr,fr,gr->spfg", both * weight, x, x)
        return value, sums, grams[:, :, upper[0], upper[1]]

    def assembled(self, specification: Specification, order: int, point: Point, total: Any) -> tuple[jax.Array, ...]:
        """Each entry is one of the sums, times the α of its levels: picking them takes one instruction."""
        value, arrays = -total[0], arrays_of(point.starts, total[0])
        if order == 0:
            return (value,)
        starts, scale = point.starts, point.scale
        in_gradient, in_curvature, level = _places(specification)
        alpha = specification.unpack(starts).alpha
        size = arrays.concatenate([alpha, arrays.ones((len(starts), 1))], axis=1)[:, level]
        sums = -(total[1] / arrays.append(1.0, scale)).reshape(len(starts), -1)
        gradient = size * sums[:, in_gradient]
        if order == 1:
            return value, gradient
        upper = _upper(len(scale))
        in_gaps = -(total[2] / (scale[upper[0]] * scale[upper[1]])).reshape(len(starts), -1)
        every = arrays.concatenate([sums, in_gaps, arrays.zeros((len(starts), 1))], axis=1)
        return value, gradient, size[:, :, None] * size[:, None, :] * every[:, in_curvature]


@lru_cache(maxsize=256)
def _upper(features: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the upper triangle of x xᵀ."""
    return np.triu_indices(features)


@lru_cache(maxsize=256)
def _places(specification: Specification) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which of the sums of `Differences` is each entry of the gradient and of the curvature; each parameter's level.

    Sums are numbered as they lie: rows of (1, x) for the first derivatives, the second ones but those in two gaps, and
    then for those the upper triangle of x xᵀ. The last number stands for zero, the last level for none.
    """
    levels, features, lapse = specification.levels, len(specification.features), specification.lapse_slot
    pairs, wide = pairs_of_levels(levels), 1 + features
    firsts = 2 * levels + (lapse is not None)
    seconds = 3 * len(pairs) + (lapse is not None) * (1 + 2 * levels)
    grams = wide * (firsts + seconds)
    triangle = np.zeros((features, features), int)
    triangle[_upper(features)] = np.arange(features * (features + 1) // 2)
    triangle = np.maximum(triangle, triangle.T)
    gradient = np.zeros(specification.size, int)
    curvature = np.full((specification.size,) * 2, grams + len(pairs) * (features * (features + 1) // 2))
    level = np.full(specification.size, levels)
    rows = np.arange(1, wide)
    weights = [np.asarray(slots) for slots in specification.reward_slots]
    thresholds = [
        np.array([slot for at, slot in specification.epsilon_slots.items() if at == j], int) for j in range(levels)
    ]

    def put(one: np.ndarray, other: np.ndarray, numbers: np.ndarray) -> None:
        curvature[np.ix_(one, other)] = numbers
        curvature[np.ix_(other, one)] = numbers.T

    columns = specification.columns
    for j in range(levels):
        level[weights[j]] = level[thresholds[j]] = j
        gradient[weights[j]], gradient[thresholds[j]] = wide * 2 * j + rows[columns[j]], wide * (2 * j + 1)
    for i, (j, later) in enumerate(pairs):
        start = wide * (firsts + 3 * i)
        products = grams + i * (features * (features + 1) // 2) + triangle
        put(weights[j], weights[later], products[columns[j], columns[later]])
        put(weights[j], thresholds[later], (start + rows[columns[j]])[:, None])
        put(thresholds[j], weights[later], (start + wide + rows[columns[later]])[None])
        put(thresholds[j], thresholds[later], np.array([[start + 2 * wide]]))
    if lapse is not None:
        own, start = np.array([lapse]), wide * (firsts + 3 * len(pairs))
        gradient[own] = wide * 2 * levels
        put(own, own, np.array([[start]]))
        for j in range(levels):
            put(weights[j], own, (start + wide * (1 + 2 * j) + rows[columns[j]])[:, None])
            put(thresholds[j], own, np.array([[start + wide * (2 + 2 * j)]]))
    return gradient, curvature, level


@dataclass(frozen=True)
class Alternatives(ByGaps):
    """Blocks (rows, alternatives, features).

    A level's gap and tolerance depend on the level's own parameters alone. JAX differentiates them; what the
    log-probability makes of gaps and tolerances is known in closed form.
    """

    def shape(self, rows: Rows, block: int) -> tuple[int, ...]:
        return (block, *rows.alternatives(slice(0)).shape[1:])

    def put(self, blocks: np.ndarray, rows: Rows, part: slice, size: int) -> None:
        own = rows.alternatives(part)
        blocks[:, :size] = own.reshape(len(blocks), size, *own.shape[1:])

    def typical_gap(self, parameters: np.ndarray, quantile: float) -> float:
        return quantile * UNKNOWN_GAP

    def gaps(self, specification: Specification, parameters: Parameters, point: Point, rows: Any) -> list[Any]:
        gaps = []
        for reward, own, alpha in zip(specification.rewards, parameters.rewards, parameters.alpha.T, strict=True):
            units = jax.vmap(lambda values, reward=reward: reward.in_units(values, point.location, point.scale))(own)
            each = jax.vmap(lambda values, reward=reward: specification.gaps_of(reward, values, rows))(units)
            gaps.append(alpha[:, None] * each)
        return gaps

    def sums(
        self, specification: Specification, order: int, point: Point, found: Derivatives, block: Block
    ) -> tuple[jax.Array, ...]:
        starts, weight = point.starts, block.weight
        value = -seen(found.value, weight).sum(axis=-1)
        if order == 0:
            return (value,)
        levels = [_Level(specification, place, point, block.rows) for place in range(specification.levels)]
        owns = [starts[:, level.slots] for level in levels]
        slopes = [-jnp.stack([seen(part, weight) for part in both], axis=1) for both in found.gradient]
        learned, lapse = specification.lapse_slot, found.lapse
        slots = np.concatenate([*(level.slots for level in levels), np.array([learned][: learned is not None], int)])
        by_level = [
            jax.vmap(jax.grad(level.linearised))(own, slope)
            for level, own, slope in zip(levels, owns, slopes, strict=True)
        ]
        if learned is not None:
            assert lapse is not None
            by_level.append(-seen(lapse.first, weight).sum(axis=-1, keepdims=True))
        gradient = gathered(jnp.concatenate(by_level, axis=1), slots, specification.size, axes=(1,))
        if order == 1:
            return value, gradient
        jacobians = [jax.vmap(jax.jacfwd(level.scaled))(own) for level, own in zip(levels, owns, strict=True)]
        parts: dict[tuple[int, int], jax.Array] = {}
        for (i, j), second in found.curvature.items():
            inner = -jnp.stack([seen(part, weight) for part in second], axis=1).reshape(len(starts), 2, 2, -1)
            product = jnp.einsum("szrp,szyr,syrq->spq", jacobians[i], inner, jacobians[j])
            if i == j and not levels[i].flat:
                product += jax.vmap(jax.hessian(levels[i].linearised))(owns[i], slopes[i])
            parts[j, i], parts[i, j] = jnp.swapaxes(product, 1, 2), product
        if learned is not None:
            assert lapse is not None
            last = len(levels)
            parts[last, last] = -seen(lapse.second, weight).sum(axis=-1)[:, None, None]
            for i, mixed in enumerate(lapse.mixed):
                inner = -jnp.stack([seen(part, weight) for part in mixed], axis=1)
                parts[i, last] = jnp.einsum("szrp,szr->sp", jacobians[i], inner)[:, :, None]
                parts[last, i] = jnp.swapaxes(parts[i, last], 1, 2)
        places = range(len(by_level))
        whole = jnp.concatenate([jnp.concatenate([parts[i, j] for j in places], axis=2) for i in places], axis=1)
        return value, gradient, gathered(whole, slots, specification.size, axes=(1, 2))

    def assembled(self, specification: Specification, order: int, point: Point, total: Any) -> tuple[jax.Array, ...]:
        return total


def gathered(by_level: jax.Array, slots: np.ndarray, size: int, axes: tuple[int, ...]) -> jax.Array:
    """From level by level to the order of the vector; what levels share is added up."""
    if len(slots) == size:
        back = np.argsort(slots)
        for axis in axes:
            by_level = jnp.take(by_level, back, axis=axis)
        return by_level
    places = np.zeros((len(slots), size))
    places[np.arange(len(slots)), slots] = 1.0
    for axis in axes:
        by_level = jnp.moveaxis(jnp.tensordot(by_level, places, axes=(axis, 0)), -1, axis)
    return by_level


@dataclass(frozen=True, eq=False)
class _Level:
    """One level's gaps and tolerances on some rows, as functions of its own free parameters."""

    specification: Specification
    place: int
    point: Point
    rows: Any

    @property
    def slots(self) -> np.ndarray:
        """Where these parameters are in the vector: those of the reward, then ε and α if they are learned."""
        own = self.specification
        learned = [slots[self.place] for slots in (own.epsilon_slots, own.alpha_slots) if self.place in slots]
        return np.array([*own.reward_slots[self.place], *learned], dtype=int)

    @property
    def flat(self) -> bool:
        """Whether gap and tolerance have no second derivatives."""
        return self.specification.rewards[self.place].linear and self.place not in self.specification.alpha_slots

    def scaled(self, own: jax.Array) -> jax.Array:
        """Gaps and tolerances, (2, rows)."""
        known, reward = self.specification, self.specification.rewards[self.place]
        size = reward.size(known.features)
        epsilon = own[size] if self.place in known.epsilon_slots else known.epsilon[self.place] or 0.0
        alpha = own[-1] if self.place in known.alpha_slots else known.alpha[self.place] or 1.0
        gap = alpha * known.gaps_of(
            reward, reward.in_units(own[:size], self.point.location, self.point.scale), self.rows
        )
        return jnp.stack([gap, jnp.full_like(gap, alpha * epsilon)])

    def linearised(self, own: jax.Array, slopes: jax.Array) -> jax.Array:
        return jnp.sum(slopes * self.scaled(own))
