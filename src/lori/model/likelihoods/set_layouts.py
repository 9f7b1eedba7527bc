"""Layouts of sets: how rows of many alternatives lie in blocks, and how their derivatives become sums.

Where all rewards are linear, only the contrasts between what was chosen and the others matter (`Contrasts`). Rewards of
any other kind see the alternatives themselves, and JAX differentiates them level by level (`Members`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np

from lori.model.engines import jax, jnp
from lori.model.likelihoods import lapses, quadrature
from lori.model.likelihoods.base import Block, Point, Rows
from lori.model.likelihoods.layouts import Differences, gathered, seen
from lori.model.likelihoods.subsets import Moments

if TYPE_CHECKING:
    from lori.model.likelihoods.sets import Sets
    from lori.model.specification import Parameters, Specification

ABSENT = -1e9  # the gap of an alternative that is not there
UNKNOWN_GAP = 3.0  # of rewards whose differences are not known


class _Level(NamedTuple):
    """One level's gaps (others, starts, rows) with their derivatives by its own reward parameters."""

    gap: jax.Array
    slope: (
        jax.Array
    )  # (others, parameters, rows), or (others, parameters, starts, rows) where it differs between starts
    bend: Any  # a function of ∂ log P/∂gap: what second derivatives of the gaps add, (starts, parameters, parameters)


class _Sums:
    """Value, gradient and curvature of the negative log-likelihood, from levels."""

    plain: ClassVar[bool] = False
    light: ClassVar[bool] = False

    def terms(
        self: Any, specification: Specification, kind: str, order: int, point: Point, block: Block
    ) -> tuple[jax.Array, ...]:
        parameters = jax.vmap(specification.unpack)(point.starts)
        levels = self.levels(specification, point, parameters, block.rows)
        tolerance = list((parameters.alpha * parameters.epsilon).T[:, :, None])
        slots = variables(specification)
        likelihood = cast("Sets", specification.likelihood)
        if likelihood.exactly(kind):
            found = likelihood.moments(kind, [own.gap for own in levels], tolerance, order)
            if specification.lapse != 0:
                offered = likelihood.offers(kind, [own.gap for own in levels])
                found = with_lapse(found, parameters.lapse[:, None], offered, order)
            sums = _contracted(specification, levels, parameters, found, block.weight, order)
        else:
            sums = _integrated(specification, kind, levels, tolerance, parameters, block.weight, order)
        if order == 0:
            return sums
        value, gradient, *rest = sums
        ordered = gathered(gradient, slots, specification.size, axes=(1,))
        return value, ordered, *(gathered(own, slots, specification.size, axes=(1, 2)) for own in rest)

    def assembled(self, specification: Specification, order: int, point: Point, total: Any) -> tuple[jax.Array, ...]:
        return total


@dataclass(frozen=True)
class Contrasts(_Sums):
    """Blocks (others, features, rows) of differences; ∂gap/∂weights is the row itself, turned round."""

    large: bool = True  # sets of two and three are not

    @property
    def allows_single_precision(self) -> bool:
        """Sums over survivors add positive terms alone; more than three are gathered by tables in double precision."""
        return not self.large

    def shape(self, rows: Rows, block: int) -> tuple[int, ...]:
        return (*rows.contrasts(slice(0)).shape[1:], block)

    def put(self, blocks: np.ndarray, rows: Rows, part: slice, size: int) -> None:
        own = rows.contrasts(part)
        blocks[..., :size] = own.reshape(len(blocks), size, *own.shape[1:]).transpose(0, 2, 3, 1)

    def typical_gap(self, parameters: np.ndarray, quantile: float) -> float:
        return Differences().typical_gap(parameters, quantile)

    def levels(self, specification: Specification, point: Point, parameters: Parameters, rows: Any) -> list[_Level]:
        there = ~jnp.isnan(rows[:, :1])
        slope = -jnp.where(there, rows, 0.0) / point.scale[:, None]
        slopes = [slope[:, part] for part in specification.columns]
        gaps = [jnp.einsum("sf,yfr->ysr", own, each) for own, each in zip(parameters.rewards, slopes, strict=True)]
        return [_Level(jnp.where(there, gap, ABSENT), each, None) for gap, each in zip(gaps, slopes, strict=True)]


