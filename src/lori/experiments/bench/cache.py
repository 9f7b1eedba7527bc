"""Cache of compiled code: how long does `lori fit` of a small file take on a clean folder, and the second time?"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from lori.data.writing import write_pairs
from lori.errors import FitError
from lori.experiments.bench.contest import Contestant, Measured, hold
from lori.model.ordered import OrderedModel
from lori.model.simulation import simulate

FIRST, SECOND = "first, clean cache", "second"


@dataclass(frozen=True)
class CacheSettings:
    """What is fitted from the command line."""

    pairs: int = 10_000
    """Pairs of two features in a CSV file: more than NumPy fits by itself."""
    levels: int = 2
    """Levels to learn."""
    repeats: int = 3
    """Rounds, each with a new cache folder."""


SMOKE = CacheSettings(100, 1, 1)


def measure(settings: CacheSettings) -> Measured:
    """Wall time of the whole command, Python's start included."""
    truth = OrderedModel.linear([[2.0, 0.2], [0.3, 3.0]], epsilon=[1.5, 0.0], features=["first", "second"])
    with TemporaryDirectory(prefix="lori-bench-") as folder:
        file = Path(folder) / "pairs.csv"
        write_pairs(simulate(truth, settings.pairs, seed=0), file)
        caches, latest = count(), [Path(folder)]

        def first() -> None:
            latest[0] = Path(folder) / f"cache{next(caches)}"
            _fit(file, settings.levels, latest[0])

        warm = settings.repeats > 1  # files of Python itself are then read from memory by both
        outcome = hold(
            f"lori fit, {settings.pairs:,} pairs",
            [
                Contestant(FIRST, first, warm=warm, note="compiles"),
                Contestant(SECOND, lambda: _fit(file, settings.levels, latest[0]), warm=warm),
            ],
            settings.repeats,
        )
    measured = Measured(outcome.rows)
    measured.claim("cache: the second fit by the first", outcome.relative(SECOND, FIRST), 0.5)
    return measured


def _fit(file: Path, levels: int, cache: Path) -> None:
    """The command in a process of its own; settings of JAX that this process has made do not reach it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    command = [sys.executable, "-m", "lori", "fit", str(file), "--levels", str(levels), "--quiet"]
    done = subprocess.run(command, env={**environment, "LORI_CACHE": str(cache)}, capture_output=True, text=True)
    if done.returncode:
        raise FitError(f"lori fit failed in the cache case: {done.stderr.strip()}")
