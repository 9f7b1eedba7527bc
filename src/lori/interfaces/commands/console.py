"""Console: how do results reach somebody at a terminal, and a program that reads the output?

Text and tables, JSON, a spinner and a bar where somebody is watching.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lori.interfaces.commands.options import AsJson
from lori.language.answer import threshold_interval, threshold_text
from lori.language.names import label
from lori.language.numbers import NONE, counted
from lori.language.sentence import listed

if TYPE_CHECKING:
    import pandas

    from lori.estimators.lori import LORI
    from lori.language.results import LevelSummary, Summary

COLUMNS = ("agent", "first", "threshold", "95 % interval", "then", "log-lik.", "last level", "notes")
TOLD = ("separation", "one-sided", "unidentified")  # notes that concern single agents


@contextmanager
def working(text: str) -> Iterator[Callable[[str], None]]:
    """A spinner where somebody is watching; what it yields changes the text beside it."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield status.update


@contextmanager
def progress_bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """A bar where somebody is watching; what it yields takes how much is done, and of how much."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def print_json(content: Any) -> None:
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def show_summary(estimator: LORI) -> None:
    """Compact and coloured where a person looks at a terminal, the whole summary elsewhere."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        typer.echo(str(estimator.summary()))
        return
    from lori.interfaces.commands.terminal import print_compact

    print_compact(estimator.summary())


@dataclass(frozen=True)
class TableOptions:
    """Where a table with a row for each pair goes."""

    out: Annotated[Path | None, typer.Option(help="Write a table (.csv or .parquet) instead of printing it.")] = None
    as_json: AsJson = False

    def show(self, table: pandas.DataFrame) -> None:
        """Print or write the table, its rows numbered from 1."""
        table.insert(0, "pair", range(1, len(table) + 1))
        if self.out is not None:
            from lori.data.writing import write_table

            write_table(table, self.out)
            typer.echo(f"Wrote {len(table):,} rows to {self.out}")
        elif self.as_json:
            typer.echo(table.to_json(orient="records", indent=2, double_precision=15))
        else:
            table.to_csv(sys.stdout, index=False, float_format="%.6g")


def agents_table(fitted: dict[str, LORI]) -> str:
    """A row for each agent: what comes first, its threshold, what comes then, and whether that is supported."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for agent, model in fitted.items():
        rows.append(_row(agent, model.summary()))
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    total = sum(model.log_likelihood_ for model in fitted.values())
    lines.append(f"\n{counted(len(fitted), 'agent')}, summed log-likelihood {total:.2f}")
    return "\n".join([*lines, *_shared_notes(fitted)])


def _row(agent: str, summary: Summary) -> tuple[str, ...]:
    first, *rest = summary.levels
    counts = bool(rest) and bool(first.leading)
    own = [] if summary.status.converged else ["not converged"]
    own += [note.code for note in summary.status.notes if note.code in TOLD]
    return (
        label(agent),
        _led_by(first),
        threshold_text(first, first.leading[0]) if counts else NONE,
        threshold_interval(first, first.leading[0]) if counts else NONE,
        ", then ".join(_led_by(level) for level in rest) or NONE,
        f"{summary.log_likelihood:.2f}",
        summary.support.verdict if summary.support else NONE,
        ", ".join(dict.fromkeys(own)),
    )


def _led_by(level: LevelSummary) -> str:
    return listed(level.leading) or NONE


def _shared_notes(fitted: dict[str, LORI]) -> list[str]:
    """Notes that hold for every agent are said once."""
    common: list[str] | None = None
    for model in fitted.values():
        texts = [str(note) for note in model.status_.notes]
        common = texts if common is None else [text for text in common if text in texts]
    return [f"Note: {text}" for text in common or []]
