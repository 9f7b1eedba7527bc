"""Streaming: a fit of data that are not in memory, read pass by pass, here or on the workers of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lori.data.reading.stream import PreferenceStream
from lori.errors import DataError, InputError
from lori.estimators.contract import WORDS
from lori.inference.fitting import fit_source
from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.streams import first_pass, fit_classes_of_stream
from lori.inference.settings import checked_settings
from lori.inference.sources.cluster import Cluster
from lori.inference.sources.memory import Source
from lori.inference.sources.stream import Progress, Stream
from lori.inference.statistics import Statistics
from lori.model.likelihoods import Pairs

if TYPE_CHECKING:
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population
    from lori.inference.population.search import Report


def fit_stream(
    estimator: LORI, pairs: PreferenceStream, y: Any, sample_weight: Any, client: Any, progress: Progress | None
) -> LORI:
    """The estimator, fitted to what the stream holds; with a Dask `client` its rows stay on the cluster."""
    if y is not None or sample_weight is not None:
        raise DataError(
            "y and sample_weight", expected="none beside a stream, which holds outcomes and weights",
            got="an array", fix="leave them out",
        )  # fmt: skip
    if estimator.standard_errors not in ("auto", "observed", "none"):
        raise InputError(
            "standard_errors", expected="observed for data that are not in memory", got=str(estimator.standard_errors),
            fix="use standard_errors='observed', or read the data into memory",
        )  # fmt: skip
    few = next(iter(pairs.read(pairs.pieces[0])))
    checked_settings(estimator.get_params(deep=False), [few])  # before anything long
    source: Source
    if client is None:
        statistics, source = Stream.open(pairs, Pairs(), progress)
    else:
        statistics, source = Cluster.open(client, pairs, Pairs(), progress)
    n_ties = _ties(statistics)
    settings = checked_settings(estimator.get_params(deep=False), [statistics.sample], n_ties=n_ties)
    estimator._learned(settings, fit_source(settings, source, [statistics])[0], WORDS, None)
    return estimator


def fit_population_stream(
    population: Population,
    pairs: PreferenceStream,
    y: Any,
    covariates: Any,
    checkpoint: str | Path | None,
    client: Any,
    progress: Report | None,
) -> Population:
    """Classes, fitted to what the stream holds; with a Dask `client` its rows stay on the cluster."""
    for name, given in (("y", y is not None), ("covariates", covariates is not None), ("spread", population.spread)):
        if given:
            raise DataError(
                name, expected="none beside a stream", got="one", fix="leave it out, or read the files into memory"
            )
    wanted = population._settings(next(iter(pairs.read(pairs.pieces[0]))), people=None)  # before anything long
    first = first_pass(pairs, len(wanted), client)
    settings = population._settings(first.statistics.sample, people=len(first.agents), n_ties=_ties(first.statistics))
    files = [(own.file, own.groups, own.rows, Path(own.file).stat().st_mtime_ns) for own in pairs.pieces]
    kept = Checkpoint.of(checkpoint, population._told(), repr(pairs), files)
    fit = fit_classes_of_stream(settings, pairs, first, client=client, checkpoint=kept, report=progress)
    population._learned(fit)
    population.pooled_ = population.reading_ = None
    return population


def _ties(statistics: Statistics) -> int:
    return round(statistics.outcomes[Pairs().outcomes.index("tie")])
