"""`lori bench`: how fast and how good is LORI beside its peers?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="organ, logit, bradley-terry, scaling, memory, dask, agents, srmp, posterior, cache (default: these); calibration, recovery, levels, questions.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for bench.json, or NAME.json if one is named.")] = Path("out"),
    smoke: Annotated[bool, typer.Option("--smoke", help="Tiny sizes, under a minute: does everything run?")] = False,
    repeats: Annotated[
        int | None, typer.Option(help="Rounds of each contest (default: each case has its own).")
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

    run(names or [], out, smoke=smoke, repeats=repeats, long=long, say=typer.echo)
