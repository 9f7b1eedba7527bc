"""Layouts: how rows lie in blocks for computing, and how the derivatives of rows become sums.

Where all rewards are linear only differences of features matter, and sums over rows are products of a few matrices
(`Differences`). Rewards of any other kind see the alternatives themselves, and JAX differentiates them level by level
(`Alternatives`). Nothing else asks whether a reward is linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from lori.model import normal
from lori.model.engines import arrays_of, jax, jnp
from lori.model.likelihoods.base import Block, Point, Rows
from lori.model.likelihoods.derivatives import GAP, LAPSE, TOLERANCE, Derivatives, Variable

if TYPE_CHECKING:
    from lori.model.specification import Parameters, Specification

UNKNOWN_GAP, LARGEST_GAP = 3.0, 20.0  # of rewards whose differences are not known, and where a level is silent
FARTHEST = 1e15  # standardised units, whose square single precision can hold with room to spare
FEW_FEATURES = 16  # up to here the products of two features are laid out for all levels and starts together


def seen(rows: jax.Array, weight: jax.Array) -> jax.Array:
    """Rows (the last axis) times their weight; a row of weight zero is padding, whatever its value."""
    return arrays_of(rows, weight).where(weight > 0, rows, 0.0) * weight


class ByGaps:
    """Layouts of rows that have one gap at each level, between two alternatives."""

    plain: ClassVar[bool] = False
    light: ClassVar[bool] = False
    allows_single_precision: ClassVar[bool] = False
    large: ClassVar[bool] = True

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
    large: ClassVar[bool] = False

    def terms(
        self, specification: Specification, kind: str, order: int, point: Point, block: Block
    ) -> tuple[jax.Array, ...]:
        """In single precision gaps, which are small differences of large numbers, and sums are still double; rows are
        standardised first, for the sake of what it can hold."""
        if not _single(specification, block.rows):
            return super().terms(specification, kind, order, point, block)
        gaps = self.gaps(specification, specification.unpack(point.starts), point, block.rows)
        single = [own.astype(np.float32) for own in (point.starts, point.location, block.weight, *gaps)]
        rows = jnp.clip((block.rows * (1 / point.scale)[:, None]).astype(np.float32), -FARTHEST, FARTHEST)
        within = Point(single[0], single[1], jnp.ones_like(single[1]))
        found = specification.derivatives(kind, specification.unpack(within.starts), single[3:], order)
        sums = self.sums(specification, order, within, found, Block(rows, single[2], block.certain))
        return tuple(own.astype(np.float64) for own in sums)

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
        wanted = _sums(specification, 1)
        once, along, _ = ([found.by(*part)[:, None] for part in parts] for parts in wanted.parts)
        scaled = rows / point.scale[:, None]
        products = arrays.concatenate([*once, *(part * scaled for part in along)], axis=1)
        size = arrays.concatenate([parameters.alpha, arrays.ones((len(point.starts), 1))], axis=1)[:, wanted.level]
        return arrays.concatenate([found.value[:, None], size[:, :, None] * products[:, wanted.gradient]], axis=1)

    def sums(
        self, specification: Specification, order: int, point: Point, found: Derivatives, block: Block
    ) -> tuple[jax.Array, ...]:
        """Over the rows of a block: values (starts,); derivatives as they are, times x, and times x xᵀ, each
        (starts, parts, …). Unless the block is `certain`, rows of weight zero are left out by force."""
        x, weight, certain = block
        arrays = arrays_of(x, weight)

        def summed(parts: list[Any], times: Any) -> Any:
            """(starts, parts, …) of parts (starts, rows) times something of each row."""
            if not parts:
                return arrays.zeros((len(point.starts), 0, len(times)), times.dtype)
            if arrays is np and certain:  # without copies of them all
                return np.stack([part @ times.T for part in parts], axis=1)
            each = parts if certain else [arrays.where(weight > 0, part, 0.0) for part in parts]
            return arrays.stack([times @ part.T for part in each]).transpose(2, 0, 1)  # stacked first, it is slower

        values, weights = found.value.astype(np.float64), weight.astype(np.float64)  # what searches compare
        value = values @ weights if certain else seen(values, weights).sum(axis=-1)
        if order == 0:
            return (value,)
        once, along, in_gaps = ([found.by(*part) for part in parts] for parts in _sums(specification, order).parts)
        weighted = x * weight
        sums = value, summed(once, weight[None])[..., 0], summed(along, weighted)
        if order == 1:
            return sums
        upper = _upper(x.shape[0])
        if x.shape[0] <= FEW_FEATURES:
            return *sums, summed(in_gaps, weighted[upper[0]] * x[upper[1]])
        each = in_gaps if certain else [arrays.where(weight > 0, part, 0.0) for part in in_gaps]
        grams = arrays.stack([(part[:, None] * weighted) @ x.T for part in each], axis=1)
        return *sums, grams[:, :, upper[0], upper[1]]

    def assembled(self, specification: Specification, order: int, point: Point, total: Any) -> tuple[jax.Array, ...]:
        """Each entry is one of the sums, times the α of its levels: picking them takes one instruction."""
        value, arrays = -total[0], arrays_of(point.starts, total[0])
        if order == 0:
            return (value,)
        starts, wanted = point.starts, _sums(specification, order)
        scale = np.ones(len(point.scale)) if _single(specification, value) else point.scale
        alpha = specification.unpack(starts).alpha
        size = arrays.concatenate([alpha, arrays.ones((len(starts), 1))], axis=1)[:, wanted.level]
        upper = _upper(len(scale))
        units = (1.0, scale, scale[upper[0]] * scale[upper[1]])
        sums = [-(own / unit).reshape(len(starts), -1) for own, unit in zip(total[1:], units, strict=False)]
        every = arrays.concatenate([*sums, arrays.zeros((len(starts), 1))], axis=1)
        gradient = size * every[:, wanted.gradient]
        if order == 1:
            return value, gradient
        return value, gradient, size[:, :, None] * size[:, None, :] * every[:, wanted.curvature]


def _single(specification: Specification, array: Any) -> bool:
    """Is this computed in single precision? Not by NumPy, to which few sums are left."""
    return specification.likelihood.single_precision and arrays_of(array) is not np


@lru_cache(maxsize=256)
def _upper(features: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the upper triangle of x xᵀ."""
    return np.triu_indices(features)


