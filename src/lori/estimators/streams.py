"""How is an estimator fitted to data that are not in memory: streamed from disk, or on a cluster?"""

from __future__ import annotations

from typing import Any

from lori.data.reading.stream import PreferenceStream
from lori.errors import InputError
from lori.estimators.lori import LORI
from lori.inference.fitting import fit_source
from lori.inference.settings import checked_settings
from lori.inference.sources.cluster import Cluster
from lori.inference.sources.memory import Source
from lori.inference.sources.stream import Progress, Stream


def fit_stream(
    estimator: LORI, pairs: PreferenceStream, *, client: Any = None, progress: Progress | None = None
) -> LORI:
    """Fit `estimator` to Parquet files without loading them; with a Dask `client`, on its cluster."""
    if estimator.standard_errors != "observed":
        raise InputError(
            "standard_errors", expected="observed for data that are not in memory", got=str(estimator.standard_errors),
            fix="use standard_errors='observed', or read the data into memory",
        )  # fmt: skip
    few = next(iter(pairs.read(pairs.pieces[0])))
    linear = checked_settings(estimator.get_params(deep=False), [few]).specification.linear
    source: Source
    if client is None:
        survey, source = Stream.open(pairs, linear, progress)
    else:
        survey, source = Cluster.open(client, pairs, linear, progress)
    settings = checked_settings(estimator.get_params(deep=False), [survey.sample], ties=round(survey.ties))
    estimator._learned(fit_source(settings, source, [survey])[0])
    return estimator
