"""Chance in an environment: what can happen in one step, and how probable is it? Enumerated, not sampled.

An environment asks its random generator for numbers. Ours answers from a tape; where the tape ends, it says what it
was asked for. The step is then repeated with every answer: with each option of `choice` and `integers`, and for
`random`, whose answers are a continuum, with the ends of the intervals in which the outcome stays the same, which
bisection finds to the last digits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

PROBES = 33  # places at which a continuum is looked at: an outcome rarer than one part in so many could be missed
DEPTH = 3  # how many draws from a continuum one step may make
Outcome = TypeVar("Outcome", bound=Hashable)


class NotEnumerable(Exception):
    """The environment asks for chance that has no list of outcomes."""


class _Asked(Exception):
    """The tape has ended; these are the chances of the options, None for a continuum."""

    def __init__(self, chances: np.ndarray | None) -> None:
        self.chances = chances


class Tape(np.random.Generator):
    """A random generator whose answers are known beforehand."""

    def __init__(self, answers: tuple[float, ...] = ()) -> None:
        super().__init__(np.random.PCG64(0))
        self.rewind(answers)

    def rewind(self, answers: tuple[float, ...]) -> None:
        self.answers, self.place = answers, 0

    def _next(self, chances: np.ndarray | None) -> float:
        if self.place == len(self.answers):
            raise _Asked(chances)
        self.place += 1
        return self.answers[self.place - 1]

    def random(self, size: Any = None, *_: Any, **__: Any) -> Any:
        return self._next(None) if size is None else np.array([self._next(None) for _ in range(_count(size))])

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return low + (high - low) * self.random(size)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
        first, last = (0, low) if high is None else (low, high)
        options = int(last) - int(first) + bool(endpoint)
        if size is not None or not 1 <= options <= 1000:
            raise NotEnumerable
        return int(first) + int(self._next(np.full(options, 1 / options)))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, *_: Any, **__: Any) -> Any:
        options = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        if size is not None:
            raise NotEnumerable
        chances = np.full(len(options), 1 / len(options)) if p is None else np.asarray(p, float)
        return options[int(self._next(chances))]

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise NotEnumerable

    normal = standard_normal = exponential = poisson = binomial = gamma = beta = permutation = shuffle = _refuse


def _count(size: Any) -> int:
    if np.ndim(size) or int(size) > DEPTH:
        raise NotEnumerable
    return int(size)


def outcomes(run: Callable[[tuple[float, ...]], Outcome], answers: tuple[float, ...] = ()) -> dict[Outcome, float]:
    """Every outcome of `run`, which is given the answers on the tape, with its probability."""
    try:
        return {run(answers): 1.0}
    except _Asked as asked:
        chances = asked.chances
    if chances is not None:
        return _together((chance, outcomes(run, (*answers, place))) for place, chance in enumerate(chances) if chance)
    if len(answers) >= DEPTH:
        raise NotEnumerable
    at = [*(np.arange(PROBES - 1) / (PROBES - 1)).tolist(), float(np.nextafter(1.0, 0.0))]
    found = [outcomes(run, (*answers, place)) for place in at]
    pieces = []
    begin = 0.0
    for left, right, before, after in zip(at, at[1:], found, found[1:], strict=False):
        if before != after:
            edge = _edge(lambda place: outcomes(run, (*answers, place)) == before, left, right)  # noqa: B023
            pieces.append((edge - begin, before))
            begin = edge
    return _together([*pieces, (1.0 - begin, found[-1])])


def _edge(same: Callable[[float], bool], left: float, right: float) -> float:
    """Where the outcome of the left end ceases, by bisection."""
    for _ in range(60):
        middle = (left + right) / 2
        if not left < middle < right:
            break
        left, right = (middle, right) if same(middle) else (left, middle)
    return float(f"{right:.14g}")  # thresholds in programs have few digits


def _together(parts: Any) -> dict[Any, float]:
    total: dict[Any, float] = {}
    for share, part in parts:
        for outcome, chance in part.items():
            total[outcome] = total.get(outcome, 0.0) + share * chance
    return total