class _Sums(NamedTuple):
    """Which derivatives of rows are added up as they are, times x and times x xᵀ; and which of the sums each entry of
    the gradient and of the curvature is. They are numbered as they lie; the last number stands for zero."""

    parts: tuple[list[tuple[Variable, ...]], ...]  # by how many gaps they are derivatives in
    gradient: np.ndarray  # (parameters,)
    curvature: np.ndarray  # (parameters, parameters)
    level: np.ndarray  # (parameters,) that it belongs to; the number of levels for none


@lru_cache(maxsize=256)
def _sums(specification: Specification, order: int) -> _Sums:
    """Those that the free parameters ask for."""
    levels, features, size = specification.levels, len(specification.features), specification.size
    slots: dict[Variable, np.ndarray] = {}
    if specification.lapse_slot is not None:
        slots[LAPSE] = np.array([specification.lapse_slot])
    level = np.full(size, levels)
    for j, weights in enumerate(specification.reward_slots):
        slots[j, GAP] = weights
        if j in specification.epsilon_slots:
            slots[j, TOLERANCE] = np.array([specification.epsilon_slots[j]])
        for own in (GAP, TOLERANCE):
            level[slots.get((j, own), [])] = j
    every: list[tuple[Variable, ...]] = [(one,) for one in slots]
    every += combinations_with_replacement(slots, 2) if order == 2 else []
    parts = tuple([part for part in every if [own for _, own in part].count(GAP) == gaps] for gaps in range(3))
    upper = _upper(features)
    triangle = np.zeros((features, features), int)
    triangle[upper] = triangle.T[upper] = np.arange(len(upper[0]))
    widths = (1, features, len(upper[0]))
    zero = sum(len(own) * width for own, width in zip(parts, widths, strict=True))
    gradient, curvature, start = np.zeros(size, int), np.full((size, size), zero), 0
    for gaps, width in enumerate(widths):
        for part in parts[gaps]:
            columns = [np.arange(features)[specification.columns[j]] for j, own in part if own == GAP]
            within = np.zeros(1, int) if not columns else columns[0] if gaps == 1 else triangle[np.ix_(*columns)]
            if len(part) == 1:
                gradient[slots[part[0]]] = start + within
            else:
                one, other = (slots[own] for own in part)
                numbers = start + within.reshape(len(one), len(other))
                curvature[np.ix_(one, other)], curvature[np.ix_(other, one)] = numbers, numbers.T
            start += width
    return _Sums(parts, gradient, curvature, level)


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
