"""Ridges: where in the posterior do the weights and the threshold of a level grow together?

A level that decides sharply behind its threshold looks nearly the same with all of its numbers twice as large. So the
posterior has long ridges that bend away from the optimum, which a Gaussian around it does not reach. Along each of
them a few points are looked for: the largest weight of a level, or its threshold, is held at a multiple of its best
value, and all else goes to where it is best then. A threshold that is closed at the optimum is opened beforehand: its
slope vanishes at zero, so that it would stay there. And the rate of slips goes to where its logarithm is best: next to
zero its posterior is skew, and what lies above the best rate is far wider than the curvature says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lori.inference.estimates import Optimum
from lori.inference.problem import Problem
from lori.inference.search import newton
from lori.inference.search.solutions import RIVAL
from lori.inference.search.starts import CLOSED
from lori.model.specification import Specification

MULTIPLES = (2.0, 4.0, 8.0)  # of the largest weight of a level
THRESHOLDS = (1.5, 3.0)  # of its threshold, or of one where that is closed
ROUGHLY, STEPS = 0.05, 15  # units of log-posterior that a point may be short of, and steps to it


def along_ridges(problem: Problem, optimum: Optimum) -> list[Optimum]:
    """Points on the ridges around the best optimum of a problem of one group, with the curvature there.

    The first is the optimum itself, but for the rate of slips.
    """
    ahead = _ahead(problem.specification, optimum.vector)
    points = np.stack([optimum.vector, *(vector for vector, _ in ahead)])
    lower, upper = (np.tile(bound, (len(points), 1)) for bound in problem.specification.bounds)
    points = np.clip(points, lower, upper)
    held = np.arange(1, len(points)), np.array([slot for _, slot in ahead])
    lower[held] = upper[held] = points[held]
    by_logarithm = problem.by_logarithm()
    ends = newton.minimise(
        lambda some, _: by_logarithm.evaluate(some[None]).mapped(lambda part: part[0]),
        points, (lower, upper), tolerance=ROUGHLY, iterations=STEPS,
    )  # fmt: skip
    assert ends.curvature is not None
    return [
        replace(optimum, vector=vector, value=float(value), gradient=np.zeros_like(vector), curvature=curvature)
        for vector, value, curvature in zip(ends.vectors, ends.values, ends.curvature, strict=True)
        if value <= ends.values[0] + RIVAL
    ]


def _ahead(specification: Specification, best: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Where to look for points, each with the place of the number that is held."""
    ahead = []
    for level, slots in enumerate(specification.reward_slots):
        largest, slot = int(slots[np.abs(best[slots]).argmax()]), specification.epsilon_slots.get(level)
        for multiple in MULTIPLES:
            start = best.copy()
            start[slots] *= multiple
            if slot is not None:
                start[slot] = multiple * (best[slot] if best[slot] > CLOSED else 1.0)
            ahead.append((start, largest))
        if slot is not None:
            for multiple in THRESHOLDS:
                start = best.copy()
                start[slot] = multiple * max(best[slot], 1.0)
                ahead.append((start, slot))
    return ahead
