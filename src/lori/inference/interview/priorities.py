"""Priorities: what a study believes of a respondent before the first answer.

Somebody who has priorities is believed to have a leading attribute on every level, a different one each time, all
orders being equally likely, or as likely as earlier respondents make them (`learned_from`). In units in which each
attribute has deviation 1 among the alternatives of the study, and for the level that attribute l leads:

    log |w_l|     ~ Normal(log strength, spread²)      log-odds of one deviation of the leading attribute
    |w_j| / |w_l| ~ Beta(1, 1 / others − 1)            what the other attributes weigh beside it, in mean `others`
    ε / |w_l|     ~ Gamma(2, threshold / 2)            deviations of l that do not count, in mean `threshold`
    λ             ~ Beta(lapse)                        slips

A sign that the study does not know is a coin's. The order of a vector is therefore no further parameter: it is which
attribute weighs most on each level, and has the probability zero where one attribute leads two levels.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lori.errors import InputError
from lori.model.specification import Specification

SHAPE = 2.0  # of the thresholds: none is likely to be next to zero, and few are large


@dataclass(frozen=True)
class Priorities:
    """The numbers of the densities above; deviations are those of the study's alternatives."""

    strength: float = 5.0
    spread: float = 0.5
    others: float = 0.2
    threshold: float = 1.0
    lapse: tuple[float, float] = (1.0, 19.0)
    shares: tuple[float, ...] = ()  # the probability of each order by its number (`Particles.orders`); none: all alike

    def __post_init__(self) -> None:
        object.__setattr__(self, "lapse", tuple(float(part) for part in np.ravel(self.lapse)))
        numbers = (self.strength, self.spread, self.threshold, *self.lapse)
        sound = len(self.lapse) == 2 and np.all(np.isfinite(numbers)) and min(numbers) > 0 and 0 < self.others < 1
        if not sound:
            raise InputError(
                "prior", expected="positive numbers, and `others` between 0 and 1", got="other ones",
                fix="use the default",
            )  # fmt: skip

    def draw(self, specification: Specification, count: int, generator: np.random.Generator) -> np.ndarray:
        """Vectors (count, parameters) in standardised units."""
        attributes, levels = len(specification.features), specification.levels
        drawn = np.empty((count, specification.size))
        leaders = np.argsort(generator.uniform(size=(count, attributes)), axis=1)[:, :levels]
        if self.shares:
            orders = generator.choice(len(self.shares), size=count, p=self.shares)
            leaders = np.stack(np.unravel_index(orders, (attributes,) * levels), axis=1)
        everybody = np.arange(count)
        low, high = (bound[specification.reward_slots[0]] for bound in specification.bounds)
        for level, slots in enumerate(specification.reward_slots):
            size = self.strength * np.exp(self.spread * generator.normal(size=count))
            weights = size[:, None] * generator.beta(1, 1 / self.others - 1, size=(count, attributes))
            weights[everybody, leaders[:, level]] = size
            coin = np.where(generator.uniform(size=weights.shape) < 0.5, -1.0, 1.0)
            drawn[:, slots] = weights * np.where(low == 0, 1.0, np.where(high == 0, -1.0, coin))
            if level in specification.epsilon_slots:
                least = generator.gamma(SHAPE, self.threshold / SHAPE, size=count)
                drawn[:, specification.epsilon_slots[level]] = least * size
        if specification.lapse_slot is not None:
            lowest, highest = (bound[specification.lapse_slot] for bound in specification.bounds)
            drawn[:, specification.lapse_slot] = np.clip(generator.beta(*self.lapse, size=count), lowest, highest)
        return drawn

    def learned_from(
        self, results: Sequence[tuple[Sequence[str], float]], features: Sequence[str], levels: int
    ) -> Priorities:
        """The same, with orders as likely as earlier respondents make them: each is (their order, its probability).

        Every order was seen once beforehand, as in Laplace's rule of succession; what an order leaves of a respondent's
        probability is spread over the others.
        """
        allowed = [order for order in itertools.permutations(range(len(features)), levels)]
        places = {order: int(np.ravel_multi_index(order, (len(features),) * levels)) for order in allowed}
        counts = np.zeros(len(features) ** levels)
        counts[list(places.values())] = 1.0
        for order, probability in results:
            rest = (1 - probability) / max(len(allowed) - 1, 1)
            own = places[tuple(list(features).index(name) for name in order)]
            counts[list(places.values())] += rest
            counts[own] += probability - rest
        return replace(self, shares=tuple(float(share) for share in counts / counts.sum()))

    def log_density(self, vector: np.ndarray, specification: Specification) -> np.ndarray:
        """Up to a constant, of vectors (…, parameters) within the bounds."""
        shrink = 1 / self.others - 2  # the exponent of 1 − ratio
        total = np.zeros(vector.shape[:-1])
        leaders: list[np.ndarray] = []
        for level, slots in enumerate(specification.reward_slots):
            sizes = np.abs(vector[..., slots])
            leader = sizes.argmax(axis=-1)
            largest = np.maximum(np.take_along_axis(sizes, leader[..., None], axis=-1), 1e-300)
            logs = np.log(largest[..., 0])
            ratios = np.minimum(sizes / largest, 1 - 1e-12)
            np.put_along_axis(ratios, leader[..., None], 0.0, axis=-1)
            total += -0.5 * ((logs - np.log(self.strength)) / self.spread) ** 2 - logs * len(slots)
            total += shrink * np.log1p(-ratios).sum(axis=-1)
            if level in specification.epsilon_slots:
                least = np.maximum(vector[..., specification.epsilon_slots[level]], 1e-300) / largest[..., 0]
                total += (SHAPE - 1) * np.log(least) - SHAPE * least / self.threshold - logs
            for above in leaders:
                total[leader == above] = -np.inf
            leaders.append(leader)
        if self.shares:
            place = np.ravel_multi_index(tuple(leaders), (len(specification.features),) * specification.levels)
            total += np.log(np.maximum(np.array(self.shares)[place], 1e-300))
        if specification.lapse_slot is not None:
            rate, (often, seldom) = vector[..., specification.lapse_slot], self.lapse
            total += (often - 1) * np.log(rate) + (seldom - 1) * np.log1p(-rate)
        return total
