"""Hierarchy: people who differ continuously, with a distribution that is learned from all of them.

Agent a has parameters θ_a = g(z_a) with z_a ~ N(μ, diag(σ²)) in standardised units. The link g cuts z at the bounds, so
that part of the people may have a threshold (or a weight with a given sign) of exactly zero; the rate of slips is
logistic in z. What is integrated out is z:

    log L = Σ_a log ∫ Π_rows of a p(row | g(z))^weight N(z; μ, σ²) dz

Each agent has a proposal of their own: a Gaussian around the best z (a batch of Newton's method, Laplace), mixed with
the distribution between people itself, so that weights are bounded. Its draws give the integral and all moments by
importance sampling. Given draws, log L is a smooth function of μ and σ, maximised by the EM algorithm in closed form
without another look at the rows (`spread` follows it). With σ → 0 people are all alike, with σ → ∞ there is one model
for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.heterogeneity import normal_draws
from lori.inference.problem import Problem
from lori.inference.search import newton
from lori.inference.sources.memory import Memory
from lori.inference.statistics import Observed
from lori.model.engines import special
from lori.model.likelihoods import lapses
from lori.model.specification import Specification

MEMORY, FEWEST_DRAWS = 1 << 23, 16  # draws of all agents together, beyond which there are fewer for each, at least
DEFENSIVE = 0.3  # share of draws from the distribution between people
WIDER = 1.3  # than the Gaussian around an agent's best vector is its proposal
CENTRE, WIDTH = 10.0, 1.0  # prior: deviation of μ around 0; a deviation between people that one more person has
LEAST, MOST = 0.02, 30.0  # of σ, in log-odds of a deviation
AT_FIRST = 1.0  # σ where the search begins


@dataclass(frozen=True, eq=False)
class Distribution:
    """How parameters differ between people: z ~ N(mean, deviation²)."""

    mean: np.ndarray
    deviation: np.ndarray

    def log_density(self, z: np.ndarray) -> np.ndarray:
        standardised = (z - self.mean) / self.deviation
        constant = np.log(self.deviation).sum() + 0.5 * len(self.mean) * np.log(2 * np.pi)
        return -0.5 * np.einsum("...p,...p->...", standardised, standardised) - constant

    @property
    def by_powers(self) -> tuple[np.ndarray, float]:
        """The same as slopes in z and z², and a constant."""
        precision = self.deviation**-2.0
        constant = -0.5 * float(precision @ self.mean**2 + np.sum(np.log(2 * np.pi * self.deviation**2)))
        return np.concatenate([precision * self.mean, -0.5 * precision]), constant

    def draws(self, normal: np.ndarray) -> np.ndarray:
        return self.mean + self.deviation * normal

    def distance(self, other: Distribution) -> float:
        moved = np.abs(self.mean - other.mean), np.abs(self.deviation - other.deviation)
        return float(np.max(np.maximum(*moved) / (1 + np.abs(self.mean) + self.deviation)))


@dataclass(frozen=True, eq=False)
class Link:
    """θ = g(z), parameter by parameter."""

    specification: Specification

    def parameters(self, z: np.ndarray) -> np.ndarray:
        lower, upper = self.specification.bounds
        theta, slot = np.array(z), self.specification.lapse_slot
        if slot is not None:
            theta[..., slot] = special.expit(z[..., slot])
        return np.clip(theta, lower, upper)

    def inverse(self, theta: np.ndarray) -> np.ndarray:
        z, slot = np.array(theta), self.specification.lapse_slot
        if slot is not None:
            z[..., slot] = special.logit(np.clip(theta[..., slot], 1e-3, 0.5))
        return z

    def derivatives(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second: one inside the bounds, zero outside."""
        lower, upper = self.specification.bounds
        first, second = ((z > lower) & (z < upper)).astype(float), np.zeros_like(z)
        slot = self.specification.lapse_slot
        if slot is not None:
            rate = special.expit(z[..., slot])
            inside = (rate > lapses.RAREST) & (rate < lapses.MOST)
            first[..., slot] = inside * rate * (1 - rate)
            second[..., slot] = inside * rate * (1 - rate) * (1 - 2 * rate)
        return first, second


