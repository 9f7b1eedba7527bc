"""Multinomial logit: one linear level without threshold or slips, in a form that NumPy and JAX compute alike.

The chance of what was chosen is 1 / (1 + Σ_y exp(g_y)), g_y = −wᵀc_y being how much more reward another alternative y
has and c_y the contrast, what was chosen minus y. With the shares p_y = exp(g_y) times that chance,

    ∂ log P/∂w = Σ_y p_y c_y = m,        ∂² log P/∂w² = m mᵀ − Σ_y p_y c_y c_yᵀ

so that sums over rows are two products of matrices. There are as many terms as alternatives, however large a set is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from lori.model.engines import arrays_of
from lori.model.likelihoods.base import Block, Point, Rows
from lori.model.likelihoods.layouts import Differences, seen

if TYPE_CHECKING:
    from lori.model.specification import Specification


class _Found(NamedTuple):
    """Of each row, for each start."""

    value: Any  # (starts, rows) log-probabilities
    share: Any  # (starts, others, rows)
    contrasts: Any  # (features, others, rows), turned round where the worst was picked; zero where there is none


@dataclass(frozen=True)
class Logit:
    """Blocks (features, others, rows) of contrasts."""

    plain: ClassVar[bool] = True
    light: ClassVar[bool] = True
    allows_single_precision: ClassVar[bool] = False
    large: ClassVar[bool] = False

    def shape(self, rows: Rows, block: int) -> tuple[int, ...]:
        return (*rows.contrasts(slice(0)).shape[:0:-1], block)

    def put(self, blocks: np.ndarray, rows: Rows, part: slice, size: int) -> None:
        own = rows.contrasts(part)
        blocks[..., :size] = own.reshape(len(blocks), size, *own.shape[1:]).transpose(0, 3, 2, 1)

    def typical_gap(self, parameters: np.ndarray, quantile: float) -> float:
        return Differences().typical_gap(parameters, quantile)

    def terms(self, specification: Specification, kind: str, order: int, point: Point, block: Block) -> tuple[Any, ...]:
        weight = block.weight
        value, share, contrasts = _computed(specification, kind, point, block.rows)
        total = -seen(value, weight).sum(axis=-1)
        if order == 0:
            return (total,)
        starts, features = len(share), len(contrasts)
        parts = contrasts * share[:, None]  # (starts, features, others, rows)
        mean = parts.sum(axis=2)
        if order == 1:
            return total, -mean @ weight
        spread = (parts * weight).reshape(starts, features, -1) @ contrasts.reshape(features, -1).T
        return total, -mean @ weight, spread - (mean * weight) @ mean.swapaxes(1, 2)

    def assembled(self, specification: Specification, order: int, point: Point, total: Any) -> tuple[Any, ...]:
        """The same by the weights of standardised features."""
        (part,) = specification.columns
        scale = point.scale[part]
        units = (1.0, scale, scale[:, None] * scale)
        return tuple(own / unit for own, unit in zip(total, units, strict=False))

    def values(self, specification: Specification, kind: str, point: Point, rows: Any) -> Any:
        """(starts, rows) log-probabilities."""
        return _computed(specification, kind, point, rows).value

    def scores(self, specification: Specification, kind: str, point: Point, rows: Any) -> Any:
        """(starts, 1 + parameters, rows) log-probabilities, and their gradients."""
        value, share, contrasts = _computed(specification, kind, point, rows)
        (part,) = specification.columns
        slope = (contrasts * share[:, None]).sum(axis=2) / point.scale[part][:, None]
        return arrays_of(value, slope).concatenate([value[:, None], slope], axis=1)


def _computed(specification: Specification, kind: str, point: Point, rows: Any) -> _Found:
    arrays = arrays_of(rows, point.starts)
    (part,) = specification.columns
    there = ~arrays.isnan(rows[0])
    contrasts = arrays.where(there, -rows[part] if kind.endswith("worst") else rows[part], 0.0)
    weights = point.starts / point.scale[part]
    reward = (weights @ contrasts.reshape(len(contrasts), -1)).reshape(len(weights), *there.shape)
    gap = arrays.where(there, -reward, -arrays.inf)
    best = arrays.maximum(gap.max(axis=1), 0.0)
    share = arrays.exp(gap - best[:, None])
    total = arrays.exp(-best) + share.sum(axis=1)
    return _Found(-best - arrays.log(total), share / total[:, None], contrasts)
