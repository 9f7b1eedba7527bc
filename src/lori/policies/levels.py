"""Levels of an episode: what counts of what it brings, in which order, and up to where?

A level's threshold is on the whole episode here: of its total R, min(R, threshold) counts. Step by step that is worth
what the counted total grows by, so that ordinary learners apply; they must then see the totals so far, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.errors import InputError


@dataclass(frozen=True)
class EpisodeLevels:
    """Objectives in order of priority, from where on more of each does not count, and what a step later is worth."""

    order: tuple[int, ...]
    thresholds: tuple[float, ...]  # inf where more always counts
    discount: float = 1.0

    @classmethod
    def of(
        cls, count: int, order: Sequence[int] | None, thresholds: Sequence[float | None] | None, discount: float
    ) -> EpisodeLevels:
        """Checked, for an environment with so many objectives."""
        places = list(range(count)) if order is None else list(order)
        limits = [None] * len(places) if thresholds is None else list(thresholds)
        known = len(set(places)) == len(places) and set(places) <= set(range(count))
        if not places or not known or len(limits) != len(places):
            raise InputError(
                "order, thresholds", expected=f"different objectives from 0 to {count - 1} and a threshold or None for "
                "each", got=f"{places} and {limits}", fix="give one of each for every level",
            )  # fmt: skip
        if not 0 < discount <= 1:
            raise InputError("discount", expected="a number above 0 and up to 1", got=str(discount), fix="use 0.95")
        return cls(tuple(places), tuple(np.inf if t is None else float(t) for t in limits), float(discount))

    @property
    def memory(self) -> tuple[int, ...]:
        """The objectives whose totals so far must be seen."""
        return tuple(place for place, limit in zip(self.order, self.thresholds, strict=True) if np.isfinite(limit))

    @property
    def clock(self) -> bool:
        """Must the step be seen, too? What is still to come counts less against a threshold the later it is."""
        return bool(self.memory) and self.discount < 1

    def counted(self, totals: Any) -> np.ndarray:
        """(…, levels) of the totals (…, objectives)."""
        return np.minimum(np.asarray(totals, float)[..., list(self.order)], self.thresholds)

    def gained(self, before: Any, after: Any, step: int) -> np.ndarray:
        """(…, levels): what a step was worth, at the value of that step, given the discounted totals around it."""
        return (self.counted(after) - self.counted(before)) / self.discount**step
