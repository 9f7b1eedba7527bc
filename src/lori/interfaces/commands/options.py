"""Options of the commands: what they are told, and how their files become preferences, choices or a stream."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from lori.errors import InputError

if TYPE_CHECKING:
    from lori.data.reading.stream import PreferenceStream
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population

Files = Annotated[
    list[Path], typer.Argument(help="One file (pairs or choices), or two (items or trajectories, with comparisons).")
]
ModelFile = Annotated[Path, typer.Argument(help="A model saved by `lori fit --save`.")]
MOST_SEED = 2**62  # as `lori.inference.settings` has it
Seed = Annotated[int, typer.Option(min=0, max=MOST_SEED, help="The same seed gives the same answer.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a model that was saved before.")]
WithPairs = Annotated[
    bool, typer.Option("--pairs/--no-pairs", help="Show the most surprising pairs, which are raw data, in the report.")
]
Missing = Annotated[str, typer.Option(help="Rows with an empty cell: drop (their number is shown) or error.")]
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
    return "all" if text == "all" else listed(text)


def listed(text: str | None) -> list[str]:
    """What is separated by commas."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


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
        typer.Option(
            "--columns",
            help="Our column = your column, e.g. left.price=price1 or 'left.*=*1'; in sets 'time=time_*', where the star "
            "stands for an alternative. Repeatable.",
        ),
    ] = None
    values: Annotated[
        list[str] | None,
        typer.Option("--values", help="Your word for a choice, e.g. left=choice1, or your code: train=1. Repeatable."),
    ] = None

    def renamed(self) -> dict[str, Any]:
        """As the readers take it."""
        return {
            "columns": assignments("--columns", self.columns),
            "values": assignments("--values", self.values),
        }


@dataclass(frozen=True)
class SetOptions(ColumnOptions):
    """How choices among the alternatives of sets are read."""

    where: Annotated[list[str] | None, typer.Option("--where", help="Rows to keep, e.g. PURPOSE=1,3. Repeatable.")] = (
        None
    )
    alternatives: Annotated[
        str | None,
        typer.Option(help="Names of the alternatives of sets, separated by commas (default: as in the file)."),
    ] = None
    opt_out: Annotated[
        str | None, typer.Option(help="Name of the alternative 'none of these', chosen where nothing else is.")
    ] = None
    sheet: Annotated[
        str | None, typer.Option(help="Name of the sheet of an Excel workbook (default: its first one).")
    ] = None
    as_pairs: Annotated[
        bool, typer.Option("--as-pairs", help="Read a choice from a set as the chosen one against each other one.")
    ] = False

    def sources(self, files: list[Path]) -> list[str]:
        """The files, with the sheet that is meant behind the name of a workbook."""
        from lori.data.reading.workbooks import WORKBOOKS

        ending = f"#{self.sheet}" if self.sheet else ""
        return [f"{file}{ending}" if file.suffix.lower() in WORKBOOKS else str(file) for file in files]

    def read_by(self) -> dict[str, Any]:
        """As the readers take it."""
        return {
            **self.renamed(),
            "where": {column: listed(cells) for column, cells in assignments("--where", self.where).items()},
            "alternatives": listed(self.alternatives) or None,
            "opt_out": self.opt_out,
            "as_pairs": self.as_pairs,
        }


