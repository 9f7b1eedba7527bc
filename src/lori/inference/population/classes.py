"""Classes: people of a few kinds, each with an ordered model of its own (a latent class model).

Agent a belongs to class c with the share π_c(a), a multinomial logit in what is known about the agent, and then makes
all choices by that class's model:

    log L = Σ_a log Σ_c π_c(a) Π_rows of a p(row | θ_c)^weight

`Mixture` evaluates this with first and second derivatives. The gradient is that of each class's problem with
memberships for weights (Fisher's identity); from its curvature comes off what is not known about memberships
(Louis 1982).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.population.panel import Panel
from lori.inference.problem import Problem
from lori.inference.search import newton
from lori.inference.search.solutions import Solutions
from lori.inference.sources.memory import Memory
from lori.model.engines import special

TOGETHER = 8  # vectors that are computed at a time
FARTHEST = 15.0  # log-odds of a share: a class that is rarer than this is empty


@dataclass(frozen=True, eq=False)
class Mixture:
    """Classes on the same rows. Vectors are [class 1 | … | class C | log-odds of the shares, (C − 1) × columns]."""

    problems: tuple[Problem, ...]  # by class, each of all rows as the only group
    panel: Panel
    design: np.ndarray  # (agents, columns) what shares depend on; the first column is one

    @property
    def classes(self) -> int:
        return len(self.problems)

    @cached_property
    def slots(self) -> tuple[slice, ...]:
        """Where the parameters of each class are in a vector, and last those of the shares."""
        sizes = [own.specification.size for own in self.problems] + [(self.classes - 1) * self.design.shape[1]]
        ends = np.cumsum(sizes)
        return tuple(slice(int(end - size), int(end)) for end, size in zip(ends, sizes, strict=True))

    @property
    def size(self) -> int:
        return self.slots[-1].stop

    @cached_property
    def _singly(self) -> tuple[Problem, ...]:
        made: dict[int, Problem] = {}
        for own in self.problems:
            made.setdefault(id(own), own.singly())
        return tuple(made[id(own)] for own in self.problems)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        lower, upper = np.full(self.size, -FARTHEST), np.full(self.size, FARTHEST)
        for own, where in zip(self.problems, self.slots, strict=False):
            lower[where], upper[where] = own.specification.bounds
        return lower, upper

    def parts(self, vector: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """The parameters of each class, and log-odds of shares against the first class (C, columns)."""
        odds = vector[self.slots[-1]].reshape(self.classes - 1, self.design.shape[1])
        return [vector[where] for where in self.slots[:-1]], np.concatenate([np.zeros((1, self.design.shape[1])), odds])

    def divided(self, vector: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """The parameters of each class, and the shares of the classes among the agents."""
        parts, odds = self.parts(vector)
        return parts, np.exp(self.log_shares(odds)).mean(axis=1)

    def joined(self, parts: Sequence[np.ndarray], shares: np.ndarray) -> np.ndarray:
        """The vector of these classes with these shares (C,), the same for all agents."""
        odds = np.zeros((self.classes - 1, self.design.shape[1]))
        odds[:, 0] = np.clip(np.log(shares[1:] / shares[0]), -FARTHEST, FARTHEST)
        return np.concatenate([*parts, odds.reshape(-1)])

    # -- how well do given parameters explain the choices? ---------------------------------------------------

    def log_likelihoods(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        """(starts, classes, agents) of all that an agent chose, parts (starts, parameters) by class."""
        found = np.empty((len(np.atleast_2d(parts[0])), self.classes, len(self.panel)))
        for problem, classes in self.alike():
            vectors = np.concatenate([np.atleast_2d(parts[place]) for place in classes])
            own = np.concatenate(
                [self.panel.totals(problem.row_log_likelihood(some))[:count] for some, count in _in_turn(vectors)]
            )
            found[:, classes] = np.swapaxes(own.reshape(len(classes), -1, len(self.panel)), 0, 1)
        return found

    def log_shares(self, odds: np.ndarray) -> np.ndarray:
        """(classes, agents) from log-odds (classes, columns)."""
        return special.log_softmax(odds @ self.design.T, axis=0)

    def memberships(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Given all choices: how likely an agent belongs to a class (classes, agents), and log L (agents,)."""
        parts, odds = self.parts(vector)
        joint = self.log_likelihoods(parts)[0] + self.log_shares(odds)
        total = special.logsumexp(joint, axis=0)
        with np.errstate(invalid="ignore"):  # nobody could choose so: what follows is not finite, and not taken
            return np.exp(joint - total), total

    def evaluate(self, vector: np.ndarray) -> Evaluation:
        """The negative log-posterior, with gradient and curvature."""
        (parts, odds), (member, total) = self.parts(vector), self.memberships(vector)
        share, places = np.exp(self.log_shares(odds)), self.slots[-1]
        value = -total.sum()
        gradient, curvature = np.zeros(self.size), np.zeros((self.size, self.size))
        scores = np.zeros((self.classes, len(self.panel), self.size))  # of complete data, if an agent is in a class
        for c, (problem, own, where) in enumerate(zip(self.problems, parts, self.slots, strict=False)):
            weighted = self._singly[c].reweighted(member[c][self.panel.agent]).evaluate(own[None, None])
            assert weighted.gradient is not None
            assert weighted.curvature is not None
            gradient[where], curvature[where, where] = weighted.gradient[0, 0], weighted.curvature[0, 0]
            value += problem.penalty(own, order=0).value
            scores[c][:, where] = self._scores(problem, own)
            scores[c][:, places] = self._by_odds(np.arange(self.classes)[:, None] == c, share)
        gradient[places] = -self._by_odds(member, share).sum(axis=0)
        spread = np.einsum("ca,da->cda", share[1:], -share[1:])
        spread[np.arange(self.classes - 1), np.arange(self.classes - 1)] += share[1:]
        wide = places.stop - places.start
        curvature[places, places] += np.einsum("cda,ai,aj->cidj", spread, self.design, self.design).reshape(wide, wide)
        with np.errstate(invalid="ignore"):
            mean = np.einsum("ca,cap->ap", member, scores)
            for c in range(self.classes):
                curvature -= (scores[c] * member[c][:, None]).T @ scores[c]
            return Evaluation(np.asarray(value), gradient, curvature + mean.T @ mean)

    def _by_odds(self, member: np.ndarray, share: np.ndarray) -> np.ndarray:
        """(agents, (C − 1) × columns) derivatives of E log π by the log-odds, given memberships (classes, agents)."""
        wide = (self.classes - 1) * self.design.shape[1]
        return ((member - share)[1:].T[:, :, None] * self.design[:, None, :]).reshape(len(self.panel), wide)

    def _scores(self, problem: Problem, vector: np.ndarray) -> np.ndarray:
        """(agents, parameters) derivatives of the log-likelihood of all that an agent chose."""
        scores, weight, origin = problem.scores(vector)
        agent, count = self.panel.agent[origin], len(self.panel)
        return np.stack([np.bincount(agent, weight * column, count) for column in scores.T], axis=1)

    def alike(self) -> list[tuple[Problem, list[int]]]:
        """Classes with the same specification are computed together."""
        found: list[tuple[Problem, list[int]]] = []
        for place, problem in enumerate(self.problems):
            for known, classes in found:
                if known.specification == problem.specification:
                    classes.append(place)
                    break
            else:
                found.append((problem, [place]))
        return found

    # -- which parameters explain them best? ------------------------------------------------------------------

    def stepped(self, parts: list[np.ndarray], shares: np.ndarray, steps: int) -> tuple[list[np.ndarray], np.ndarray]:
        """An iteration of the EM algorithm for each start: parts (starts, parameters) by class, shares (starts, C)."""
        member, _ = memberships(self.log_likelihoods(parts), shares)
        moved = list(parts)
        for problem, classes in self.alike():
            (rows,) = problem.source.observations  # type: ignore[attr-defined]
            vectors = np.concatenate([parts[c] for c in classes])
            weights = np.concatenate([member[:, c] for c in classes])
            ends = []
            for (some, of), (own, _) in zip(_in_turn(vectors), _in_turn(weights), strict=True):
                groups = tuple(rows.reweighted(each[self.panel.agent]) for each in own)
                weighted = replace(problem, source=Memory(groups, single=True))
                ends.append(weighted.solve_from(some[:, None], iterations=steps, tolerance=1e-4).vectors[:of, 0])
            for c, own in zip(classes, np.split(np.concatenate(ends), len(classes)), strict=True):
                moved[c] = own
        return moved, member.mean(axis=2)

    def values(self, parts: list[np.ndarray], shares: np.ndarray) -> np.ndarray:
        """(starts,) the negative log-posterior."""
        _, total = memberships(self.log_likelihoods(parts), shares)
        penalties = sum(own.penalty(part, order=0).value for own, part in zip(self.problems, parts, strict=True))
        return penalties - total.sum(axis=1)

    def polished(self, vector: np.ndarray, **options: float) -> Solutions:
        """Newton's method on the observed likelihood: the one optimum that it leads to."""

        def evaluate(vectors: np.ndarray, _: np.ndarray) -> Evaluation:
            parts = [self.evaluate(own) for own in vectors]
            return Evaluation(*(np.stack(own) for own in zip(*parts, strict=True)))

        return newton.minimise(evaluate, vector[None], self.bounds, **options)  # type: ignore[arg-type]


def _in_turn(values: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Some of many at a time, filled up to a power of two, and how many these are: code is compiled for few sizes."""
    for start in range(0, len(values), TOGETHER):
        some = values[start : start + TOGETHER]
        room = 1 << (len(some) - 1).bit_length() if start == 0 else TOGETHER
        yield np.concatenate([some, np.repeat(some[:1], room - len(some), axis=0)]), len(some)


def memberships(logs: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(starts, classes, agents) and log L (starts, agents), from log-likelihoods and shares (starts, classes)."""
    with np.errstate(divide="ignore"):
        joint = logs + np.log(shares)[:, :, None]
    total = special.logsumexp(joint, axis=1)
    with np.errstate(invalid="ignore"):
        return np.exp(joint - total[:, None]), total
