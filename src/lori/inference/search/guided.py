"""Guided search: of a likelihood whose rows take long, from what a simpler reading of the same data says.

Choices from sets are searched for as pairs that share their winner. That is another likelihood, with optima nearby:
its best ones and their neighbours (other orders of the levels, opened thresholds) are starts for the likelihood itself,
with a few at random and the levels of the smaller model. They are tried on as many rows as there is time for, and the
best few are polished on all.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from lori.inference.search import newton
from lori.inference.search.search import COARSE, KEEP, ROUGH, Found, Objective, minimise, search
from lori.inference.search.solutions import SAME
from lori.inference.search.starts import insertions, neighbours, random_starts

BUDGET = 5e5  # rows times their effort, in rows of pairs, that all starts are tried on
FEWEST = 40  # rows for each parameter, in any sample
GUIDING = 400  # and rows of the simpler reading, which is a guide only
DEAR = 1000.0  # effort from which on only what the simpler reading suggests is tried
RANDOM = 8  # starts at random, where a row takes less


class Guided(Objective, Protocol):
    """What this search asks of a problem beside."""

    def simpler(self) -> Objective:
        """The same data under a likelihood whose rows are quick to compute; vectors mean the same."""
        ...


def guided_search(
    objective: Guided,
    *,
    starts: int,
    generator: np.random.Generator,
    fewer: Found | None = None,
    tolerance: float = newton.TOLERANCE,
) -> Found:
    """As `search.search`."""
    specification = objective.specification
    if specification.concave:  # one way down, from anywhere
        start = np.zeros((objective.source.groups, 1, specification.size))
        only = minimise(objective, start, tolerance=tolerance)
        return Found.of(only, starts=1, share_at_best=np.ones(len(start)), rivals=only.rivals())
    drawing, inserting = generator.spawn(2)
    simpler = objective.simpler().on_sample(GUIDING * specification.size, generator)
    guess = search(simpler, starts=starts, generator=generator, fewer=fewer, tolerance=COARSE)
    dear = specification.likelihood.effort >= DEAR
    tried = [guess.vectors[:, None], _side_by_side(guess.rivals, guess.vectors, 2 if dear else KEEP)]
    if specification.levels > 1:
        around = neighbours(specification, guess.vectors)
        tried.append(around[:, : 2 if dear else None])
    if not dear:
        tied = specification.likelihood.needs_thresholds(objective.source.sample(1000, drawing).observations)
        drawn = random_starts(specification, min(starts, RANDOM), drawing, tied=tied)
        tried.append(np.repeat(drawn[None], objective.source.groups, axis=0))
    if fewer is not None:
        more = insertions(specification, fewer.vectors, inserting)
        tried.append(more[:, : 2 if dear else None])
    vectors = np.concatenate(tried, axis=1)
    rows = max(int(BUDGET / specification.likelihood.effort / vectors.shape[1]), FEWEST * specification.size)
    sample = objective.on_sample(rows, generator)
    whole = sample.source is objective.source
    solutions = minimise(sample, vectors, tolerance=COARSE if whole else ROUGH, enough=0.75, iterations=30)
    share = (solutions.values <= solutions.values.min(axis=1, keepdims=True) + SAME).mean(axis=1)
    if specification.levels > 1 and not dear:
        around = neighbours(specification, solutions.winners().vectors[:, 0])
        if around.shape[1]:
            solutions = solutions.beside(minimise(sample, around, tolerance=COARSE if whole else ROUGH, iterations=30))
    rivals = solutions.rivals()
    best = minimise(objective, solutions.distinct(2 if dear else 4), tolerance=COARSE, iterations=40)
    won = minimise(objective, best.winners().vectors, tolerance=tolerance)
    return Found.of(won, starts=vectors.shape[1], share_at_best=share, rivals=rivals)


def _side_by_side(rivals: tuple[np.ndarray, ...], best: np.ndarray, most: int) -> np.ndarray:
    """(groups, rivals, parameters): some of each group, the best repeated where there are fewer."""
    count = min(most, max(len(own) for own in rivals))
    filled = [[*own[:count], *[first] * (count - len(own[:count]))] for own, first in zip(rivals, best, strict=True)]
    return np.array(filled).reshape(len(best), count, best.shape[1])
