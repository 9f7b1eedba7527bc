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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from lori.inference.blocks import ALIKE, FEW_ROWS, FEWER_ROWS, Evaluation, room
from lori.inference.search import newton, quasi_newton
from lori.inference.search.solutions import CLOSE, FEW, RIVAL, SAME, Solutions, stacked
from lori.inference.search.starts import (
    closed,
    insertions,
    neighbours,
    openings,
    random_starts,
    saddle,
    variations,
)
from lori.inference.search.surrogate import Surrogate
from lori.inference.sources.memory import Source
from lori.inference.statistics import Scaling
from lori.model.specification import Specification

WHOLE = 300_000  # pairs × parameters up to which many starts are cheap on all rows; beyond, samples stand for them:
SEARCH_ROWS = 2000  # of each group, for all starts; half of it where there are many more rows
POLISH_ROWS = 6000  # of each group, for the best of them
LARGE_ROWS = 100_000  # of each group, for the winner, before it is polished on all rows
COARSE = 1e-3  # log-likelihood units that an optimum may be short of when it is polished again on the same rows
ROUGH = 0.02  # or on more rows, in units of the sample's own log-likelihood: samples differ by far more
ROWS_EACH = 300  # at least so many for each parameter, in any sample: on fewer, optima of two levels fit noise
NEAR = 1e-3  # damping where the optimum of a large sample is the start
SECOND_ORDER_SIZE = 60  # with more free parameters a quasi-Newton method takes over,
LINEAR_SIZE = 150  # but not as early where only differences matter, for then the curvature is a product of matrices,
ONE_LEVEL_SIZE = 400  # nor for one level of such rewards
ONE_LEVEL_STARTS = 4  # and whose likelihood has hardly more than one optimum (just one without threshold)
PASSES, STEPS = 8, 10  # over all rows, at most, and on a large sample for each of them
UNPROVEN = 1e-4  # units of log-likelihood: a step that promises no more, and leaves far less undone, is the last one
SLOW = 0.1  # the share of its promise that a step leaves undone, from which on the curvature is computed again
FINE, FINE_SHARE = 1e-7, 0.01  # how well a surrogate is minimised, or to this share of what the search itself asks for,
ROUGH_SHARE = 1e-3  # or of what the last step promised
KEEP = 8  # distinct candidates that are polished, more where that is free
ROUNDS = 20  # of looking around the best, at most
PATIENCE, STEEP = (2, 6), 15.0  # rounds without gain on few rows: as a rule, and where weights are larger than this
SILENT = 0.05  # a threshold that passes on less than 3 % of the decisions, whatever the gap


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

    def of_group(self, group: int) -> Objective: ...

    def on_sample(self, rows: int, generator: np.random.Generator) -> Objective: ...


Samples = tuple[Objective, Objective, Objective]  # all rows, and smaller and smaller parts of them


