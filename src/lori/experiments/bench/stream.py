"""Streams: how fast is a pass over pairs in a Parquet file, beside PyArrow's reading of that file?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from lori.data.reading.stream import open_stream
from lori.experiments.bench.contest import Contestant, Measured, hold
from lori.experiments.bench.data import TRUTH_EPSILON, TRUTH_WEIGHTS, write_organ_pairs
from lori.inference.problem import Problem
from lori.inference.sources.stream import Stream
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.rewards import Linear
from lori.model.specification import Specification

BATCHES, TABLE = "PyArrow, in batches", "PyArrow, as one table"
GRADIENT, CURVATURE = "LORI, 2 levels, gradient", "LORI, 2 levels, curvature"
BATCH = 1 << 18
SHARE = 0.6  # of PyArrow's rate


@dataclass(frozen=True)
class StreamSettings:
    """What is streamed."""

    pairs: int = 50_000_000
    """Pairs of two features in one file, which the system keeps in memory if it can."""
    repeats: int = 3
    """Rounds of the contest."""


SMOKE = StreamSettings(pairs=3_000, repeats=1)


def measure(settings: StreamSettings) -> Measured:
    """A pass reads the file, checks every cell, and adds up value and derivatives."""
    import pyarrow.parquet

    with TemporaryDirectory(prefix="lori-bench-") as folder:
        file = Path(folder) / "pairs.parquet"
        write_organ_pairs(file, settings.pairs)
        likelihood = Pairs("split")
        statistics, source = Stream.open(open_stream(file), likelihood)
        features = statistics.sample.features
        specification = Specification((Linear(),) * 2, (None, None), (1.0, 1.0), likelihood, features)
        scaling = Scaling.within(specification, statistics.moments)
        problem = Problem(specification, source, scaling)
        at = np.append((TRUTH_WEIGHTS * scaling.scale).ravel(), TRUTH_EPSILON)[None, None]

        def batches() -> int:
            with pyarrow.parquet.ParquetFile(file) as content:
                return sum(len(batch) for batch in content.iter_batches(batch_size=BATCH))

        outcome = hold(
            f"stream, {settings.pairs:,} pairs",
            [
                Contestant(BATCHES, batches),
                Contestant(TABLE, lambda: len(pyarrow.parquet.read_table(file))),
                Contestant(GRADIENT, lambda: problem.evaluate(at, order=1), note="a pass"),
                Contestant(CURVATURE, lambda: problem.evaluate(at, order=2), note="a pass"),
            ],
            settings.repeats,
        )
    measured = Measured(outcome.rows)
    for own in (GRADIENT, CURVATURE):
        slowest = max(outcome.relative(own, peer) or 0.0 for peer in (BATCHES, TABLE))
        measured.claim(f"stream: rate of a pass ({own}) by PyArrow's at its best", 1 / slowest, SHARE, at_least=True)
    return measured
