"""Streams: rows on disk, more than memory holds. Every pass reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.data.reading.stream import PreferenceStream
from lori.errors import InputError
from lori.inference.blocks import Evaluation, begun
from lori.inference.plain import keep_memory
from lori.inference.search.search import LARGE_ROWS
from lori.inference.sources.memory import Memory, Source
from lori.inference.statistics import SAMPLE, Scaling, Statistics
from lori.inference.threads import core, shared
from lori.model.likelihoods import Likelihood, Observations
from lori.model.specification import Specification

Progress = Callable[[int, float], None]
"""Called after each pass over all rows, with the number of passes and the best log-likelihood in it."""


def _numbered(parts: Iterator[Preferences], start: int) -> Iterator[tuple[int, Preferences]]:
    """`enumerate` alone would hold its last part for as long as somebody holds it."""
    yield from enumerate(parts, start)


@dataclass(frozen=True)
class First:
    """What the first pass over a part of the data leaves behind."""

    statistics: Statistics
    rows: int
    drawn: Observations

    @classmethod
    def of(cls, preferences: Preferences, share: float, likelihood: Likelihood, seed: int) -> First:
        """`share`: which part of all pairs to draw, at random, for the search."""
        observations = likelihood.observed(preferences)
        sampled = max(1, round(SAMPLE * share))
        drawn = observations.sample(max(1, round(LARGE_ROWS * share)), np.random.default_rng(seed))
        return cls(Statistics.of(preferences, sampled), observations.rows, drawn)

    def __add__(self, other: First) -> First:
        return First(self.statistics + other.statistics, self.rows + other.rows, self.drawn + other.drawn)

    def relative(self) -> dict[str, Any]:
        """Fields of `Passes`: rows, those that were drawn, and what makes weights average one."""
        factor = self.statistics.weight_factor
        return {"rows": self.rows, "drawn": Memory((self.drawn.multiplied(factor),)), "factor": factor}


@dataclass(eq=False, kw_only=True)
class Passes:
    """Rows that are not in memory, but for the drawn ones, which stand for all in the search; passes are counted."""

    likelihood: Likelihood
    rows: int
    drawn: Memory
    factor: float = 1.0  # by which weights are multiplied, so that they average one
    progress: Progress | None = None
    passes: int = 1
    groups: int = 1
    best: float = -np.inf  # log-likelihood of all passes so far

    def sample(self, rows: int, generator: np.random.Generator) -> Memory:
        return self.drawn.sample(rows, generator)

    def reweighted(self, weights: Sequence[np.ndarray]) -> Source:
        raise InputError(
            "data", expected="data in memory, to be weighted observation by observation", got="a stream",
            fix="read the files into memory",
        )  # fmt: skip

    def _passed(self, parts: Iterable[Evaluation]) -> Evaluation:
        """The sum over all parts, once more."""
        first, *others = parts
        total = sum(others, start=first).mapped(lambda part: part * self.factor)
        self.passes += 1
        self.best = max(self.best, -float(np.nan_to_num(total.value, nan=np.inf).min()))
        if self.progress:
            self.progress(self.passes, self.best)
        return total


@dataclass(eq=False, kw_only=True)
class Stream(Passes):
    """Rows in Parquet files."""

    pairs: PreferenceStream

    @classmethod
    def open(
        cls, pairs: PreferenceStream, likelihood: Likelihood, progress: Progress | None = None
    ) -> tuple[Statistics, Stream]:
        """Read everything once."""
        before = accumulate((piece.parts for piece in pairs.pieces), initial=0)
        numbered = [_numbered(parts, start) for parts, start in zip(pairs.by_piece(), before, strict=False)]

        def own(numbered: tuple[int, Preferences]) -> First:
            number, part = numbered
            return First.of(part, len(part) / pairs.n_pairs, likelihood, number)

        first, *others = shared(own, numbered)
        first = sum(others, start=first)
        return first.statistics, cls(pairs=pairs, likelihood=likelihood, progress=progress, **first.relative())

    def evaluate(self, specification: Specification, scaling: Scaling, vectors: np.ndarray, order: int) -> Evaluation:
        keep_memory()  # every part needs as much as the last one

        def own(part: Preferences) -> Evaluation:
            return begun(specification, scaling, [self.likelihood.observed(part)], vectors, order, lane=core())()

        return self._passed(shared(own, self.pairs.by_piece()))

    def only(self, group: int) -> Source:
        return self
