"""Search: many starts for the best optimum, and how often it is found.

The objective has several local optima, among them the true levels in a wrong order. So the search
  1. runs many starts, on a sample of the rows if there are very many;
  2. polishes the best of them on a larger sample;
  3. tries every re-ordering of the levels of the best, its last threshold opened and variations of it, while that wins;
  4. polishes the best few on all rows; on very many rows the winner alone, guided by a large sample (`surrogate`).
Up to some ten thousand rows there are no samples: what a level that is hardly there gains differs between any two.
Starts are random draws and, for k levels, the best k − 1 levels with a new one inserted at each place, so that more
levels hardly ever end in a worse optimum than fewer. Where a level beyond the second did not find anything to say, one
more is not searched for: it would have to be inserted where that one was tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lori.inference.arrangement import ALIKE, FEWER_ROWS
from lori.inference.blocks import room
from lori.inference.search import newton
from lori.inference.search.all_rows import COARSE, on_all_rows
from lori.inference.search.minimising import (
    Objective,
    cheap_to_search,
    minimise,
    on_sample,
    second_order,
    single_optimum,
    unit_of,
)
from lori.inference.search.solutions import KEEP, RIVAL, SAME, Found, Solutions
from lori.inference.search.starts import (
    additions,
    best_starts,
    closed,
    insertions,
    neighbours,
    random_starts,
    steeper,
    variations,
)
from lori.model.specification import Specification

SEARCH_ROWS = 2000  # of each group, for all starts; half of it where there are many more rows
POLISH_ROWS = 20_000  # of each group, for the best of them
LARGE_ROWS = 100_000  # of each group, for the winner, before it is polished on all rows
ROWS_EACH = 300  # at least so many for each parameter, in any sample: on fewer, optima of two levels fit noise
ONE_LEVEL_STARTS = 4  # of one level, whose likelihood has hardly more than one optimum (just one without threshold)
ADDED = 12  # last levels at random, below the smaller model
WIDER = (1.0, 2.5, 6.0, 16.0, 40.0)  # than the weak prior are those that lead to none
ROUNDS = 20  # of looking around the best, at most
PATIENCE, STEEP = (2, 6), 15.0  # rounds without gain on few rows: as a rule, and where weights are larger than this,
STEPPED = 500  # on so few rows that steps, without a prior, have many optima beside each other
SILENT = 0.05  # a threshold that passes on less than 3 % of the decisions, whatever the gap


def search(
    objective: Objective,
    *,
    starts: int,
    generator: np.random.Generator,
    fewer: Found | None = None,
    tolerance: float = newton.TOLERANCE,
) -> Found:
    """Minimise `objective` for each of its groups; `fewer` is what was found with one level less."""
    specification, one_way = objective.specification, _one_way_down(objective)
    drawing, inserting, varying = generator.spawn(3)
    if fewer is not None and _settled(specification, fewer):
        padded = insertions(specification, fewer.vectors, inserting)[:, -1:]
        won, none = minimise(objective, padded, tolerance=tolerance), np.empty((0, specification.size))
        rivals = (none,) * objective.source.groups
        return Found.of(won, starts=fewer.starts, share_at_best=fewer.share_at_best, rivals=rivals)
    larger = middle = small = objective
    cheap, least = cheap_to_search(objective), ROWS_EACH * specification.size
    if not cheap:
        polish = max(POLISH_ROWS, 2 * least)
        larger = objective.on_sample(polish if specification.concave else LARGE_ROWS, generator)  # one way down
        middle = larger.on_sample(polish, generator)
        many = middle.source is not objective.source
        small = middle.on_sample(max(SEARCH_ROWS // 2 if many else SEARCH_ROWS, least), generator)
        if many:  # without a prior, steep levels fit the noise of a sample, and there is no way back from there
            middle, small = middle.roughly().regularised(), small.roughly().regularised()
    whole = middle.source is objective.source

    def coarse(some: Objective) -> dict[str, Any]:
        if whole:
            return {"tolerance": COARSE, "enough": 0.75}
        return {**on_sample(some, objective, tolerance), "enough": 0.75}

    few = cheap and objective.source.rows <= FEWER_ROWS and not one_way
    if one_way:
        most = ONE_LEVEL_STARTS if specification.lapse_slot is None else KEEP  # slips may explain steep weights
        starts = min(starts, 1 if specification.concave else most)
    tied = specification.likelihood.needs_thresholds(small.source.sample(FEWER_ROWS, generator).observations)
    drawn = random_starts(specification, starts, drawing, tied=tied)
    if one_way:  # Newton's method goes fastest from near zero
        drawn[:ONE_LEVEL_STARTS, specification.reward_slots[0]] *= 0.1
    tried = np.repeat(drawn[None], objective.source.groups, axis=0)
    if not second_order(specification):
        tried = best_starts(tried, small.evaluate(tried, order=0).value, KEEP)
    random = tried.shape[1]
    if fewer is not None:
        tried = np.concatenate([tried, insertions(specification, fewer.vectors, inserting)], axis=1)
        if cheap and not few:  # few rows are looked at with more patience
            tried = np.concatenate([tried, additions(specification, fewer.vectors, ADDED, inserting)], axis=1)
    solutions = minimise(small, tried, **coarse(small), iterations=40)
    values, unit = solutions.values, unit_of(small, objective)
    same, within = SAME * unit, RIVAL * unit
    share = (values[:, :random] <= values.min(axis=1, keepdims=True) + same).mean(axis=1)
    if small.source is not middle.source and (whole or not one_way):
        solutions = minimise(middle, solutions.distinct(KEEP, same, within), **coarse(middle), iterations=20)
    tries = 2 * min(starts, ALIKE) if few else ALIKE if cheap else 0 if one_way and not whole else KEEP
    if whole or not one_way or closed(specification, solutions.winners().vectors):
        solutions = around(middle, solutions, varying, tries, few, **coarse(middle), iterations=40 if whole else 20)
    if few and objective.prior is None and objective.source.rows <= STEPPED:
        solutions = solutions.beside(graduated(objective, tried, varying, tries))
    if cheap:
        solutions = minimise(objective, solutions.distinct(ALIKE, COARSE), tolerance=COARSE)
    if whole:
        tried = solutions.distinct(KEEP, COARSE if cheap else SAME)
        if few and objective.prior is None:
            tried = np.concatenate([tried, steeper(specification, tried[:, 0])], axis=1)
        solutions = minimise(objective, tried)
        won, rivals = solutions.winners(), solutions.rivals()
    else:
        won = on_all_rows((objective, larger, middle), solutions, tolerance)
        rivals = solutions.rivals(unit_of(middle, objective))
    return Found.of(won, starts=starts, share_at_best=share, rivals=rivals)


def around(
    objective: Objective,
    solutions: Solutions,
    generator: np.random.Generator,
    tries: int,
    patient: bool,
    **options: Any,
) -> Solutions:
    """These solutions and what is found around the best of each group, for as long as that gains.

    What is not a neighbour among so many `tries` is a variation; where every start leads to the best, there is none.
    """
    specification, rows, idle = objective.specification, objective.source.rows, 0
    for _ in range(ROUNDS):
        best = solutions.winners().vectors[:, 0]
        others = neighbours(specification, best)
        if others.shape[1] == 0:
            break
        count = max(others.shape[1], tries)
        more = (room(count, rows, specification) if tries and second_order(specification) else count) - others.shape[1]
        others = np.concatenate([others, variations(specification, best, more, generator)], axis=1)
        again = minimise(objective, others, **options)
        gain = solutions.values.min(axis=1) - again.values.min(axis=1)
        solutions = solutions.beside(again)
        idle = 0 if (gain > options["tolerance"]).any() else idle + 1
        steep = rows <= STEPPED and bool((np.abs(best) > STEEP).any())
        if idle >= (PATIENCE[steep] if patient else 1):
            break
    return solutions


def graduated(objective: Objective, starts: np.ndarray, generator: np.random.Generator, tries: int) -> Solutions:
    """Where starts lead under a prior that grows wider and wider until there is none, and what is around it.

    Without a prior, steep levels have so many optima beside each other that starts hardly leave the one they come to.
    Those of a smooth objective are few, and the best are followed.
    """
    options: dict[str, Any] = {"tolerance": COARSE, "enough": 0.75, "iterations": 40}
    for wider in WIDER:
        smooth = objective.regularised(wider)
        found = around(smooth, minimise(smooth, starts, **options), generator, tries, False, **options)
        starts = found.distinct(ALIKE, COARSE)
    return around(objective, minimise(objective, starts, tolerance=COARSE), generator, tries, True, **options)


def _settled(specification: Specification, fewer: Found) -> bool:
    """Did a level beyond the second stay silent in every group, when there was one level less?"""
    if specification.likelihood.rule == "observed":  # there a level is silent behind a large threshold
        return False
    slots = [
        slot for level, slot in specification.fewer().epsilon_slots.items() if 0 < level < specification.levels - 2
    ]
    return bool(slots) and bool((fewer.vectors[:, slots] < SILENT).any(axis=1).all())


def _one_way_down(objective: Objective) -> bool:
    """Does every start lead to the best optimum? That of one level, as a rule; but where neither a prior nor many rows
    keep weights small, choices may be told best by a step: a coin below the threshold, without fail beyond it."""
    specification = objective.specification
    if specification.concave:
        return True
    steps = objective.prior is None and bool(specification.epsilon_slots) and cheap_to_search(objective)
    return single_optimum(specification) and not steps
