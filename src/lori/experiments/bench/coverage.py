"""Coverage: how often do the reported intervals hold the truth? Many data sets of decision-makers with two levels.

Data sets are of one decision-maker, whose last threshold is so small that the likelihood is not quadratic there, or
each of another one, drawn from the prior. For each number that a fit reports the share of data sets is counted in which
its 95 % interval holds the true one, and for the posterior how often the interval of a predicted probability does. Data
sets are fitted in batches, as those of `lori.experiments.power`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import Decider, Keeping, answered
from lori.experiments.power import fit_all
from lori.experiments.study import Cell
from lori.inference.posterior.sampling import sample_posterior
from lori.model.ordered import OrderedModel
from lori.model.quantity import Quantity

NEW_PAIRS, DRAWS = 200, 1000  # whose probabilities are predicted, by so many draws
SLIPS, NO_SLIPS = "rate of slips", 0.02  # the mean of the estimated rate where nobody slips


@dataclass(frozen=True)
class CoverageSettings:
    """How many data sets, of what decision-maker."""

    data_sets: int = 200
    """Data sets of each decision-maker, fitted with two levels."""
    drawn_sets: int = 900
    """Data sets of decision-makers that are drawn: so many that a share's standard error is below 1 %."""
    pairs: int = 500
    """Pairs of each data set, with two standard normal features."""
    weight: float = 3.0
    """Of the only feature of each level."""
    epsilon: tuple[float, float] = (3.0, 0.5)
    """Thresholds of the two levels."""
    lapses: tuple[float | None, ...] = (0.0, 0.1, None)
    """Rates of slips: so many decision-makers; None: another one for each data set, drawn from the prior."""
    first_seed: int = 100
    """Of the first data set."""
    batch: int = 10
    """Data sets that are fitted together."""
    jobs: int = 2
    """Batches worked on at the same time."""


SMOKE = CoverageSettings(data_sets=2, drawn_sets=2, pairs=100, jobs=1)


class Interval(NamedTuple):
    """An interval, and what it was to hold."""

    low: float
    high: float
    truth: float

    @property
    def holds(self) -> bool:
        return self.low <= self.truth <= self.high


@dataclass(frozen=True)
class Trial:
    """What the intervals of one data set held."""

    intervals: dict[str, Interval | None]  # by number; None where there is none
    slips: float  # as estimated
    predicted: float  # share of new pairs whose true probability lay in its 90 % interval

    @classmethod
    def from_dict(cls, kept: Cell) -> Trial:
        intervals = {name: own if own is None else Interval(*own) for name, own in kept["intervals"].items()}
        return cls(intervals, kept["slips"], kept["predicted"])


