"""Minimising: what a search asks of a problem, and how its optima are found from given starts.

A problem may be one of all rows, of a sample of them, or what stands for one (`surrogate`). Newton's method needs its
curvature; where parameters are too many for that, a quasi-Newton method takes over.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from lori.inference.arrangement import ALIKE, FEW_ROWS
from lori.inference.blocks import Evaluation, room
from lori.inference.search import newton, quasi_newton
from lori.inference.search.solutions import RIVAL, Solutions, stacked
from lori.inference.sources.memory import Source
from lori.inference.statistics import Scaling
from lori.model.priors import Prior
from lori.model.specification import Specification

WHOLE = 300_000  # pairs × parameters up to which many starts are cheap on all rows; beyond, samples stand for them
ROUGH = 0.02  # what an optimum of a sample may be short of, in units of its own log-likelihood: samples differ by more
SECOND_ORDER_SIZE = 60  # with more free parameters a quasi-Newton method takes over,
LINEAR_SIZE = 150  # but not as early where only differences matter, for then the curvature is a product of matrices,
ONE_LEVEL_SIZE = 400  # nor for one level of such rewards, whose likelihood has hardly more than one optimum


class Minimised(Protocol):
    """What a minimiser asks of a problem, or of what stands for one."""

    @property
    def specification(self) -> Specification: ...

    @property
    def source(self) -> Source: ...

    def evaluate(self, vectors: np.ndarray, order: int = 2) -> Evaluation: ...

    def of_group(self, group: int) -> Minimised: ...


class Objective(Minimised, Protocol):
    """What a search asks of a problem."""

    @property
    def scaling(self) -> Scaling: ...

    @property
    def prior(self) -> Prior | None: ...

    def of_group(self, group: int) -> Objective: ...

    def on_sample(self, rows: int, generator: np.random.Generator) -> Objective: ...

    def regularised(self, wider: float | None = None) -> Objective: ...

    def roughly(self) -> Objective: ...


def minimise(
    objective: Minimised, starts: np.ndarray, *, bounds: tuple[np.ndarray, np.ndarray] | None = None, **options: Any
) -> Solutions:
    """Run the minimiser on (groups, starts, parameters); its arrays come back with that leading shape.

    `bounds`, of the same shape, hold what is not to move; where there are none they are those of the model.
    """
    groups, count, size = starts.shape
    specification = objective.specification
    if not second_order(specification):
        parts = []
        for group, own in enumerate(starts):
            single = objective.of_group(group)

            def evaluate(vectors: np.ndarray, single: Minimised = single) -> Evaluation:
                return single.evaluate(vectors[None], order=1).mapped(lambda part: part[0])

            parts.append(quasi_newton.minimise(evaluate, own, specification.bounds))
        return stacked(parts).grouped(groups)
    shared = cheap_to_search(objective)
    in_turn = shared or not specification.likelihood.quick  # code does not depend on how many there are

    def evaluate_some(vectors: np.ndarray, problems: np.ndarray) -> Evaluation:
        if groups == 1 and objective.source.rows > FEW_ROWS:  # one after the other, so that none is computed in vain
            parts = [objective.evaluate(vector[None, None]) for vector in vectors]
            return Evaluation(*(np.concatenate(same)[:, 0] for same in zip(*parts, strict=True)))
        group = problems // count
        place = np.arange(len(problems)) - np.searchsorted(group, group)
        laid = np.repeat(starts[:, :1], place.max() + 1 if in_turn else count, axis=1)
        laid[group, place] = vectors
        return objective.evaluate(laid).mapped(lambda part: part[group, place])

    flat = newton.minimise(
        evaluate_some,
        starts.reshape(-1, size),
        specification.bounds if bounds is None else (bounds[0].reshape(-1, size), bounds[1].reshape(-1, size)),
        groups=groups,
        together=ALIKE if shared else None,
        noise=newton.SINGLE_NOISE if specification.likelihood.single_precision else newton.NOISE,
        **options,
    )
    return flat.grouped(groups)


def single_optimum(specification: Specification) -> bool:
    return specification.likelihood.nearly_convex(specification)


def cheap_to_search(objective: Minimised) -> bool:
    """Are there so few rows and parameters that many starts cost little, and share compiled code?"""
    specification, rows = objective.specification, objective.source.rows
    shared = room(1, rows, specification) > 1
    work = rows * specification.size * specification.likelihood.effort
    return shared and work <= WHOLE and second_order(specification)


def second_order(specification: Specification) -> bool:
    if single_optimum(specification):
        return specification.size <= ONE_LEVEL_SIZE
    linear = specification.likelihood.only_differences_matter(specification)
    return specification.size <= (LINEAR_SIZE if linear else SECOND_ORDER_SIZE)


def unit_of(sample: Objective, objective: Objective) -> float:
    """What a unit of the sample's own log-likelihood is, of all rows: as many as each of its rows stands for."""
    return objective.source.rows / sample.source.rows


def on_sample(sample: Objective, objective: Objective, tolerance: float) -> dict[str, Any]:
    """How well, and for how long, an optimum of a sample is looked for."""
    unit = unit_of(sample, objective)
    return {"tolerance": max(tolerance, ROUGH * unit), "beyond": RIVAL * unit}
