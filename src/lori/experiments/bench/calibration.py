"""Calibration: are the posteriors right? Data sets drawn from the prior, and where the truth falls among the draws.

Simulation-based calibration (Talts and others 2018): if parameters come from the prior and data from the parameters,
the rank of the true value among posterior draws is uniform, for every parameter and for the log-likelihood. All data
sets have the same scaling, so that they have one prior and are fitted in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy import stats

from lori.data.preferences import Preferences
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.trials import Decider, Keeping, answered
from lori.experiments.study import Cell
from lori.inference.estimates import Optimum
from lori.inference.fitting import fit_groups
from lori.inference.posterior.draws import interval
from lori.inference.posterior.sampling import sample_posterior
from lori.inference.problem import Problem
from lori.inference.statistics import Moments, Scaling

BATCH = 10  # data sets that are fitted together


@dataclass(frozen=True)
class CalibrationSettings:
    """How many data sets, of what kind."""

    data_sets: int = 200
    """Data sets for sequential Monte Carlo."""
    laplace_data_sets: int = 1000
    """Data sets for the Gaussian approximation, where each parameter is judged: a share's standard error is 0.9 %."""
    features: int = 3
    """Features of each alternative, standard normal."""
    levels: int = 2
    """Levels of the truth and of the model."""
    pairs: int = 300
    """Pairs of each data set for sequential Monte Carlo."""
    laplace_pairs: int = 2000
    """Pairs of each data set for the Gaussian approximation."""
    draws: int = 1000
    """Draws from each posterior."""
    bins: int = 20
    """Bins of the rank histograms."""
    probability: float = 0.9
    """Of the intervals whose coverage is counted."""
    jobs: int = 2
    """Batches worked on at the same time."""


SMOKE = CalibrationSettings(data_sets=4, laplace_data_sets=4, pairs=40, laplace_pairs=100, draws=40, bins=2, jobs=1)


@dataclass(frozen=True)
class Trial:
    """Where the truth fell in one data set."""

    ranks: dict[str, float]  # by number; from 0 to 1
    covered: dict[str, bool]
    trusted: bool


def measure(
    settings: CalibrationSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    """Both methods; batches are kept in `out`, and those that are there are not done again."""
    measured, keeping = Measured(), Keeping(out, say, progress)
    for method, pairs, data_sets in (
        ("smc", settings.pairs, settings.data_sets),
        ("laplace", settings.laplace_pairs, settings.laplace_data_sets),
    ):
        seeds = range(data_sets)
        batches = [seeds[start : start + BATCH] for start in range(0, len(seeds), BATCH)]
        work = [(settings, method, pairs, own) for own in batches]
        cells = keeping.each(f"calibration-{method}", _batch, settings, work.__getitem__, len(work))
        trials = [Trial(**trial) for cell in cells for trial in cell["trials"]]
        names = list(trials[0].ranks)
        case = f"{method}, {pairs:,} pairs, {data_sets} data sets"
        p_values, coverage = {}, {}
        for name in names:
            ranks = np.array([trial.ranks[name] for trial in trials])
            counts = np.histogram(ranks, settings.bins, (0.0, 1.0))[0]
            p_values[name] = float(stats.chisquare(counts).pvalue)
            row = Row(case, name, measures={"p": p_values[name], "mean rank": float(ranks.mean())})
            if name != "log-likelihood":
                coverage[name] = float(np.mean([trial.covered[name] for trial in trials]))
                row = row.with_measures(coverage=coverage[name])
            histogram = " ".join(str(count) for count in counts)
            covered = f"; covered {coverage[name]:.1%}" if name in coverage else ""
            note = f"ranks {histogram}; chi-square p = {p_values[name]:.3f}{covered}"
            measured.rows.append(Row(row.case, row.contestant, note=note, measures=row.measures))
        trusted = float(np.mean([trial.trusted for trial in trials]))
        measured.rows.append(Row(case, "trusted", note=f"{trusted:.1%} of the runs", measures={"share": trusted}))
        if method == "smc":
            text = f"calibration: smallest chi-square p of the {len(names)} rank histograms, smc"
            measured.claim(text, min(p_values.values()), 0.01, at_least=True)
        average = float(np.mean(list(coverage.values())))
        measured.claim(f"calibration: coverage of 90 % intervals, {method}, at least", average, 0.85, at_least=True)
        measured.claim(f"calibration: coverage of 90 % intervals, {method}, at most", average, 0.95)
        if method == "laplace":
            least, most = min(coverage.values()), max(coverage.values())
            measured.claim("calibration: least coverage of a parameter, laplace", least, 0.86, at_least=True)
            measured.claim("calibration: most coverage of a parameter, laplace", most, 0.94)
    return measured


def _trial(work: tuple[CalibrationSettings, str, int, int]) -> Trial:
    """That of one seed alone."""
    settings, method, pairs, seed = work
    return _trials((settings, method, pairs, [seed]))[0]


def _batch(work: tuple[CalibrationSettings, str, int, Sequence[int]]) -> Cell:
    """Several seeds, as they are kept."""
    return {"trials": [asdict(trial) for trial in _trials(work)]}


def _trials(work: tuple[CalibrationSettings, str, int, Sequence[int]]) -> list[Trial]:
    settings, method, pairs, seeds = work
    deciders, data = zip(*(_drawn(settings, pairs, seed) for seed in seeds), strict=True)
    known: list[tuple[Optimum, np.ndarray] | None] = [None] * len(seeds)
    if method == "laplace":
        alike = replace(deciders[0].settings, standard_errors="none")
        known = [(fit.optimum, fit.rivals) for fit in fit_groups(alike, data)]
    return [_ranked(settings, method, *own) for own in zip(deciders, data, seeds, known, strict=True)]


def _drawn(settings: CalibrationSettings, pairs: int, seed: int) -> tuple[Decider, Preferences]:
    """A decision-maker and what they chose."""
    generator = np.random.default_rng(seed)
    sides = generator.normal(size=(2, pairs, settings.features))
    scaling = Scaling.of(Moments.of(Preferences.from_arrays(*sides)), standardised=True)
    left, right = (sides - scaling.location) / scaling.scale
    decider = Decider.drawn(settings.levels, left, right, generator)
    return decider, answered(decider.model, left, right, generator)


def _ranked(
    settings: CalibrationSettings,
    method: str,
    decider: Decider,
    data: Preferences,
    seed: int,
    known: tuple[Optimum, np.ndarray] | None,
) -> Trial:
    """Where the truth falls among the draws."""
    specification, truth = decider.settings.specification, decider.vector
    posterior = sample_posterior(decider.settings, data, method=method, draws=settings.draws, seed=seed, known=known)
    draws = posterior.draws
    problem = Problem.of(specification, [data], None, decider.scaling)
    values = problem.negative_log_likelihood(np.concatenate([truth[None], draws])[None], order=0).value[0]
    low, high = interval(draws, settings.probability)
    ranks = {name: float(np.mean(draws[:, i] < truth[i])) for i, name in enumerate(specification.names)}
    covered = {name: bool(low[i] <= truth[i] <= high[i]) for i, name in enumerate(specification.names)}
    ranks["log-likelihood"] = float(np.mean(-values[1:] < -values[0]))
    return Trial(ranks, covered, posterior.trust.trusted)
