"""Options of the commands: what they are told, and how their files become preferences or a stream."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from lori.errors import InputError

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.data.reading.stream import PreferenceStream
    from lori.estimators.lori import LORI

Files = Annotated[
    list[Path], typer.Argument(help="One file (pairs or choices), or two (items or trajectories, with comparisons).")
]
ModelFile = Annotated[Path, typer.Argument(help="A model saved by `lori fit --save`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer is to see it: every group of options among its parameters stands there field by field."""
    kinds = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _parameters(groups[name])
        else:
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=kinds[name]))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters(group: Any) -> list[inspect.Parameter]:
    kinds = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, annotation=kinds[field.name],
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(group)
    ]  # fmt: skip


def assignments(option: str, given: list[str] | None) -> dict[str, str]:
    """What OURS=YOURS says, from an option that can be repeated."""
    pairs = [part.partition("=") for part in given or []]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise InputError(option, expected="OURS=YOURS", got=repr(ours + sign + theirs), fix=f"write {option} a=b")
    return {ours: theirs for ours, _, theirs in pairs}


def names(text: str | None) -> Any:
    """Names that are separated by commas, or 'all'."""
    return "all" if text == "all" else [name.strip() for name in (text or "").split(",") if name.strip()]


def whole(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(option, expected="a whole number from 1", got=repr(text), fix=f"use {option} 2") from None


def numbers(option: str, text: str) -> Any:
    """'learned' → None; several values, separated by commas → one for each level."""
    parts: list[float | None] = []
    for part in text.split(","):
        try:
            parts.append(None if part.strip() in ("learned", "none") else float(part))
        except ValueError:
            raise InputError(
                option, expected="'learned' or a number, one or one for each level", got=repr(part),
                fix=f"write for example {option} learned,0",
            ) from None  # fmt: skip
    return parts[0] if len(parts) == 1 else parts


LARGE_FILE = 1 << 29  # bytes of numbers above which a Parquet file is streamed
DISCOUNT = 0.95


class EngineName(StrEnum):
    auto = "auto"
    memory = "memory"
    stream = "stream"
    dask = "dask"


@dataclass(frozen=True)
class ColumnOptions:
    """What the columns and the choices of somebody's files are called."""

    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", help="Our column = your column, e.g. left.price=price1 or 'left.*=*1'. Repeatable."),
    ] = None
    values: Annotated[
        list[str] | None, typer.Option("--values", help="Your word for a choice, e.g. left=choice1. Repeatable.")
    ] = None

    def renamed(self) -> dict[str, Any]:
        """As the readers take it."""
        return {
            "columns": assignments("--columns", self.columns),
            "values": assignments("--values", self.values),
        }


@dataclass(frozen=True)
class DataOptions(ColumnOptions):
    """Which data to fit."""

    features: Annotated[str | None, typer.Option(help="Features to use, separated by commas (default: all).")] = None
    pooling: Annotated[str, typer.Option(help="How trajectories become vectors: mean, sum, last or discounted.")] = (
        "mean"
    )
    discount: Annotated[float, typer.Option(help="Discount per step for --pooling discounted.")] = DISCOUNT
    identical: Annotated[str, typer.Option(help="Pairs with two equal sides: error, keep or drop.")] = "error"

    def read(self, files: list[Path]) -> tuple[Preferences, int]:
        """The preferences to fit, and how many pairs with two equal sides were dropped."""
        from lori.data.reading.readers import read

        preferences = read(
            files, **self.renamed(), features=names(self.features) or None, pooling=self.pooling,
            discount=self.discount, identical="keep" if self.identical == "drop" else self.identical,
        )  # fmt: skip
        same = preferences.identical() if self.identical == "drop" else None
        if same is None or not same.any() or same.all():  # where all are equal, the fit says so
            return preferences, 0
        return preferences.subset(~same), int(same.sum())

    def stream(self, files: list[Path]) -> PreferenceStream:
        """The pairs to fit, to be read piece by piece."""
        from lori.data.reading.stream import open_stream

        return open_stream(
            files, **self.renamed(), features=names(self.features) or None, identical=self.identical
        )  # fmt: skip


@dataclass(frozen=True)
class ModelDataOptions(ColumnOptions):
    """Which data to show to a model that was fitted before."""

    pooling: Annotated[str | None, typer.Option(help="As --pooling of fit (default: as the model says).")] = None
    discount: Annotated[float | None, typer.Option(help="As --discount of fit (default: the same).")] = None

    def read(self, files: list[Path], estimator: LORI, *, outcome_needed: bool = True) -> Preferences:
        """The model's own features, and trajectories pooled as they were for it."""
        from lori.data.reading.readers import read
        from lori.estimators.lori import pooling_text

        how, factor = estimator.pooled_ or ("mean", None)
        pooling = self.pooling or how
        discount = factor or DISCOUNT if self.discount is None else self.discount
        chosen = (pooling, discount if pooling == "discounted" else None)
        if estimator.pooled_ and chosen != estimator.pooled_:
            raise InputError(
                "--pooling", expected=f"{pooling_text(estimator.pooled_)}, as the model was fitted",
                got=pooling_text(chosen), fix="leave --pooling and --discount out",
            )  # fmt: skip
        return read(
            files, **self.renamed(), features=list(estimator.features_) or None, pooling=pooling, discount=discount,
            identical="keep", outcome_needed=outcome_needed,
        )  # fmt: skip


@dataclass(frozen=True)
class EngineOptions:
    """Where the data live, and what goes through them."""

    engine: Annotated[
        EngineName,
        typer.Option(
            help="Where the data live: auto streams Parquet folders and files too large for memory; dask uses a cluster."
        ),
    ] = EngineName.auto
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler (default: a local cluster).")] = (
        None
    )

    def streams(self, files: list[Path]) -> bool:
        """Whether to read the files piece by piece."""
        if self.engine is not EngineName.auto:
            return self.engine is not EngineName.memory
        if any(file.is_dir() for file in files):
            return True
        if len(files) != 1 or files[0].suffix.lower() not in (".parquet", ".pq") or not files[0].is_file():
            return False
        if files[0].stat().st_size < LARGE_FILE // 50:  # however well it is compressed
            return False
        import pyarrow.parquet

        from lori.data.reading.stream import open_stream

        columns = len(pyarrow.parquet.read_schema(files[0]).names)
        return open_stream(files).n_pairs * columns * 8 > LARGE_FILE

    def fit(self, estimator: LORI, pairs: PreferenceStream) -> None:
        """Go through the stream here or, with Dask, on a cluster."""
        from lori.interfaces.commands.console import working

        with working(f"Reading {pairs.n_pairs:,} pairs") as say:

            def progress(passes: int, log_likelihood: float) -> None:
                say(f"{pairs.n_pairs:,} pairs, pass {passes}, log-likelihood {log_likelihood:.2f}")

            if self.engine is not EngineName.dask:
                estimator.fit(pairs, progress=progress)
                return
            from lori.inference.sources.cluster import connect

            client = connect(self.scheduler)
            try:
                estimator.fit(pairs, client=client, progress=progress)
            finally:
                client.shutdown() if self.scheduler is None else client.close()
