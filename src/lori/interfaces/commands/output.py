"""How do results reach the terminal: text, JSON for machines, tables, and a spinner where somebody is watching?"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from lori.estimators.lori import LORI


def working(text: str):
    """A spinner where somebody is watching."""
    from contextlib import nullcontext

    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


def print_json(content: Any) -> None:
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def show_summary(estimator: LORI) -> None:
    """Compact and coloured where a person looks at a terminal, the whole summary elsewhere."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        typer.echo(str(estimator.summary()))
        return
    from lori.interfaces.commands.terminal import print_compact

    print_compact(estimator.summary())


def show_table(table, out: Path | None, as_json: bool) -> None:
    """Print or write a table with a row for each pair, numbered from 1."""
    table.insert(0, "pair", range(1, len(table) + 1))
    if out is not None:
        from lori.data.writers import write_table

        write_table(table, out)
        typer.echo(f"Wrote {len(table):,} rows to {out}")
    elif as_json:
        typer.echo(table.to_json(orient="records", indent=2, double_precision=15))
    else:
        table.to_csv(sys.stdout, index=False, float_format="%.6g")


def show_agents(fitted: dict[str, LORI], save: Path | None, as_json: bool, quiet: bool) -> None:
    from lori.estimators.lori import save_agents
    from lori.interfaces.commands.agents import agents_table

    if save:
        save_agents(fitted, save)
    if as_json:
        print_json({agent: model.summary().to_dict() for agent, model in fitted.items()})
    elif not quiet:
        typer.echo(agents_table(fitted))
        if save:
            typer.echo(f"\nSaved {len(fitted)} models to {save}")
