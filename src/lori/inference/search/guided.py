"""Guided search: of a likelihood whose rows take long, from what a simpler reading of the same data says.

Starts are random draws and the levels of the smaller model. Where a row takes very long, as in sets of many
alternatives, they are what the reading as pairs that share their winner says: another likelihood, with optima nearby.
They are tried on as many rows as there is time for, and the best few are polished on all; what is too far behind is
given up. Integrals are computed roughly until then, and a weak prior keeps the optima of few such rows finite. Of many
starts a few steps on few rows say which are worth going on with. Where slips are learned there are many optima, some of
them at infinity: there all go on, and the search looks around the best, under a weak prior.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from lori.inference.search import newton
from lori.inference.search.all_rows import COARSE, NEAR
from lori.inference.search.minimising import Objective, minimise, on_sample, unit_of
from lori.inference.search.search import around, search
from lori.inference.search.solutions import FEW, RIVAL, SAME, Found, Solutions
from lori.inference.search.starts import best_starts, insertions, neighbours, random_starts

BUDGET = 1.5e5  # rows times their effort, in rows of pairs, that all starts are tried on
FEWEST, TELLING = 40, 20  # rows for each parameter, in any sample; where each has many alternatives and tells more
GUIDING = 400  # and rows of the simpler reading, which is a guide only
DEAR = 1000.0  # effort from which on only what the simpler reading suggests is tried
RANDOM = 16  # starts at random, where a row takes less,
DRAWN = 32  # or more, of which the best few are tried beside what the simpler reading suggests
GLANCE, WORTH = 8, 8  # steps of each on the fewest rows; how many go on from there
ENOUGH = 0.6  # the share of them that must have ended before the others are given up
FAR = 0.1  # damping of random starts that few rows sort: first steps from there go too far
STEPS, FIRST_STEPS = 30, 8  # of each of them at most; of what the simpler reading suggests, which is near an optimum
UNDAMPED, LAST = 1e-6, 1e-8  # where there is one way down; the step after one that promised so little is exact
POLISHED, SLIPPED = 3, 5  # of them on all rows; where slips are learned
SETTLED = 2  # steps on all rows after which an optimum of a sample keeps what it promises
VARIATIONS = 12  # of the best that are tried in a round, on all rows, where slips are learned


class Guided(Objective, Protocol):
    """What this search asks of a problem beside."""

    def simpler(self) -> Objective:
        """The same data under a likelihood whose rows are quick to compute; vectors mean the same."""
        ...

    def roughly(self) -> Guided:
        """The same problem, only as exact as a search needs it, where that takes less time."""
        ...

    def regularised(self, wider: float | None = None) -> Guided:
        """The same problem with a weak prior, if it has none: its optima are finite."""
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
        only = minimise(objective, start, tolerance=max(tolerance, LAST), damping=UNDAMPED)
        return Found.of(only, starts=1, share_at_best=np.ones(len(start)), rivals=only.rivals())
    dear = specification.likelihood.effort >= DEAR
    tried = _suggested(objective, starts, generator, fewer) if dear else _drawn(objective, starts, generator)
    if fewer is not None:
        more = insertions(specification, fewer.vectors, generator.spawn(1)[0])
        tried = np.concatenate([tried, more[:, : 2 if dear else None]], axis=1)
    slips = specification.lapse_slot is not None and specification.levels > 1
    least = (TELLING if dear else FEWEST) * specification.size
    rows = max(int(BUDGET / specification.likelihood.effort / tried.shape[1]), least)
    roughly = objective.roughly()
    sample = (roughly.regularised() if dear else roughly).on_sample(rows, generator)  # few sets may be separable
    rough = {
        **on_sample(sample, objective, tolerance), "enough": ENOUGH, "iterations": FIRST_STEPS if dear else STEPS
    }  # fmt: skip
    if dear:
        drawn = _drawn(objective, starts, generator, DRAWN)
        tried = np.concatenate([tried, best_starts(drawn, sample.evaluate(drawn, order=0).value, FEW)], axis=1)
    count, share = tried.shape[1], None
    if not dear and not slips:
        few = sample.on_sample(least, generator)
        glance = {**on_sample(few, objective, tolerance), "enough": ENOUGH, "iterations": GLANCE, "damping": FAR}
        rough["damping"] = FAR
        solutions, same = minimise(few, tried, **glance), SAME * unit_of(few, objective)
        near = neighbours(specification, solutions.winners().vectors[:, 0])
        share, tried = _share(solutions, same), np.concatenate([solutions.distinct(WORTH, same), near], axis=1)
    solutions, same = minimise(sample, tried, **rough), SAME * unit_of(sample, objective)
    share = _share(solutions, same) if share is None else share
    if slips and not dear:
        near = neighbours(specification, solutions.winners().vectors[:, 0])
        if near.shape[1]:
            solutions = solutions.beside(minimise(sample, near, **rough))
    chosen = solutions.distinct(SLIPPED if slips and not dear else POLISHED, SAME if slips else same)
    polish: dict[str, Any] = {"tolerance": COARSE, "enough": 0.5, "iterations": 40, "beyond": SAME if dear else RIVAL}
    settled: dict[str, Any] = polish if dear else {**polish, "hope": SETTLED}
    if slips and not dear:  # they hide many optima
        finite = objective.regularised()
        best = minimise(finite, chosen, **settled)
        best = around(finite, best, generator.spawn(1)[0], VARIATIONS, False, **{**polish, "iterations": 20})
        chosen = best.distinct(SLIPPED)
    best = minimise(roughly, chosen, **settled)
    last: dict[str, Any] = {"iterations": STEPS} if dear else {}
    last["tolerance"] = max(tolerance, LAST) if dear else tolerance
    won = minimise(objective, best.winners().vectors, damping=NEAR, **last)
    return Found.of(won, starts=count, share_at_best=share, rivals=best.rivals())


def _share(solutions: Solutions, same: float) -> np.ndarray:
    """(groups,) of the starts, how many ended at the best."""
    return (solutions.values <= solutions.values.min(axis=1, keepdims=True) + same).mean(axis=1)


def _drawn(objective: Guided, starts: int, generator: np.random.Generator, most: int = RANDOM) -> np.ndarray:
    """(groups, starts, parameters) at random, the same for each group."""
    specification = objective.specification
    few = objective.source.sample(1000, generator).observations
    tied = specification.likelihood.needs_thresholds(few)
    drawn = random_starts(specification, min(starts, most), generator.spawn(1)[0], tied=tied)
    return np.repeat(drawn[None], objective.source.groups, axis=0)


def _suggested(objective: Guided, starts: int, generator: np.random.Generator, fewer: Found | None) -> np.ndarray:
    """(groups, starts, parameters): the best ones of the simpler reading, and their neighbours."""
    specification = objective.specification
    simpler = objective.simpler().on_sample(GUIDING * specification.size, generator)
    guess = search(simpler, starts=starts, generator=generator, fewer=fewer, tolerance=COARSE)
    tried = [guess.vectors[:, None], _side_by_side(guess.rivals, guess.vectors, 2)]
    if specification.levels > 1:
        tried.append(neighbours(specification, guess.vectors)[:, :2])
    return np.concatenate(tried, axis=1)


def _side_by_side(rivals: tuple[np.ndarray, ...], best: np.ndarray, most: int) -> np.ndarray:
    """(groups, rivals, parameters): some of each group, the best repeated where there are fewer."""
    count = min(most, max(len(own) for own in rivals))
    filled = [[*own[:count], *[first] * (count - len(own[:count]))] for own, first in zip(rivals, best, strict=True)]
    return np.array(filled).reshape(len(best), count, best.shape[1])
