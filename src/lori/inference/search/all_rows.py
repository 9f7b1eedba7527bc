"""All rows: the best optimum on very many rows, from those that samples of them have.

The best few are polished on a large sample, and the winner on all rows, guided by that sample (`surrogate`).
"""

from __future__ import annotations

import numpy as np

from lori.inference.search.minimising import Objective, minimise, on_sample, second_order, single_optimum, unit_of
from lori.inference.search.solutions import CLOSE, FEW, KEEP, SAME, Solutions
from lori.inference.search.starts import ajar, best_starts, closed, openings, saddle
from lori.inference.search.surrogate import Surrogate

COARSE = 1e-3  # log-likelihood units that an optimum may be short of when it is polished again on the same rows
NEAR = 1e-3  # damping where the optimum of a large sample is the start
PASSES, STEPS = 8, 10  # over all rows, at most, and on a large sample for each of them
UNPROVEN = 1e-5  # units of log-likelihood: a step that promises no more, and leaves far less undone, is the last one;
EXACT = 1e-9  # where the curvature was computed at its beginning, so is one that promises this, for each row
NEARBY = 1.0  # once a step promises no more than this, the curvature is computed at its end, for standard errors, too
SLOW = 0.1  # the share of its promise that a step leaves undone, from which on the curvature is computed again
FINE, FINE_SHARE = 1e-7, 0.01  # how well a surrogate is minimised, or to this share of what the search itself asks for,
ROUGH_SHARE = 1e-3  # or of what the last step promised

Samples = tuple[Objective, Objective, Objective]  # all rows, and smaller and smaller parts of them


def on_all_rows(samples: Samples, solutions: Solutions, tolerance: float) -> Solutions:
    """The winners on all rows; where a sample closed the last threshold at what is a saddle of theirs, it is opened."""
    objective, larger, _ = samples
    specification, won = objective.specification, _polished(samples, solutions, tolerance)
    if not saddle(specification, won.vectors, won.curvature):
        return won
    tried = np.concatenate([ajar(specification, won.vectors), openings(specification, won.vectors)[:, :1]], axis=1)
    tried = best_starts(tried, objective.evaluate(tried, order=0).value, 1)
    return won.beside(_to_the_end(objective, larger, tried, tolerance)).winners()


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
        solutions = minimise(larger, tried, **on_sample(larger, objective, tolerance))
        won, close = solutions.winners(), solutions.distinct(FEW, SAME * unit, CLOSE)
        if tolerance < COARSE and close.shape[1] > 1:
            won = minimise(objective, close, tolerance=COARSE, damping=NEAR).winners()
    return _to_the_end(objective, larger, won.vectors, tolerance)


def _to_the_end(objective: Objective, larger: Objective, vectors: np.ndarray, tolerance: float) -> Solutions:
    """Where these lead on all rows: by way of a large sample if there is one, for as long as it is a guide."""
    if larger.source is not objective.source and second_order(objective.specification):
        won = _few_passes(objective, larger, vectors, tolerance)
        if won.converged.all():
            return won
        vectors = won.vectors
    return minimise(objective, vectors, tolerance=tolerance, damping=NEAR)


def _few_passes(objective: Objective, larger: Objective, vectors: np.ndarray, tolerance: float) -> Solutions:
    """The optimum of all rows from that of a large sample of them, in as few passes as will do.

    The first pass is for the curvature, too. Others are for the gradient alone, as long as steps leave little undone of
    what they promised and until the optimum is nearby; but for one level, whose curvature takes no longer. The last
    step, which promises next to nothing, is taken without proof. Where a step does not gain, the first part of it is
    tried, which is Newton's; if that does not gain, nothing has converged.
    """
    least, steps = 2 if single_optimum(objective.specification) else 1, STEPS
    at, surrogate, before = objective.evaluate(vectors), None, None
    for _ in range(PASSES):
        surrogate = Surrogate.around(vectors, at, larger, surrogate)
        fine = max(FINE, FINE_SHARE * tolerance, ROUGH_SHARE * (before or 0.0))
        ahead = minimise(surrogate, vectors, tolerance=fine, damping=NEAR, iterations=steps)
        promised = float(np.max(at.value - ahead.values))
        if promised <= max(tolerance, UNPROVEN if at.curvature is None else EXACT * objective.source.rows):
            return ahead
        bent = before is not None and (promised > SLOW * before or promised <= NEARBY < before)
        there = objective.evaluate(ahead.vectors, order=2 if bent else least)
        if (there.value <= at.value).all():
            vectors, at, steps, before = ahead.vectors, there, STEPS, promised
        elif steps > 1:
            steps = 1
        else:
            break
    return Solutions(vectors, at.value, np.zeros(at.value.shape, bool))
