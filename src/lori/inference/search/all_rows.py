"""All rows: the best optimum on very many rows, from those that samples of them have.

The best few are polished on a large sample, and the winner on all rows, guided by that sample (`surrogate`): first in
single precision, as far as that can tell, then in double precision, which has little left to do but to prove it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lori.inference.search import newton
from lori.inference.search.minimising import Objective, minimise, on_sample, second_order, single_optimum, unit_of
from lori.inference.search.solutions import CLOSE, FEW, KEEP, SAME, Solutions
from lori.inference.search.starts import closed, openings, saddle
from lori.inference.search.surrogate import Surrogate
from lori.model.specification import Specification

COARSE = 1e-3  # log-likelihood units that an optimum may be short of when it is polished again on the same rows
NEAR = 1e-3  # damping where the optimum of a large sample is the start
PASSES, STEPS, FIRST_STEPS = 6, 10, 4  # over all rows, at most, and on a large sample for each of them;
UNPROVEN, SHORT, FINE = 1e-6, 1e-4, 1e-7  # steps that promise no more than so many units are taken without another; are
# followed by a pass for the gradient alone; how well a surrogate is minimised,
SHORTER = 0.1  # of what the last one promised; in single precision that is short, too
FINE_SHARE = 0.01  # or to this share of what the search itself asks for
SURE = 0.1  # of what a search may be short of is what a step may leave that is taken without proof
SHUT = 1e-6  # a threshold below this is none: the log-likelihood of ten million rows does not feel it
GUESSED = 10.0  # parameters by rows of the sample, times this: the share of a step's promise that its curvature leaves

Samples = tuple[Objective, Objective, Objective]  # all rows, and smaller and smaller parts of them


def on_all_rows(samples: Samples, solutions: Solutions, tolerance: float) -> Solutions:
    """The winners on all rows; where a sample closed the last threshold at what is a saddle of theirs, it is opened."""
    objective = samples[0]
    won = _polished(samples, solutions, tolerance)
    if saddle(objective.specification, won.vectors, won.curvature):
        opened = openings(objective.specification, won.vectors)[:, :1]
        won = won.beside(minimise(objective, opened, tolerance=tolerance, damping=NEAR)).winners()
    return _shut(objective.specification, won)


def _shut(specification: Specification, won: Solutions) -> Solutions:
    """Where the likelihood is even in the last threshold, one that is all but zero is zero: few steps end beside it."""
    slot = specification.epsilon_slots.get(specification.levels - 1)
    if slot is None or not specification.likelihood.stuck_at_zero:
        return won
    vectors = won.vectors.copy()
    vectors[..., slot] = np.where(vectors[..., slot] < SHUT, 0.0, vectors[..., slot])
    return replace(won, vectors=vectors)


def _polished(samples: Samples, solutions: Solutions, tolerance: float) -> Solutions:
    """The winners on all rows, by way of larger samples if there are very many."""
    objective, larger, middle = samples
    specification, won = objective.specification, solutions.winners()
    opened = openings(specification, won.vectors)
    if larger.source is objective.source:
        tried = np.concatenate([solutions.distinct(KEEP - 2), opened], axis=1)
        won = minimise(objective, tried, tolerance=COARSE).winners()
    else:
        at_first, unit = unit_of(middle, objective), unit_of(larger, objective)
        tried = won.vectors
        if not single_optimum(specification):
            tried = solutions.distinct(FEW, SAME * at_first, CLOSE * at_first)
        if closed(specification, won.vectors) and tolerance < COARSE:
            tried = np.concatenate([tried[:, 1:], opened], axis=1)  # from where the best is found again if it is closed
        solutions = minimise(larger.roughly(), tried, **on_sample(larger, objective, tolerance))
        won, close = solutions.winners(), solutions.distinct(FEW, SAME * unit, CLOSE)
        if tolerance < COARSE and close.shape[1] > 1:
            won = minimise(objective.roughly(), close, tolerance=SURE, damping=NEAR).winners()
        if second_order(specification):
            won = _few_passes(objective, larger, won.vectors, tolerance)
            if won.converged.all():
                return won
    return minimise(objective, won.vectors, tolerance=tolerance, damping=NEAR)


def _few_passes(objective: Objective, larger: Objective, vectors: np.ndarray, tolerance: float) -> Solutions:
    """The optimum of all rows from that of a large sample of them, in as few passes as will do.

    Where it is to be exact it is computed in double precision, and passes in single precision go before, which leave so
    little that as a rule one more is enough. Where units may be missing, as of smaller models, they are all it takes.
    """
    rough, specification = objective.roughly(), objective.specification
    if tolerance >= COARSE or rough.specification == specification:
        return _passes(rough, larger, vectors, tolerance, 1)
    near = _passes(rough, larger, vectors, COARSE, 1)  # rounding of a sample would count for that of all it stands for
    if saddle(specification, near.vectors, near.curvature):
        opened = openings(specification, near.vectors)[:, :1]
        near = near.beside(minimise(rough, opened, tolerance=SURE, damping=NEAR)).winners()
    return _passes(objective, larger, near.vectors, tolerance, 2)


def _passes(objective: Objective, larger: Objective, vectors: np.ndarray, tolerance: float, first: int) -> Solutions:
    """The same, in the precision of the objective, the first pass being of this order.

    Far away the sample's curvature is as good a guide as that of all rows, so that a first pass may be for the gradient
    alone, and a few steps. So are passes after short steps, which change next to nothing about the curvature. The last
    step, which promises next to nothing, or leaves little of what may be lacking, is taken without proof. Where a step
    does not gain, the first part of it is tried, which is Newton's; if that does not gain, nothing has converged.
    """
    specification, rows = objective.specification, objective.source.rows // objective.source.groups
    guessed = GUESSED * specification.size * larger.source.groups / larger.source.rows
    rough = specification.likelihood.single_precision
    noise, short = newton.SINGLE_NOISE if rough else 0.0, SHORT
    steps = FIRST_STEPS if first < 2 else STEPS
    at, bends = objective.evaluate(vectors, order=first), None
    for _ in range(PASSES):
        surrogate = Surrogate.around(vectors, at, larger, bends)
        bends = surrogate.lack.curvature
        ahead = minimise(
            surrogate, vectors, tolerance=max(FINE, FINE_SHARE * tolerance), damping=NEAR, iterations=steps
        )
        promised = np.max(at.value - ahead.values)
        left = _left(promised, rows) + (guessed * promised if at.curvature is None else 0.0)
        if (bends is not None and promised <= max(tolerance, UNPROVEN)) or left <= SURE * tolerance:
            return ahead
        there = objective.evaluate(ahead.vectors, order=1 if bends is not None and promised <= short else 2)
        if (there.value <= at.value + noise * np.abs(at.value)).all():
            vectors, at, steps = ahead.vectors, there, STEPS
            short = max(SHORT, SHORTER * promised) if rough else SHORT
        elif steps > 1:
            steps = 1
        else:
            break
    return Solutions(vectors, at.value, np.zeros(at.value.shape, bool))


def _left(promised: float, rows: int) -> float:
    """What a step that promises so many units leaves to be gained, where the curvature is known.

    The objective of n alike rows is n u² / 2 + c n u³ + …: a step that promises g has u = √(2 g / n), and what is left
    out is n u³ = (2 g)^1.5 / √n but for c.
    """
    return float((2 * max(promised, 0.0)) ** 1.5 / np.sqrt(rows))
