"""Specification: which model is to be learned, what is fixed, what is free, and how the free numbers form one vector.

The vector of free parameters is laid out as
    [reward parameters of level 1 | … of level k | learned ε | learned α of rewards without a free scale | learned λ].
Parameters that a level shares with one above it (`Reward.common`) stand at the upper level alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from lori.model.engines import arrays_of, jax
from lori.model.likelihoods import lapses
from lori.model.likelihoods.base import Compares, Likelihood
from lori.model.likelihoods.derivatives import SINGLE_WIDE, WIDE, Derivatives
from lori.model.likelihoods.probabilities import Levels, outcome_probabilities
from lori.model.rewards import Bounds, Reward

MOST_LEVELS = 20  # compiling takes a second for every four levels, and nobody has so many priorities


class Parameters(NamedTuple):
    """Everything that a model needs beside its specification."""

    rewards: tuple[Any, ...]  # one flat vector for each level
    epsilon: Any  # (levels,)
    alpha: Any  # (levels,)
    lapse: Any = 0.0  # λ


@dataclass(frozen=True)
class Specification:
    """A lexicographic model without its numbers. Hashable, so that compiled code is shared between equal ones.

    `epsilon` and `alpha` hold a number for each level where it is fixed and None where it is learned. A learned
    α of a reward with a free scale is no parameter of its own (one degree of freedom too many): such a reward
    is fitted with α = 1 and reported with weights that sum to one, see `lori.model.ordered`. `lapse` is the rate of
    slips: None where it is learned.
    """

    rewards: tuple[Reward, ...]
    epsilon: tuple[float | None, ...]
    alpha: tuple[float | None, ...]
    likelihood: Likelihood
    features: tuple[str, ...]
    lapse: float | None = 0.0

    @property
    def levels(self) -> int:
        return len(self.rewards)

    @property
    def standardised(self) -> bool:
        return all(reward.standardised for reward in self.rewards)

    def tied(self, location: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The location and scale of features, as all rewards can have them."""
        for reward in self.rewards:
            location, scale = reward.tied(location, scale)
        return location, scale

    @cached_property
    def reward_slots(self) -> tuple[np.ndarray, ...]:
        """For each level the positions of its reward's parameters in the vector; levels may share some."""
        slots, used = [], 0
        kept: dict[str, np.ndarray] = {}
        for reward in self.rewards:
            common, own = reward.common(self.features), np.empty(reward.size(self.features), int)
            known = kept.get(reward.share) if reward.share else None
            fresh = np.ones(len(own), bool) if known is None else ~common
            own[fresh] = used + np.arange(fresh.sum())
            if known is not None:
                own[common] = known
            elif reward.share:
                kept[reward.share] = own[common]
            used += int(fresh.sum())
            slots.append(own)
        return tuple(slots)

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """For each level which features its parameters are the weights of, where rewards are linear."""
        return tuple(reward.columns(self.features) for reward in self.rewards)

    @cached_property
    def _reward_parts(self) -> tuple[slice | np.ndarray, ...]:
        """The same as slices where positions follow each other, which compiled code takes at no cost."""
        return tuple(
            slice(int(slots[0]), int(slots[0]) + len(slots))
            if len(slots) and np.array_equal(slots, slots[0] + np.arange(len(slots)))
            else slots.astype(np.int32)
            for slots in self.reward_slots
        )

    @property
    def concave(self) -> bool:
        """Is the log-likelihood concave, as that of logit is? That of one linear level without slips is, its
        threshold being zero or ties not being split."""
        sharp = self.epsilon == (0.0,) or self.likelihood.concave_in_threshold
        return sharp and self.lapse == 0 and self.likelihood.nearly_convex(self)

    @cached_property
    def shared(self) -> bool:
        """Do levels have parameters in common?"""
        return len(np.unique(np.concatenate(self.reward_slots))) < sum(map(len, self.reward_slots))

    @cached_property
    def _reward_size(self) -> int:
        return max((int(slots.max()) + 1 for slots in self.reward_slots if len(slots)), default=0)

    @cached_property
    def epsilon_slots(self) -> dict[int, int]:
        """level → position of its learned ε in the vector"""
        start = self._reward_size
        learned = [level for level, value in enumerate(self.epsilon) if value is None]
        return {level: start + i for i, level in enumerate(learned)}

    @cached_property
    def alpha_slots(self) -> dict[int, int]:
        """level → position of its learned α in the vector"""
        start = self._reward_size + len(self.epsilon_slots)
        learned = [
            level
            for level, (value, reward) in enumerate(zip(self.alpha, self.rewards, strict=True))
            if value is None and not reward.free_scale
        ]
        return {level: start + i for i, level in enumerate(learned)}

    @cached_property
    def lapse_slot(self) -> int | None:
        """Position of a learned lapse rate in the vector."""
        return self._reward_size + len(self.epsilon_slots) + len(self.alpha_slots) if self.lapse is None else None

    @cached_property
    def size(self) -> int:
        return self._reward_size + len(self.epsilon_slots) + len(self.alpha_slots) + (self.lapse is None)

    @cached_property
    def bounds(self) -> Bounds:
        lower, upper = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        for reward, where in zip(self.rewards, self.reward_slots, strict=True):
            lower[where], upper[where] = reward.bounds(self.features)
        lower[list(self.epsilon_slots.values())] = 0.0
        lower[list(self.alpha_slots.values())] = 1e-6
        if self.lapse_slot is not None:
            lower[self.lapse_slot], upper[self.lapse_slot] = lapses.RAREST, lapses.MOST
        return lower, upper

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each free parameter is, for messages to people."""
        prefix = "level {}: " if self.levels > 1 else ""
        by_slot: dict[int, str] = {}
        for level, (reward, slots) in enumerate(zip(self.rewards, self.reward_slots, strict=True)):
            for slot, name in zip(slots, reward.names(self.features), strict=True):
                by_slot[int(slot)] = f"shared {name}" if int(slot) in by_slot else prefix.format(level + 1) + name
        names = [by_slot[slot] for slot in range(self._reward_size)]
        names += [prefix.format(level + 1) + "threshold" for level in self.epsilon_slots]
        names += [prefix.format(level + 1) + "alpha" for level in self.alpha_slots]
        return (*names, *["lapse rate"][: self.lapse is None])

    def unpack(self, vector: Any) -> Parameters:
        """The parameters that a vector stands for, or many vectors (…, size), of either engine."""
        arrays = arrays_of(vector)

        def value(fixed: float | None, slot: int | None) -> Any:
            own = _learned(vector, fixed, slot)
            return own if slot is not None else arrays.full(vector.shape[:-1], own, dtype=vector.dtype)

        levels = range(self.levels)
        return Parameters(
            rewards=tuple(vector[..., where] for where in self._reward_parts),
            epsilon=arrays.stack([value(self.epsilon[i], self.epsilon_slots.get(i)) for i in levels], axis=-1),
            alpha=arrays.stack([value(self.alpha[i], self.alpha_slots.get(i)) for i in levels], axis=-1),
            lapse=value(self.lapse, self.lapse_slot),
        )

    def pack(
        self, rewards: Sequence[np.ndarray], epsilon: ArrayLike, alpha: ArrayLike, lapse: float = lapses.RAREST
    ) -> np.ndarray:
        """The inverse of `unpack`; fixed values are not stored."""
        vector = np.empty(self.size)
        for where, values in zip(self.reward_slots, rewards, strict=True):
            vector[where] = values
        for level, slot in self.epsilon_slots.items():
            vector[slot] = np.asarray(epsilon)[level]
        for level, slot in self.alpha_slots.items():
            vector[slot] = np.asarray(alpha)[level]
        if self.lapse_slot is not None:
            vector[self.lapse_slot] = lapse
        return vector

    def scaled(self, parameters: Parameters, row: jax.Array) -> tuple[list[jax.Array], jax.Array]:
        """Gap and tolerance of every level, for one row (alternatives, features)."""
        gaps = [
            alpha * self.likelihood.gap(reward, values, row)
            for reward, values, alpha in zip(self.rewards, parameters.rewards, parameters.alpha, strict=True)
        ]
        return gaps, parameters.alpha * parameters.epsilon

    def gaps_of(self, reward: Reward, values: jax.Array, rows: jax.Array) -> jax.Array:
        """The gaps of one level on many rows (rows, alternatives, features), before α."""
        return jax.vmap(lambda row: self.likelihood.gap(reward, values, row))(rows)

    def log_probability(self, kind: str, vector: jax.Array, row: jax.Array) -> jax.Array:
        """Of one row of this kind, as a function of the free parameters."""
        return self.log_probability_at(kind, self.unpack(vector), row)

    def log_probability_at(self, kind: str, parameters: Parameters, row: jax.Array) -> jax.Array:
        """Of one row of this kind, with these parameters."""
        gap, tolerance = self.scaled(parameters, row)
        if self.lapse == 0:
            return self.likelihood.log_probability(kind, gap, tolerance)
        deliberate = self.likelihood.log_probability(kind, gap, lapses.opened(tolerance))
        return lapses.with_lapse(deliberate, parameters.lapse, self.likelihood.offers(kind, gap))

    def derivatives(self, kind: str, parameters: Parameters, gap: Levels, order: int = 2) -> Derivatives:
        """Of the log-probabilities of rows of this kind (starts, rows), given their gaps; parameters (starts, …)."""
        likelihood = cast(Compares, self.likelihood)
        tolerance = list((parameters.alpha * parameters.epsilon).T[:, :, None])
        if self.lapse == 0:
            return likelihood.derivatives(kind, gap, tolerance, order)
        above = partial(lapses.Slips, lapse=parameters.lapse[:, None], offered=self.likelihood.offers(kind, gap))
        return likelihood.derivatives(kind, gap, lapses.opened(tolerance), order, above)

    def log_outcomes(self, parameters: Parameters, row: jax.Array) -> jax.Array:
        """Log-probabilities of all outcomes of one row, or (outcomes, rows) of many where rewards take many."""
        likelihood = cast(Compares, self.likelihood)
        deliberate = likelihood.log_outcomes(*self.scaled(parameters, row))
        if self.lapse == 0:
            return deliberate
        offered = np.isin(likelihood.outcomes, likelihood.offered)
        answered = lapses.with_lapse(deliberate, parameters.lapse, int(offered.sum()))
        arrays = arrays_of(deliberate, parameters.lapse)
        offers = offered.reshape(-1, *[1] * (deliberate.ndim - 1))
        return arrays.where(offers, answered, arrays.log1p(-parameters.lapse) + deliberate)

    def outcome_probabilities(self, vectors: np.ndarray, differences: np.ndarray) -> list[np.ndarray]:
        """Of each outcome that is offered, (vectors, rows), slips included, where only differences of (standardised)
        features matter; by NumPy, in the precision of the vectors."""
        known, rows = self.unpack(vectors), np.asarray(differences, vectors.dtype).T
        levels = zip(self.columns, known.rewards, known.alpha.T, strict=True)
        gaps = [(alpha[:, None] * own) @ rows[part] for part, own, alpha in levels]
        tolerance = list((known.alpha * known.epsilon).T[:, :, None])
        found = outcome_probabilities(gaps, tolerance, self.likelihood.rule)
        if self.lapse == 0:
            return found
        slip = known.lapse[:, None]
        return [(1 - slip) * own + slip / len(found) for own in found]

    def suited(self, vectors: np.ndarray) -> Specification:
        """The same model, whose formulas may count on thresholds of the size that they have in these vectors."""
        if not self.likelihood.quick:  # its formulas are the same for all
            return self
        return _with(self, cast(Hashable, self.likelihood.suited(self._widest(vectors))))

    def roughly(self) -> Specification:
        """The same model, only as exact as a search needs it, where that takes less time."""
        return _with(self, cast(Hashable, self.likelihood.roughly(self)))

    def narrow(self, vectors: np.ndarray, precision: type = np.float64) -> np.ndarray:
        """(…) are thresholds of these vectors (…, size) so small that this precision computes without logarithms?"""
        single = precision is np.float32 or self.likelihood.single_precision
        return self._widest(vectors) <= (SINGLE_WIDE if single else WIDE)

    def _widest(self, vectors: np.ndarray) -> np.ndarray:
        """(…) the largest tolerance in vectors (…, size); asked in every evaluation, so nothing else is unpacked."""
        widest = np.zeros(vectors.shape[:-1], vectors.dtype)
        for level in range(self.levels):
            epsilon = _learned(vectors, self.epsilon[level], self.epsilon_slots.get(level))
            alpha = _learned(vectors, self.alpha[level], self.alpha_slots.get(level))
            np.maximum(widest, alpha * epsilon, out=widest)
        return widest

    def fewer(self) -> Specification:
        """The same kind of model with one level less; the last level keeps what was said about the last ε."""
        return Specification(
            rewards=self.rewards[:-1],
            epsilon=(*self.epsilon[:-2], self.epsilon[-1]),
            alpha=self.alpha[:-1],
            likelihood=self.likelihood,
            features=self.features,
            lapse=self.lapse,
        )


def _learned(vectors: Any, fixed: float | None, slot: int | None) -> Any:
    """A parameter of vectors (…, size) that is learned, or the number that it is fixed to."""
    if slot is not None:
        return vectors[..., slot]
    return 1.0 if fixed is None else fixed


@lru_cache(maxsize=256)
def _with(specification: Specification, likelihood: Hashable) -> Specification:
    return replace(specification, likelihood=cast(Likelihood, likelihood))
