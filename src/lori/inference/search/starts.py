"""Starts: where a search begins, and where else the best optimum may be.

Random draws; the levels of a smaller model with a new one inserted; other orders of the levels; a last threshold
opened; variations of the best so far.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from lori.model.specification import Specification

OPENINGS = ((1.0, 1.0), (4.0, 2.5))  # last thresholds to try, with what the last reward is multiplied by
CLOSED = 0.1  # a last threshold below this may be a trap, see `openings`
LAPSES = (0.01, 0.03, 0.1)  # rates of slips to start from, where they are learned
STEEPER = 4.0
STRONG = 2.0  # how much larger than other random rewards that of an added level is
PASSING = 6.0  # a threshold at which a level without weights passes 99.5 % of the decisions on


def random_starts(
    specification: Specification, count: int, generator: np.random.Generator, *, tied: bool
) -> np.ndarray:
    """(starts, parameters): random rewards, with thresholds at random quantiles of their differences.

    Nothing but the seed decides: neither the order of rows nor how often they are repeated. The first of many starts
    are those that fewer would be. Where outcomes were `tied`, no threshold is zero.
    """
    layout = specification.likelihood.layout(specification)
    vectors = []
    for own in generator.spawn(count):
        rewards = [reward.draw(own, specification.features, 1)[0] for reward in specification.rewards]
        epsilon = [layout.typical_gap(parameters, own.uniform(0.1, 0.8)) for parameters in rewards]
        if own.uniform() >= 0.5 and not tied:
            epsilon[-1] = 0.0
        alpha, lapse = own.uniform(0.5, 5.0, specification.levels), own.choice(LAPSES)
        vectors.append(specification.pack(rewards, epsilon, alpha, lapse))
    return np.stack(vectors)


def insertions(specification: Specification, fewer: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The levels of a smaller model with one more, faint or strong, at each place: (groups, starts, parameters).

    Also the smaller model with a silent last one, so that more levels never end in a worse optimum than fewer but by
    what the prior makes of it: beyond two levels, where the prior may keep a level from speaking, its threshold is
    zero; where ties are observed it is so large that every decision passes (at zero, no tie could happen).
    """
    small = specification.fewer()
    same = len(set(specification.rewards)) == 1
    places = range(specification.levels) if same else [specification.levels - 1]
    kinds = [(place, strength) for place in places for strength in (0.1, 1.0)]
    passing = specification.likelihood.rule == "observed"
    if specification.levels > 2 or passing:
        kinds.append((specification.levels - 1, 0.0))
    starts = []
    for place, strength in kinds:
        new = specification.rewards[place].draw(generator, specification.features, 1)[0] * strength
        own = []
        for vector in fewer:
            rewards, epsilon, alpha, lapse = _numbers(small, vector)
            rewards.insert(place, _with_common(specification, place, new, rewards))
            epsilon = np.insert(epsilon, place, strength or (PASSING if passing else 0.0))
            opened = _opened(epsilon) if strength else epsilon
            own.append(specification.pack(rewards, opened, np.insert(alpha, place, 1.0), lapse))
        starts.append(np.stack(own))
    return np.stack(starts, axis=1)


def additions(
    specification: Specification, fewer: np.ndarray, count: int, generator: np.random.Generator
) -> np.ndarray:
    """The levels of a smaller model with a last one at random, its threshold a quantile: (groups, count, parameters).

    Where hardly anything is left to say, the last level has many optima, with a threshold and without.
    """
    small, last = specification.fewer(), specification.levels - 1
    reward, layout = specification.rewards[last], specification.likelihood.layout(specification)
    starts = np.empty((len(fewer), count, specification.size))
    for place, own in enumerate(generator.spawn(count)):
        new = reward.draw(own, specification.features, 1)[0]
        new = reward.multiplied(new, STRONG) if reward.free_scale else new
        threshold = layout.typical_gap(new, own.uniform(0.1, 0.8))
        for group, vector in enumerate(fewer):
            rewards, epsilon, alpha, lapse = _numbers(small, vector)
            rewards.append(_with_common(specification, last, new, rewards))
            opened = _opened(np.append(epsilon, threshold))
            starts[group, place] = specification.pack(rewards, opened, np.append(alpha, 1.0), lapse)
    return starts


def _with_common(specification: Specification, place: int, new: np.ndarray, others: list[np.ndarray]) -> np.ndarray:
    """A new level's parameters, those that it shares being what they are in the other levels."""
    reward = specification.rewards[place]
    partners = [level for level, own in enumerate(specification.fewer().rewards) if own.share == reward.share != ""]
    if not partners:
        return new
    return np.where(reward.common(specification.features), others[partners[0]], new)