@dataclass(frozen=True, eq=False)
class Found:
    """The best optimum of each group, and how the search went."""

    vectors: np.ndarray  # (groups, parameters)
    values: np.ndarray  # (groups,)
    converged: np.ndarray  # (groups,)
    curvature: np.ndarray | None  # (groups, parameters, parameters) of the objective there, where it is known
    gradient: np.ndarray | None  # (groups, parameters) of what is held at a bound there, zero elsewhere
    starts: int
    share_at_best: np.ndarray  # (groups,) share of random starts that reached the best optimum of the search
    rivals: tuple[np.ndarray, ...]  # for each group (optima, parameters): others that are not much worse

    @classmethod
    def best_of(cls, searches: Sequence[Found]) -> Found:
        """Of several searches, the best for each group; starts are those of all."""
        values = np.stack([found.values for found in searches])
        best = values.argmin(axis=0)
        groups = np.arange(len(best))

        def ofbest_starts(name: str) -> Any:
            parts = [getattr(found, name) for found in searches]
            return None if parts[0] is None else np.stack(parts)[best, groups]

        at_best = np.where(values <= values.min(axis=0) + SAME, [found.share_at_best for found in searches], 0.0)
        starts = np.array([found.starts for found in searches])
        return cls(
            vectors=ofbest_starts("vectors"),
            values=ofbest_starts("values"),
            converged=ofbest_starts("converged"),
            curvature=ofbest_starts("curvature"),
            gradient=ofbest_starts("gradient"),
            starts=int(starts.sum()),
            share_at_best=starts @ at_best / starts.sum(),
            rivals=tuple(searches[own].rivals[group] for group, own in enumerate(best)),
        )

    @classmethod
    def either(cls, one: Found, other: Found, first: np.ndarray) -> Found:
        """For each group that of `one` where `first` says so, else that of `other`."""

        def part(name: str) -> Any:
            own, else_ = getattr(one, name), getattr(other, name)
            if own is None or else_ is None:
                return None
            return np.where(first.reshape(-1, *(1,) * (own.ndim - 1)), own, else_)

        return replace(
            one, **{name: part(name) for name in ("vectors", "values", "converged", "curvature", "gradient")}
        )

    @classmethod
    def of(cls, won: Solutions, *, starts: int, share_at_best: np.ndarray, rivals: tuple[np.ndarray, ...]) -> Found:
        """From the winners of each group."""
        return cls(
            vectors=won.vectors[:, 0],
            values=won.values[:, 0],
            converged=won.converged[:, 0],
            curvature=None if won.curvature is None else won.curvature[:, 0],
            gradient=None if won.gradient is None else won.gradient[:, 0],
            starts=starts,
            share_at_best=share_at_best,
            rivals=rivals,
        )


