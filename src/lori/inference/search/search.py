"""Search: many starts for the best optimum, and how often it is found.

The objective has several local optima, among them the true levels in a wrong order. So the search
  1. runs many starts as one batch, on a sample of the rows if there are many;
  2. polishes the best of them on a larger sample;
  3. tries every re-ordering of the levels of the best, and its last threshold opened, while that wins;
  4. polishes the winner on all rows.
Starts are random draws and, for k levels, the best k − 1 levels with a new one inserted at each place, so that more
levels hardly ever end in a worse optimum than fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any, Protocol

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.search import newton, quasi_newton
from lori.inference.search.newton import Solutions
from lori.inference.sources.memory import Source
from lori.inference.statistics import Scaling
from lori.model.specification import Specification

SEARCH_ROWS = 2000  # of each group, for all starts
POLISH_ROWS = 6000  # of each group, for the best of them
LARGE_ROWS = 100_000  # of each group, for the winner, before it is polished on all rows
COARSE = 1e-3  # log-likelihood units that an optimum may be short of when it is polished again on the same rows
ROUGH = 0.02  # or on more rows: samples differ by far more
ROWS_EACH = 50  # at least so many for each parameter, in any sample
NEAR = 1e-3  # damping where the optimum of a large sample is the start
SECOND_ORDER_SIZE = 60  # with more free parameters a quasi-Newton method takes over,
LINEAR_SIZE = 150  # but not as early where only differences matter, for then the curvature is a product of matrices,
ONE_LEVEL_SIZE = 400  # nor for one level of such rewards
ONE_LEVEL_STARTS = 4  # and whose likelihood has hardly more than one optimum (just one without threshold)
KEEP = 8  # distinct candidates that are polished on all rows
OPENINGS = ((1.0, 1.0), (4.0, 2.5))  # last thresholds to try, with what the last reward is multiplied by
CLOSED = 0.1  # a last threshold below this may be a trap, see `_openings`
SAME = 0.05  # log-likelihood units within which two optima count as the same
RIVAL = 12.0  # and beyond which one is out of the question


class Objective(Protocol):
    """What a search asks of a problem."""

    @property
    def specification(self) -> Specification: ...

    @property
    def source(self) -> Source: ...

    @property
    def scaling(self) -> Scaling: ...

    def evaluate(self, vectors: np.ndarray, order: int = 2) -> Evaluation: ...

    def of_group(self, group: int) -> Objective: ...

    def on_sample(self, rows: int, generator: np.random.Generator) -> Objective: ...


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
    larger = objective.on_sample(LARGE_ROWS, generator)
    least = ROWS_EACH * specification.size
    middle = larger.on_sample(max(POLISH_ROWS, 2 * least), generator)
    whole = middle.source is objective.source
    small = middle.on_sample(max(SEARCH_ROWS if whole else SEARCH_ROWS // 2, least), generator)
    coarse = {"tolerance": max(tolerance, COARSE if whole else ROUGH), "enough": 0.75}
    polish = {"tolerance": newton.TOLERANCE} if whole else {**coarse, "iterations": 20}
    if _single_optimum(specification):
        starts = min(starts, 1 if specification.epsilon == (0.0,) else ONE_LEVEL_STARTS)
    drawn = _random_starts(small, starts, generator)
    if _single_optimum(specification):  # Newton's method goes fastest from near zero
        drawn[..., specification.reward_slots[0]] *= 0.1
    if not _second_order(specification):
        drawn = _best(drawn, small.evaluate(drawn, order=0).value, KEEP)
    tried = drawn
    if fewer is not None:
        tried = np.concatenate([drawn, insertions(specification, fewer.vectors, generator)], axis=1)
    first = minimise(small, tried, **coarse, iterations=40)
    best_value = first.values.min(axis=1, keepdims=True)
    share = (first.values[:, : drawn.shape[1]] <= best_value + SAME).mean(axis=1)
    solutions = minimise(middle, _distinct(first, KEEP), **polish)
    for _ in range(3):
        best = _winners(solutions).vectors[:, 0]
        others = _neighbours(specification, best)
        if others.shape[1] == 0:
            break
        again = minimise(middle, others, **polish)
        gain = solutions.values.min(axis=1) - again.values.min(axis=1)
        solutions = _joined(solutions, again)
        if (gain <= max(1e-6, polish["tolerance"])).all():
            break
    won, rivals = _winners(solutions), _rivals(solutions)
    if not whole:
        if larger.source is not objective.source:
            tried = won.vectors
            slot = specification.epsilon_slots.get(specification.levels - 1)
            if slot is not None and (tried[..., slot] < CLOSED).any() and tolerance < COARSE:
                tried = np.concatenate([tried, _openings(specification, tried)], axis=1)
            won = _winners(minimise(larger, tried, tolerance=coarse["tolerance"]))
        won = minimise(objective, won.vectors, tolerance=tolerance, damping=NEAR)
    return Found(
        vectors=won.vectors[:, 0],
        values=won.values[:, 0],
        converged=won.converged[:, 0],
        curvature=None if won.curvature is None else won.curvature[:, 0],
        gradient=None if won.gradient is None else won.gradient[:, 0],
        starts=starts,
        share_at_best=share,
        rivals=rivals,
    )


def _single_optimum(specification: Specification) -> bool:
    return specification.likelihood.nearly_convex(specification)


def _second_order(specification: Specification) -> bool:
    if _single_optimum(specification):
        return specification.size <= ONE_LEVEL_SIZE
    linear = specification.likelihood.only_differences_matter(specification)
    return specification.size <= (LINEAR_SIZE if linear else SECOND_ORDER_SIZE)


def minimise(objective: Objective, starts: np.ndarray, **options: Any) -> Solutions:
    """Run the minimiser on (groups, starts, parameters); its arrays come back with that leading shape."""
    groups, count, size = starts.shape
    bounds = objective.specification.bounds
    if not _second_order(objective.specification):
        parts = []
        for group, own in enumerate(starts):
            single = objective.of_group(group)

            def evaluate(vectors: np.ndarray, single: Objective = single) -> Evaluation:
                return single.evaluate(vectors[None], order=1).mapped(lambda part: part[0])

            parts.append(quasi_newton.minimise(evaluate, own, bounds))
        return _reshaped(_combined(parts, axis=0), groups, count)

    def evaluate_all(vectors: np.ndarray) -> Evaluation:
        result = objective.evaluate(vectors.reshape(groups, count, size))
        return result.mapped(lambda part: part.reshape(-1, *part.shape[2:]))

    flat = newton.minimise(evaluate_all, starts.reshape(-1, size), bounds, **options)
    return _reshaped(flat, groups, count)


def _random_starts(objective: Objective, count: int, generator: np.random.Generator) -> np.ndarray:
    """Random rewards, with thresholds at random quantiles of the reward differences in the data."""
    specification = objective.specification
    drawn = [reward.draw(generator, specification.features, count) for reward in specification.rewards]
    observations = objective.source.sample(500, generator).observations
    layout = specification.likelihood.layout(specification)
    pooled = layout.some(observations, 2000, objective.scaling.scale)
    tied = specification.likelihood.needs_thresholds(observations)
    vectors = []
    for start in range(count):
        own = [parameters[start] for parameters in drawn]
        epsilon: list[float] = []
        for parameters in own:
            last = len(epsilon) == specification.levels - 1
            size = layout.typical_gap(parameters, pooled, generator.uniform(0.1, 0.8))
            zero = generator.uniform() >= 0.5 if last else False
            epsilon.append(0.0 if zero and not tied else size)
        vectors.append(specification.pack(own, epsilon, generator.uniform(0.5, 5.0, specification.levels)))
    return np.broadcast_to(np.stack(vectors), (objective.source.groups, count, specification.size)).copy()


def insertions(specification: Specification, fewer: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The levels of a smaller model with one more, faint or strong, at each place: (groups, starts, parameters).

    Beyond two levels, where the prior may keep a level from speaking, also the smaller model with a silent last one:
    then more levels never end in a worse optimum than fewer, but for a last threshold that became an inner one.
    """
    small = specification.fewer()
    same = len(set(specification.rewards)) == 1
    places = range(specification.levels) if same else [specification.levels - 1]
    kinds = [(place, strength) for place in places for strength in (0.1, 1.0)]
    if specification.levels > 2:
        kinds.append((specification.levels - 1, 0.0))
    starts = []
    for place, strength in kinds:
        new = specification.rewards[place].draw(generator, specification.features, 1)[0] * strength
        own = []
        for vector in fewer:
            rewards, epsilon, alpha = _numbers(small, vector)
            rewards.insert(place, _with_common(specification, place, new, rewards))
            epsilon = np.insert(epsilon, place, strength)
            opened = _opened(epsilon) if strength else epsilon
            own.append(specification.pack(rewards, opened, np.insert(alpha, place, 1.0)))
        starts.append(np.stack(own))
    return np.stack(starts, axis=1)


