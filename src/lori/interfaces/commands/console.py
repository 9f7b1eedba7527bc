"""Console: how do results reach somebody at a terminal, and a program that reads the output?

Text and tables, JSON, a spinner and a bar where somebody is watching.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from lori.errors import printable
from lori.interfaces.commands.options import AsJson

if TYPE_CHECKING:
    import numpy as np

    from lori.estimators.lori import LORI


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


def say(sentence: str) -> None:
    """Something beside the result: it goes to standard error."""
    typer.echo(printable(sentence), err=True)


def remark(sentence: str) -> None:
    """What somebody should know before trusting a result."""
    say(f"Note: {sentence}")


def single_threads() -> None:
    """Products of small matrices on one processor each: more threads would only wait for each other.

    To be called before NumPy is imported, by commands that have work for every processor anyhow.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def stop(sentence: str) -> NoReturn:
    """Say it and leave at once: in the usual way one would wait for compiled work, which cannot be interrupted."""
    say(sentence)
    sys.stdout.flush()
    os._exit(130)


def shown(name: Any) -> str:
    """The name of a file or a column as a terminal may print it."""
    return printable(str(name))


def print_json(content: Any) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    typer.echo("\n".join(map(printable, text.splitlines())) if sys.stdout.isatty() else text)


def show_summary(estimator: LORI, full: bool = False) -> None:
    """Compact and coloured where a person looks at a terminal, the whole summary elsewhere, or where it is asked for."""
    if full or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        typer.echo(str(estimator.summary()))
        return
    from lori.interfaces.commands.terminal import print_compact

    print_compact(estimator.summary())


@dataclass(frozen=True)
class TableOptions:
    """Where a table with a row for each pair or set goes."""

    out: Annotated[Path | None, typer.Option(help="Write a table (.csv or .parquet) instead of printing it.")] = None
    as_json: AsJson = False

    def show(self, columns: Mapping[str, Any], of: str = "pair", names: Sequence[Any] | None = None) -> None:
        """Print or write arrays as columns, their rows, each a pair or a set, by name or numbered from 1."""
        number = next(name for name in (of, "row", "number") if name not in columns)  # alternatives have any name
        rows = names or range(1, len(next(iter(columns.values()))) + 1)
        if sys.stdout.isatty() and self.out is None and not self.as_json:  # a program gets the names as they are
            columns = {shown(name): column for name, column in columns.items()}
        if self.out is None and not self.as_json and all(column.dtype.kind == "f" for column in columns.values()):
            typer.echo(_numbers_as_csv({number: rows}, columns))  # without pandas, which takes longer to load
            return
        import pandas

        table = pandas.DataFrame({number: rows, **columns})
        if self.out is not None:
            from lori.data.writing import write_table

            write_table(table, self.out)
            typer.echo(f"Wrote {len(table):,} rows to {shown(self.out)}")
        elif self.as_json:
            typer.echo(table.to_json(orient="records", indent=2, double_precision=15))
        else:
            for name in columns:
                if table[name].dtype.kind == "f":
                    table[name] = _written(table[name].to_numpy())
            table.to_csv(sys.stdout, index=False)


def _written(column: np.ndarray) -> list[str]:
    """Six decimals for shares, six digits for other numbers, and nothing for NaN."""
    finite = column[column == column]
    form = ".6f" if finite.size and finite.min() >= 0 and finite.max() <= 1 else ".6g"
    return ["" if value != value else format(value, form) for value in column.tolist()]


def _numbers_as_csv(called: Mapping[str, Sequence[Any]], columns: Mapping[str, Any]) -> str:
    """Finite numbers under their names, beside what rows are called."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*called, *columns])
    written = [_written(column) for column in columns.values()]
    writer.writerows(zip(*called.values(), *written, strict=True))
    return text.getvalue().removesuffix("\n")
