"""Search for classes: many starts by the EM algorithm, the better ones by Newton's method, then moves from the best.

The likelihood of a mixture has many optima. Starts give every class a vector of its own: the best one of all people
together, varied, a random one, or one class too few with another beside it. All starts take a few steps of the EM
algorithm as one batch, on some of the agents if there are very many; Newton's method on the likelihood itself, whose
step takes no longer and which does not crawl along valleys, leads the better ones on. From the best, moves are tried:
a class with its levels in another order or otherwise varied, given who belongs to it, one class given up for two
halves of another (Ueda et al. 2000), and two classes with different numbers of levels that change their people. That
is repeated while it helps, and the end is polished on all agents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.classes import Mixture
from lori.inference.problem import Problem
from lori.inference.search.solutions import Found
from lori.inference.search.starts import neighbours, random_starts, variations
from lori.model.specification import Specification

FIRST = 5  # iterations of the EM algorithm that all starts get
LED, FEWEST_LED = 0.25, 6  # share of the starts that Newton's method leads on, at least so many
LOOSE, DESCENT = 1e-2, 30  # tolerance and iterations of that
ENOUGH = 0.5  # share of these that must have ended; the others get no more steps
VARIED = 9  # other vectors that are tried for a class, beside other orders of its levels
ANEW = 16  # vectors at random from which a class is fitted to the people of another
ROUNDS, MOVED = 6, 5  # of moves from the best, and how many of these Newton's method leads on
BETTER = 0.1  # units of log-likelihood that moves must gain for another round
SAME = 0.05
LEAST_SHARE = 0.02  # with which a class starts
Report = Callable[[int, int], None]
Given = Callable[[], Sequence[np.ndarray]]
Led = tuple[np.ndarray, ...]  # value and vector


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
    members: np.ndarray  # (classes, agents) if these were exactly the right ones
    by_agent: np.ndarray  # (agents,) log-likelihood of what each chose


def find_classes(
    mixture: Mixture,
    pooled: Sequence[Found],
    *,
    starts: int,
    generator: np.random.Generator,
    sample: Mixture | None = None,
    given: Given = list,
    checkpoint: Checkpoint | None = None,
    report: Report | None = None,
) -> Classes:
    """`pooled` is what was found for all people together, by class; `sample` has fewer agents, to search on.

    Each of the `given` vectors is a start, too. What stages find is kept in the `checkpoint`.
    """
    kept = Checkpoint() if checkpoint is None else checkpoint
    small = mixture if sample is None else sample
    if mixture.classes == 1:
        vector = mixture.joined([own.vectors[0] for own in pooled], np.ones(1))
    else:
        passed = searched(small, pooled, starts, generator, given, ROUNDS, kept, "search", report)
        vector = passed[-1] if sample is None else _best_of(mixture, passed)
    best = mixture.polished(mixture.ordered(vector)[None], tolerance=1e-8, iterations=200)
    ordered = mixture.ordered(best.vectors[0])
    if (ordered != best.vectors[0]).any():  # on a sample of the agents another class was larger
        best = mixture.polished(ordered[None], tolerance=1e-8, iterations=200)
    assert best.curvature is not None
    assert best.gradient is not None
    vector, value = best.vectors[0], float(best.values[0])
    (members,), (total,) = mixture.memberships(vector[None])
    return Classes(
        vector=vector,
        value=value,
        log_likelihood=float(total.sum()),
        converged=bool(best.converged[0]),
        gradient=best.gradient[0],
        curvature=best.curvature[0],
        starts=starts,
        members=members,
        by_agent=total,
    )


def searched(
    mixture: Mixture,
    pooled: Sequence[Found],
    starts: int,
    generator: np.random.Generator,
    given: Given,
    rounds: int,
    checkpoint: Checkpoint,
    name: str,
    report: Report | None = None,
) -> list[np.ndarray]:
    """The best vectors that starts, and then rounds of moves lead to, each better than those before it, not polished.

    At most so many rounds are tried.
    """
    drawing, sharing, moving = generator.spawn(3)

    def first() -> Led:
        parts = [
            class_starts(problem, found, starts, own)
            for problem, found, own in zip(mixture.problems, pooled, drawing.spawn(mixture.classes), strict=True)
        ]
        shares = sharing.dirichlet(np.full(mixture.classes, 4.0), starts)
        drawn = [mixture.joined([own[place] for own in parts], shares[place]) for place in range(starts)]
        vectors = stepped(mixture, [*drawn, *given()], FIRST)
        return led(mixture, vectors, max(FEWEST_LED, round(LED * len(vectors))))

    best = checkpoint.stage(f"{name}, starts", first)
    passed = [best[1]]
    for number, own in enumerate(moving.spawn(rounds), start=1):
        if report is not None:
            report(number, rounds)

        def move(best: Any = best, own: np.random.Generator = own) -> Led:
            return led(mixture, stepped(mixture, moves(mixture, best[1], own), FIRST), MOVED)

        moved = checkpoint.stage(f"{name}, moves {number}", move)
        gain = float(best[0]) - float(moved[0])
        if gain > 0:
            best = moved
            passed.append(best[1])
        if gain < BETTER:
            break
    return passed


def _best_of(mixture: Mixture, vectors: Sequence[np.ndarray]) -> np.ndarray:
    """Which of the vectors, found on some of the agents, explains everybody best? Moves may fit these alone."""
    parts, shares = zip(*map(mixture.divided, vectors), strict=True)
    by_class = [np.stack(own) for own in zip(*parts, strict=True)]
    return vectors[int(mixture.values(by_class, np.stack(shares)).argmin())]


def stepped(mixture: Mixture, vectors: Sequence[np.ndarray], iterations: int) -> list[np.ndarray]:
    """Some iterations of the EM algorithm from each of the vectors, as one batch; the best vectors first."""
    split = [mixture.divided(vector) for vector in vectors]
    parts = [np.stack([own[place] for own, _ in split]) for place in range(mixture.classes)]
    shares = np.stack([own for _, own in split])
    for _ in range(iterations):
        parts, shares = mixture.stepped(parts, _kept_alive(shares))
    shares = _kept_alive(shares)
    order = np.argsort(mixture.values(parts, shares))
    return [mixture.joined([own[place] for own in parts], shares[place]) for place in order]


def led(mixture: Mixture, vectors: Sequence[np.ndarray], count: int) -> Led:
    """Value and vector of the best end to which Newton's method leads from the first `count` vectors."""
    ends = mixture.polished(np.stack(vectors[:count]), tolerance=LOOSE, iterations=DESCENT, enough=ENOUGH)
    best = int(ends.values.argmin())
    return ends.values[best], ends.vectors[best]


