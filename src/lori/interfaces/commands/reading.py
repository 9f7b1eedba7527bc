"""How do a command's files become preferences, in memory or as a stream?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lori.errors import InputError
from lori.interfaces.commands.arguments import EngineName, assignments, names
from lori.interfaces.commands.output import working

if TYPE_CHECKING:
    from lori.data.preferences import Preferences
    from lori.estimators.lori import LORI

LARGE_FILE = 1 << 29  # bytes of numbers above which a Parquet file is streamed


def read_files(files, columns, values, features, pooling, discount, **options) -> Preferences:
    from lori.data.reading.readers import read

    chosen = features if isinstance(features, list) else names(features)
    return read(
        files, columns=assignments("--columns", columns), values=assignments("--values", values),
        features=chosen or None, pooling=pooling, discount=discount, **options,
    )  # fmt: skip


def read_kept(files, columns, values, features, pooling, discount, identical: str) -> tuple[Preferences, int]:
    """The preferences to fit, and how many pairs with two equal sides were dropped."""
    given = "keep" if identical == "drop" else identical
    prefs = read_files(files, columns, values, features, pooling, discount, identical=given)
    same = prefs.identical() if identical == "drop" else None
    if same is None or not same.any() or same.all():  # where all are equal, the fit says so
        return prefs, 0
    return prefs.subset(~same), int(same.sum())


def streams(files: list[Path], engine: EngineName) -> bool:
    """Whether to read the files piece by piece."""
    if engine is not EngineName.auto:
        return engine is not EngineName.memory
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


def fit_files(estimator, files, columns, values, features, identical, engine: EngineName, scheduler) -> None:
    from lori.data.reading.stream import open_stream
    from lori.estimators.streams import fit_stream

    pairs = open_stream(
        files, columns=assignments("--columns", columns), values=assignments("--values", values),
        features=names(features) or None, identical=identical,
    )  # fmt: skip
    with working(f"Reading {pairs.n_pairs:,} pairs") as status:

        def progress(passes: int, log_likelihood: float) -> None:
            if status is not None:
                status.update(f"{pairs.n_pairs:,} pairs, pass {passes}, log-likelihood {log_likelihood:.2f}")

        if engine is not EngineName.dask:
            fit_stream(estimator, pairs, progress=progress)
            return
        from lori.inference.sources.cluster import connect

        client = connect(scheduler)
        try:
            fit_stream(estimator, pairs, client=client, progress=progress)
        finally:
            client.shutdown() if scheduler is None else client.close()


def model_and_pairs(model, files, columns, values, pooling, discount) -> tuple[LORI, Preferences]:
    from lori.estimators.lori import load

    estimator = load(model)
    return estimator, read_for(estimator, files, columns, values, pooling, discount, outcome_needed=False)


def read_for(estimator, files, columns, values, pooling, discount, **options) -> Preferences:
    """Data for a fitted model: its features, and trajectories pooled as they were for it."""
    from lori.estimators.lori import pooling_text

    how, factor = estimator.pooled_ or ("mean", None)
    asked = (pooling or how, factor or 0.95 if discount is None else discount)
    chosen = (asked[0], asked[1] if asked[0] == "discounted" else None)
    if estimator.pooled_ and chosen != estimator.pooled_:
        raise InputError(
            "--pooling", expected=f"{pooling_text(estimator.pooled_)}, as the model was fitted",
            got=pooling_text(chosen), fix="leave --pooling and --discount out",
        )  # fmt: skip
    return read_files(files, columns, values, list(estimator.features_), *asked, identical="keep", **options)
