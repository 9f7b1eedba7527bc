"""Power: how often is a level found that is there, and how often one that is not? Simulated choices, fitted.

A `Scenario` is somebody who chooses and sometimes slips, in a study of a certain size. Many data sets are drawn from
each and fitted as one batch, which is several times as fast as a loop and gives the same answers but for two things:
the random starts of the search are others, and the prior's units are those of all data sets together. Where choices
have agents, data sets are fitted one by one, for then support is judged by agents.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.recovery import in_order
from lori.experiments.results import completed, kept
from lori.experiments.study import Cell, Study
from lori.model.ordered import Level, OrderedModel
from lori.model.quantity import Quantity
from lori.model.simulation import simulate

FOUND = ("supported", "weakly supported")
BATCH = 20  # data sets fitted together, and kept together in a file
REPEATS = 1000  # draws behind the interval of a number of choices

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class Scenario:
    """Who chooses, how often they slip, and what they are asked."""

    model: OrderedModel
    choices: int
    slips: float = 0.0
    people: int | None = None  # whom the choices are dealt to; None: nobody is told apart
    design: np.ndarray | None = None  # (pairs, 2, features) to take pairs from; None: they are normal
    spread: tuple[float, ...] = (1.0,)  # deviation of normal features, one for all or one for each
    estimator: LORI = field(default_factory=LORI)

    def draw(self, seed: int) -> Preferences:
        """What they choose in one study; studies of different sizes have nothing in common."""
        generator = np.random.default_rng([seed, self.choices])
        pairs: int | np.ndarray = self.choices
        if self.design is not None:
            pairs = self.design[_taken(len(self.design), self.choices, generator)]
        return simulate(
            replace(self.model, lapse=self.slips),
            pairs,
            agents=self.people,
            spread=np.array(self.spread),
            seed=int(generator.integers(1 << 31)),
        )

    def describe(self) -> dict[str, Any]:
        """What the answers depend on, as plain values."""
        design = None if self.design is None else hashlib.sha256(self.design.tobytes()).hexdigest()
        parts = {name: getattr(self, name) for name in ("choices", "slips", "people", "spread")}
        settings = {name: repr(value) for name, value in self.estimator.get_params(deep=False).items()}
        return {**parts, "model": self.model.describe(), "design": design, "estimator": settings}


def _taken(pairs: int, count: int, generator: np.random.Generator) -> np.ndarray:
    """Which pairs of a design are asked: all of them as often as there is room, and a random part of them."""
    whole, rest = divmod(count, pairs)
    return np.concatenate([np.tile(np.arange(pairs), whole), generator.permutation(pairs)[:rest]])


@dataclass(frozen=True)
class Run:
    """What became of one data set."""

    verdict: str  # on the last level
    in_order: bool  # all levels are there and stand as in the truth
    threshold: float | None = None  # of the first level, in units of the feature that leads it in the truth
    threshold_interval: Bounds | None = None  # 95 %
    slips: float | None = None  # as estimated
    slips_interval: Bounds | None = None

    @classmethod
    def of(cls, fitted: LORI, truth: OrderedModel, data: Preferences) -> Run:
        summary = fitted.summary()
        assert summary.support is not None
        deviation = np.sqrt(np.mean(data.differences**2, axis=0))
        first = truth.features[leading(truth.levels[0], deviation)]
        same = len(truth.levels) == len(fitted.model_.levels)
        return cls(
            summary.support.verdict,
            same and in_order(truth, fitted.model_, deviation),
            *_numbers(summary.levels[0].thresholds[first]),
            *_numbers(summary.lapse),
        )

    @property
    def found(self) -> bool:
        return self.verdict in FOUND


def leading(level: Level, deviation: np.ndarray) -> int:
    """Which feature leads a level."""
    return int(np.argmax(np.abs(level.weights) * deviation))


def _numbers(quantity: Quantity | None) -> tuple[float | None, Bounds | None]:
    """Value and interval; a bound that is not finite is none."""
    if quantity is None or quantity.value is None:
        return None, None
    if quantity.interval is None:
        return quantity.value, None
    low, high = (bound if bound is not None and np.isfinite(bound) else None for bound in quantity.interval)
    return quantity.value, (low, high)


def fit_all(estimator: LORI, data_sets: Sequence[Preferences]) -> list[LORI]:
    """The same model for each data set."""
    if any(data.agent is not None for data in data_sets):
        return [estimator.copy().fit(data) for data in data_sets]
    labelled = [
        Preferences.from_arrays(
            data.left_features, data.right_features, counts=data.outcome_counts, features=data.features,
            agent=[str(place)] * len(data),
        )
        for place, data in enumerate(data_sets)
    ]  # fmt: skip
    return list(estimator.fit_by_agent(Preferences.concatenate(labelled)).values())


def fitted_runs(scenario: Scenario, seeds: Sequence[int]) -> list[Run]:
    """A run for each seed."""
    data_sets = [scenario.draw(seed) for seed in seeds]
    fits = fit_all(scenario.estimator, data_sets)
    return [Run.of(fit, scenario.model, data) for fit, data in zip(fits, data_sets, strict=True)]


@dataclass(frozen=True)
class Share:
    """How many of how many, with a standard error that is not zero for none or all."""

    count: int
    of: int

    @classmethod
    def among(cls, answers: Sequence[bool]) -> Share:
        return cls(sum(answers), len(answers))

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else float("nan")

    @property
    def error(self) -> float:
        near = (self.count + 0.5) / (self.of + 1)
        return float(np.sqrt(near * (1 - near) / max(self.of, 1)))

    def __str__(self) -> str:
        return f"{100 * self.value:.0f} ± {100 * self.error:.0f} %" if self.of else "–"


@dataclass(frozen=True)
class SimulationSettings:
    """What the kept runs depend on."""

    scenarios: tuple[str, ...]  # as JSON
    batch: int
    seed: int


@dataclass(frozen=True, eq=False)
class Simulation:
    """Runs of several scenarios, kept in files as they end, so that a stopped simulation goes on.

    The batches take turns: when it is stopped, all scenarios have about as many runs. Seeds count from `seed`.
    """

    name: str
    scenarios: Sequence[Scenario]
    runs: int
    seed: int
    batch: int = BATCH

    def carry_out(
        self,
        out: Path,
        *,
        jobs: int = 2,
        say: Callable[[str], None] = print,
        progress: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[list[Run]]:
        """The runs of each scenario; those that `out` lacks are computed, `jobs` batches at a time."""
        cells = completed(self._study, self._settings, range(self._count), out, jobs=jobs, say=say, progress=progress)
        return self._sorted({cell["seed"]: cell["result"] for cell in cells})

    def so_far(self, out: Path) -> list[list[Run]]:
        """The runs of each scenario that `out` holds."""
        cells = kept(self._study, self._settings, range(self._count), out, lambda sentence: None)
        return self._sorted({number: cell["result"] for number, cell in cells.items()})

    @property
    def _settings(self) -> SimulationSettings:
        told = tuple(json.dumps(scenario.describe(), sort_keys=True) for scenario in self.scenarios)
        return SimulationSettings(told, self.batch, self.seed)

    @property
    def _study(self) -> Study:
        return Study(self.name, "", self._settings, self._settings, cell=self._cell)

    @property
    def _count(self) -> int:
        return len(self.scenarios) * -(-self.runs // self.batch)

    def _cell(self, settings: SimulationSettings, number: int) -> Cell:
        turn, place = divmod(number, len(self.scenarios))
        first = self.seed + turn * self.batch
        runs = fitted_runs(self.scenarios[place], range(first, first + self.batch))
        return {"runs": [asdict(run) for run in runs]}

    def _sorted(self, cells: dict[int, Cell]) -> list[list[Run]]:
        runs: list[list[Run]] = [[] for _ in self.scenarios]
        for number in sorted(cells):
            runs[number % len(runs)] += [Run(**fields) for fields in cells[number]["runs"]]
        return [own[: self.runs] for own in runs]


@dataclass(frozen=True)
class Needed:
    """A number of choices with its 95 % interval. None: smaller (`low`) or larger (others) than all that were tried."""

    value: float | None
    low: float | None
    high: float | None
    at_once: bool = False  # the smallest number that was tried is enough


def needed(sizes: Sequence[int], found: Sequence[Share], probability: float, seed: int = 0) -> Needed:
    """With how many choices is a level found with this probability?

    Shares rise with the number of choices (they are made to, where chance has it otherwise), and in between they are
    interpolated on the logarithm of that number. The interval is that of shares drawn anew, as Jeffreys has it.
    """
    order = np.argsort(sizes)
    logarithm = np.log(np.array(sizes, float)[order])
    counts, of = np.array([[share.count, share.of] for share in found], float)[order].T

    def crossing(shares: np.ndarray) -> float:
        rising = isotonic_regression(shares, weights=of).x
        if rising[0] >= probability:
            return -np.inf
        above = np.flatnonzero(rising >= probability)
        if not len(above):
            return np.inf
        right = above[0]
        part = (probability - rising[right - 1]) / (rising[right] - rising[right - 1])
        return logarithm[right - 1] + part * (logarithm[right] - logarithm[right - 1])

    def choices(place: float) -> float | None:
        return float(np.exp(place)) if np.isfinite(place) else None

    draws = np.random.default_rng(seed).beta(counts + 0.5, of - counts + 0.5, size=(REPEATS, len(counts)))
    places = np.sort([crossing(draw) for draw in draws])
    low, high = places[int(0.025 * REPEATS)], places[int(0.975 * REPEATS)]
    best = crossing(counts / of)
    return Needed(choices(best), choices(low), choices(high), at_once=best == -np.inf)
