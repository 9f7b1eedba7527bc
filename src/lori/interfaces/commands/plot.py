"""`lori plot`: a figure of a saved model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lori.data.writing import check_targets
from lori.errors import InputError
from lori.interfaces.commands.console import shown, working
from lori.interfaces.commands.options import ModelDataOptions, ModelFile, names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lori.estimators.lori import LORI
    from lori.inference.statistics import Observed


class Kind(StrEnum):
    ladder = "ladder"
    tradeoff = "tradeoff"
    regions = "regions"
    surface = "surface"
    calibration = "calibration"
    check = "check"
    posterior = "posterior"
    survivors = "survivors"
    chances = "chances"
    trajectories = "trajectories"
    classes = "classes"
    members = "members"


OF_POPULATIONS = (Kind.classes, Kind.members)


def plot(
    kind: Annotated[Kind, typer.Argument(help="What to show.")],
    model: ModelFile,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Data: for calibration, check, sets, trajectories, and rewards that are not linear."),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="The figure's file: .svg, .png or .pdf.")] = Path("figure.svg"),
    features: Annotated[
        str | None, typer.Option(help="Two features A,B: what is lost and gained, or across and up.")
    ] = None,
    left: Annotated[str | None, typer.Option(help="Id of the left trajectory.")] = None,
    right: Annotated[str | None, typer.Option(help="Id of the right trajectory.")] = None,
    data: ModelDataOptions,
) -> None:
    """Draw a saved model, and say in words what the figure shows."""
    from lori.interfaces.commands.people import load_one
    from lori.interfaces.figures.style import check_figure_file, save

    check_figure_file(out)
    check_targets([out], inputs=[model, *(files or [])], overwrite=False)
    if kind in OF_POPULATIONS:
        figure = _of_population(model, kind)
        save(figure, out)
        typer.echo(f"{figure.get_label()}\nWrote {shown(out)}")
        return
    with working("Reading the model") as stage:
        estimator = load_one(model, data.agent)
        stage("Drawing")
        if kind is Kind.trajectories:
            figure = _trajectories(estimator, files, left, right, data)
        else:
            figure = _figure(estimator, kind, _pair(features), data.read(files, estimator) if files else None)
        save(figure, out)
    typer.echo(f"{figure.get_label()}\nWrote {shown(out)}")


def _of_population(model: Path, kind: Kind) -> Figure:
    from lori.estimators.population import load_population

    return getattr(load_population(model).plot, kind.value)()


def _figure(estimator: LORI, kind: Kind, pair: tuple[str | None, str | None], data: Observed | None) -> Figure:
    draw = getattr(estimator.plot, kind.value)
    match kind:
        case Kind.tradeoff | Kind.regions | Kind.surface:
            return draw(*pair, data=data)
        case Kind.chances:
            return draw(*pair, data=data)
        case Kind.calibration | Kind.check | Kind.survivors:
            if data is None:
                raise InputError(
                    kind.value, expected="a file of choices after the model", got="none",
                    fix=f"write: lori plot {kind.value} model.json choices.csv --out {kind.value}.svg",
                )  # fmt: skip
            return draw(data)
        case _:
            return draw()


def _trajectories(
    estimator: LORI, files: list[Path] | None, left: str | None, right: str | None, data: ModelDataOptions
) -> Figure:
    if not files or left is None or right is None:
        raise InputError(
            "trajectories", expected="a file of trajectories, --left ID and --right ID", got="less than that",
            fix="write: lori plot trajectories model.json trajectories.csv --left a --right b --out both.svg",
        )  # fmt: skip
    from lori.data.reading.forms import stepwise
    from lori.data.reading.tables import open_tables

    (table,) = open_tables(files[:1], data.renamed()["columns"])
    return estimator.plot.trajectories(stepwise(table, list(estimator.features_)), left, right)


def _pair(features: str | None) -> tuple[str | None, str | None]:
    named = names(features) if features else [None, None]
    if len(named) != 2:
        raise InputError(
            "--features", expected="two features, separated by a comma", got=repr(features), fix="write --features a,b"
        )
    return named[0], named[1]
