"""Sums by agent: what do all choices of each agent say of a model, wherever the rows are?

A mixture asks three things of the rows: the log-likelihood of all that an agent chose, its gradient (the
agent's score), and the curvature with a weight for each agent. All are sums over rows, so that parts of the rows may be
anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.problem import Problem
from lori.inference.sources.memory import Memory

TOGETHER = 8  # vectors that are computed at a time
Question = Callable[..., np.ndarray]
"""Of a problem, the number of each observation's agent, how many agents there are, and what else is given."""


class Parts(Protocol):
    """Where the rows of a panel are."""

    def total(self, question: Question, problem: Problem, *given: np.ndarray) -> np.ndarray:
        """The sum over all parts of what each of them answers."""
        ...


@dataclass(frozen=True, eq=False)
class Whole:
    """All rows in memory, as the problem has them."""

    agent: np.ndarray  # (observations,)
    agents: int

    def total(self, question: Question, problem: Problem, *given: np.ndarray) -> np.ndarray:
        return question(problem, self.agent, self.agents, *given)


def log_likelihoods(problem: Problem, agent: np.ndarray, agents: int, vectors: np.ndarray) -> np.ndarray:
    """(vectors, agents) of all that an agent chose."""
    found = [problem.by_groups("values", some, agent, agents)[:count] for some, count in in_turn(vectors)]
    return np.concatenate(found)


def scores(problem: Problem, agent: np.ndarray, agents: int, vectors: np.ndarray) -> np.ndarray:
    """(vectors, 1 + parameters, agents) the log-likelihood of all that an agent chose, and its gradient."""
    together = TOGETHER if problem.specification.likelihood.quick else 1  # code for sets takes long to compile
    found = [problem.by_groups("scores", some, agent, agents)[:count] for some, count in in_turn(vectors, together)]
    return np.concatenate(found)


def curvatures(
    problem: Problem, agent: np.ndarray, agents: int, vectors: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """(vectors, parameters, parameters) of the negative log-likelihood, each with weights (vectors, agents)."""
    curvature = weighted(problem, agent, vectors, weights).curvature
    assert curvature is not None
    return curvature


def weighted(problem: Problem, agent: np.ndarray, vectors: np.ndarray, weights: np.ndarray) -> Evaluation:
    """The negative log-likelihood at each of the vectors, with weights (vectors, agents)."""
    (rows,) = problem.source.observations  # type: ignore[attr-defined]
    found = []
    for (some, count), (own, _) in zip(in_turn(vectors), in_turn(weights), strict=True):
        groups = tuple(rows.reweighted(each[agent]) for each in own)
        there = replace(problem, source=Memory(groups, single=True)).negative_log_likelihood(some[:, None])
        found.append([part[:count, 0] for part in there if part is not None])
    return Evaluation(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def in_turn(values: np.ndarray, together: int = TOGETHER) -> Iterator[tuple[np.ndarray, int]]:
    """Some of many at a time, filled up to a power of two, and how many these are: code is compiled for few sizes."""
    for start in range(0, len(values), together):
        some = values[start : start + together]
        room = 1 << (len(some) - 1).bit_length()
        yield np.concatenate([some, np.repeat(some[:1], room - len(some), axis=0)]), len(some)
