"""Importance sampling: draws of the Gaussians around the optima, weighted by the posterior itself.

Proposals come from the Gaussians of a fit's optima and wider ones. Where they turn out to be a poor likeness, more
come from kernels around what was found to be probable, until enough of the draws are effective. Many groups (agents) go
through this as one batch. Where there are too many rows to look at them for every draw, the Gaussians themselves stand
for the posterior, which then has their shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lori.inference.estimates import Optimum
from lori.inference.posterior.idle import Idle
from lori.inference.posterior.laplace import Kernels, Mixture, systematic
from lori.inference.posterior.ridges import along_ridges
from lori.inference.problem import Problem
from lori.inference.search.solutions import RIVAL, SAME

WIDTHS = {1.0: 0.4, 2.0: 0.4, 4.0: 0.2}  # of the Gaussians, with their shares of the proposals
CORRECTED = 50_000_000  # draws × rows up to which the posterior is asked
ENOUGH = 0.2  # share of effective draws at which no more rounds are needed
ROUNDS = 3  # of kernels at most
SHORT = 1e-3  # log-likelihood units that a rival may be short of its optimum: draws around it are weighted anyway


@dataclass(frozen=True, eq=False)
class Weighted:
    """Draws (draws, parameters) with their shares of the posterior."""

    draws: np.ndarray
    shares: np.ndarray
    log_evidence: float
    error: float | None  # Monte Carlo error of the log evidence; None where the Gaussians were not corrected
    optima: Sequence[Optimum]  # the best one first
    flat: bool  # some direction is wider than the data can tell

    @property
    def effective(self) -> float:
        return float(1 / np.sum(self.shares**2))

    @property
    def corrected(self) -> bool:
        return self.error is not None

    def resampled(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """Equally likely draws."""
        return self.draws[generator.permutation(systematic(self.shares, count, generator))]


def weigh(
    problem: Problem,
    optima: Sequence[Sequence[Optimum]],
    proposals: int,
    generator: np.random.Generator,
    *,
    everywhere: bool = False,
) -> list[Weighted]:
    """The posterior of each group of a problem from the optima of each, the best one first.

    `everywhere`: also along ridges that begin there, and where a level is idle.
    """
    if proposals * problem.source.rows > CORRECTED:
        return [gaussian(own, proposals, generator) for own in optima]
    best = [own[0] for own in optima]
    idle = Idle.of(problem, best) if everywhere else []
    beside: list[list[Optimum]] = along_ridges(problem, best) if everywhere else [[] for _ in best]
    mixtures = [
        Mixture.of(own, proposals, generator, WIDTHS, others) for own, others in zip(optima, beside, strict=True)
    ]
    first = np.stack([mixture.draws for mixture in mixtures])
    known = [
        _Group(own, [mixture], draws, target, proposed=mixture.log_density(draws)[None])
        for own, mixture, draws, target in zip(
            optima, mixtures, first, problem.log_posterior(first, roughly=True), strict=True
        )
    ]
    _propose(problem, known, {g: own for g, own in enumerate(idle) if own}, proposals, generator)
    for _ in range(ROUNDS):
        found = [own.weighted() for own in known]
        poor = [g for g, own in enumerate(found) if own.effective < ENOUGH * proposals]
        if not poor:
            return found
        kernels = {g: Kernels.of(found[g].draws, found[g].shares, generator) for g in poor}
        _propose(problem, known, kernels, proposals, generator)
    return [own.weighted() for own in known]


def _propose(
    problem: Problem,
    known: list[_Group],
    sources: Mapping[int, Kernels | Idle],
    proposals: int,
    generator: np.random.Generator,
) -> None:
    """More draws for the groups that have a source."""
    if not sources:
        return
    more = np.stack([own.draws[:proposals] for own in known])  # what is asked of the other groups is not used
    for g, source in sources.items():
        more[g] = source.draw(proposals, generator)
    target = problem.log_posterior(more, roughly=True)
    for g, source in sources.items():
        known[g] = known[g].with_more(source, more[g], target[g])


class _Group(NamedTuple):
    """Draws of one group, as many from each of several sources: draws from the mean of the sources' densities."""

    optima: Sequence[Optimum]
    sources: list[Mixture | Kernels | Idle]
    draws: np.ndarray  # (draws, parameters)
    target: np.ndarray  # (draws,) log-posterior
    proposed: np.ndarray  # (sources, draws) log-density of each source

    def with_more(self, source: Kernels | Idle, draws: np.ndarray, target: np.ndarray) -> _Group:
        before = np.concatenate([self.proposed, source.log_density(self.draws)[None]])
        own = np.stack([each.log_density(draws) for each in (*self.sources, source)])
        return _Group(
            self.optima,
            [*self.sources, source],
            np.concatenate([self.draws, draws]),
            np.concatenate([self.target, target]),
            np.concatenate([before, own], axis=1),
        )

    def weighted(self) -> Weighted:
        log_ratio = self.target - np.logaddexp.reduce(self.proposed, axis=0) + np.log(len(self.sources))
        ratio = np.exp(log_ratio - log_ratio.max())
        shares = np.minimum(ratio, ratio.mean() * np.sqrt(len(ratio)))  # a few draws must not stand for all
        assert isinstance(self.sources[0], Mixture)
        return Weighted(
            self.draws,
            shares / shares.sum(),
            log_evidence=float(np.log(ratio.mean()) + log_ratio.max()),
            error=float(ratio.std() / ratio.mean() / np.sqrt(len(ratio))),
            optima=self.optima,
            flat=self.sources[0].flat,
        )


def gaussian(optima: Sequence[Optimum], count: int, generator: np.random.Generator) -> Weighted:
    """The Gaussians as they are, without looking at data again."""
    mixture = Mixture.of(optima, count, generator)
    shares = np.exp(mixture.log_weights - mixture.log_weights.max())
    return Weighted(mixture.draws, shares / shares.sum(), mixture.log_mass, None, optima, mixture.flat)


def with_rivals(problem: Problem, best: Sequence[Optimum], rivals: Sequence[np.ndarray]) -> list[list[Optimum]]:
    """The optima of each group: the best one, and others that are not out of the question and not the same."""
    most = max(map(len, rivals))
    if not most:
        return [[own] for own in best]
    starts = np.stack([
        np.concatenate([some, np.repeat(own.vector[None], most - len(some), axis=0)])
        for own, some in zip(best, rivals, strict=True)
    ])  # fmt: skip
    found = problem.solve_from(starts, tolerance=SHORT)
    assert found.gradient is not None
    assert found.curvature is not None
    groups = []
    for g, optimum in enumerate(best):
        kept = [optimum]
        for i in np.argsort(found.values[g]):
            value = float(found.values[g, i])
            near = found.converged[g, i] and value <= optimum.value + RIVAL
            if near and all(abs(value - other.value) > SAME for other in kept):
                around = {"gradient": found.gradient[g, i], "curvature": found.curvature[g, i]}
                kept.append(replace(optimum, vector=found.vectors[g, i], value=value, **around))
        groups.append(kept)
    return groups
