"""Surrogate: the objective of very many rows, near a point, from a sample of them and one pass over all.

    f(x) ≈ s(x) + [f − s](c) + [f − s]′(c)ᵀ(x − c) + ½ (x − c)ᵀ [f − s]″(c) (x − c)

with f that of all rows, s that of the sample and c the centre; without the last term where the curvature of all rows is
not known. A quadratic alone (Newton's step) is a poor guide along
a threshold that is hardly known; here the sample stands for what the quadratic leaves out, so that steps on all rows
are few and none is in vain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lori.inference.blocks import Evaluation

if TYPE_CHECKING:
    from lori.inference.search.minimising import Objective
    from lori.inference.sources.memory import Source
    from lori.model.specification import Specification


REACH = 0.3  # standardised units from the centre, and as a share of its own: further away it is infinite


@dataclass(frozen=True, eq=False)
class Surrogate:
    """An objective for each group around its centre (groups, 1, parameters), beyond whose reach it says nothing."""

    sample: Objective
    centre: np.ndarray
    own: Evaluation  # of the sample at the centre,
    lack: Evaluation  # and what all rows have beyond it

    @classmethod
    def around(
        cls, centre: np.ndarray, there: Evaluation, sample: Objective, bends: np.ndarray | None = None
    ) -> Surrogate:
        """`there` is the evaluation of all rows at the centre; without their curvature `bends` is what it has beyond
        the sample's, if that is known from nearby."""
        own = sample.evaluate(centre)
        lack = [all_rows - some for all_rows, some in zip(there, own, strict=True) if all_rows is not None]
        return cls(sample, centre, own, Evaluation(*lack, *([] if bends is None or len(lack) > 2 else [bends])))

    @property
    def specification(self) -> Specification:
        return self.sample.specification

    @property
    def source(self) -> Source:
        return self.sample.source

    def evaluate(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        value, gradient, curvature = self.lack
        assert gradient is not None
        moved = vectors - self.centre
        near = np.all(np.abs(moved) <= REACH * (1 + np.abs(self.centre)), axis=-1)
        bends = np.broadcast_to(0.0 if curvature is None else curvature, (*moved.shape, moved.shape[-1]))
        bent = np.einsum("gsj,gsij->gsi", moved, bends)
        value = np.where(near, value + np.sum((gradient + 0.5 * bent) * moved, axis=-1), np.inf)
        correction = Evaluation(*(value, gradient + bent, bends)[: order + 1])
        at_centre = np.array_equal(vectors, self.centre)  # where every search on it begins
        return (self.own if at_centre else self.sample.evaluate(vectors, order)) + correction

    def of_group(self, group: int) -> Surrogate:
        one = slice(group, group + 1)
        own, lack = (each.mapped(lambda part: part[one]) for each in (self.own, self.lack))
        return Surrogate(self.sample.of_group(group), self.centre[one], own, lack)