@dataclass(frozen=True, eq=False)
class People:
    """What is known about each agent: draws of z (agents, draws, parameters), with log-weights and log L."""

    z: np.ndarray
    log_weights: np.ndarray  # (agents, draws) of the likelihood by the proposal's density

    @cached_property
    def powers(self) -> np.ndarray:
        """(agents, draws, 2 × parameters) z and z², of which a normal density's logarithm is a linear function."""
        return np.concatenate([self.z, self.z**2], axis=-1)

    def shares(self, distribution: Distribution) -> tuple[np.ndarray, np.ndarray]:
        """(agents, draws) of each agent's posterior, and the log-likelihood of what each chose."""
        slopes, constant = distribution.by_powers
        joint = self.log_weights + (self.powers @ slopes + constant)
        most = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - most)
        total = shares.sum(axis=1, keepdims=True)
        return shares / total, (most + np.log(total / self.z.shape[1]))[:, 0]

    def moments(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of z and z² over all draws, with shares (agents, draws)."""
        return tuple(np.split(shares.reshape(-1) @ self.powers.reshape(shares.size, -1), 2))  # type: ignore[return-value]

    def effective(self, distribution: Distribution) -> np.ndarray:
        """(agents,) how many of the draws count."""
        shares, _ = self.shares(distribution)
        return 1 / np.sum(shares**2, axis=1)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A problem with a group for each agent, whose parameters all differ between people."""

    problem: Problem

    @cached_property
    def link(self) -> Link:
        return Link(self.problem.specification)

    @property
    def agents(self) -> int:
        return self.problem.source.groups

    @property
    def size(self) -> int:
        return self.problem.specification.size

    def log_likelihood(self, z: np.ndarray) -> np.ndarray:
        """(agents, draws) of all that an agent chose, at z (agents, draws, parameters)."""
        values = self.problem.negative_log_likelihood(self.link.parameters(z), order=0).value
        return -np.nan_to_num(values, nan=np.inf)

    def proposals(self, distribution: Distribution, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each agent the best z (agents, parameters), and the covariance around it."""
        precision = distribution.deviation**-2.0

        def evaluate(vectors: np.ndarray, agents: np.ndarray) -> Evaluation:
            every = np.array(start)
            every[agents] = vectors
            found = self.problem.negative_log_likelihood(self.link.parameters(every)[:, None], order=2)
            assert found.gradient is not None
            assert found.curvature is not None
            first, second = self.link.derivatives(every)
            away = every - distribution.mean
            diagonal = np.arange(self.size)
            with np.errstate(invalid="ignore"):  # infinite where a choice is impossible: such a step is not taken
                gradient = found.gradient[:, 0] * first
                curvature = found.curvature[:, 0] * first[:, :, None] * first[:, None, :]
                curvature[:, diagonal, diagonal] += found.gradient[:, 0] * second + precision
            value = found.value[:, 0] + 0.5 * (away**2) @ precision
            return Evaluation(value, gradient + away * precision, curvature).mapped(lambda part: part[agents])

        free = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        end = newton.minimise(evaluate, start, free, iterations=12, tolerance=1e-2)
        assert end.curvature is not None
        scaled = end.curvature * distribution.deviation[:, None] * distribution.deviation
        values, vectors = np.linalg.eigh(scaled)
        values = np.maximum(values, 1.0)  # an agent's own choices never make anything less certain
        root = vectors / np.sqrt(values)[:, None, :] * distribution.deviation[:, None]
        return end.vectors, root

    def drawn(
        self, distribution: Distribution, start: np.ndarray, count: int, seed: int = 0
    ) -> tuple[People, np.ndarray]:
        """Draws for each agent from their proposals, weighed; and the best z of each."""
        best, root = self.proposals(distribution, start)
        root = WIDER * root
        while count > FEWEST_DRAWS and count * self.agents > MEMORY:
            count //= 2
        normal = normal_draws(self.agents, count, self.size, seed)
        own = np.arange(count) >= round(DEFENSIVE * count)
        near = best[:, None] + np.einsum("apq,arq->arp", root, normal)
        z = np.where(own[None, :, None], near, distribution.draws(normal))
        inverse = np.linalg.inv(root)
        standardised = np.einsum("apq,arq->arp", inverse, z - best[:, None])
        _, volume = np.linalg.slogdet(root)
        gaussian = -0.5 * np.sum(standardised**2, axis=-1) - volume[:, None] - 0.5 * self.size * np.log(2 * np.pi)
        share = own.mean()
        proposal = np.logaddexp(np.log(share) + gaussian, np.log1p(-share) + distribution.log_density(z))
        return People(z, self.log_likelihood(z) - proposal), best

    def updated(self, people: People, distribution: Distribution, shares: np.ndarray) -> Distribution:
        """A step of the EM algorithm: moments of draws with shares (agents, draws), with a little of the prior."""
        count, (first, second) = float(shares.sum()), people.moments(shares)
        mean = first / (count + (distribution.deviation / CENTRE) ** 2)
        square = second - 2 * mean * first + count * mean**2
        deviation = np.clip(np.sqrt((np.maximum(square, 0) + WIDTH**2) / (count + 1)), LEAST, MOST)
        return Distribution(mean, deviation)


def start_of(problem: Problem, vector: np.ndarray, spread: float = AT_FIRST) -> Distribution:
    """Around a vector that describes all people together."""
    mean = Link(problem.specification).inverse(vector)
    return Distribution(mean, np.full(len(mean), spread))


def by_agent(problem: Problem, groups: Sequence[Observed]) -> Problem:
    """The same problem with a group for each agent."""
    likelihood = problem.specification.likelihood
    return replace(problem, source=Memory(tuple(likelihood.observed(group) for group in groups), single=True))