@dataclass(frozen=True)
class Members(_Sums):
    """Blocks (rows, alternatives, features), what was chosen first."""

    large: ClassVar[bool] = True
    allows_single_precision: ClassVar[bool] = False

    def shape(self, rows: Rows, block: int) -> tuple[int, ...]:
        return (block, *rows.alternatives(slice(0)).shape[1:])

    def put(self, blocks: np.ndarray, rows: Rows, part: slice, size: int) -> None:
        own = rows.alternatives(part)
        blocks[:, :size] = own.reshape(len(blocks), size, *own.shape[1:])

    def typical_gap(self, parameters: np.ndarray, quantile: float) -> float:
        return quantile * UNKNOWN_GAP

    def levels(self, specification: Specification, point: Point, parameters: Parameters, rows: Any) -> list[_Level]:
        found = []
        for place, reward in enumerate(specification.rewards):

            def gaps(values: jax.Array, alpha: jax.Array, reward: Any = reward) -> jax.Array:
                units = reward.in_units(values, point.location, point.scale)
                return (alpha * specification.gaps_of(reward, units, rows)).T  # (others, rows)

            def bend(by_gap: jax.Array, own: Any = None, alpha: Any = None, gaps: Any = gaps) -> jax.Array:
                def linearised(values: jax.Array, size: jax.Array, slopes: jax.Array) -> jax.Array:
                    found = gaps(values, size)
                    return jnp.sum(slopes * jnp.where(found > ABSENT / 2, found, 0.0))

                return jax.vmap(jax.hessian(linearised), (0, 0, 1))(own, alpha, by_gap)

            own, alpha = parameters.rewards[place], parameters.alpha[:, place]
            gap = jnp.swapaxes(jax.vmap(gaps)(own, alpha), 0, 1)
            slope = jax.vmap(jax.jacfwd(gaps))(own, alpha)  # (starts, others, rows, parameters)
            curved = None if reward.linear else (lambda by, own=own, alpha=alpha, bend=bend: bend(by, own, alpha))
            found.append(_Level(gap, jnp.transpose(slope, (1, 3, 0, 2)), curved))
        return found


def variables(specification: Specification) -> np.ndarray:
    """Where what is summed belongs in the vector: each level's reward, then its threshold; at last the slips."""
    slots: list[int] = []
    for level, own in enumerate(specification.reward_slots):
        slots += [int(slot) for slot in own]
        if level in specification.epsilon_slots:
            slots.append(specification.epsilon_slots[level])
    return np.array([*slots, *([] if specification.lapse_slot is None else [specification.lapse_slot])], int)


def with_lapse(found: Moments, lapse: jax.Array, offered: Any, order: int) -> Moments:
    """The same where an answer may be a slip; λ comes after the last level. Formulas as in `lapses`."""
    if order == 0:
        return Moments(lapses.with_lapse(found.value, lapse, offered), [], {})
    deliberate, chance = jnp.exp(found.value), 1 / offered
    total = (1 - lapse) * deliberate + lapse * chance
    meant, slipped = (1 - lapse) * deliberate / total, lapse * chance / total
    slope, across = (chance - deliberate) / total, -deliberate * chance / total**2
    last, both = len(found.gradient), meant * slipped
    curvature = {
        (i, j): meant * own + both * found.gradient[i][:, None] * found.gradient[j]
        for (i, j), own in found.curvature.items()
    }
    if order == 2:
        curvature |= {(i, last): (across * own)[:, None] for i, own in enumerate(found.gradient)}
        curvature[last, last] = -(slope**2)[None, None]
    return Moments(jnp.log(total), [*(meant * own for own in found.gradient), slope[None]], curvature)


