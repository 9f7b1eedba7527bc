"""How does `lori reproduce` look to somebody at a terminal?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import typer

from lori.errors import InputError
from lori.experiments.results import paragraphs, run_study, table
from lori.experiments.study import Study, available, find

SEEDS, SMOKE_SEEDS = 5, 2


def reproduce(
    names: list[str],
    out: Path,
    *,
    seeds: int | None,
    smoke: bool,
    jobs: int,
    registry: Path | None = None,
    year: int | None = None,
) -> None:
    """Carry out some studies, or all; show each table as it ends, and where its files are."""
    if registry is None and year is None:
        studies = [find(each) for each in (available() if "all" in names else names)]
    else:
        studies = [_of_registry(names, registry, year)]
    if smoke:
        typer.echo("Smoke run: sizes are tiny, so the figures say nothing.\n")
    if seeds is None:
        seeds = SMOKE_SEEDS if smoke else SEEDS
    for study in studies:
        _one(study, out, seeds, smoke, jobs)


def _of_registry(names: list[str], registry: Path | None, year: int | None) -> Study:
    if names != ["organ"] or registry is None:
        raise InputError(
            "--registry and --year", expected="the study organ and a registry's file",
            got=f"{' '.join(names)} and {'no file' if registry is None else 'a file'}",
            fix="write: lori reproduce organ --registry FILE --year 2019 --out DIR",
        )  # fmt: skip
    from lori.experiments.organ import registry_study

    return registry_study(registry, *([] if year is None else [year]))


def _one(study: Study, out: Path, seeds: int, smoke: bool, jobs: int) -> None:
    started = perf_counter()
    try:
        with _progress(study.name) as progress:
            result = run_study(study, out, seeds=seeds, smoke=smoke, jobs=jobs, say=_say, progress=progress)
    except KeyboardInterrupt:
        _say(f"Stopped: the cells that were done are in {out / study.name}.cells; the same command goes on from there.")
        sys.stdout.flush()
        os._exit(130)  # leaving in the usual way would wait for compiled work, which cannot be interrupted
    files = ", ".join(f"{study.name}.{kind}" for kind in ("json", "md", "png"))
    typer.echo(f"{study.name}: {study.title}\n\n{table(result)}\n")
    for paragraph in paragraphs(result):
        typer.echo(f"{paragraph}\n")
    typer.echo(f"Wrote {files} to {out} after {perf_counter() - started:.0f} s\n")


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int], None]]:
    """A bar where somebody is watching."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
