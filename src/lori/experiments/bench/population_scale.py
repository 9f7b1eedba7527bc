"""Many people: how long do classes of a hundred thousand agents take, beside one model for all, and in what memory?

The fit runs in a fresh process, whose peak memory is its own:

    python -m lori.experiments.bench.population_scale AGENTS CHOICES CLASSES

prints JSON: memory after fits of a tenth of the agents (idle) and at the peak of the fit of classes, the bytes of the
data, and seconds of both fits.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from lori.errors import FitError
from lori.estimators.lori import LORI
from lori.estimators.population import Population
from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.experiments.bench.memory import GIGABYTE, peak
from lori.experiments.bench.population_classes import KINDS, SHARES, answers


@dataclass(frozen=True)
class ScaleSettings:
    """How many people."""

    agents: tuple[int, ...] = (10_000, 100_000)
    """In each fit; the last one is judged."""
    choices: int = 10
    """Of each agent."""
    classes: int = 3
    """Classes of two levels."""


SMOKE = ScaleSettings(agents=(300,), choices=5, classes=2)


def measure(settings: ScaleSettings) -> Measured:
    measured, times = Measured(), []
    for agents in settings.agents:
        done = in_fresh_process(agents, settings.choices, settings.classes)
        times.append(done["classes"] / agents)
        case = f"{agents:,} agents × {settings.choices} choices"
        above = (done["peak"] - done["idle"]) / done["data"]
        note = f"idle {done['idle'] / GIGABYTE:.2f} GB, peak {done['peak'] / GIGABYTE:.2f} GB: {above:.1f} × the data"
        measured.rows.append(Row(case, "one model for all", Seconds((done["single"],)), 1.0))
        ratio = done["classes"] / done["single"]
        shares = ", ".join(f"{share:.3f}" for share in done["shares"])
        measured.rows.append(
            Row(case, f"{settings.classes} classes", Seconds((done["classes"],)), ratio, f"{note}; shares {shares}")
        )
    measured.claim("population-scale: classes by one model for all", ratio, 15.0)
    measured.claim("population-scale: peak above idle by the data", above, 3.0)
    if len(times) > 1:
        measured.claim("population-scale: seconds of an agent, most by fewest", times[-1] / times[0], 1.0)
    return measured


def in_fresh_process(agents: int, choices: int, classes: int) -> dict[str, Any]:
    numbers = map(str, (agents, choices, classes))
    command = [sys.executable, "-m", "lori.experiments.bench.population_scale", *numbers]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise FitError(f"The fit of many agents failed: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])


def fit(agents: str, choices: str, classes: str) -> None:
    """The work of the fresh process; both fits run before they are timed, on a tenth of the agents.

    Fewer would not do: on few choices nothing is compiled, and compiled code takes hundreds of megabytes once.
    """
    few, _ = answers(KINDS, SHARES, max(300, int(agents) // 10), int(choices), seed=1)
    LORI(levels=2).fit(few)
    Population(classes=int(classes), levels=2).fit(few)
    idle = peak()
    data, _ = answers(KINDS, SHARES, int(agents), int(choices), seed=0)
    size = sum(value.nbytes for value in vars(data).values() if isinstance(value, np.ndarray))
    started = perf_counter()
    people = Population(classes=int(classes), levels=2).fit(data)
    done = {"idle": idle, "data": size, "classes": perf_counter() - started, "peak": peak()}
    started = perf_counter()
    LORI(levels=2).fit(data)
    print(json.dumps({**done, "single": perf_counter() - started, "shares": people.shares_.tolist()}))


if __name__ == "__main__":
    fit(*sys.argv[1:])