def _with_common(specification: Specification, place: int, new: np.ndarray, others: list[np.ndarray]) -> np.ndarray:
    """A new level's parameters, those that it shares being what they are in the other levels."""
    reward = specification.rewards[place]
    partners = [level for level, own in enumerate(specification.fewer().rewards) if own.share == reward.share != ""]
    if not partners:
        return new
    return np.where(reward.common(specification.features), others[partners[0]], new)


def _reorderings(specification: Specification, best: np.ndarray) -> np.ndarray:
    """Every other order of the levels (for more than three: every swap of neighbours) that fits the rewards."""
    levels = tuple(range(specification.levels))
    if len(levels) <= 3:
        orders = [order for order in permutations(levels) if order != levels]
    else:
        orders = [(*levels[:i], levels[i + 1], levels[i], *levels[i + 2 :]) for i in levels[:-1]]
    fitting = [
        order for order in orders
        if all(specification.rewards[i] == specification.rewards[j] for i, j in enumerate(order))
    ]  # fmt: skip
    starts = np.empty((len(best), len(fitting), specification.size))
    for g, vector in enumerate(best):
        rewards, epsilon, alpha = _numbers(specification, vector)
        for o, order in enumerate(fitting):
            places = list(order)
            starts[g, o] = specification.pack([rewards[i] for i in places], _opened(epsilon[places]), alpha[places])
    return starts


