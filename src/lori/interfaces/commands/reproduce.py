"""`lori reproduce`: the paper's experiments again, with its figures beside ours."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from lori.errors import InputError
from lori.interfaces.commands.console import progress_bar, say, shown, single_threads, stop

if TYPE_CHECKING:
    from lori.experiments.study import Study

SEEDS, SMOKE_SEEDS = 5, 2


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Studies: table1 to table5, figure2, expressive, organ, mechanisms, organ_sets, levels, age, readings or all.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for NAME.json, NAME.md, NAME.png and the work in between.")] = Path(
        "out"
    ),
    seeds: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="Repeats (default: 5, or 2 with --smoke).")
    ] = None,
    first_seed: Annotated[int, typer.Option(min=0, max=1_000_000_000, help="The seed of the first repeat.")] = 0,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another value of a setting (docs/provenance.md has all)."),
    ] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="Tiny sizes, seconds each: does everything run?")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=1_000, help="Seeds worked on at the same time.")] = 2,
    registry: Annotated[
        Path | None, typer.Option(help="A liver registry's own file (organ; default: a made-up one).")
    ] = None,
    year: Annotated[int | None, typer.Option(help="The year of the registry to study (default: 2019).")] = None,
) -> None:
    """Repeat an experiment of the paper, with its figures beside ours; a stopped run goes on where it stopped."""
    if jobs > 1:
        single_threads()
    from lori.experiments.study import available, find

    if registry is None and year is None:
        studies = [find(each) for each in (available() if "all" in names else names)]
    else:
        studies = [_of_registry(names, registry, year)]
    asked = dict(_parted(each) for each in changes or [])
    studies = [study.changed(asked) for study in studies]
    if smoke:
        typer.echo("Smoke run: sizes are tiny, so the figures say nothing.\n")
    if seeds is None:
        seeds = SMOKE_SEEDS if smoke else SEEDS
    for study in studies:
        carry_out(study, out, seeds=seeds, first=first_seed, smoke=smoke, jobs=jobs)


def carry_out(study: Study, out: Path, *, seeds: int, first: int, smoke: bool, jobs: int) -> None:
    """One study: its table as it ends, and where its files are."""
    from lori.experiments.results import paragraphs, run_study, table

    started = perf_counter()
    try:
        with progress_bar(study.name) as progress:
            result = run_study(study, out, seeds=seeds, first=first, smoke=smoke, jobs=jobs, say=say, progress=progress)
    except KeyboardInterrupt:
        kept = shown(out / study.name)
        stop(f"Stopped: the cells that were done are in {kept}.cells; the same command goes on from there.")
    files = ", ".join(f"{study.name}.{kind}" for kind in ("json", "md", "png"))
    typer.echo(f"{study.name}: {study.title}\n\n{table(result)}\n")
    for paragraph in paragraphs(result):
        typer.echo(f"{paragraph}\n")
    typer.echo(f"Wrote {files} to {shown(out)} after {perf_counter() - started:.0f} s\n")


def _parted(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError("--set", expected="NAME=VALUE", got=repr(text), fix="write: --set prior_degrees=3")
    return name, value


def _of_registry(names: list[str], registry: Path | None, year: int | None) -> Study:
    if names != ["organ"] or registry is None:
        raise InputError(
            "--registry and --year", expected="the study organ and a registry's file",
            got=f"{' '.join(names)} and {'no file' if registry is None else 'a file'}",
            fix="write: lori reproduce organ --registry FILE --year 2019 --out DIR",
        )  # fmt: skip
    from lori.experiments.organ import registry_study

    return registry_study(registry, *([] if year is None else [year]))
