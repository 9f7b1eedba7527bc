"""Search for classes: many starts by the EM algorithm, the best of them by Newton's method on the likelihood itself.

The likelihood of a mixture has many optima. Starts give every class a vector of its own: the best one of all people
together, varied, a random one, or one class too few with another beside it. All starts take a few steps of the EM
algorithm as one batch, on some of the agents if there are very many; the best go on, and the best few of these are
polished on all agents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lori.inference.population.classes import Mixture
from lori.inference.problem import Problem
from lori.inference.search.search import Found
from lori.inference.search.starts import neighbours, random_starts, variations
from lori.model.specification import Specification

FIRST, THEN, LAST = 8, 24, 60  # iterations of the EM algorithm that all starts, the better half and the best get
POLISHED = 3  # starts that are polished by Newton's method
STEPS = 2  # of Newton's method within an iteration
SLIGHT = 0.02  # units of log-likelihood: when no start gains more, the EM algorithm has done its work
SAME = 0.05
LEAST_SHARE = 0.02  # with which a class starts
Report = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Classes:
    """The best classes that were found."""

    vector: np.ndarray
    value: float  # negative log-posterior
    log_likelihood: float
    converged: bool
    gradient: np.ndarray  # of what is held at a bound, zero elsewhere
    curvature: np.ndarray
    starts: int
    reached: int  # of those that were polished
    members: np.ndarray  # (classes, agents)
    by_agent: np.ndarray  # (agents,) log-likelihood of what each chose


def find_classes(
    mixture: Mixture,
    pooled: Sequence[Found],
    *,
    starts: int,
    generator: np.random.Generator,
    sample: Mixture | None = None,
    given: Sequence[np.ndarray] = (),
    report: Report | None = None,
) -> Classes:
    """`pooled` is what was found for all people together, by class; `sample` has fewer agents, to search on.

    Each of the `given` vectors is a start, too.
    """
    small = mixture if sample is None else sample
    if mixture.classes == 1:
        tried = [mixture.joined([own.vectors[0] for own in pooled], np.ones(1))]
    else:
        tried = _by_steps(small, pooled, starts, generator, given, report)
    ends = []
    for vector in tried:
        if sample is not None:
            vector = small.polished(vector, tolerance=1e-2).vectors[0]
        ends.append(mixture.polished(vector, tolerance=1e-8, iterations=200))
        if report is not None:
            report(len(ends), len(tried))
    best = min(ends, key=lambda end: float(end.values[0]))
    assert best.curvature is not None
    assert best.gradient is not None
    vector, value = best.vectors[0], float(best.values[0])
    members, total = mixture.memberships(vector)
    return Classes(
        vector=vector,
        value=value,
        log_likelihood=float(total.sum()),
        converged=bool(best.converged[0]),
        gradient=best.gradient[0],
        curvature=best.curvature[0],
        starts=starts,
        reached=sum(float(end.values[0]) <= value + SAME for end in ends),
        members=members,
        by_agent=total,
    )


def _by_steps(
    mixture: Mixture,
    pooled: Sequence[Found],
    starts: int,
    generator: np.random.Generator,
    given: Sequence[np.ndarray],
    report: Report | None,
) -> list[np.ndarray]:
    """The best vectors after a tournament of starts by the EM algorithm."""
    drawing, sharing = generator.spawn(2)
    parts = [
        class_starts(problem, found, starts, own)
        for problem, found, own in zip(mixture.problems, pooled, drawing.spawn(mixture.classes), strict=True)
    ]
    shares = sharing.dirichlet(np.full(mixture.classes, 4.0), starts)
    for vector in given:
        own, odds = mixture.parts(vector)
        parts = [np.concatenate([part, new[None]]) for part, new in zip(parts, own, strict=True)]
        share = np.exp(mixture.log_shares(odds)).mean(axis=1)
        shares = np.concatenate([shares, share[None]])
    shares = _kept_alive(shares)
    left = len(shares)
    values = np.full(left, np.inf)
    for iterations, share in ((FIRST, 0.5), (THEN, 0.25), (LAST, 0.0)):
        for number in range(iterations):
            parts, shares = mixture.stepped(parts, shares, STEPS)
            shares = _kept_alive(shares)
            if number % 4 == 3 or number == iterations - 1:
                before, values = values, mixture.values(parts, shares)
                if report is not None:
                    report(number + 1, iterations)
                if np.all(before - values < SLIGHT):
                    break
        best = np.argsort(values)[: max(POLISHED, int(share * left))]
        parts, shares, values = [own[best] for own in parts], shares[best], values[best]
    kept: list[int] = []
    for place in range(len(values)):
        if all(abs(values[place] - values[other]) > SAME for other in kept):
            kept.append(place)
    return [mixture.joined([own[place] for own in parts], shares[place]) for place in kept]


def class_starts(problem: Problem, found: Found, count: int, generator: np.random.Generator) -> np.ndarray:
    """(starts, parameters) for one class: the best of all people together varied, other orders of it, random ones."""
    specification: Specification = problem.specification
    varying, drawing, choosing = generator.spawn(3)
    varied = variations(specification, found.vectors, count, varying)[0]
    tied = specification.likelihood.needs_thresholds(problem.source.sample(1000, choosing).observations)
    drawn = random_starts(specification, count, drawing, tied=tied)
    around = np.concatenate([found.vectors, found.rivals[0], neighbours(specification, found.vectors)[0]])
    near = around[choosing.integers(len(around), size=count)]
    near = np.clip(near * (1 + 0.3 * choosing.normal(size=near.shape)), *specification.bounds)
    kind = choosing.integers(3, size=count)[:, None]
    return np.where(kind == 0, varied, np.where(kind == 1, drawn, near))


def _kept_alive(shares: np.ndarray) -> np.ndarray:
    """No class dies out while the search goes on."""
    alive = np.maximum(shares, LEAST_SHARE / shares.shape[1])
    return alive / alive.sum(axis=1, keepdims=True)
