"""Ridges: where in the posterior do the weights and the threshold of a level grow together?

A level that decides sharply behind its threshold looks nearly the same with all of its numbers twice as large. So the
posterior has long ridges that bend away from the optimum, which a Gaussian around it does not reach. Along each of
them a few points are looked for: the largest weight of a level, or its threshold, is held at a multiple of its best
value, and all else goes to where it is best then. A threshold that is closed at the optimum is opened beforehand: its
slope vanishes at zero, so that it would stay there. And the rate of slips goes to where its logarithm is best: next to
zero its posterior is skew, and what lies above the best rate is far wider than the curvature says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lori.inference.estimates import Optimum
from lori.inference.problem import Problem
from lori.inference.search.minimising import second_order
from lori.inference.search.solutions import RIVAL
from lori.inference.search.starts import CLOSED
from lori.model.specification import Specification

MULTIPLES = (2.0, 4.0, 8.0)  # of the largest weight of a level
THRESHOLDS = (1.5, 3.0)  # of its threshold, or of one where that is closed
ROUGHLY, STEPS = 0.05, 15  # units of log-posterior that a point may be short of, and steps to it


def along_ridges(problem: Problem, optima: Sequence[Optimum]) -> list[list[Optimum]]:
    """For each group of a problem points on the ridges around its best optimum, with the curvature there.

    The first is the optimum itself, but for the rate of slips.
    """
    specification = problem.specification
    if not second_order(specification):
        return [[] for _ in optima]
    ahead = [_ahead(specification, own.vector) for own in optima]
    points = np.array([[own.vector, *(vector for vector, _ in some)] for own, some in zip(optima, ahead, strict=True)])
    held = np.array([[slot for _, slot in some] for some in ahead], int)[:, :, None]
    lower, upper = (np.broadcast_to(bound, points.shape).copy() for bound in specification.bounds)
    points = np.clip(points, lower, upper)
    for bound in (lower, upper):
        np.put_along_axis(bound[:, 1:], held, np.take_along_axis(points[:, 1:], held, axis=2), axis=2)
    ends = problem.by_logarithm().solve_from(points, bounds=(lower, upper), tolerance=ROUGHLY, iterations=STEPS)
    assert ends.curvature is not None
    return [
        [
            replace(optimum, vector=vector, value=float(value), gradient=np.zeros_like(vector), curvature=curvature)
            for vector, value, curvature in zip(*own, strict=True)
            if value <= own[1][0] + RIVAL
        ]
        for optimum, *own in zip(optima, ends.vectors, ends.values, ends.curvature, strict=True)
    ]


def _ahead(specification: Specification, best: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Where to look for points, each with the place of the number that is held."""
    ahead = []
    for level, slots in enumerate(specification.reward_slots):
        slot = specification.epsilon_slots.get(level)
        for multiple in MULTIPLES if len(slots) else ():
            largest = int(slots[np.abs(best[slots]).argmax()])
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
