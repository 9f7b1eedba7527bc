"""`lori report`: one page about a saved model and its data."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lori.data.writing import check_targets
from lori.errors import InputError
from lori.interfaces.commands.console import shown, working
from lori.interfaces.commands.options import Files, ModelDataOptions, ModelFile, WithPairs

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population


PAGES = (".html", ".htm")


def report(
    model: ModelFile,
    files: Files,
    *,
    out: Annotated[Path, typer.Option(help="The page: one HTML file that opens offline.")] = Path("report.html"),
    markdown: Annotated[Path | None, typer.Option(help="Also write it as Markdown.")] = None,
    json_out: Annotated[Path | None, typer.Option(help="Also write it as JSON.")] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    pairs: WithPairs = True,
    data: ModelDataOptions,
) -> None:
    """Write one page about a saved model and the data it was fitted to, for people who decide."""
    from lori.interfaces.commands.people import load_any

    check_targets([out, markdown, json_out], inputs=[model, *files], overwrite=False)
    check_page("--out", out)
    estimator = load_any(model, data.agent)
    preferences = data.read(files, estimator)
    if data.agent is not None and preferences.agent is not None:
        preferences = preferences.by_agent()[data.agent]
    write_report(
        estimator, preferences, out, markdown=markdown, json_out=json_out, title=title or heading(files), pairs=pairs
    )  # fmt: skip
    typer.echo(f"Wrote {', '.join(shown(path) for path in (out, markdown, json_out) if path)}")


def write_report(
    estimator: LORI | Population,
    data: Preferences,
    out: Path,
    *,
    markdown: Path | None = None,
    json_out: Path | None = None,
    title: str,
    dropped: int = 0,
    pairs: bool = True,
    currency: str | None = None,
) -> None:
    """The page and its twins, all from one content."""
    from lori.estimators.lori import LORI
    from lori.interfaces.report import content as models
    from lori.interfaces.report import populations, rendering

    made: dict[str, Any] = {"title": title, "command": _command(), "dropped": dropped}
    with working("Report: loading what it is made of") as stage:
        content: rendering.Page
        if isinstance(estimator, LORI):
            content = models.report(estimator, data, pairs=pairs, currency=currency, progress=stage, **made)
        else:
            content = populations.report(estimator, data, **made)
        rendering.write_html(content, out)
        if markdown:
            rendering.write_markdown(content, markdown)
        if json_out:
            rendering.write_json(content, json_out)


def check_page(option: str, path: Path | None) -> None:
    """A page is HTML: other endings would promise something else."""
    if path is not None and path.suffix.lower() not in PAGES:
        raise InputError(
            option, expected="the name of an HTML page, such as report.html", got=f"one that ends in {path.suffix or 'nothing'}",
            fix="write the page, and print it from a browser for a PDF",
        )  # fmt: skip


def heading(files: list[Path]) -> str:
    return f"{files[-1].stem}: what comes first?"


def _command() -> str:
    return shlex.join(["lori", *sys.argv[1:]])