def search(
    objective: Objective,
    *,
    starts: int,
    generator: np.random.Generator,
    fewer: Found | None = None,
    tolerance: float = newton.TOLERANCE,
) -> Found:
    """Minimise `objective` for each of its groups; `fewer` is what was found with one level less."""
    specification = objective.specification
    drawing, inserting, varying = generator.spawn(3)
    if fewer is not None and _settled(specification, fewer):
        padded = insertions(specification, fewer.vectors, inserting)[:, -1:]
        won, none = minimise(objective, padded, tolerance=tolerance), np.empty((0, specification.size))
        rivals = (none,) * objective.source.groups
        return Found.of(won, starts=fewer.starts, share_at_best=fewer.share_at_best, rivals=rivals)
    larger = middle = small = objective
    cheap, least = _cheap(objective), ROWS_EACH * specification.size
    if not cheap:
        polish = max(POLISH_ROWS, 2 * least)
        larger = objective.on_sample(polish if specification.concave else LARGE_ROWS, generator)  # one way down
        middle = larger.on_sample(polish, generator)
        many = middle.source is not objective.source
        small = middle.on_sample(max(SEARCH_ROWS // 2 if many else SEARCH_ROWS, least), generator)
    whole = middle.source is objective.source

    def coarse(some: Objective) -> dict[str, float]:
        if whole:
            return {"tolerance": COARSE, "enough": 0.75}
        return {**on_sample(some, objective, tolerance), "enough": 0.75}

    if _single_optimum(specification):
        few = ONE_LEVEL_STARTS if specification.lapse_slot is None else KEEP  # slips may explain steep weights
        starts = min(starts, 1 if specification.epsilon == (0.0,) and specification.lapse_slot is None else few)
    tied = specification.likelihood.needs_thresholds(small.source.sample(FEWER_ROWS, generator).observations)
    drawn = random_starts(specification, starts, drawing, tied=tied)
    if _single_optimum(specification):  # Newton's method goes fastest from near zero
        drawn[:ONE_LEVEL_STARTS, specification.reward_slots[0]] *= 0.1
    tried = np.repeat(drawn[None], objective.source.groups, axis=0)
    if not _second_order(specification):
        tried = best_starts(tried, small.evaluate(tried, order=0).value, KEEP)
    random = tried.shape[1]
    if fewer is not None:
        tried = np.concatenate([tried, insertions(specification, fewer.vectors, inserting)], axis=1)
    solutions = minimise(small, tried, **coarse(small), iterations=40)
    values, unit = solutions.values, unit_of(small, objective)
    same, within = SAME * unit, RIVAL * unit
    share = (values[:, :random] <= values.min(axis=1, keepdims=True) + same).mean(axis=1)
    if small.source is not middle.source and (whole or not _single_optimum(specification)):
        solutions = minimise(middle, solutions.distinct(KEEP, same, within), **coarse(middle), iterations=20)
    few = cheap and objective.source.rows <= FEWER_ROWS and not _single_optimum(specification)
    tries = 2 * min(starts, ALIKE) if few else ALIKE if cheap else KEEP
    if whole or not _single_optimum(specification) or closed(specification, solutions.winners().vectors):
        solutions = around(middle, solutions, varying, tries, few, **coarse(middle), iterations=40 if whole else 20)
    if cheap:
        solutions = minimise(objective, solutions.distinct(ALIKE, COARSE), tolerance=COARSE)
    if whole:
        solutions = minimise(objective, solutions.distinct(KEEP, COARSE if cheap else SAME))
        won, rivals = solutions.winners(), solutions.rivals()
    else:
        won = _on_all_rows((objective, larger, middle), solutions, tolerance)
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

    What is not a neighbour among so many `tries` is a variation.
    """
    specification, rows, idle = objective.specification, objective.source.rows, 0
    for _ in range(ROUNDS):
        best = solutions.winners().vectors[:, 0]
        others = neighbours(specification, best)
        if others.shape[1] == 0:
            break
        count = max(others.shape[1], tries)
        more = (room(count, rows, specification) if _second_order(specification) else count) - others.shape[1]
        others = np.concatenate([others, variations(specification, best, more, generator)], axis=1)
        again = minimise(objective, others, **options)
        gain = solutions.values.min(axis=1) - again.values.min(axis=1)
        solutions = solutions.beside(again)
        idle = 0 if (gain > options["tolerance"]).any() else idle + 1
        steep = bool((np.abs(best) > STEEP).any())
        if idle >= (PATIENCE[steep] if patient else 1):
            break
    return solutions


def _on_all_rows(samples: Samples, solutions: Solutions, tolerance: float) -> Solutions:
    """The winners on all rows; where a sample closed the last threshold at what is a saddle of theirs, it is opened."""
    objective = samples[0]
    won = _polished(samples, solutions, tolerance)
    if not saddle(objective.specification, won.vectors, won.curvature):
        return won
    opened = openings(objective.specification, won.vectors)[:, :1]
    return won.beside(minimise(objective, opened, tolerance=tolerance, damping=NEAR)).winners()


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
        if not _single_optimum(specification):
            tried = solutions.distinct(FEW, SAME * at_first, CLOSE * at_first)
        if closed(specification, won.vectors) and tolerance < COARSE:
            tried = np.concatenate([tried[:, 1:], opened], axis=1)  # from where the best is found again if it is closed
        solutions = minimise(larger, tried, **on_sample(larger, objective, tolerance))
        won, close = solutions.winners(), solutions.distinct(FEW, SAME * unit, CLOSE)
        if tolerance < COARSE and close.shape[1] > 1:
            won = minimise(objective, close, tolerance=COARSE, damping=NEAR).winners()
        elif _second_order(specification):
            won = _few_passes(objective, larger, won.vectors, tolerance)
            if won.converged.all():
                return won
    return minimise(objective, won.vectors, tolerance=tolerance, damping=NEAR)


def _few_passes(objective: Objective, larger: Objective, vectors: np.ndarray, tolerance: float) -> Solutions:
    """The optimum of all rows from that of a large sample of them, in as few passes as will do.

    The first pass is for the curvature, too. Others are for the gradient alone, as long as steps leave little undone of
    what they promised; but for one level, whose curvature takes no longer. The last step, which promises next to
    nothing, is taken without proof. Where a step does not gain, the first part of it is tried, which is Newton's; if
    that does not gain, nothing has converged.
    """
    least, steps = 2 if _single_optimum(objective.specification) else 1, STEPS
    at, surrogate, before = objective.evaluate(vectors), None, None
    for _ in range(PASSES):
        surrogate = Surrogate.around(vectors, at, larger, surrogate)
        fine = max(FINE, FINE_SHARE * tolerance, ROUGH_SHARE * (before or 0.0))
        ahead = minimise(surrogate, vectors, tolerance=fine, damping=NEAR, iterations=steps)
        promised = float(np.max(at.value - ahead.values))
        if promised <= max(tolerance, UNPROVEN):
            return ahead
        slow = before is not None and promised > SLOW * before
        there = objective.evaluate(ahead.vectors, order=2 if slow else least)
        if (there.value <= at.value).all():
            vectors, at, steps, before = ahead.vectors, there, STEPS, promised
        elif steps > 1:
            steps = 1
        else:
            break
    return Solutions(vectors, at.value, np.zeros(at.value.shape, bool))


def unit_of(sample: Objective, objective: Objective) -> float:
    """What a unit of the sample's own log-likelihood is, of all rows: as many as each of its rows stands for."""
    return objective.source.rows / sample.source.rows


def on_sample(sample: Objective, objective: Objective, tolerance: float) -> dict[str, float]:
    """How well, and for how long, an optimum of a sample is looked for."""
    unit = unit_of(sample, objective)
    return {"tolerance": max(tolerance, ROUGH * unit), "beyond": RIVAL * unit}


def _settled(specification: Specification, fewer: Found) -> bool:
    """Did a level beyond the second stay silent in every group, when there was one level less?"""
    if specification.likelihood.rule == "observed":  # there a level is silent behind a large threshold
        return False
    slots = [
        slot for level, slot in specification.fewer().epsilon_slots.items() if 0 < level < specification.levels - 2
    ]
    return bool(slots) and bool((fewer.vectors[:, slots] < SILENT).any(axis=1).all())


def _single_optimum(specification: Specification) -> bool:
    return specification.likelihood.nearly_convex(specification)


def _cheap(objective: Minimised) -> bool:
    """Are there so few rows and parameters that many starts cost little, and share compiled code?"""
    specification, rows = objective.specification, objective.source.rows
    shared = room(1, rows, specification) > 1
    work = rows * specification.size * specification.likelihood.effort
    return shared and work <= WHOLE and _second_order(specification)


def _second_order(specification: Specification) -> bool:
    if _single_optimum(specification):
        return specification.size <= ONE_LEVEL_SIZE
    linear = specification.likelihood.only_differences_matter(specification)
    return specification.size <= (LINEAR_SIZE if linear else SECOND_ORDER_SIZE)


def minimise(objective: Minimised, starts: np.ndarray, **options: Any) -> Solutions:
    """Run the minimiser on (groups, starts, parameters); its arrays come back with that leading shape."""
    groups, count, size = starts.shape
    specification = objective.specification
    if not _second_order(specification):
        parts = []
        for group, own in enumerate(starts):
            single = objective.of_group(group)

            def evaluate(vectors: np.ndarray, single: Minimised = single) -> Evaluation:
                return single.evaluate(vectors[None], order=1).mapped(lambda part: part[0])

            parts.append(quasi_newton.minimise(evaluate, own, specification.bounds))
        return stacked(parts).grouped(groups)
    shared = _cheap(objective)
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
        specification.bounds,
        groups=groups,
        together=ALIKE if shared else None,
        **options,
    )
    return flat.grouped(groups)


def best_starts(vectors: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    order = np.argsort(values, axis=1)[:, :count]
    return np.take_along_axis(vectors, order[:, :, None], axis=1)
