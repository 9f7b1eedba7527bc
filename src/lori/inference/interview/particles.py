"""Particles: what is known of one respondent after each answer, as many weighted parameter vectors.

An answer multiplies the weight of every particle by the probability that it gives to that answer. When the weights have
become unequal (few effective particles), particles are drawn anew by their weights and moved by steps of Metropolis's
kind that leave the posterior as it is:

    differential evolution    θ + γ (θ_a − θ_b) + noise,     a, b two other particles; γ = 2.38 / √(2 d), or 1 to jump
    exchange of two levels    the weights of two neighbouring levels change places: the orders a ≻ b and b ≻ a

Rewards are linear in the attributes, so that the log-likelihood of all answers is one product of matrices and a few
exponentials; everything is NumPy's, for a page cannot wait for a compiler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lori.model.specification import Specification

RENEWED_BELOW = 0.5  # share of effective particles below which they are drawn anew
MOVES = 4  # steps of each particle then
JUMPS = 0.1  # share of steps of differential evolution that go the whole way to another mode
LEAST = 1e-9  # probability of an answer: nothing is impossible


class Belief(Protocol):
    """What is believed before the first answer: it can be drawn from, and its density is known up to a constant."""

    def draw(self, specification: Specification, count: int, generator: np.random.Generator) -> np.ndarray: ...

    def log_density(self, vector: np.ndarray, specification: Specification) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Particles:
    """Vectors (particles, parameters) in standardised units with log-weights that add up to one."""

    specification: Specification
    vectors: np.ndarray
    log_weights: np.ndarray

    @classmethod
    def of(cls, belief: Belief, specification: Specification, count: int, generator: np.random.Generator) -> Particles:
        return cls(specification, belief.draw(specification, count, generator), np.full(count, -np.log(count)))

    @property
    def weights(self) -> np.ndarray:
        return np.exp(self.log_weights)

    @property
    def effective(self) -> float:
        """1 / Σ weight²: how many equally likely particles say as much."""
        return float(1 / np.sum(self.weights**2))

    def probabilities(self, differences: np.ndarray) -> np.ndarray:
        """(outcomes, particles, questions): how likely each answer is, questions being differences of features."""
        return probabilities_of(self.specification, self.vectors, differences)

    def told(
        self, belief: Belief, differences: np.ndarray, answers: np.ndarray, generator: np.random.Generator
    ) -> Particles:
        """After the last of these answers (rows of `differences`, outcomes by number); the earlier ones are known."""
        now = self.probabilities(differences[-1:])[answers[-1], :, 0]
        log_weights = self.log_weights + np.log(now)
        log_weights -= np.logaddexp.reduce(log_weights)
        found = Particles(self.specification, self.vectors, log_weights)
        if found.effective >= RENEWED_BELOW * len(self.vectors):
            return found
        return found._renewed(belief, differences, answers, generator)

    def equal(self, generator: np.random.Generator) -> np.ndarray:
        """Equally likely vectors: drawn by their weights, as evenly as can be."""
        count = len(self.vectors)
        steps = (generator.uniform() + np.arange(count)) / count
        places = np.minimum(np.searchsorted(np.cumsum(self.weights), steps), count - 1)
        return self.vectors[places]

    def orders(self) -> np.ndarray:
        """(particles,) the order of each as a number: the leading attribute of each level, in standardised units."""
        places = np.stack([np.abs(self.vectors[:, own]).argmax(axis=1) for own in self.specification.reward_slots])
        return np.ravel_multi_index(tuple(places), (len(self.specification.features),) * len(places))

    def order_probabilities(self) -> np.ndarray:
        """(orders,) by number; see `orders`."""
        orders = len(self.specification.features) ** self.specification.levels
        return np.bincount(self.orders(), weights=self.weights, minlength=orders)

    def _renewed(
        self, belief: Belief, differences: np.ndarray, answers: np.ndarray, generator: np.random.Generator
    ) -> Particles:
        known = self.specification

        def density(vectors: np.ndarray) -> np.ndarray:
            likely = probabilities_of(known, vectors, differences)[answers, :, np.arange(len(answers))]
            return np.log(likely).sum(axis=0) + belief.log_density(vectors, known)

        vectors = self.equal(generator)
        height = density(vectors)
        for turn in range(MOVES):
            proposed = _exchanged(vectors, known, generator) if turn == 0 else _evolved(vectors, known, generator)
            proposed_height = density(proposed)
            accepted = np.log(generator.uniform(size=len(vectors))) < proposed_height - height
            vectors[accepted], height[accepted] = proposed[accepted], proposed_height[accepted]
        return Particles(known, vectors, np.full(len(vectors), -np.log(len(vectors))))


def probabilities_of(specification: Specification, vectors: np.ndarray, differences: np.ndarray) -> np.ndarray:
    """(outcomes, vectors, questions) in single precision, slips included."""
    found = specification.outcome_probabilities(vectors.astype(np.float32), differences)
    return np.stack([np.maximum(own, LEAST) for own in found])


def _evolved(vectors: np.ndarray, specification: Specification, generator: np.random.Generator) -> np.ndarray:
    """Steps along the difference of two other particles, reflected at the bounds."""
    count, size = vectors.shape
    one, other = (vectors[generator.permutation(count)] for _ in range(2))
    length = 2.38 / np.sqrt(2 * size) * generator.uniform(0.3, 1.2, size=count)
    length[generator.uniform(size=count) < JUMPS] = 1.0
    noise = 1e-3 * generator.normal(size=vectors.shape) * vectors.std(axis=0)
    return _reflected(vectors + length[:, None] * (one - other) + noise, specification)


def _exchanged(vectors: np.ndarray, specification: Specification, generator: np.random.Generator) -> np.ndarray:
    """Two neighbouring levels change places, all of their weights or each attribute's by a coin."""
    slots = specification.reward_slots
    if len(slots) < 2:
        return _evolved(vectors, specification, generator)
    upper = int(generator.integers(len(slots) - 1))
    chosen = generator.uniform(size=(len(vectors), len(slots[0]))) < 0.5
    chosen |= generator.uniform(size=(len(vectors), 1)) < 0.5
    proposed = vectors.copy()
    above, below = vectors[:, slots[upper]], vectors[:, slots[upper + 1]]
    proposed[:, slots[upper]] = np.where(chosen, below, above)
    proposed[:, slots[upper + 1]] = np.where(chosen, above, below)
    return proposed


def _reflected(vectors: np.ndarray, specification: Specification) -> np.ndarray:
    for place, (low, high) in enumerate(zip(*specification.bounds, strict=True)):
        own = vectors[:, place]
        if low == 0 and high == np.inf:
            np.abs(own, out=own)
        elif low > -np.inf or high < np.inf:
            np.copyto(own, np.where(own < low, 2 * low - own, np.where(own > high, 2 * high - own, own)))
            np.clip(own, low, high, out=own)
    return vectors