@dataclass(frozen=True)
class DataOptions(SetOptions):
    """Which data to fit."""

    features: Annotated[str | None, typer.Option(help="Features to use, separated by commas (default: all).")] = None
    constants: Annotated[
        bool, typer.Option("--constants", help="A constant for each alternative of a set but the last, or --baseline.")
    ] = False
    baseline: Annotated[str | None, typer.Option(help="The alternative without a constant; the others have one.")] = (
        None
    )
    pooling: Annotated[
        str, typer.Option(help="How trajectories become vectors: mean, sum, last, discounted or steps.")
    ] = "mean"
    discount: Annotated[float, typer.Option(help="Discount per step for --pooling discounted.")] = DISCOUNT
    identical: Annotated[str, typer.Option(help="Pairs with two equal sides: error, keep or drop.")] = "error"
    missing: Missing = "drop"

    def read(
        self, files: list[Path], *, ties: str = "error", say: Callable[[str], None] | None = None
    ) -> tuple[Any, int]:
        """Preferences or Choices to fit, and how many with nothing but equal alternatives were dropped.

        `ties` in a set are an error, or "observed". What was guessed, and how many rows were left out, is what `say`
        is told.
        """
        import warnings

        from lori.data.reading.readers import read
        from lori.data.reading.understanding import GuessedColumns

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GuessedColumns)  # `say` is told
            observed = read(
                self.sources(files), **self.read_by(), features=names(self.features) or None, pooling=self.pooling,
                discount=self.discount, identical="keep" if self.identical == "drop" else self.identical,
                constants=self.baseline or self.constants, ties=ties, missing=self.missing,
            )  # fmt: skip
        if say is not None and observed.reading is not None:
            from lori.language.reading import remarks

            for sentence in remarks(observed.reading):
                say(sentence)
        same = observed.identical() if self.identical == "drop" else None
        if same is None or not same.any() or same.all():  # where all are equal, the fit says so
            return observed, 0
        return observed.subset(~same), int(same.sum())

    def stream(self, files: list[Path]) -> PreferenceStream:
        """The pairs to fit, to be read piece by piece."""
        from lori.data.reading.stream import open_stream

        for name in ("where", "alternatives", "opt_out", "as_pairs", "constants", "baseline"):
            if getattr(self, name):
                raise InputError(
                    f"--{name.replace('_', '-')}", expected="data in memory", got="a stream",
                    fix="leave it out, or use --engine memory",
                )  # fmt: skip

        return open_stream(
            files, **self.renamed(), features=names(self.features) or None, identical=self.identical
        )  # fmt: skip


@dataclass(frozen=True)
class ModelDataOptions(SetOptions):
    """Which data to show to a model that was fitted before."""

    pooling: Annotated[str | None, typer.Option(help="As --pooling of fit (default: as the model says).")] = None
    discount: Annotated[float | None, typer.Option(help="As --discount of fit (default: the same).")] = None
    missing: Missing = "drop"
    agent: Annotated[str | None, typer.Option(help="Whose model, of a file with one for each agent.")] = None

    def read(self, files: list[Path], estimator: LORI | Population, *, outcome_needed: bool = True) -> Any:
        """Preferences or Choices with the model's own features, and trajectories pooled as they were for it."""
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
        features = list(estimator.features_) or None
        observed = read(
            self.sources(files), **self.read_by(), features=features, pooling=pooling, discount=discount, identical="keep",
            outcome_needed=outcome_needed, ties="observed", missing=self.missing,
            remembered=estimator.reading_,
        )  # fmt: skip
        if observed.reading is not None and observed.reading.dropped:
            from lori.interfaces.commands.console import remark
            from lori.language.reading import left_out

            remark(left_out(observed.reading))
        return observed.select(features) if features else observed


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
        if any(os.path.isdir(file) for file in files):  # unlike Path.is_dir, of any name
            return True
        if len(files) != 1 or files[0].suffix.lower() not in (".parquet", ".pq") or not os.path.isfile(files[0]):
            return False
        if files[0].stat().st_size < LARGE_FILE // 50:  # however well it is compressed
            return False
        from lori.data.reading.files import opened_parquet

        with opened_parquet(files[0]) as content:
            return content.metadata.num_rows * content.metadata.num_columns * 8 > LARGE_FILE

    def fit(self, estimator: LORI, pairs: PreferenceStream) -> None:
        """Go through the stream here or, with Dask, on a cluster."""
        from lori.interfaces.commands.console import working

        with working(f"Reading {pairs.n_pairs:,} pairs") as say:

            def progress(passes: int, log_likelihood: float) -> None:
                say(f"{pairs.n_pairs:,} pairs, pass {passes}, log-likelihood {log_likelihood:.2f}")

            with self.client() as client:
                estimator.fit(pairs, client=client, progress=progress)

    @contextmanager
    def client(self) -> Iterator[Any]:
        """Of a Dask cluster, if there is to be one; a local one ends with its work."""
        if self.engine is not EngineName.dask:
            yield None
            return
        from lori.inference.sources.cluster import connect

        client = connect(self.scheduler)
        try:
            yield client
        finally:
            client.shutdown() if self.scheduler is None else client.close()
