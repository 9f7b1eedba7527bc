"""Clusters: rows on many machines. They stay on a Dask cluster's workers; sums travel.

Each partition is read from its file by the worker that keeps it. If a worker dies, Dask has another one read its
partitions again: that costs time, not the answer.
"""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.data.reading.stream import Piece, PreferenceStream
from lori.errors import FitError, InputError, MissingExtra
from lori.inference.blocks import Evaluation
from lori.inference.sources.memory import Memory, Source
from lori.inference.sources.stream import First, Passes, Progress
from lori.inference.statistics import Scaling, Statistics
from lori.model.likelihoods import Likelihood
from lori.model.specification import Specification

PATIENCE = 30.0  # seconds to wait for a scheduler, or for a worker to be there again
PAUSE = 1.0  # seconds between looks at the workers


def connect(address: str | None = None) -> Any:
    """A Dask client: of the scheduler at `address`, or of a local cluster with a worker for each core."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtra("dask", "scale") from None
    if address is None:
        return Client(LocalCluster(threads_per_worker=1, dashboard_address=None, silence_logs=50))
    try:
        return Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError):
        raise InputError(
            "--scheduler", expected="the address of a running Dask scheduler", got=f"no answer from {address!r}",
            fix="check the address (tcp://host:8786), or leave it out for a local cluster",
        ) from None  # fmt: skip


@dataclass(eq=False, kw_only=True)
class Cluster(Passes):
    """Rows on the workers of a Dask cluster."""

    client: Any
    partitions: list[Any]  # futures of Memory, whose rows stay laid out on their worker

    @classmethod
    def open(
        cls, client: Any, pairs: PreferenceStream, likelihood: Likelihood, progress: Progress | None = None
    ) -> tuple[Statistics, Cluster]:
        """Have the workers read their partitions, and learn what there is."""
        numbers = list(range(len(pairs.pieces)))
        partitions = client.map(_read, list(pairs.pieces), pairs=pairs, likelihood=likelihood, pure=False)
        reading = client.map(_first, list(pairs.pieces), numbers, pairs=pairs, likelihood=likelihood, pure=False)
        first, *others = gathered(client, reading)
        first = sum(others, start=first)
        return first.statistics, cls(
            client=client, partitions=partitions, likelihood=likelihood, progress=progress, **first.relative()
        )

    def evaluate(self, specification: Specification, scaling: Scaling, vectors: np.ndarray, order: int) -> Evaluation:
        terms = self.client.map(
            _evaluate, self.partitions, specification=specification, scaling=scaling, vectors=vectors, order=order,
            pure=False, retries=3,
        )  # fmt: skip
        return self._passed(gathered(self.client, terms))

    def only(self, group: int) -> Source:
        return self


def gathered(client: Any, futures: list[Any]) -> list[Any]:
    """What the workers found; an error where none of them is left for longer than it takes to start one."""
    from distributed import KilledWorker, wait
    from distributed.comm import CommClosedError

    deserted = 0.0
    while True:
        try:
            wait(futures, timeout=PAUSE)
            return client.gather(futures)
        except TimeoutError:
            deserted = 0.0 if client.scheduler_info(n_workers=1)["workers"] else deserted + PAUSE
        except (KilledWorker, CancelledError, CommClosedError):
            deserted = PATIENCE
        if deserted >= PATIENCE:
            raise FitError(
                "The Dask cluster has no worker left, or those that took this work died of it; start workers with more "
                "memory (dask worker --memory-limit), or fit with --engine stream."
            ) from None


def _read(piece: Piece, pairs: PreferenceStream, likelihood: Likelihood) -> Memory:
    first, *others = (likelihood.observed(part) for part in pairs.read(piece))
    return Memory((sum(others, start=first),))


def _first(piece: Piece, number: int, pairs: PreferenceStream, likelihood: Likelihood) -> First:
    total: First | None = None
    for place, part in enumerate(pairs.read(piece)):
        own = First.of(part, len(part) / pairs.n_pairs, likelihood, 1000 * number + place)
        total = own if total is None else total + own
    assert total is not None
    return total


def _evaluate(
    rows: Memory, specification: Specification, scaling: Scaling, vectors: np.ndarray, order: int
) -> Evaluation:
    return rows.evaluate(specification, scaling, vectors, order)
