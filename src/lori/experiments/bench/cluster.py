"""Cluster: what do one and two Dask workers bring, and do they give the same answer?"""

from __future__ import annotations

import importlib.util
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import clone

from lori.data.preferences import Preferences
from lori.data.reading.stream import PreferenceStream, open_stream
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, hold
from lori.experiments.bench.data import ORGAN_PAIRS, write_organ_pairs
from lori.model.rewards import Linear

OURS = "in memory"
FLOOR = 1e-3  # a number below this share of the largest counts as that small: it may be zero


@dataclass(frozen=True)
class ClusterSettings:
    """What the workers are given."""

    pairs: int = ORGAN_PAIRS
    """Pairs of two features in a Parquet file."""
    workers: tuple[int, ...] = (1, 2)
    """Numbers of workers, each a process with one thread on this machine."""
    levels: int = 2
    """Levels to learn."""
    repeats: int = 3
    """Rounds of the contest."""


SMOKE = ClusterSettings(1_500, (2,), 1, 1)


def measure(settings: ClusterSettings) -> Measured:
    """Workers and the stream read the file in each fit; in memory the pairs are there beforehand."""
    estimator = LORI(levels=settings.levels, reward=Linear(increasing="all"), lapse=0, prior=None)
    with TemporaryDirectory(prefix="lori-bench-") as folder, ExitStack() as stack:
        file = Path(folder) / "pairs.parquet"
        write_organ_pairs(file, settings.pairs)
        pairs = open_stream(file)
        preferences = Preferences.concatenate(list(pairs))
        contestants = [
            Contestant(OURS, lambda: clone(estimator).fit(preferences)),
            Contestant("streamed from disk", lambda: clone(estimator).fit(pairs)),
        ]
        for count in settings.workers:
            fit = partial(_on_cluster, estimator, pairs, _client(count, stack))
            contestants.append(Contestant(f"Dask, {count} worker{'s' * (count > 1)}", fit, "distributed"))
        outcome = hold(f"where the pairs live, {settings.pairs:,} pairs", contestants, settings.repeats)
    measured = Measured(outcome.rows)
    own = _numbers(outcome.answers[OURS])
    for name, model in outcome.answers.items():
        if name != OURS:
            apart = float(np.max(np.abs(_numbers(model) - own) / np.maximum(np.abs(own), FLOOR * np.max(np.abs(own)))))
            outcome.add(
                name, f"numbers differ from those in memory by {apart:.1g}, relative", relative_difference=apart
            )
            measured.claim(f"dask: {name} against in memory, relative", apart, 1e-8, at_any_size=True)
    return measured


def _on_cluster(estimator: LORI, pairs: PreferenceStream, client: Any) -> LORI:
    return clone(estimator).fit(pairs, client=client)


def _client(workers: int, stack: ExitStack) -> Any:
    """A client of a cluster of its own, which ends with the stack; None where Dask is missing."""
    if importlib.util.find_spec("distributed") is None:
        return None
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    return stack.enter_context(Client(stack.enter_context(LocalCluster(n_workers=workers, **options))))


def _numbers(model: LORI) -> np.ndarray:
    """Weights of standardised features, and thresholds."""
    assert model.optimum_ is not None
    return model.optimum_.vector
