"""`lori compare`: which method predicts the choices in a file best, and which differences are real?"""

from __future__ import annotations

from typing import Annotated

import typer

from lori.errors import printable
from lori.interfaces.commands.console import print_json, progress_bar, remark
from lori.interfaces.commands.options import AsJson, DataOptions, Files, Seed, listed


def compare(
    files: Files,
    *,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods, separated by commas, e.g. CP-net,T-REX (default: all); LORI is always there."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, max=100, help="Parts of the data that are predicted in turn.")] = 5,
    seed: Seed = 0,
    as_json: AsJson = False,
    data: DataOptions,
) -> None:
    """Cross-validate every method of the paper's table 1 that learns from preferences, LORI among them, on a file."""
    from lori.evaluation.methods import compare_methods

    observed, dropped = data.read(files, ties="observed", say=remark)
    if dropped:
        remark(f"{dropped:,} with nothing but equal alternatives were left out.")
    with progress_bar("methods") as progress:
        found = compare_methods(observed, listed(methods) or None, folds=folds, seed=seed, progress=progress)
    if as_json:
        print_json(found.to_dict())
        return
    for line in str(found).splitlines():
        typer.echo(printable(line))