def _neighbours(specification: Specification, best: np.ndarray) -> np.ndarray:
    """Where else an optimum may be: other orders of the levels, each also with the last threshold opened."""
    others = _reorderings(specification, best)
    return np.concatenate([others, _openings(specification, np.concatenate([best[:, None], others], axis=1))], axis=1)


def _openings(specification: Specification, vectors: np.ndarray) -> np.ndarray:
    """The same vectors (groups, starts, parameters) with the last threshold opened, where it is learned.

    Where the gradient vanishes at zero (as for pairs whose ties are split), a start that came to that bound stays there
    although a larger threshold (with larger weights) may be better.
    """
    last = specification.levels - 1
    slot = specification.epsilon_slots.get(last)
    if slot is None or not specification.likelihood.stuck_at_zero:
        return vectors[:, :0]
    reward, where = specification.rewards[last], specification.reward_slots[last]
    opened = []
    for threshold, strength in OPENINGS:
        own = vectors.copy()
        own[..., slot] = threshold
        if reward.free_scale:
            for place in np.ndindex(own.shape[:-1]):
                own[place][where] = reward.multiplied(own[place][where], strength)
        opened.append(own)
    return np.concatenate(opened, axis=1)


def _opened(epsilon: np.ndarray) -> np.ndarray:
    """Thresholds at which every level but the last lets some decisions pass."""
    opened = np.array(epsilon, float)
    opened[:-1] = np.where(opened[:-1] < 1e-3, 1.0, opened[:-1])
    return opened


def _numbers(specification: Specification, vector: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    rewards = [vector[where] for where in specification.reward_slots]
    epsilon = np.array([0.0 if value is None else value for value in specification.epsilon])
    alpha = np.array([1.0 if value is None else value for value in specification.alpha])
    for level, slot in specification.epsilon_slots.items():
        epsilon[level] = vector[slot]
    for level, slot in specification.alpha_slots.items():
        alpha[level] = vector[slot]
    return rewards, epsilon, alpha


def _best(vectors: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    order = np.argsort(values, axis=1)[:, :count]
    return np.take_along_axis(vectors, order[:, :, None], axis=1)


def _distinct(solutions: Solutions, count: int) -> np.ndarray:
    """The best vectors of each group, one for each optimum as told by its value; repeated where others have more."""
    chosen: list[list[int]] = []
    for values in solutions.values:
        order = [int(i) for i in np.argsort(values) if np.isfinite(values[i])] or [0]
        kept: list[int] = []
        for i in order:
            if len(kept) < count and all(abs(values[i] - values[j]) > SAME for j in kept):
                kept.append(i)
        chosen.append(kept)
    most = max(len(kept) for kept in chosen)
    return np.stack(
        [vectors[kept + kept[:1] * (most - len(kept))] for vectors, kept in zip(solutions.vectors, chosen, strict=True)]
    )


def _rivals(solutions: Solutions) -> tuple[np.ndarray, ...]:
    """Of each group, the other optima that are not out of the question."""
    best = solutions.values.min(axis=1, keepdims=True)
    far = ~(solutions.values <= best + RIVAL)
    near = replace(solutions, values=np.where(far, np.inf, solutions.values))
    return tuple(
        np.unique(vectors[1:][np.any(vectors[1:] != vectors[0], axis=1)], axis=0) for vectors in _distinct(near, KEEP)
    )


def _winners(solutions: Solutions) -> Solutions:
    """The best of each group, as the only one."""
    best = solutions.values.argmin(axis=1)

    def of_best(array: np.ndarray) -> np.ndarray:
        return array[np.arange(len(best)), best][:, None]

    return _each(of_best, solutions)


def _reshaped(flat: Solutions, groups: int, count: int) -> Solutions:
    return _each(lambda array: array.reshape((groups, count, *array.shape[1:])), flat)


def _joined(first: Solutions, second: Solutions) -> Solutions:
    """Two sets of solutions of the same groups, side by side."""
    return _combined([first, second], axis=1)


def _combined(parts: list[Solutions], axis: int) -> Solutions:
    return _each(lambda *arrays: np.concatenate(arrays, axis=axis), *parts)


def _each(function: Callable[..., np.ndarray], *parts: Solutions) -> Solutions:
    """Apply a function to each array of one or more solutions."""
    names = ["vectors", "values", "converged"]
    names += [name for name in ("curvature", "gradient") if all(getattr(part, name) is not None for part in parts)]
    return Solutions(**{name: function(*(getattr(part, name) for part in parts)) for name in names})
