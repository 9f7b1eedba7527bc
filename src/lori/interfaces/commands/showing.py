"""Which commands show a fitted model to people? Figures and the report."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lori.data.writing import check_targets
from lori.errors import InputError
from lori.interfaces.commands.arguments import Columns, Files, ModelFile, SameDiscount, SamePooling, Values, names
from lori.interfaces.commands.output import working
from lori.interfaces.commands.reading import read_for

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.estimators.lori import LORI


class Kind(StrEnum):
    ladder = "ladder"
    tradeoff = "tradeoff"
    regions = "regions"
    surface = "surface"
    calibration = "calibration"
    check = "check"
    posterior = "posterior"
    trajectories = "trajectories"


def plot(
    kind: Annotated[Kind, typer.Argument(help="What to show.")],
    model: ModelFile,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Data: for calibration and check, for rewards that are not linear, and for trajectories."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The figure's file: .svg, .png or .pdf.")] = Path("figure.svg"),
    features: Annotated[
        str | None, typer.Option(help="Two features A,B: what is lost and gained, or across and up.")
    ] = None,
    left: Annotated[str | None, typer.Option(help="Id of the left trajectory.")] = None,
    right: Annotated[str | None, typer.Option(help="Id of the right trajectory.")] = None,
    columns: Columns = None,
    values: Values = None,
    pooling: SamePooling = None,
    discount: SameDiscount = None,
) -> None:
    """Draw a saved model, and say in words what the figure shows."""
    from lori.estimators.lori import load
    from lori.interfaces.figures.style import check_figure_file, save

    check_figure_file(out)
    estimator = load(model)
    if kind is Kind.trajectories:
        figure = _trajectories(estimator, files, left, right, columns)
    else:
        data = _data(estimator, files, columns, values, pooling, discount) if files else None
        figure = _drawn(estimator, kind, _pair(features), data)
    save(figure, out)
    typer.echo(f"{figure.get_label()}\nWrote {out}")


def report(
    model: ModelFile,
    files: Files,
    out: Annotated[Path, typer.Option(help="The page: one HTML file that opens offline.")] = Path("report.html"),
    markdown: Annotated[Path | None, typer.Option(help="Also write it as Markdown.")] = None,
    json_out: Annotated[Path | None, typer.Option(help="Also write it as JSON.")] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    columns: Columns = None,
    values: Values = None,
    pooling: SamePooling = None,
    discount: SameDiscount = None,
) -> None:
    """Write one page about a saved model and the data it was fitted to, for people who decide."""
    from lori.estimators.lori import load

    check_targets([out, markdown, json_out], inputs=[model, *files])
    estimator = load(model)
    data = _data(estimator, files, columns, values, pooling, discount)
    write_report(estimator, data, out, markdown=markdown, json_out=json_out, title=title or heading(files))
    typer.echo(f"Wrote {', '.join(str(path) for path in (out, markdown, json_out) if path)}")


def write_report(
    estimator: LORI,
    data: Preferences,
    out: Path,
    *,
    markdown: Path | None = None,
    json_out: Path | None = None,
    title: str,
    dropped: int = 0,
) -> None:
    """The page and its twins, all from one content."""
    from lori.interfaces.report import rendering
    from lori.interfaces.report.content import report as content_of

    with working("Writing the report (this fits the model again for cross-validation)"):
        content = content_of(estimator, data, title=title, command=_command(), dropped=dropped)
        rendering.write_html(content, out)
        if markdown:
            rendering.write_markdown(content, markdown)
        if json_out:
            rendering.write_json(content, json_out)


def heading(files: list[Path]) -> str:
    return f"What comes first in {files[-1].stem}?"


def _data(estimator, files, columns, values, pooling, discount) -> Preferences:
    return read_for(estimator, files, columns, values, pooling, discount)


def _drawn(estimator: LORI, kind: Kind, pair: tuple[str | None, str | None], data: Preferences | None):
    match kind:
        case Kind.tradeoff | Kind.regions | Kind.surface:
            return getattr(estimator.plot, kind.value)(*pair, data=data)
        case Kind.calibration | Kind.check:
            if data is None:
                raise InputError(
                    kind.value, expected="a file of choices after the model", got="none",
                    fix=f"write: lori plot {kind.value} model.json choices.csv --out {kind.value}.svg",
                )  # fmt: skip
            return getattr(estimator.plot, kind.value)(data)
        case _:
            return getattr(estimator.plot, kind.value)()


def _trajectories(estimator: LORI, files: list[Path] | None, left: str | None, right: str | None, columns):
    if not files or left is None or right is None:
        raise InputError(
            "trajectories", expected="a file of trajectories, --left ID and --right ID", got="less than that",
            fix="write: lori plot trajectories model.json trajectories.csv --left a --right b --out both.svg",
        )  # fmt: skip
    from lori.data.reading.columns import open_tables
    from lori.data.reading.forms import stepwise
    from lori.interfaces.commands.arguments import assignments

    (table,) = open_tables(files[:1], assignments("--columns", columns))
    return estimator.plot.trajectories(stepwise(table, list(estimator.features_)), left, right)


def _pair(features: str | None) -> tuple[str | None, str | None]:
    named = names(features) if features else [None, None]
    if len(named) != 2:
        raise InputError(
            "--features", expected="two features, separated by a comma", got=repr(features), fix="write --features a,b"
        )
    return named[0], named[1]


def _command() -> str:
    return shlex.join(["lori", *sys.argv[1:]])