def _contracted(
    specification: Specification,
    levels: list[_Level],
    parameters: Parameters,
    found: Moments,
    weight: jax.Array,
    order: int,
) -> tuple[jax.Array, ...]:
    """Sums over rows, from derivatives by gaps and tolerances to those by parameters, level by level."""
    value = -seen(found.value, weight).sum(axis=-1)
    if order == 0:
        return (value,)
    groups = [*range(len(levels)), *([len(levels)] if specification.lapse_slot is not None else [])]
    shape = found.value.shape
    designs = [jnp.moveaxis(own.slope, 0, 1) * -weight for own in levels]  # (parameters, others, [starts,] rows)

    def limit(group: int) -> Any:
        """(starts,) what the last variable of a group is multiplied with, None where nothing is learned of it."""
        if group == len(levels):
            return jnp.ones(shape[0])
        return parameters.alpha[:, group] if group in specification.epsilon_slots else None

    def by_parameters(group: int, entries: jax.Array) -> jax.Array:
        """(starts, …, variables, rows) → (starts, parameters, …, rows)."""
        parts, others = [], 0
        if group < len(levels):
            own, others = levels[group].slope, len(levels[group].gap)
            each = own[:, :, None] if own.ndim == 3 else own  # (others, parameters, starts, rows)
            terms = [jnp.swapaxes(each[y], 0, 1)[:, :, None] * entries[:, None, :, y] for y in range(others)]
            parts.append(sum(terms[1:], start=terms[0]))
        if (factor := limit(group)) is not None:
            parts.append(factor[:, None, None, None] * entries[:, None, :, others])
        return jnp.concatenate(parts, axis=1)

    def summed(group: int, lines: jax.Array) -> jax.Array:
        """(starts, lines, variables, rows) → (starts, lines, parameters): products of matrices."""
        parts, others = [], 0
        if group < len(levels):
            own, others = designs[group], len(levels[group].gap)
            product = "snyr,fyr->snf" if own.ndim == 3 else "snyr,fysr->snf"
            parts.append(jnp.einsum(product, lines[:, :, :others], own))
        if (factor := limit(group)) is not None:
            parts.append(factor[:, None, None] * (lines[:, :, others] @ -weight)[:, :, None])
        return jnp.concatenate(parts, axis=2)

    slopes = [jnp.broadcast_to(own, (len(own), *shape)) for own in found.gradient]
    blocks: dict[tuple[int, int], jax.Array] = {}
    gradient = []
    for place, one in enumerate(groups):
        lines, sizes = [jnp.swapaxes(slopes[one], 0, 1)[:, None]], []
        for other in groups[place:] if order == 2 else []:
            entries = found.curvature[one, other]
            spread = jnp.broadcast_to(entries, (*entries.shape[:2], *shape))
            lines.append(by_parameters(other, jnp.transpose(spread, (2, 0, 1, 3))))
            sizes.append(lines[-1].shape[1])
        sums = summed(one, jnp.concatenate(lines, axis=1))
        gradient.append(sums[:, 0])
        for other, part in zip(groups[place:], jnp.split(sums[:, 1:], np.cumsum(sizes)[:-1], axis=1), strict=False):
            if order == 2:
                blocks[other, one], blocks[one, other] = part, jnp.swapaxes(part, 1, 2)
        if order == 2 and one < len(levels) and levels[one].bend is not None:
            size = levels[one].slope.shape[1]
            bend = levels[one].bend(-seen(slopes[one][: len(levels[one].gap)], weight))
            blocks[one, one] = blocks[one, one].at[:, :size, :size].add(bend)
    if order == 1:
        return value, jnp.concatenate(gradient, axis=1)
    whole = [jnp.concatenate([blocks[one, other] for other in groups], axis=2) for one in groups]
    return value, jnp.concatenate(gradient, axis=1), jnp.concatenate(whole, axis=1)


