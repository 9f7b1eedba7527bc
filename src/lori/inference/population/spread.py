"""Spread: how are distributions between people learned, one for all of them or one for each class?

With classes, agent a is of class c with the share π_c and has parameters θ_a = g(z_a), z_a ~ N(μ_c, diag(σ_c²)):

    log L = Σ_a log Σ_c π_c ∫ Π_rows of a p(row | g(z))^weight N(z; μ_c, σ_c²) dz

Rounds by turns draw proposals for everybody in every class, and follow the EM algorithm with these draws: memberships,
then shares and moments. Classes may have different numbers of levels: some people trade off, some put one thing first.
There are many optima, so that several starts take a few rounds, and that which leads furthest goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.classes import belonging
from lori.inference.population.hierarchy import CENTRE, Distribution, Hierarchy, People

DRAWS = 128  # for each agent while the distribution is learned, a power of two
FINAL_DRAWS = 512  # for its log-likelihood, and for what is known about each agent
FEW, ROUNDS = 3, 30  # rounds of making proposals anew: of each start, and at most
STEPS = 30  # of the EM algorithm with the same draws
SLIGHT = 1e-4  # by which μ and σ may still change in a step, in standardised units
ENOUGH, PATIENCE = 0.5, 2  # units of log-likelihood that a round must gain; so many rounds may gain less


@dataclass(frozen=True, eq=False)
class Kind:
    """A class of people who differ."""

    hierarchy: Hierarchy
    distribution: Distribution
    share: float
    best: np.ndarray  # (agents, parameters) of z, were each of this class

    @classmethod
    def around(cls, hierarchy: Hierarchy, distribution: Distribution, share: float = 1.0) -> Kind:
        """Where nothing is known yet about anybody."""
        return cls(hierarchy, distribution, share, np.repeat(distribution.mean[None], hierarchy.agents, axis=0))

    def drawn(self, count: int, seed: int = 0) -> tuple[People, np.ndarray]:
        return self.hierarchy.drawn(self.distribution, self.best, count, seed)


Kinds = tuple[Kind, ...]


@dataclass(frozen=True, eq=False)
class Expected:
    """What draws tell, if these were the classes."""

    shares: tuple[np.ndarray, ...]  # by class (agents, draws), of each agent's posterior in that class
    members: np.ndarray  # (classes, agents)
    by_agent: np.ndarray  # (agents,) log-likelihood of what each chose

    @classmethod
    def of(cls, kinds: Kinds, people: Sequence[People]) -> Expected:
        found = [drawn.shares(own.distribution) for own, drawn in zip(kinds, people, strict=True)]
        members, total = belonging(
            np.stack([np.log(own.share) + logs for own, (_, logs) in zip(kinds, found, strict=True)])
        )
        return cls(tuple(shares for shares, _ in found), members, total)


@dataclass(frozen=True, eq=False)
class Rounds:
    """How far learning has come: classes, the best log-likelihood, rounds that gained little, and all rounds."""

    kinds: Kinds
    reached: float = -np.inf
    idle: int = 0
    done: int = 0

    @property
    def ended(self) -> bool:
        return self.idle >= PATIENCE

    def next(self) -> Rounds:
        """Draws for everybody, and where the EM algorithm leads with them."""
        drawn = [own.drawn(DRAWS) for own in self.kinds]
        people = [own for own, _ in drawn]
        kinds = tuple(replace(own, best=best) for own, (_, best) in zip(self.kinds, drawn, strict=True))
        total = float(Expected.of(kinds, people).by_agent.sum())
        idle = 0 if total > self.reached + ENOUGH else self.idle + 1
        if idle < PATIENCE:
            kinds = _followed(kinds, people)
        return Rounds(kinds, max(self.reached, total), idle, self.done + 1)


def learn(starts: Sequence[Kinds], checkpoint: Checkpoint | None = None) -> Learned:
    """Classes of people who differ, from the best of these starts, or from where a `checkpoint` has them."""
    kept = Checkpoint() if checkpoint is None else checkpoint
    name = f"distribution of {len(starts[0])}"
    recalled = kept.recalled(name)
    if recalled is not None:
        now = _unpacked(starts[0], recalled)
    elif len(starts) == 1:
        now = Rounds(starts[0])
    else:
        now = max(map(_begun, starts), key=lambda own: own.reached)
    while now.done < ROUNDS and not now.ended:
        now = now.next()
        kept.keep(name, _packed(now))
    return Learned(now.kinds, now.ended)


def with_another(found: Learned, hierarchy: Hierarchy, around: Sequence[Distribution]) -> list[Kinds]:
    """Starts with one class more, of which one of these distributions is where it begins."""
    count = len(found.kinds)
    smaller = tuple(replace(own, share=own.share * count / (count + 1)) for own in found.kinds)
    return [(*smaller, Kind.around(hierarchy, own, 1 / (count + 1))) for own in around]


def _begun(kinds: Kinds) -> Rounds:
    now = Rounds(kinds)
    for _ in range(FEW):
        now = now if now.ended else now.next()
    return now


def _followed(kinds: Kinds, people: Sequence[People]) -> Kinds:
    """Where the EM algorithm leads with the same draws; shares have a little of a prior, too."""
    for _ in range(STEPS):
        last, told = kinds, Expected.of(kinds, people)
        kinds = tuple(
            replace(
                own,
                distribution=own.hierarchy.updated(drawn, own.distribution, shares * member[:, None]),
                share=(float(member.sum()) + 1) / (len(member) + len(kinds)),
            )
            for own, drawn, shares, member in zip(kinds, people, told.shares, told.members, strict=True)
        )
        if max(own.distribution.distance(old.distribution) for own, old in zip(kinds, last, strict=True)) < SLIGHT:
            break
    return kinds


def _packed(now: Rounds) -> tuple[np.ndarray, ...]:
    means, deviations = (
        np.concatenate([getattr(own.distribution, name) for own in now.kinds]) for name in ("mean", "deviation")
    )
    state = np.array([now.reached, now.idle, now.done, *(own.share for own in now.kinds)])
    return means, deviations, np.concatenate([own.best for own in now.kinds], axis=1), state


def _unpacked(kinds: Kinds, numbers: tuple[np.ndarray, ...]) -> Rounds:
    """The inverse, for classes of these kinds."""
    *rows, (reached, idle, done, *shares) = numbers
    ends = np.cumsum([own.hierarchy.size for own in kinds])[:-1]
    parts = zip(kinds, shares, *(np.split(own, ends, axis=-1) for own in rows), strict=True)
    back = tuple(
        Kind(own.hierarchy, Distribution(mean, deviation), float(share), best)
        for own, share, mean, deviation, best in parts
    )
    return Rounds(back, float(reached), int(idle), int(done))


@dataclass(frozen=True, eq=False)
class Learned:
    """Distributions between people that were learned, one for each class."""

    kinds: Kinds
    converged: bool

    @cached_property
    def people(self) -> tuple[People, ...]:
        """Fresh draws, so that what they say is not flattered by having been learned from them."""
        return tuple(own.drawn(FINAL_DRAWS, seed=1)[0] for own in self.kinds)

    @cached_property
    def _told(self) -> Expected:
        return Expected.of(self.kinds, self.people)

    @property
    def members(self) -> np.ndarray:
        """(classes, agents) with what probability each is of each class."""
        return self._told.members

    @property
    def by_agent(self) -> np.ndarray:
        """(agents,) log-likelihood of what each chose, the differences between people integrated out."""
        return self._told.by_agent

    @property
    def log_likelihood(self) -> float:
        return float(self.by_agent.sum())

    @property
    def parameters(self) -> int:
        return sum(2 * own.hierarchy.size for own in self.kinds) + len(self.kinds) - 1

    def errors(self, place: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Standard errors of a class's μ and of its log σ, agents being independent.

        By the outer products of the agents' scores, which are posterior means of ∂ log N(z; μ, σ²), and the prior.
        """
        own, people = self.kinds[place], self.people[place]
        shares = self._told.shares[place] * self.members[place][:, None]
        away = (people.z - own.distribution.mean) / own.distribution.deviation
        first = np.einsum("ar,arp->ap", shares, away) / own.distribution.deviation
        second = np.einsum("ar,arp->ap", shares, away**2 - 1)
        scores = np.concatenate([first, second], axis=1)
        prior = np.append(np.full(own.hierarchy.size, CENTRE**-2.0), np.full(own.hierarchy.size, 2.0))
        covariance = np.linalg.inv(scores.T @ scores + np.diag(prior))
        return tuple(np.split(np.sqrt(np.diag(covariance)), 2))  # type: ignore[return-value]

    def posterior(self, count: int, place: int = 0, seed: int = 0) -> np.ndarray:
        """(agents, count, parameters) draws of each agent's own parameters, were all of a class, alike in weight."""
        own, people, shares = self.kinds[place], self.people[place], self._told.shares[place]
        generator = np.random.default_rng(seed)
        reached = np.cumsum(shares, axis=1)
        at = (generator.uniform(size=(len(shares), 1)) + np.arange(count)) / count
        picked = np.stack([np.searchsorted(one, each * one[-1]) for one, each in zip(reached, at, strict=True)])
        picked = np.minimum(picked, shares.shape[1] - 1)
        z = np.take_along_axis(people.z, picked[:, :, None], axis=1)
        return own.hierarchy.link.parameters(z)

    def of_strangers(self, count: int, place: int = 0, seed: int = 0) -> np.ndarray:
        """(count, parameters) for somebody of a class of whom nothing else is known."""
        own = self.kinds[place]
        normal = np.random.default_rng(seed).normal(size=(count, own.hierarchy.size))
        return own.hierarchy.link.parameters(own.distribution.draws(normal))
