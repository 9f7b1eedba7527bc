"""Files of a command: how do they become preferences in memory, or a stream?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lori.errors import InputError
from lori.interfaces.commands.console import working
from lori.interfaces.commands.options import assignments, names

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.data.reading.stream import PreferenceStream
    from lori.estimators.lori import LORI

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