def reorderings(specification: Specification, best: np.ndarray) -> np.ndarray:
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
        rewards, epsilon, alpha, lapse = _numbers(specification, vector)
        for o, order in enumerate(fitting):
            places = list(order)
            moved = [rewards[i] for i in places], _opened(epsilon[places]), alpha[places]
            starts[g, o] = specification.pack(*moved, lapse)
    return starts


def neighbours(specification: Specification, best: np.ndarray) -> np.ndarray:
    """Where else an optimum may be: other orders of the levels, each also with the last threshold opened."""
    others = reorderings(specification, best)
    return np.concatenate([others, openings(specification, np.concatenate([best[:, None], others], axis=1))], axis=1)


def openings(specification: Specification, vectors: np.ndarray) -> np.ndarray:
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


def best_starts(vectors: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """So many of the vectors (groups, starts, parameters), those of the smallest values."""
    order = np.argsort(values, axis=1)[:, :count]
    return np.take_along_axis(vectors, order[:, :, None], axis=1)


def closed(specification: Specification, vectors: np.ndarray) -> bool:
    """Is the last threshold, which is learned, so small in a group that this may be a trap?"""
    slot = specification.epsilon_slots.get(specification.levels - 1)
    return slot is not None and bool((vectors[..., slot] < CLOSED).any())


def saddle(specification: Specification, vectors: np.ndarray, curvature: np.ndarray | None) -> bool:
    """Would a last threshold that is closed in a group do better if it were not?"""
    slot = specification.epsilon_slots.get(specification.levels - 1)
    if slot is None or curvature is None or not specification.likelihood.stuck_at_zero:
        return False
    return bool(((vectors[..., slot] < CLOSED) & (curvature[..., slot, slot] < 0)).any())


def _opened(epsilon: np.ndarray) -> np.ndarray:
    """Thresholds at which every level but the last lets some decisions pass."""
    opened = np.array(epsilon, float)
    opened[:-1] = np.where(opened[:-1] < 1e-3, 1.0, opened[:-1])
    return opened


def _numbers(
    specification: Specification, vector: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray, float]:
    rewards = [vector[where] for where in specification.reward_slots]
    epsilon = np.array([0.0 if value is None else value for value in specification.epsilon])
    alpha = np.array([1.0 if value is None else value for value in specification.alpha])
    for level, slot in specification.epsilon_slots.items():
        epsilon[level] = vector[slot]
    for level, slot in specification.alpha_slots.items():
        alpha[level] = vector[slot]
    return rewards, epsilon, alpha, 0.0 if specification.lapse_slot is None else float(vector[specification.lapse_slot])


def steeper(specification: Specification, best: np.ndarray) -> np.ndarray:
    """(groups, levels + 1, parameters) the best with a level steeper, or all: at infinity, no step seems to gain."""
    levels = range(specification.levels)
    starts = np.repeat(best[:, None], specification.levels + 1, axis=1)
    for place, some in enumerate([*([level] for level in levels), levels]):
        for level in some:
            reward, where = specification.rewards[level], specification.reward_slots[level]
            if reward.free_scale:
                starts[:, place, where] = [reward.multiplied(own, STEEPER) for own in starts[:, place, where]]
            if level in specification.epsilon_slots:
                starts[:, place, specification.epsilon_slots[level]] *= STEEPER
    return np.clip(starts, *specification.bounds)


def variations(
    specification: Specification, best: np.ndarray, count: int, generator: np.random.Generator
) -> np.ndarray:
    """(groups, count, parameters): the best with one level drawn anew, with levels softer or steeper, or shaken.

    Steep levels (all but without noise) have many optima beside each other, from which no small step leads away.
    """
    layout = specification.likelihood.layout(specification)
    levels, slots = specification.levels, specification.epsilon_slots
    starts = np.repeat(best[:, None], count, axis=1)
    for place, own in enumerate(generator.spawn(count)):
        start, level = starts[:, place], place // 3 % levels
        if place % 3 == 0:
            where = specification.reward_slots[level]
            drawn = specification.rewards[level].draw(own, specification.features, 1)[0]
            size = np.linalg.norm(start[:, where], axis=1, keepdims=True) / (np.linalg.norm(drawn) or 1.0)
            factor = np.where((size > 1) & (own.uniform() < 0.5), size, 1.0)  # as steep as it was, or smooth
            start[:, where] = drawn * factor
            if level in slots:
                start[:, slots[level]] = layout.typical_gap(drawn, own.uniform(0.1, 0.8)) * factor[:, 0]
            continue
        start *= 1 + 0.3 * own.normal(size=specification.size)
        if place % 3 == 1:
            for each in range(levels):
                factor = np.exp(own.uniform(np.log(0.02), np.log(5.0)))
                start[:, specification.reward_slots[each]] *= factor
                if each in slots:
                    start[:, slots[each]] *= factor
    return np.clip(starts, *specification.bounds)
