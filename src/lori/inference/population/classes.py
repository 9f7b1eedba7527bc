"""Classes: people of a few kinds, each with an ordered model of its own (a latent class model).

Agent a belongs to class c with the share π_c(a), a multinomial logit in what is known about the agent, and then makes
all choices by that class's model:

    log L = Σ_a log Σ_c π_c(a) Π_rows of a p(row | θ_c)^weight

`Mixture` evaluates this with first and second derivatives. The gradient is that of each class's problem with
memberships for weights (Fisher's identity); from its curvature comes off what is not known about memberships
(Louis 1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.estimates import HELD
from lori.inference.population import sums
from lori.inference.population.panel import Panel
from lori.inference.population.sums import Parts, Whole
from lori.inference.problem import Problem
from lori.inference.search import newton
from lori.inference.search.solutions import Solutions
from lori.model.engines import special

FARTHEST = 15.0  # log-odds of a share: a class that is rarer than this is empty
CAUTION = 1e-2  # damping of a step of the EM algorithm
FARTHEST_STEP = 0.5  # of it, as a share of 1 + what there was


@dataclass(frozen=True, eq=False)
class Mixture:
    """Classes on the same rows. Vectors are [class 1 | … | class C | log-odds of the shares, (C − 1) × columns]."""

    problems: tuple[Problem, ...]  # by class, each of all rows as the only group
    panel: Panel
    design: np.ndarray  # (agents, columns) what shares depend on; the first column is one
    elsewhere: Parts | None = None  # where the rows are, if they are not in memory

    @property
    def classes(self) -> int:
        return len(self.problems)

    @property
    def rows(self) -> Parts:
        return Whole(self.panel.agent, len(self.panel)) if self.elsewhere is None else self.elsewhere

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

    def ordered(self, vector: np.ndarray) -> np.ndarray:
        """The same classes, of those with the same specification the largest first."""
        (parts, shares), odds = self.divided(vector), self.parts(vector)[1]
        place = np.arange(self.classes)
        for _, classes in self.alike():
            place[classes] = np.array(classes)[np.argsort(-shares[classes], kind="stable")]
        odds = np.clip(odds[place] - odds[place[0]], -FARTHEST, FARTHEST)
        return np.concatenate([*(parts[own] for own in place), odds[1:].reshape(-1)])

    # -- how well do given parameters explain the choices? ---------------------------------------------------

    def log_likelihoods(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        """(starts, classes, agents) of all that an agent chose, parts (starts, parameters) by class."""
        found = np.empty((len(np.atleast_2d(parts[0])), self.classes, len(self.panel)))
        for problem, classes in self.alike():
            vectors = np.concatenate([np.atleast_2d(parts[place]) for place in classes])
            own = self.rows.total(sums.log_likelihoods, problem, vectors)
            found[:, classes] = np.swapaxes(own.reshape(len(classes), -1, len(self.panel)), 0, 1)
        return found

    def log_shares(self, odds: np.ndarray) -> np.ndarray:
        """(classes, agents) from log-odds (classes, columns)."""
        return special.log_softmax(odds @ self.design.T, axis=0)

    def memberships(self, vectors: np.ndarray, logs: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Given all choices, for each of the vectors (vectors, size): how likely an agent belongs to a class (vectors,
        classes, agents), and log L (vectors, agents). `logs` are the log-likelihoods, where they are known."""
        if logs is None:
            logs = self.log_likelihoods([vectors[:, where] for where in self.slots[:-1]])
        return belonging(logs + np.stack([self.log_shares(self.parts(vector)[1]) for vector in vectors]))

    def penalties(self, vectors: np.ndarray) -> np.ndarray:
        """(vectors,) minus the log-prior of each, up to a constant."""
        slots = zip(self.problems, self.slots, strict=False)
        return sum((own.penalty(vectors[:, where], order=0).value for own, where in slots), np.zeros(len(vectors)))

    def evaluate(self, vectors: np.ndarray) -> Evaluation:
        """The negative log-posterior of each vector (vectors, size), with gradient and curvature."""
        count, alike = len(vectors), self.alike()
        scores = [np.empty(0)] * self.classes  # by class (vectors, 1 + parameters, agents)
        curvatures = list(scores)
        several = [np.concatenate([vectors[:, self.slots[c]] for c in classes]) for _, classes in alike]
        for (problem, classes), some in zip(alike, several, strict=True):
            found = self.rows.total(sums.scores, problem, some)
            for c, own in zip(classes, np.split(found, len(classes)), strict=True):
                scores[c] = own
        shares = np.stack([self.log_shares(self.parts(vector)[1]) for vector in vectors])
        member, total = belonging(np.stack([own[:, 0] for own in scores], axis=1) + shares)
        for (problem, classes), some in zip(alike, several, strict=True):
            weights = np.nan_to_num(np.concatenate([member[:, c] for c in classes]))
            found = self.rows.total(sums.curvatures, problem, some, weights)
            for c, own in zip(classes, np.split(found, len(classes)), strict=True):
                curvatures[c] = own
        each = [
            self._assembled(
                vectors[i], member[i], total[i], [own[i, 1:] for own in scores], [own[i] for own in curvatures]
            )
            for i in range(count)
        ]
        return Evaluation(*(np.stack(parts) for parts in zip(*each, strict=True)))

    def _assembled(
        self,
        vector: np.ndarray,
        member: np.ndarray,
        total: np.ndarray,
        scores: Sequence[np.ndarray],
        curvatures: Sequence[np.ndarray],
    ) -> Evaluation:
        """From scores of complete data, if an agent is in a class (classes × (parameters, agents))."""
        parts, odds = self.parts(vector)
        share, places = np.exp(self.log_shares(odds)), self.slots[-1]
        value, curvature = -total.sum(), np.zeros((self.size, self.size))
        mean = np.empty((self.size, len(self.panel)))
        prior = np.zeros(self.size)
        with np.errstate(invalid="ignore"):
            for c, (problem, where) in enumerate(zip(self.problems, self.slots, strict=False)):
                penalty = problem.penalty(parts[c])
                assert penalty.gradient is not None
                assert penalty.curvature is not None
                value, prior[where] = value + penalty.value, penalty.gradient
                mean[where] = member[c] * scores[c]
                by_odds = self._by_odds(np.arange(self.classes)[:, None] == c, share)
                curvature[where, where] = curvatures[c] + penalty.curvature - mean[where] @ scores[c].T
                curvature[where, places] = -mean[where] @ by_odds
                curvature[places, where] = curvature[where, places].T
                curvature[places, places] -= (member[c] * by_odds.T) @ by_odds
            mean[places] = self._by_odds(member, share).T
            spread = np.einsum("ca,da->cda", share[1:], -share[1:])
            spread[np.arange(self.classes - 1), np.arange(self.classes - 1)] += share[1:]
            wide = places.stop - places.start
            bent = np.einsum("cda,ai,aj->cidj", spread, self.design, self.design).reshape(wide, wide)
            curvature[places, places] += bent
            return Evaluation(np.asarray(value), prior - mean.sum(axis=1), curvature + mean @ mean.T)

    def _by_odds(self, member: np.ndarray, share: np.ndarray) -> np.ndarray:
        """(agents, (C − 1) × columns) derivatives of E log π by the log-odds, given memberships (classes, agents)."""
        wide = (self.classes - 1) * self.design.shape[1]
        return ((member - share)[1:].T[:, :, None] * self.design[:, None, :]).reshape(len(self.panel), wide)

    def marginal(self, vector: np.ndarray, curvature: np.ndarray, where: slice) -> np.ndarray:
        """The curvature at an optimum in some of its coordinates, the other free ones being integrated over."""
        lower, upper = self.bounds
        free = (vector > lower + HELD) & (vector < upper - HELD)
        free[where] = False
        others = np.flatnonzero(free)
        between = curvature[where][:, others]
        rest = np.linalg.pinv(curvature[np.ix_(others, others)], hermitian=True) if len(others) else np.empty((0, 0))
        return curvature[where, where] - between @ rest @ between.T

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

    def stepped(self, parts: list[np.ndarray], shares: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """An iteration of the EM algorithm for each start: parts (starts, parameters) by class, shares (starts, C).

        Classes take a step of Newton's method each, not too far, instead of going to their best.
        """
        member, _ = memberships(self.log_likelihoods(parts), shares)
        moved = list(parts)
        for problem, classes in self.alike():
            vectors = np.concatenate([parts[c] for c in classes])
            weights = np.nan_to_num(np.concatenate([member[:, c] for c in classes]))
            found = sums.weighted(problem, self.panel.agent, vectors, weights) + problem.penalty(vectors)
            assert found.gradient is not None
            assert found.curvature is not None
            sound = newton.finite(found)  # a start whose slopes are too steep to be numbers stays where it is
            slopes = np.where(sound[:, None], found.gradient, 0.0)
            bends = np.where(sound[:, None, None], found.curvature, 0.0)
            lower, upper = (np.broadcast_to(bound, vectors.shape) for bound in problem.specification.bounds)
            damping = np.full(len(vectors), CAUTION)
            step, _ = newton.stepping(vectors, slopes, bends, damping, lower, upper)
            most = FARTHEST_STEP * (1 + np.abs(vectors))
            ends = np.clip(vectors + np.clip(np.nan_to_num(step), -most, most), lower, upper)
            for c, own in zip(classes, np.split(ends, len(classes)), strict=True):
                moved[c] = own
        return moved, member.mean(axis=2)

    def values(self, parts: list[np.ndarray], shares: np.ndarray) -> np.ndarray:
        """(starts,) the negative log-posterior."""
        _, total = memberships(self.log_likelihoods(parts), shares)
        penalties = sum(own.penalty(part, order=0).value for own, part in zip(self.problems, parts, strict=True))
        return penalties - total.sum(axis=1)

    def polished(self, vectors: np.ndarray, **options: float) -> Solutions:
        """Newton's method on the observed likelihood: the optimum that each of the vectors (starts, size) leads to."""
        return newton.minimise(lambda some, _: self.evaluate(some), vectors, self.bounds, **options)  # type: ignore[arg-type]


def belonging(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(…, classes, agents) probabilities, and log L (…, agents), from logarithms of share × likelihood."""
    total = special.logsumexp(joint, axis=-2)
    with np.errstate(invalid="ignore"):  # nobody could choose so: what follows is not finite, and not taken
        return np.exp(joint - total[..., None, :]), total


def memberships(logs: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(starts, classes, agents) and log L (starts, agents), from log-likelihoods and shares (starts, classes)."""
    with np.errstate(divide="ignore"):
        return belonging(logs + np.log(shares)[:, :, None])
