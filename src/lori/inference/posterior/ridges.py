"""Ridges: where in the posterior do the weights and the threshold of a level grow together?

A level that decides sharply behind its threshold looks nearly the same with all of its numbers twice as large. So the
posterior has long ridges that bend away from the optimum, which a Gaussian around it does not reach. Along each of
them a few points are looked for: the largest weight of a level is held at a multiple of its best value, and all else
goes to where it is best then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lori.inference.estimates import Optimum
from lori.inference.problem import Problem
from lori.inference.search import newton
from lori.inference.search.solutions import RIVAL

MULTIPLES = (1.6, 2.6, 4.2)  # of the largest weight of a level
ROUGHLY, STEPS = 0.05, 15  # units of log-posterior that a point may be short of, and steps to it


def along_ridges(problem: Problem, optimum: Optimum) -> list[Optimum]:
    """Points on the ridges around the best optimum of a problem of one group, with the curvature there."""
    specification = problem.specification
    starts, held = [], []
    for level, slots in enumerate(specification.reward_slots):
        largest = int(slots[np.abs(optimum.vector[slots]).argmax()])
        own = np.append(slots, [specification.epsilon_slots[level]] if level in specification.epsilon_slots else [])
        for multiple in MULTIPLES:
            start = optimum.vector.copy()
            start[own.astype(int)] *= multiple
            starts.append(start)
            held.append(largest)
    points, places = np.stack(starts), (np.arange(len(starts)), np.array(held))
    lower, upper = (np.tile(bound, (len(points), 1)) for bound in specification.bounds)
    points = np.clip(points, lower, upper)
    lower[places] = upper[places] = points[places]
    ends = newton.minimise(
        lambda some, _: problem.evaluate(some[None]).mapped(lambda part: part[0]),
        points, (lower, upper), tolerance=ROUGHLY, iterations=STEPS,
    )  # fmt: skip
    assert ends.curvature is not None
    return [
        replace(optimum, vector=vector, value=float(value), gradient=np.zeros_like(vector), curvature=curvature)
        for vector, value, curvature in zip(ends.vectors, ends.values, ends.curvature, strict=True)
        if value <= optimum.value + RIVAL
    ]
