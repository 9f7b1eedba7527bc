"""Which model is to be learned: what is fixed, what is free, and how the free numbers form one vector?

The vector of free parameters is laid out as
    [reward parameters of level 1 | … of level k | learned ε | learned α of rewards without a free scale].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lori.model.likelihoods.probabilities import TieRule, log_better, log_full_tie
from lori.model.rewards import Bounds, Reward


class Parameters(NamedTuple):
    """Everything that a model needs beside its specification."""

    rewards: tuple[Any, ...]  # one flat vector for each level
    epsilon: Any  # (levels,)
    alpha: Any  # (levels,)


@dataclass(frozen=True)
class Specification:
    """A lexicographic model without its numbers. Hashable, so that compiled code is shared between equal ones.

    `epsilon` and `alpha` hold a number for each level where it is fixed and None where it is learned. A learned
    α of a reward with a free scale is no parameter of its own (one degree of freedom too many): such a reward
    is fitted with α = 1 and reported with weights that sum to one, see `lori.model.ordered`.
    """

    rewards: tuple[Reward, ...]
    epsilon: tuple[float | None, ...]
    alpha: tuple[float | None, ...]
    ties: TieRule
    features: tuple[str, ...]

    @property
    def levels(self) -> int:
        return len(self.rewards)

    @property
    def linear(self) -> bool:
        """Only differences of features matter."""
        return all(reward.linear for reward in self.rewards)

    @property
    def standardised(self) -> bool:
        return all(reward.standardised for reward in self.rewards)

    @cached_property
    def reward_slices(self) -> tuple[slice, ...]:
        ends = np.cumsum([0] + [reward.size(self.features) for reward in self.rewards]).tolist()
        return tuple(slice(start, end) for start, end in pairwise(ends))

    @cached_property
    def epsilon_slots(self) -> dict[int, int]:
        """level → position of its learned ε in the vector"""
        start = self.reward_slices[-1].stop
        learned = [level for level, value in enumerate(self.epsilon) if value is None]
        return {level: start + i for i, level in enumerate(learned)}

    @cached_property
    def alpha_slots(self) -> dict[int, int]:
        """level → position of its learned α in the vector"""
        start = self.reward_slices[-1].stop + len(self.epsilon_slots)
        learned = [
            level
            for level, (value, reward) in enumerate(zip(self.alpha, self.rewards, strict=True))
            if value is None and not reward.free_scale
        ]
        return {level: start + i for i, level in enumerate(learned)}

    @property
    def size(self) -> int:
        return self.reward_slices[-1].stop + len(self.epsilon_slots) + len(self.alpha_slots)

    @cached_property
    def bounds(self) -> Bounds:
        lower, upper = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        for reward, where in zip(self.rewards, self.reward_slices, strict=True):
            lower[where], upper[where] = reward.bounds(self.features)
        lower[list(self.epsilon_slots.values())] = 0.0
        lower[list(self.alpha_slots.values())] = 1e-6
        return lower, upper

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each free parameter is, for messages to people."""
        prefix = "level {}: " if self.levels > 1 else ""
        names = [
            prefix.format(level + 1) + name
            for level, reward in enumerate(self.rewards)
            for name in reward.names(self.features)
        ]
        names += [prefix.format(level + 1) + "threshold" for level in self.epsilon_slots]
        return (*names, *(prefix.format(level + 1) + "alpha" for level in self.alpha_slots))

    def unpack(self, vector: jax.Array) -> Parameters:
        def value(fixed: float | None, slot: int | None) -> jax.Array:
            return vector[slot] if slot is not None else jnp.asarray(1.0 if fixed is None else fixed)

        levels = range(self.levels)
        return Parameters(
            rewards=tuple(vector[where] for where in self.reward_slices),
            epsilon=jnp.stack([value(self.epsilon[i], self.epsilon_slots.get(i)) for i in levels]),
            alpha=jnp.stack([value(self.alpha[i], self.alpha_slots.get(i)) for i in levels]),
        )

    def pack(self, rewards, epsilon, alpha) -> np.ndarray:
        """The inverse of `unpack`; fixed values are not stored."""
        vector = np.empty(self.size)
        for where, values in zip(self.reward_slices, rewards, strict=True):
            vector[where] = values
        for level, slot in self.epsilon_slots.items():
            vector[slot] = epsilon[level]
        for level, slot in self.alpha_slots.items():
            vector[slot] = alpha[level]
        return vector

    def scaled(self, parameters: Parameters, pair: jax.Array) -> tuple[list[jax.Array], jax.Array]:
        """Gap and tolerance of every level, for one pair.

        `pair` is the difference of the two alternatives (features,) for a linear model and both of them
        (2, features) otherwise.
        """
        gaps = [
            alpha * self.gap(reward, values, pair[None])[0]
            for reward, values, alpha in zip(self.rewards, parameters.rewards, parameters.alpha, strict=True)
        ]
        return gaps, parameters.alpha * parameters.epsilon

    def gap(self, reward: Reward, values: jax.Array, pairs: jax.Array) -> jax.Array:
        """How much more reward the first alternative of each pair has, before α."""
        each = jax.vmap(reward, (None, 0))
        return each(values, pairs) if self.linear else each(values, pairs[:, 0]) - each(values, pairs[:, 1])

    def log_better(self, vector: jax.Array, pair: jax.Array) -> jax.Array:
        """log Pr(first ≻ second) for one pair as a function of the free parameters."""
        return log_better(*self.scaled(self.unpack(vector), pair), self.ties)

    def log_tie(self, vector: jax.Array, pair: jax.Array) -> jax.Array:
        """log Pr(tie) for one pair, an outcome of its own under the rule `observed`."""
        return log_full_tie(*self.scaled(self.unpack(vector), pair))

    def fewer(self) -> Specification:
        """The same kind of model with one level less; the last level keeps what was said about the last ε."""
        return Specification(
            rewards=self.rewards[:-1],
            epsilon=(*self.epsilon[:-2], self.epsilon[-1]),
            alpha=self.alpha[:-1],
            ties=self.ties,
            features=self.features,
        )
