"""How much memory does one fit take? Run in a process of its own.

    python -m lori.experiments.bench.probe memory|stream FILE LEVELS

Prints JSON: resident memory after the imports (idle), its peak, the bytes of the data, and the seconds.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from lori.data.preferences import Preferences
from lori.data.reading.stream import open_stream
from lori.estimators.lori import LORI
from lori.estimators.streams import fit_stream
from lori.model.rewards import Linear


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


def main(kind: str, file: str, levels: str) -> None:
    import jax
    import pandas
    import pyarrow.parquet  # noqa: F401 (an import of the fit: part of the idle process)
    import scipy.optimize  # noqa: F401

    jax.devices()
    assert pandas.__version__
    idle, started = peak(), perf_counter()
    estimator = LORI(levels=int(levels), reward=Linear(increasing="all"), prior=None)
    size = 0
    if kind == "memory":
        left, right = np.load(file)
        preferences = Preferences.from_arrays(left, right)
        del left, right
        held = [getattr(preferences, name) for name in ("alternatives", "left", "right", "wins", "losses", "ties")]
        size = sum(array.nbytes for array in held)
        estimator.fit(preferences)
    else:
        fit_stream(estimator, open_stream(file))
    done = {"idle": idle, "peak": peak(), "data": size, "seconds": perf_counter() - started}
    print(json.dumps({**done, "log_likelihood": estimator.log_likelihood_}))


if __name__ == "__main__":
    main(*sys.argv[1:])
