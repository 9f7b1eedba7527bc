"""Decisions: which level settles a choice, who is left after each level, and what somebody would choose.

Between two alternatives this is in closed form. In a set, a level decides if it leaves a single alternative: for the
first level this is in closed form, too, and a last level without threshold decides what is left to it. How often levels
in between decide is found by drawing the noise, with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.model.ordered import OrderedModel

DRAWS = 200  # of the noise of a set,
ENOUGH = 200_000  # and of all sets together, where only their mean is asked for
TOGETHER = 1 << 21  # numbers that are drawn at once
MOST = 600.0  # a tolerance whose exponential is still a number


def decided(model: OrderedModel, data: Preferences | Choices, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """(observations, levels + 1): how likely each level is to decide, then nobody. Slips are left aside."""
    if isinstance(data, Preferences):
        found = model.decisions(data.left_features, data.right_features)
        return np.column_stack([found.left + found.right, found.nobody])
    shares = np.zeros((len(data), len(model.levels) + 1))
    if len(model.levels) <= 2 and model.levels[-1].epsilon == 0:
        shares[:, 0] = _alone(model, data)
        shares[:, -2] += 1 - shares[:, : len(model.levels)].sum(axis=1)
        return shares
    for sets, left in _drawn(model, data, draws, seed):
        alone = left.sum(axis=-1) == 1  # (draws, levels, sets)
        first = np.where(alone.any(axis=1), alone.argmax(axis=1), len(model.levels))
        shares[sets] = np.mean(first[..., None] == np.arange(len(model.levels) + 1), axis=0)
    return shares


def _alone(model: OrderedModel, data: Choices) -> np.ndarray:
    """(sets,) how likely the first level is to leave a single alternative: Σ_x w_x / (w_x + exp(αε) W_{S∖x})."""
    first, starts = model.levels[0], data.offsets[:-1]
    sign = 1.0 if data.worst is None else np.where(data.worst, -1.0, 1.0)[data.owner]
    utility = sign * first.alpha * model.rewards(data.alternatives)[:, 0]
    behind = utility - np.maximum.reduceat(utility, starts)[data.owner]
    weight, best = np.exp(behind), behind == 0
    total, rest = (np.add.reduceat(own, starts)[data.owner] for own in (weight, np.where(best, 0.0, weight)))
    several = np.add.reduceat(best.astype(int), starts)[data.owner] > 1
    others = np.where(best & ~several, rest, total - weight)
    spread = np.exp(np.minimum(first.alpha * first.epsilon, MOST))
    return np.add.reduceat(weight / (weight + spread * others), starts)


def deciding(model: OrderedModel, data: Preferences | Choices) -> np.ndarray:
    """(levels + 1,) the share of all choices, by count and weight, that each level decides, then nobody."""
    counts = data.comparisons * data.weights
    return counts @ decided(model, data, min(DRAWS, 1 + ENOUGH // len(data))) / counts.sum()


def survivors(model: OrderedModel, data: Choices, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """(levels, rows): how likely each alternative is to be left after each level."""
    shares = np.empty((len(model.levels), len(data.alternatives)))
    for sets, left in _drawn(model, data, draws, seed):
        inside = np.arange(left.shape[-1]) < data.sizes[sets][:, None]
        rows = (data.offsets[sets][:, None] + np.arange(left.shape[-1]))[inside]
        shares[:, rows] = left.mean(axis=0)[:, inside]
    return shares


def simulated(model: OrderedModel, data: Choices, seed: int | np.random.Generator = 0) -> Choices:
    """The same sets, with what somebody of this model chose: noise is drawn, some slip, and a coin ends ties."""
    generator = np.random.default_rng(seed)
    picked = np.empty(len(data), int)
    for sets, left in _drawn(model, data, 1, generator):
        last = left[0, -1]
        anything = np.arange(last.shape[1]) < data.sizes[sets][:, None]
        slips = generator.uniform(size=(len(sets), 1)) < model.lapse
        among = np.where(slips, anything, last)
        picked[sets] = np.where(among, generator.uniform(size=among.shape), -1.0).argmax(axis=1)
    chosen = np.zeros(len(data.alternatives), bool)
    chosen[data.offsets[:-1] + picked] = True
    return data._derived(chosen=chosen)


def _drawn(
    model: OrderedModel, data: Choices, draws: int, seed: int | np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Sets, and who of each is left (draws, levels, sets, alternatives), a few sets at a time."""
    generator = np.random.default_rng(seed)
    rewards = model.rewards(data.alternatives)  # (rows, levels)
    order = np.argsort(data.sizes, kind="stable")
    sign = np.ones(len(data)) if data.worst is None else np.where(data.worst, -1.0, 1.0)
    start = 0
    while start < len(order):
        widest = int(data.sizes[order[start]])
        sets = order[start : start + max(1, TOGETHER // (draws * widest * 2))]
        sets = sets[data.sizes[sets] <= 2 * widest]
        start += len(sets)
        width = int(data.sizes[sets].max())
        inside = np.arange(width) < data.sizes[sets][:, None]
        place = np.where(inside, data.offsets[sets][:, None] + np.arange(width), 0)
        left = np.broadcast_to(inside, (draws, *inside.shape)).copy()
        by_level = np.empty((draws, len(model.levels), *inside.shape), bool)
        for number, level in enumerate(model.levels):
            own = sign[sets][:, None] * rewards[place, number] * level.alpha
            utility = np.where(left, own + generator.gumbel(size=left.shape), -np.inf)
            left = left & (utility >= utility.max(axis=-1, keepdims=True) - level.alpha * level.epsilon)
            by_level[:, number] = left
        yield sets, by_level
