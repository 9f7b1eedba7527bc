"""Streams of panels: classes of people whose choices are on disk or on a cluster. Every question is a pass over them.

The first pass learns who the agents are, keeps the choices of some of them in memory, and adds up what a fit needs to
know. Classes are searched for on those agents, and polished on everybody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.data.reading.stream import Piece, PreferenceStream
from lori.errors import DataError
from lori.inference.population import fitting
from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.classes import Mixture
from lori.inference.population.fitting import (
    PopulationFit,
    classes_of,
    fit_of_classes,
    fit_population,
    offered,
    problems_of,
    restricted,
)
from lori.inference.population.panel import Panel
from lori.inference.population.search import Report
from lori.inference.population.sums import Parts, Question
from lori.inference.problem import Problem
from lori.inference.settings import FitSettings
from lori.inference.sources.cluster import gathered
from lori.inference.sources.memory import Memory
from lori.inference.statistics import SAMPLE, Scaling, Statistics
from lori.inference.threads import without_blas_threads
from lori.model.likelihoods import Likelihood


@dataclass(frozen=True, eq=False)
class FirstPass:
    """What the first pass over a part leaves behind; parts add up in their order."""

    statistics: Statistics
    agents: tuple[str, ...]  # in the order in which they first appear
    seen: np.ndarray  # (agents,) comparisons times weights
    few: Preferences | None  # all choices of some agents

    @property
    def everything(self) -> Preferences | None:
        """All choices, where they are so few."""
        return self.few if self.few is not None and len(self.few) == self.statistics.pairs else None

    @classmethod
    def of(cls, part: Preferences, pairs: int, most: int) -> FirstPass:
        """Of all `pairs`, about so many are kept."""
        panel = Panel.of(part, fewest=1)
        chosen = np.array([_drawn(agent, most / pairs) for agent in panel.agents])[panel.agent]
        sampled = max(1, round(SAMPLE * len(part) / pairs))
        seen = panel.totals(part.comparisons * part.weights)
        return cls(Statistics.of(part, sampled), panel.agents, seen, part.subset(chosen) if chosen.any() else None)

    def __add__(self, other: FirstPass) -> FirstPass:
        agents = tuple(dict.fromkeys((*self.agents, *other.agents)))
        numbers = {agent: number for number, agent in enumerate(agents)}
        seen = np.zeros(len(agents))
        seen[: len(self.agents)] = self.seen
        seen[[numbers[agent] for agent in other.agents]] += other.seen
        few = [own for own in (self.few, other.few) if own is not None]
        kept = Preferences.concatenate(few) if few else None
        return FirstPass(self.statistics + other.statistics, agents, seen, kept)


def _drawn(agent: str, share: float) -> bool:
    """Is this one of the agents that are kept? The same ones wherever their choices are."""
    number = int.from_bytes(hashlib.blake2b(agent.encode(), digest_size=8).digest())
    return number < share * 2**64


@dataclass(frozen=True, eq=False)
class OnDisk:
    """Rows in Parquet files, read again for every question."""

    pairs: PreferenceStream
    likelihood: Likelihood
    panel: Panel
    factor: float  # what makes weights average one

    def total(self, question: Question, problem: Problem, *given: np.ndarray) -> np.ndarray:
        agents, total = len(self.panel), None
        for part in self.pairs:
            rows, agent = _rows(part, self.likelihood, self.panel, self.factor)
            own = question(replace(problem, source=rows), agent, agents, *given)
            total = own if total is None else total + own
        assert total is not None
        return total


@dataclass(frozen=True, eq=False)
class OnCluster:
    """Rows that stay with the workers of a Dask cluster; sums travel."""

    client: Any
    partitions: list[Any]  # futures of rows with the numbers of their agents
    agents: int

    def total(self, question: Question, problem: Problem, *given: np.ndarray) -> np.ndarray:
        without = replace(problem, source=Memory(()))
        asked = self.client.map(
            _asked, self.partitions, question=question, problem=without, agents=self.agents, given=given,
            pure=False, retries=3,
        )  # fmt: skip
        return sum(gathered(self.client, asked))


def first_pass(pairs: PreferenceStream, classes: int, client: Any = None) -> FirstPass:
    """Read everything once, here or on the workers of a cluster; choices for the search of so many classes stay in
    memory."""
    most = fitting.kept_for_search(pairs.n_pairs, classes * fitting.SEARCHED)
    if client is not None:
        reading = client.map(_first_of_piece, list(pairs.pieces), pairs=pairs, most=most, pure=False)
        return _added(gathered(client, reading))
    return _added(FirstPass.of(part, pairs.n_pairs, most) for part in pairs)


@without_blas_threads()
def fit_classes_of_stream(
    settings: Sequence[FitSettings],
    pairs: PreferenceStream,
    first: FirstPass,
    *,
    client: Any = None,
    checkpoint: Checkpoint,
    report: Report | None = None,
) -> PopulationFit:
    """A class for each of the settings."""
    if first.everything is not None:
        return fit_population(settings, first.everything, checkpoint=checkpoint, report=report)
    few = first.few
    if few is None or len(set(few.agent)) <= len(settings):  # type: ignore[arg-type]
        raise DataError(
            "agent", expected="many agents with few choices each, to stream them", got="few with very many choices",
            fix="read the files into memory (--engine memory), or fit each agent alone",
        )  # fmt: skip
    panel, factor = Panel(first.agents, np.empty(0, int)), first.statistics.weight_factor
    likelihood = settings[0].specification.likelihood
    rows: Parts = OnDisk(pairs, likelihood, panel, factor)
    if client is not None:
        reading = client.map(
            _rows_of_piece, list(pairs.pieces), pairs=pairs, likelihood=likelihood, panel=panel, factor=factor,
            pure=False,
        )  # fmt: skip
        rows = OnCluster(client, reading, len(panel))
    scaling = Scaling.within(settings[0].specification, first.statistics.moments)
    design = np.ones((len(panel), 1))
    mixture = Mixture(tuple(problems_of(settings, few, scaling)), panel, design, rows)
    found = classes_of(settings, mixture, restricted(mixture, settings, few), checkpoint, report)
    seen = first.seen * factor
    chance = -np.log(offered(settings[0], few)[0]) * seen
    return fit_of_classes(settings, first.statistics, mixture, found, chance, seen)


def _added(parts: Iterable[FirstPass]) -> FirstPass:
    total: FirstPass | None = None
    for own in parts:
        total = own if total is None else total + own
    assert total is not None
    return total


def _rows(part: Preferences, likelihood: Likelihood, panel: Panel, factor: float) -> tuple[Memory, np.ndarray]:
    assert part.agent is not None
    return Memory((likelihood.observed(part).multiplied(factor),)), panel.numbers_of(part.agent)


# -- the work of a cluster's workers ---------------------------------------------------------------------------


def _first_of_piece(piece: Piece, pairs: PreferenceStream, most: int) -> FirstPass:
    return _added(FirstPass.of(part, pairs.n_pairs, most) for part in pairs.read(piece))


def _rows_of_piece(
    piece: Piece, pairs: PreferenceStream, likelihood: Likelihood, panel: Panel, factor: float
) -> list[tuple[Memory, np.ndarray]]:
    return [_rows(part, likelihood, panel, factor) for part in pairs.read(piece)]


def _asked(
    parts: list[tuple[Memory, np.ndarray]], question: Question, problem: Problem, agents: int, given: Any
) -> np.ndarray:
    return sum(question(replace(problem, source=rows), agent, agents, *given) for rows, agent in parts)  # type: ignore[return-value]
