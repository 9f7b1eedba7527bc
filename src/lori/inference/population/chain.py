"""Chain: from where does a search for classes start? From the best classes with one less, and with a level less each.

Searches for smaller models are quicker, and their ends are near good optima of larger ones. Each is made once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lori.inference.fitting import solve_nested
from lori.inference.population.classes import Mixture
from lori.inference.population.search import Classes, class_starts, find_classes
from lori.inference.problem import Problem
from lori.inference.search.search import Found
from lori.inference.search.starts import insertions

POOLED_STARTS = 16  # of the search for all people together, where classes start from
FEWEST = 4  # starts of a smaller model
Starts = list[np.ndarray]


@dataclass(frozen=True, eq=False)
class Chain:
    """Classes that are all of one kind, on the same agents."""

    mixture: Mixture
    starts: int
    generator: np.random.Generator
    found: dict[tuple[int, int], Classes] = field(default_factory=dict)
    pooled: dict[int, Found] = field(default_factory=dict)

    def given(self, classes: int, levels: int) -> Starts:
        """Starts for so many classes with so many levels."""
        if classes < 2:
            return []
        further = self._with_another_class(classes, levels) if classes > 2 else []
        return further + (self._with_another_level(classes, levels) if levels > 1 else [])

    def best(self, classes: int, levels: int) -> Classes:
        """The best classes of a smaller model."""
        if (classes, levels) not in self.found:
            self.found[classes, levels] = find_classes(
                self.smaller(classes, levels),
                [self.alone(levels)] * classes,
                starts=max(self.starts // 2, FEWEST),
                generator=self.generator,
                given=self.given(classes, levels),
                rounds=2,
            )
        return self.found[classes, levels]

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

    def _with_another_level(self, classes: int, levels: int) -> Starts:
        """The best classes with one level less, each with another one, faint or strong, at each place."""
        fewer, mixture = self.smaller(classes, levels - 1), self.smaller(classes, levels)
        parts, shares = fewer.divided(self.best(classes, levels - 1).vector)
        specification = mixture.problems[0].specification
        more = [
            insertions(specification, part[None], own)[0]
            for part, own in zip(parts, self.generator.spawn(classes), strict=True)
        ]
        return [
            mixture.joined([own[(kind + shift * place) % len(own)] for place, own in enumerate(more)], shares)
            for kind in range(max(map(len, more)))
            for shift in (0, 1)
        ]

    def _with_another_class(self, classes: int, levels: int) -> Starts:
        """The best classes with one less, and another one that takes half of each in turn."""
        fewer, mixture = self.smaller(classes - 1, levels), self.smaller(classes, levels)
        parts, shares = fewer.divided(self.best(classes - 1, levels).vector)
        problem, halved = mixture.problems[0], np.arange(self.starts // 2) % len(shares)
        drawn = class_starts(problem, self.alone(levels), len(halved), self.generator)
        made = []
        for number, (place, other) in enumerate(zip(halved, drawn, strict=True)):
            varied = parts[place] * (1 + 0.5 * self.generator.normal(size=len(other)))
            new = np.clip(varied, *problem.specification.bounds) if number % 2 else other
            half = np.where(np.arange(len(shares)) == place, shares / 2, shares)
            made.append(mixture.joined([*parts, new], np.append(half, 1 - half.sum())))
        return made
