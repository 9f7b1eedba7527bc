"""Start: how long does one wait for `lori fit` and `lori predict`, beside the time that importing JAX and pandas takes?

Wall time of whole commands, Python's start included, by turns. In a Python process a second fit, of another number of
pairs, must not wait for anything that the first has waited for. Modules are compiled to bytecode beforehand, as pip
does.
"""

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

IMPORTS, FIT, PREDICT, COLD = "import jax, pandas", "lori fit, warm", "lori predict, warm", "lori fit, clean cache"
AGAIN = "a second fit of fewer pairs, in Python"
TWICE = """
import sys, time, lori
pairs, levels, fewer = lori.read(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for some in (pairs, pairs[:fewer]):
    started = time.perf_counter()
    lori.LORI(levels=levels).fit(some)
    print(time.perf_counter() - started)
"""


@dataclass(frozen=True)
class StartSettings:
    """What is fitted and predicted."""

    pairs: int = 1_000
    """Pairs of two features in a CSV file."""
    fewer: int = 700
    """Pairs of the second fit in a Python process."""
    levels: int = 2
    """Levels to learn."""
    repeats: int = 5
    """Rounds."""


SMOKE = StartSettings(100, 70, 1, 1)


def measure(settings: StartSettings) -> Measured:
    """Four commands by turns, and two fits in one process."""
    truth = OrderedModel.linear([[2.0, 0.2], [0.3, 3.0]], epsilon=[1.5, 0.0], features=["first", "second"])
    with TemporaryDirectory(prefix="lori-bench-") as folder:
        file, model, warm = Path(folder) / "pairs.csv", Path(folder) / "model.json", Path(folder) / "warm"
        write_pairs(simulate(truth, settings.pairs, seed=0), file)
        clean = (Path(folder) / f"cache{number}" for number in count())
        fit = ["-m", "lori", "fit", str(file), "--levels", str(settings.levels)]
        _python([*fit, "--save", str(model)], warm)
        more = settings.repeats > 1  # files of Python itself are then read from memory by all
        outcome = hold(
            f"start, {settings.pairs:,} pairs",
            [
                Contestant(IMPORTS, lambda: _python(["-c", IMPORTS], warm), warm=more),
                Contestant(FIT, lambda: _python(fit, warm), warm=more),
                Contestant(PREDICT, lambda: _python(["-m", "lori", "predict", str(model), str(file)], warm), warm=more),
                Contestant(COLD, lambda: _python(fit, next(clean)), warm=False, note="nothing is compiled beforehand"),
                Contestant(
                    AGAIN,
                    lambda: _python(["-c", TWICE, str(file), str(settings.levels), str(settings.fewer)], warm),
                    warm=more,
                    note="the whole process",
                ),
            ],
            settings.repeats,
        )
    first, second = map(float, outcome.answers[AGAIN].split())
    outcome.add(AGAIN, f"first fit {first:.2f} s, second {second:.2f} s", first=first, second=second)
    measured = Measured(outcome.rows)
    measured.claim("start: a warm fit by the imports", outcome.relative(FIT, IMPORTS), 1.5)
    measured.claim("start: a warm prediction by the imports", outcome.relative(PREDICT, IMPORTS), 0.5)
    measured.claim("start: a fit on a clean cache by the imports", outcome.relative(COLD, IMPORTS), 6.0)
    measured.claim("start: a second fit of fewer pairs by the first", second / first, 1.5)
    return measured


def _python(arguments: list[str], cache: Path) -> str:
    """What a process of its own prints; settings of JAX that this process has made do not reach it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "PYTHONDONT"))}
    bytecode = str(cache.parent / "bytecode")
    kept = {**environment, "LORI_CACHE": str(cache), "JAX_PLATFORMS": "cpu", "PYTHONPYCACHEPREFIX": bytecode}
    done = subprocess.run([sys.executable, *arguments], env=kept, capture_output=True, text=True)
    if done.returncode:
        raise FitError(f"{' '.join(arguments[:3])} failed in the case start: {done.stderr.strip()}")
    return done.stdout