def moves(mixture: Mixture, vector: np.ndarray, generator: np.random.Generator) -> list[np.ndarray]:
    """Vectors from which something better may be reached, one class of this one being changed or given up."""
    parts, shares = mixture.divided(vector)
    (member,), _ = mixture.memberships(vector[None])
    changing, halving, swapping = generator.spawn(3)
    found = []
    for place, own in enumerate(changing.spawn(mixture.classes)):
        for other in _alternatives(mixture, place, parts[place], member[place], own):
            found.append(mixture.joined([*parts[:place], other, *parts[place + 1 :]], shares))
    for gone, halved in permutations(range(mixture.classes), 2):
        if mixture.problems[gone].specification != mixture.problems[halved].specification:
            continue
        away = 0.5 * halving.normal(size=len(parts[halved]))
        lower, upper = mixture.problems[halved].specification.bounds
        changed, share = list(parts), shares.copy()
        changed[gone] = np.clip(parts[halved] * (1 + away), lower, upper)
        changed[halved] = np.clip(parts[halved] * (1 - away), lower, upper)
        share[gone] = share[halved] = (shares[halved] + 0.1 * shares[gone]) / 2
        found.append(mixture.joined(changed, share / share.sum()))
    for left, right in combinations(range(mixture.classes), 2):
        if mixture.problems[left].specification == mixture.problems[right].specification:
            continue
        changed, share = list(parts), shares.copy()
        changed[left], changed[right] = (
            _anew(mixture, place, member[people], swapping) for place, people in ((left, right), (right, left))
        )
        share[[left, right]] = shares[[right, left]]
        found.append(mixture.joined(changed, share))
    return found


def _anew(mixture: Mixture, place: int, member: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The parameters of a class that describe some people best."""
    problem = mixture.problems[place].reweighted(member[mixture.panel.agent])
    tied = problem.specification.likelihood.needs_thresholds(problem.source.sample(1000, generator).observations)
    drawn = random_starts(problem.specification, ANEW, generator, tied=tied)
    return problem.solve_from(drawn[None], iterations=20, tolerance=LOOSE).winners().vectors[0, 0]


def _alternatives(
    mixture: Mixture, place: int, part: np.ndarray, member: np.ndarray, generator: np.random.Generator
) -> list[np.ndarray]:
    """Other optima of one class given who belongs to it: other orders of its levels, and variations; the best two."""
    problem = mixture.problems[place].reweighted(member[mixture.panel.agent])
    specification = problem.specification
    starts = np.concatenate(
        [neighbours(specification, part[None]), variations(specification, part[None], VARIED, generator)], axis=1
    )
    ends = problem.solve_from(starts, iterations=10, tolerance=LOOSE)
    order = np.argsort(ends.values[0])
    far = [row for row in order if np.abs(ends.vectors[0, row] - part).max() > 0.1]
    return [ends.vectors[0, row] for row in far[:2]]


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
