"""Peak memory: how much do a fit in memory and a streamed fit take? Each runs in a fresh process:

    python -m lori.experiments.bench.memory memory|stream FILE LEVELS

prints JSON: resident memory after the imports (idle), its peak, the bytes of the data, and the seconds.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.data.reading.stream import open_stream
from lori.errors import FitError
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.experiments.bench.data import organ_pairs, write_organ_pairs
from lori.model.rewards import Linear

GIGABYTE = 1e9


@dataclass(frozen=True)
class MemorySettings:
    """How much is fitted."""

    pairs: int = 10_000_000
    """Pairs of two features that are fitted in memory."""
    streamed_pairs: tuple[int, ...] = (5_000_000, 50_000_000)
    """Pairs of two features that are streamed from a Parquet file; the largest must stay below 1.5 GB."""
    levels: int = 2
    """Levels to learn."""


SMOKE = MemorySettings(1_500, (300_000,), 1)


def measure(settings: MemorySettings) -> Measured:
    """The data are the arrays that `Preferences` holds: both sides, who met whom, and the counts."""
    measured = Measured()
    with TemporaryDirectory(prefix="lori-bench-") as folder:
        file = Path(folder) / "pairs.npy"
        pairs = organ_pairs(settings.pairs)
        won = pairs.left_won[:, None]
        np.save(file, np.stack([np.where(won, pairs.left, pairs.right), np.where(won, pairs.right, pairs.left)]))
        del pairs, won
        done = _in_fresh_process("memory", file, settings.levels)
        file.unlink()
        above = (done["peak"] - done["idle"]) / done["data"]
        sides = (done["peak"] - done["idle"]) / (settings.pairs * 4 * 8)
        note = f"peak above idle {above:.2f} × the data held ({sides:.2f} × the features of both sides alone)"
        measured.rows.append(_row(f"in memory, {settings.pairs:,} pairs", done, note))
        measured.claim("memory: peak above idle by the data, in memory", above, 3.0)
        for count in settings.streamed_pairs:
            file = Path(folder) / "pairs.parquet"
            write_organ_pairs(file, count)
            size = file.stat().st_size
            done = _in_fresh_process("stream", file, settings.levels)
            file.unlink()
            measured.rows.append(_row(f"streamed, {count:,} pairs", done, f"a file of {size / GIGABYTE:.2f} GB"))
        measured.claim("memory: peak of the largest streamed fit, GB", done["peak"] / GIGABYTE, 1.5)
    return measured


def _in_fresh_process(kind: str, file: Path, levels: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "lori.experiments.bench.memory", kind, str(file), str(levels)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise FitError(f"The {kind} fit of the memory case failed: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _row(contestant: str, done: dict[str, Any], note: str) -> Row:
    text = f"idle {done['idle'] / GIGABYTE:.2f} GB, peak {done['peak'] / GIGABYTE:.2f} GB; {note}"
    row = Row("peak memory", contestant, Seconds((done["seconds"],)), note=text + "; once, with compiling")
    return row.with_measures(**{name: done[name] for name in ("idle", "peak", "data")})


def peak() -> int:
    """Bytes of resident memory at its highest.

    Linux hands the figure of `getrusage` on from the process that started this one; the kernel's own mark for this
    process is right.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def fit(kind: str, file: str, levels: str) -> None:
    """The work of the fresh process."""
    import jax
    import pandas
    import pyarrow.parquet  # noqa: F401 (an import of the fit: part of the idle process)
    import scipy.optimize  # noqa: F401

    jax.devices()
    assert pandas.__version__
    idle, started = peak(), perf_counter()
    estimator = LORI(levels=int(levels), reward=Linear(increasing="all"), lapse=0, prior=None)
    size = 0
    if kind == "memory":
        left, right = np.load(file)
        preferences = Preferences.from_arrays(left, right)
        del left, right
        size = sum(value.nbytes for value in vars(preferences).values() if isinstance(value, np.ndarray))
        estimator.fit(preferences)
    else:
        estimator.fit(open_stream(file))
    done = {"idle": idle, "peak": peak(), "data": size, "seconds": perf_counter() - started}
    print(json.dumps({**done, "log_likelihood": estimator.log_likelihood_}))


if __name__ == "__main__":
    fit(*sys.argv[1:])
