"""Passes: how often does a fit go over all rows, for what, and in which precision?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Outcome
from lori.inference.blocks import Evaluation
from lori.inference.fitting import fit_source
from lori.inference.search.search import LARGE_ROWS
from lori.inference.sources.memory import Memory
from lori.inference.statistics import Scaling, Statistics
from lori.model.specification import Specification

WHAT = ("values", "a gradient", "a curvature")


class Pass(NamedTuple):
    """What one is for."""

    levels: int
    single_precision: bool
    order: int

    def __str__(self) -> str:
        levels = "1 level" if self.levels == 1 else f"{self.levels} levels"
        return f"{WHAT[self.order]} of {levels} in {'single' if self.single_precision else 'double'} precision"


@dataclass(frozen=True, eq=False)
class Counted(Memory):
    """Rows in memory whose passes are counted, whoever looks at all of them."""

    all_rows: int = 0
    passes: Counter[Pass] = field(default_factory=Counter)

    def evaluate(self, specification: Specification, scaling: Scaling, vectors: np.ndarray, order: int) -> Evaluation:
        if self.rows == self.all_rows:
            own = Pass(specification.levels, specification.likelihood.single_precision, order)
            self.passes[own] += vectors.shape[1]
        return super().evaluate(specification, scaling, vectors, order)


def passes_of(fitted: LORI, data: Preferences) -> Counter[Pass]:
    """Those of the same fit, done once more."""
    assert fitted.settings_ is not None
    observations = fitted.settings_.specification.likelihood.observed(data)
    source = Counted((observations,), once=True, all_rows=observations.rows)
    fit_source(fitted.settings_, source, [Statistics.of(data)], [data])
    return source.passes


def add_passes(outcome: Outcome, contestant: str, fitted: LORI, data: Preferences) -> None:
    """Into the line of the contestant. Of few rows there are no samples: every step sees all of them."""
    if len(data) > LARGE_ROWS:
        passes = passes_of(fitted, data)
        outcome.add(contestant, told(passes), passes=passes.total())


def told(passes: Counter[Pass]) -> str:
    """In the order in which a fit needs them: from fewer levels and less precision to more.

    >>> told(Counter({Pass(2, False, 2): 1, Pass(1, True, 1): 2}))
    '3 passes over all rows: a gradient of 1 level in single precision × 2, a curvature of 2 levels in double precision'
    """
    order = sorted(passes, key=lambda own: (own.levels, not own.single_precision, own.order))
    each = [f"{own} × {passes[own]}" if passes[own] > 1 else str(own) for own in order]
    return f"{passes.total()} {'pass' if passes.total() == 1 else 'passes'} over all rows: {', '.join(each)}"