def measure(
    settings: CoverageSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    """Every rate of slips; batches are kept in `out`, and those that are there are not done again."""
    measured, keeping = Measured(), Keeping(out, say, progress)
    for rate in settings.lapses:
        _measure(settings, rate, measured, keeping)
    return measured


def _measure(settings: CoverageSettings, rate: float | None, measured: Measured, keeping: Keeping) -> None:
    data_sets = settings.drawn_sets if rate is None else settings.data_sets
    seeds = range(settings.first_seed, settings.first_seed + data_sets)
    batches = [seeds[start : start + settings.batch] for start in range(0, len(seeds), settings.batch)]
    work = [(settings, rate, own) for own in batches]
    slips = "drawn" if rate is None else f"{rate:.0%} slips"
    cells = keeping.each(f"coverage, {slips}", _kept, settings, work.__getitem__, len(work))
    trials = [Trial.from_dict(own) for cell in cells for own in cell["trials"]]
    case = f"two levels, {slips}, {settings.pairs:,} pairs, {data_sets} data sets"
    shares = {}
    for name in trials[0].intervals:
        made = [own for trial in trials if (own := trial.intervals[name]) is not None]
        shares[name] = float(np.mean([own.holds for own in made])) if made else float("nan")
        length = float(np.median([own.high - own.low for own in made])) if made else float("nan")
        note = f"covered {shares[name]:.1%} of {len(made)}, median length {length:.2g}"
        measures = {"coverage": shares[name], "intervals": float(len(made)), "median length": length}
        measured.rows.append(Row(case, name, note=note, measures=measures))
    predicted = float(np.mean([trial.predicted for trial in trials]))
    row = Row(case, "predicted probabilities", note=f"covered {predicted:.1%}", measures={"coverage": predicted})
    estimated = float(np.mean([trial.slips for trial in trials]))
    mean = Row(case, "estimated rate of slips", note=f"mean {estimated:.2%}", measures={"mean": estimated})
    measured.rows += [row, mean]
    if rate == 0:  # an interval that begins at zero holds a rate of zero, however it is made
        del shares[SLIPS]
    least = 0.88 if rate else 0.90
    measured.claim(f"coverage: least of the 95 % intervals, {slips}", min(shares.values()), least, at_least=True)
    measured.claim(f"coverage: most of the 95 % intervals, {slips}", max(shares.values()), 0.98)
    measured.claim(f"coverage: 90 % intervals of predictions, {slips}, at least", predicted, 0.87, at_least=True)
    measured.claim(f"coverage: 90 % intervals of predictions, {slips}, at most", predicted, 0.93)
    if rate == 0:
        measured.claim(f"coverage: mean of the estimated slips, {slips}", estimated, NO_SLIPS)


def _kept(work: tuple[CoverageSettings, float | None, Sequence[int]]) -> Cell:
    """Those of the seeds, as they are kept."""
    return {"trials": [asdict(trial) for trial in _trials(work)]}


def _trials(work: tuple[CoverageSettings, float | None, Sequence[int]]) -> list[Trial]:
    """Those of the seeds, fitted as one batch."""
    settings, rate, seeds = work
    generators = [np.random.default_rng(seed) for seed in seeds]
    pairs = [generator.normal(size=(2, settings.pairs, 2)) for generator in generators]
    truths = [_truth(settings, rate, *own) for own in zip(pairs, generators, strict=True)]
    asked = zip(truths, pairs, generators, strict=True)
    data = [answered(truth, left, right, own) for truth, (left, right), own in asked]
    fits = fit_all(LORI(levels=2), data)
    return [_trial(*own) for own in zip(truths, fits, data, generators, strict=True)]


def _truth(
    settings: CoverageSettings, rate: float | None, sides: np.ndarray, generator: np.random.Generator
) -> OrderedModel:
    """Who chooses in one data set."""
    if rate is None:
        return Decider.drawn(2, sides[0], sides[1], generator).model
    return replace(OrderedModel.linear(settings.weight * np.eye(2), epsilon=list(settings.epsilon)), lapse=rate)


def _trial(truth: OrderedModel, model: LORI, data: Preferences, generator: np.random.Generator) -> Trial:
    intervals: dict[str, Interval | None] = {}
    for place, (level, own) in enumerate(zip(truth.levels, model.summary().levels, strict=True)):
        where = f"level {place + 1}"
        intervals[f"{where}: ε"] = _interval(own.epsilon, level.epsilon)
        for name, weight, threshold in zip(truth.features, level.weights, level.thresholds, strict=True):
            intervals[f"{where}: weight of {name}"] = _interval(own.weights[name], float(weight))
            if weight:  # else there is no threshold
                intervals[f"{where}: threshold of {name}"] = _interval(own.thresholds[name], float(threshold))
    slips = model.summary().lapse
    assert slips is not None
    assert model.settings_ is not None
    assert model.optimum_ is not None
    intervals[SLIPS] = _interval(slips, truth.lapse)
    known = model.optimum_, model.rivals_
    posterior = sample_posterior(model.settings_, data, method="laplace", draws=DRAWS, seed=0, known=known)
    new = generator.normal(size=(2, NEW_PAIRS, 2))
    low, _, high = posterior.predict_interval(*new).T
    exact = truth.predict_proba(*new)[:, 0]
    return Trial(intervals, float(slips.value or 0.0), float(np.mean((low <= exact) & (exact <= high))))


def _interval(quantity: Quantity, truth: float) -> Interval | None:
    return None if quantity.interval is None else Interval(*quantity.interval, truth)