def _integrated(
    specification: Specification,
    kind: str,
    levels: list[_Level],
    tolerance: list[jax.Array],
    parameters: Parameters,
    weight: jax.Array,
    order: int,
) -> tuple[jax.Array, ...]:
    """The same for sets of many alternatives, whose probabilities are integrals."""
    likelihood = cast("Sets", specification.likelihood)
    sign = -1.0 if kind.endswith("worst") else 1.0
    limits = likelihood.limits(tolerance)
    learned = [level in specification.epsilon_slots for level in range(len(levels))]
    keep: list[int] = []
    place = 0
    for level, own in enumerate(levels):
        size = own.slope.shape[1]
        keep += range(place, place + size)
        place += size
        if limits[level] is not None:
            keep += [place] * learned[level]
            place += 1

    def one(
        gaps: list[jax.Array], slopes: list[jax.Array], limit: list[Any], alpha: jax.Array, lapse: jax.Array
    ) -> Any:
        there = gaps[0] > ABSENT / 2
        turned = [jnp.where(there, sign * own, own) for own in gaps]
        jacobian = [sign * own for own in slopes]
        full = [None if own is None else own[0] for own in limit]
        offered = likelihood.offers(kind, gaps)

        def computed(weights: jax.Array, asked: int) -> Any:
            return quadrature.log_choice(
                turned, full, there, likelihood.rule, jacobian, weights, asked, likelihood.rough
            )

        slips = specification.lapse != 0
        result = computed(weight, order if not slips else min(order, 1))
        value = result.value
        meant, log_p = jnp.ones_like(weight), value
        if slips:
            log_p = lapses.with_lapse(value, lapse, offered)
            meant = jnp.exp(jnp.log1p(-lapse) + value - log_p)
        total = -seen(log_p, weight).sum()
        if not order:
            return (total,)
        scale = _by_size(limit, slopes, alpha)
        scores = (result.scores * scale)[:, np.array(keep)]
        own = meant[:, None] * scores
        learned_slips = specification.lapse_slot is not None
        deliberate, chance = jnp.exp(value - log_p), jnp.exp(-log_p) / offered
        if learned_slips:
            own = jnp.concatenate([own, (chance - deliberate)[:, None]], axis=1)
        gradient = -jnp.einsum("rp,r->p", jnp.where(weight[:, None] > 0, own, 0.0), weight)
        if order == 1:
            return total, gradient
        bend = (computed(weight * meant, 2) if slips else result).curvature * scale[:, None] * scale
        bend = bend[np.ix_(keep, keep)]
        if slips:
            bend = bend + jnp.einsum("rp,rq,r->pq", scores, scores, weight * meant * (1 - meant))
        if learned_slips:
            side = jnp.einsum("rp,r->p", scores, -weight * deliberate * chance)[:, None]
            corner = -jnp.sum(weight * (chance - deliberate) ** 2).reshape(1, 1)
            bend = jnp.concatenate([jnp.concatenate([bend, side], 1), jnp.concatenate([side.T, corner], 1)])
        return total, gradient, -bend

    gaps = [own.gap for own in levels]
    slopes = [own.slope for own in levels]
    where = [None if own.ndim == 3 else 2 for own in slopes]
    at = [None if own is None else 0 for own in limits]
    return jax.vmap(one, ([1] * len(gaps), where, at, 0, 0))(gaps, slopes, limits, parameters.alpha, parameters.lapse)


def _by_size(limit: list[Any], slopes: list[jax.Array], alpha: jax.Array) -> jax.Array:
    """What turns derivatives by tolerances into those by thresholds: α, and one for all else."""
    parts = []
    for level, own in enumerate(slopes):
        parts.append(jnp.ones(own.shape[1]))
        if limit[level] is not None:
            parts.append(alpha[level][None])
    return jnp.concatenate(parts)
