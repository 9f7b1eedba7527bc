"""People who slip: is a second level found that is not there, and still found where it is?

Truths with one level, which must not be taken for two, and one with two levels. A slip is an answer at random. For the
two levels it is counted, too, how often the 95 % intervals of the first threshold and of the rate of slips cover.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.power import BATCH, Bounds, Run, Scenario, Share, Simulation
from lori.model.ordered import Level, OrderedModel
from lori.model.rewards import Capped

FALSE_ALARMS = 0.05
POWER = {0.0: 0.74, 0.05: 0.45, 0.1: 0.35}  # at 300 pairs, by the rate of slips
COVERAGE = (0.88, 0.98)
NO_SLIPS = 0.02  # the mean of the estimated rate where nobody slips
HEADINGS = ("truth", "slips", "a second level is found", "which is", "threshold covered", "slips covered", "mean slips")


class Truth(NamedTuple):
    """A decision-maker, and what to call it."""

    name: str
    model: OrderedModel


def _capped() -> OrderedModel:
    """Weights 6 and 3 up to a sum of 4, which more than a quarter of the alternatives reach."""
    weights = np.array([6.0, 3.0])
    return OrderedModel((Level(Capped(), np.append(weights, 4.0), 0.0, slopes=weights),), ("x1", "x2"))


TRUTHS = (
    Truth("one level, weights 2 and 1", OrderedModel.linear([[2.0, 1.0]], epsilon=[0.0])),
    Truth("one level, weights 6 and 3", OrderedModel.linear([[6.0, 3.0]], epsilon=[0.0])),
    Truth("one level, weights 6, 3, 0 and 0", OrderedModel.linear([[6.0, 3.0, 0.0, 0.0]], epsilon=[0.0])),
    Truth("one level, weights 6 and 3, capped", _capped()),
    Truth("two levels, weights 3 and 3, ε 3", OrderedModel.linear([[3.0, 0.0], [0.0, 3.0]], epsilon=[3.0, 0.0])),
)


@dataclass(frozen=True)
class PeopleSettings:
    """How many simulated people, of what kind."""

    repeats: int = 200
    """Runs for each truth and rate of slips."""
    pairs: int = 300
    """Pairs of each run, with standard normal features, answered once and without ties."""
    slips: tuple[float, ...] = (0.0, 0.05, 0.1)
    """Shares of the answers that are drawn at random."""
    seed: int = 100
    """The seed of the first run; the others follow."""
    batch: int = BATCH
    """Runs that are fitted together."""
    starts: int = 48
    """Starts of each search."""
    jobs: int = 2
    """Batches worked on at the same time."""


SMOKE = PeopleSettings(repeats=2, pairs=40, slips=(0.1,), batch=2, starts=4, jobs=1)


@dataclass(frozen=True)
class Outcome:
    """What became of a truth at a rate of slips."""

    truth: Truth
    slips: float
    found: Share
    threshold_covered: Share | None = None
    slips_covered: Share | None = None  # None, too, where none are estimated
    mean_slips: float | None = None

    @classmethod
    def of(cls, truth: Truth, slips: float, runs: Sequence[Run]) -> Outcome:
        found = Share.among([run.found for run in runs])
        estimated = [run.slips for run in runs if run.slips is not None]
        mean = float(np.mean(estimated)) if estimated else None
        if len(truth.model.levels) == 1:
            return cls(truth, slips, found, mean_slips=mean)
        level = truth.model.levels[0]
        true = float(np.min(level.thresholds))  # of the feature that leads
        covered = Share.among([_covers(run.threshold_interval, true) for run in runs])
        rate = Share.among([_covers(run.slips_interval, slips) for run in runs]) if estimated else None
        return cls(truth, slips, found, covered, rate, mean)

    @property
    def alarm(self) -> bool:
        """Whether a level that is found is one too many."""
        return len(self.truth.model.levels) == 1


def _covers(interval: Bounds | None, true: float) -> bool:
    """An interval that is not there covers nothing; a bound that is not there is infinite."""
    if interval is None:
        return False
    low, high = interval
    return (low is None or low <= true) and (high is None or true <= high)


def measure(
    settings: PeopleSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    """Every truth at every rate of slips; the runs are kept in `out`, and those that are there are not done again."""
    cases = [(truth, slips) for truth in TRUTHS for slips in settings.slips]
    estimator = LORI(levels=2, starts=settings.starts)
    scenarios = [Scenario(truth.model, settings.pairs, slips, estimator=estimator) for truth, slips in cases]
    simulation = Simulation("people", scenarios, settings.repeats, settings.seed, settings.batch)
    runs = simulation.carry_out(out, jobs=settings.jobs, say=say, progress=progress)
    outcomes = [Outcome.of(truth, slips, own) for (truth, slips), own in zip(cases, runs, strict=True)]
    measured = Measured([_row(settings, outcome) for outcome in outcomes], table=table(outcomes))
    for outcome in outcomes:
        _claim(measured, outcome)
    return measured


def table(outcomes: Sequence[Outcome]) -> str:
    """A line for each truth and rate of slips, in words."""
    cells = [HEADINGS, *map(_cells, outcomes)]
    shown = [column for column in zip(*cells, strict=True) if any(cell != "–" for cell in column[1:])]
    widths = [max(map(len, column)) for column in shown]
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in zip(*shown, strict=True)]
    return "\n".join([lines[0], "─" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]])


def _cells(outcome: Outcome) -> tuple[str, ...]:
    shares = (outcome.threshold_covered, outcome.slips_covered)
    mean = "–" if outcome.mean_slips is None else f"{100 * outcome.mean_slips:.1f} %"
    return (
        outcome.truth.name,
        f"{100 * outcome.slips:g} %",
        str(outcome.found),
        "a false alarm" if outcome.alarm else "right",
        *("–" if share is None else str(share) for share in shares),
        mean,
    )


def _row(settings: PeopleSettings, outcome: Outcome) -> Row:
    measures: dict[str, float] = {"slips": outcome.slips}
    shares = {
        "false alarms" if outcome.alarm else "power": outcome.found,
        "threshold covered": outcome.threshold_covered,
        "slips covered": outcome.slips_covered,
    }
    for name, share in shares.items():
        if share is not None:
            measures |= {name: share.value, f"{name}, standard error": share.error}
    if outcome.mean_slips is not None:
        measures["mean slips"] = outcome.mean_slips
    case = f"{settings.pairs:,} pairs, {outcome.found.of} runs"
    return Row(case, f"{outcome.truth.name}; {100 * outcome.slips:g} % slips", measures=measures)


def _claim(measured: Measured, outcome: Outcome) -> None:
    where = f"people: {outcome.truth.name}, {100 * outcome.slips:g} % slips"
    if outcome.alarm:
        measured.claim(f"{where}: false alarms", outcome.found.value, FALSE_ALARMS)
        return
    if outcome.slips in POWER:
        measured.claim(f"{where}: power", outcome.found.value, POWER[outcome.slips], at_least=True)
    if outcome.slips == 0:
        measured.claim(f"{where}: mean of the estimated slips", outcome.mean_slips, NO_SLIPS)
        return
    for name, share in (("the threshold", outcome.threshold_covered), ("slips", outcome.slips_covered)):
        if share is not None:
            low, high = COVERAGE
            text = f"{where}: coverage of the 95 % interval of {name}"
            measured.claim(f"{text}, at least", share.value, low, at_least=True)
            measured.claim(f"{text}, at most", share.value, high)
