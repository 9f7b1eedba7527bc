"""`lori bench`: how fast and how good is LORI beside its peers?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lori.interfaces.commands.console import progress_bar, say, stop

CASES = """Speed, if none is named: organ, logit, features, bradley-terry, scaling, memory, stream, dask, agents, sets, srmp, posterior, cache, start.
 Right answers: calibration, coverage, recovery, levels, third-levels, people, populations, questions, set-recovery, set-coverage.
 Populations: population-hierarchy, -lexicographic, -classes, -careless, -panel, -train, -tversky, -scale.
 Interviews: interview, elicit. Policies: planning, q-learning, actor-critic, off-policy, occupation."""  # tests: all of experiments.bench.run


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help=CASES,
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for bench.json, or NAME.json if one is named.")] = Path("out"),
    smoke: Annotated[bool, typer.Option("--smoke", help="Tiny sizes, under a minute: does everything run?")] = False,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1, max=10_000, help="Rounds of each contest, runs of people (default: each case has its own)."
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Data sets or batches worked on at the same time (default: 2).")
    ] = None,
    long: Annotated[
        bool,
        typer.Option(
            "--long",
            help="Run the paper's procedure on all pairs in organ (a quarter of an hour), instead of estimating it.",
        ),
    ] = False,
) -> None:
    """Measure LORI against its peers, side by side in one run: a table of ratios, and a JSON file."""
    from lori.experiments.bench.run import run

    chosen = names or []
    try:
        run(
            chosen, out, smoke=smoke, repeats=repeats, long=long, jobs=jobs,
            say=typer.echo, warn=say, bar=progress_bar,
        )  # fmt: skip
    except KeyboardInterrupt:
        from lori.experiments.bench.run import CASES

        kept = [name for name in chosen if name in CASES and CASES[name].resumes]
        if not kept:
            raise
        stop(f"Stopped: what was done of {kept[-1]} is in {out}/{kept[-1]}.cells; the same command goes on there.")
