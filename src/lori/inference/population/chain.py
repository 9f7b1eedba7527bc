"""Chain: from where does a search for classes start? From the best classes with one less, and with a level less each.

Searches for smaller models are quicker, and their ends are near good optima of larger ones. Each is made once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from lori.inference.fitting import solve_nested
from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.classes import Mixture
from lori.inference.population.search import class_starts, searched
from lori.inference.problem import Problem
from lori.inference.search.solutions import Found
from lori.inference.search.starts import insertions

POOLED_STARTS = 16  # of the search for all people together, where classes start from
FEWEST, MOVES = 4, 2  # starts of a smaller model, and rounds of moves
Starts = list[np.ndarray]


@dataclass(frozen=True, eq=False)
class Chain:
    """Classes that are all of one kind, on the same agents."""

    mixture: Mixture
    starts: int
    seed: int
    checkpoint: Checkpoint
    pooled: dict[int, Found] = field(default_factory=dict)

    def given(self, classes: int, levels: int) -> Starts:
        """Starts for so many classes with so many levels."""
        if classes < 2:
            return []
        generator = np.random.default_rng([self.seed, classes, levels, 1])
        further = self._with_another_class(classes, levels, generator) if classes > 2 else []
        return further + (self._with_another_level(classes, levels, generator) if levels > 1 else [])

    def best(self, classes: int, levels: int) -> np.ndarray:
        """The best classes of a smaller model, as far as starts for a larger one need them."""
        mixture, name = self.smaller(classes, levels), f"{classes} × {levels}"

        def search() -> tuple[np.ndarray, ...]:
            generator = np.random.default_rng([self.seed, classes, levels])
            pooled, starts = [self.alone(levels)] * classes, max(self.starts // 2, FEWEST)
            given = partial(self.given, classes, levels)
            return (searched(mixture, pooled, starts, generator, given, MOVES, self.checkpoint, name)[-1],)

        return self.checkpoint.stage(name, search)[0]

    def alone(self, levels: int) -> Found:
        """The best model of all people together."""
        if levels not in self.pooled:
            *_, (_, best) = solve_nested(self._problem(levels), starts=POOLED_STARTS, seed=0)
            self.pooled[levels] = best
        return self.pooled[levels]

    def smaller(self, classes: int, levels: int) -> Mixture:
        return replace(self.mixture, problems=(self._problem(levels),) * classes)

    def _problem(self, levels: int) -> Problem:
        return self.mixture.problems[0].nested()[levels - 1]

    def _with_another_level(self, classes: int, levels: int, generator: np.random.Generator) -> Starts:
        """The best classes with one level less, each with another one, faint or strong, at each place."""
        fewer, mixture = self.smaller(classes, levels - 1), self.smaller(classes, levels)
        parts, shares = fewer.divided(self.best(classes, levels - 1))
        specification = mixture.problems[0].specification
        more = [
            insertions(specification, part[None], own)[0]
            for part, own in zip(parts, generator.spawn(classes), strict=True)
        ]
        return [
            mixture.joined([own[(kind + shift * place) % len(own)] for place, own in enumerate(more)], shares)
            for kind in range(max(map(len, more)))
            for shift in (0, 1)
        ]

    def _with_another_class(self, classes: int, levels: int, generator: np.random.Generator) -> Starts:
        """The best classes with one less, and another one that takes half of each in turn."""
        fewer, mixture = self.smaller(classes - 1, levels), self.smaller(classes, levels)
        parts, shares = fewer.divided(self.best(classes - 1, levels))
        problem, halved = mixture.problems[0], np.arange(self.starts // 2) % len(shares)
        drawn = class_starts(problem, self.alone(levels), len(halved), generator)
        made = []
        for number, (place, other) in enumerate(zip(halved, drawn, strict=True)):
            varied = parts[place] * (1 + 0.5 * generator.normal(size=len(other)))
            new = np.clip(varied, *problem.specification.bounds) if number % 2 else other
            half = np.where(np.arange(len(shares)) == place, shares / 2, shares)
            made.append(mixture.joined([*parts, new], np.append(half, 1 - half.sum())))
        return made
