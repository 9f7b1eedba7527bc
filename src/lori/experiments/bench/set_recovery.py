"""Recovery from sets: is the order found, and do intervals hold the truth, when choices are among many?

Orders are those of random models (`lori.experiments.bench.recovery`) who choose among three alternatives with three
attributes, neighbouring ones correlated. Beside the order of the best optimum stands what the posterior says of it: how
probable it is, and how many orders are right where it is sure. Intervals are those of somebody with two levels who
chooses from sets of twenty; beside them stand those of the reading as pairs that share their winner. Batches that are
done are kept in the folder, so that a run that was stopped goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lori.data.choices import Choices
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Measured, Row
from lori.experiments.bench.recovery import hanging, in_order, random_model
from lori.experiments.bench.trials import Keeping
from lori.inference.posterior.sampling import sample_posterior
from lori.inference.problem import Problem
from lori.model.decisions import decided, simulated
from lori.model.ordered import OrderedModel
from lori.model.quantity import Quantity

ALTERNATIVES, ATTRIBUTES = 3, 3
TENTH, FEW_SLIPS = 0.1, 0.005
SURE = 0.9  # probability from which on the posterior is sure of an order
READINGS = ("sets", "pairs", "pairs, clustered by set")


@dataclass(frozen=True)
class SetRecoverySettings:
    """How many deciders, of what kind."""

    deciders: int = 100
    """For each correlation."""
    choices: int = 1000
    """Of each decider."""
    correlations: tuple[float, ...] = (-0.5, 0.0, 0.5)
    """Of neighbouring attributes: that of the first and the third is its square."""
    draws: int = 250
    """Of each posterior."""
    first_seed: int = 100
    """Of the first decider."""
    batch: int = 10
    """Deciders that are fitted together."""
    jobs: int = 1
    """Batches worked on at the same time."""


SMOKE = SetRecoverySettings(deciders=2, choices=100, correlations=(0.0,), draws=40, batch=2)


@dataclass(frozen=True)
class Trial:
    """What became of one decider."""

    decides: float  # share of choices that the weakest level decides
    hangs: float  # share of pairs that would be decided otherwise without the weakest level
    converged: bool
    right: bool
    ahead: float  # units of log-posterior by which what was found explains the choices better than the truth's optimum
    probability: float  # of the order that was found, by the posterior


def measure(
    settings: SetRecoverySettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    measured, keeping = Measured(), Keeping(out, say, progress)
    batches = _batches(settings, settings.deciders)
    for correlation in settings.correlations:
        work = [(settings, correlation, own) for own in batches]
        cells = keeping.each(f"set-recovery {correlation:g}", _trials, settings, work.__getitem__, len(work))
        trials = [Trial(**own) for cell in cells for own in cell["trials"]]
        matter = [trial for trial in trials if trial.decides >= TENTH]
        clear = [trial for trial in matter if trial.hangs >= TENTH]
        wrong = [trial.ahead for trial in matter if not trial.right]
        converged, right = sum(own.converged for own in trials), sum(own.right for own in matter)
        measures: dict[str, float] = {
            "converged": converged, "deciders": len(trials), "right": right, "of": len(matter),
            "right where a tenth hangs": sum(own.right for own in clear), "of these": len(clear),
        }  # fmt: skip
        note = (
            f"converged in {converged} of {len(trials)}; right order in {right} of the {len(matter)} whose weakest "
            f"level decides a tenth, and in {sum(own.right for own in clear)} of the {len(clear)} of these in which "
            f"a tenth of choices would be others without it"
        )
        if wrong:
            note += f"; a wrong order is ahead of the optimum next to the truth by {min(wrong):.2f} to {max(wrong):.2f}"
            measures["least that a wrong order is ahead"] = min(wrong)
        case = f"{settings.choices:,} choices among {ALTERNATIVES}"
        measured.rows.append(Row(case, f"correlation {correlation:g}", note=note, measures=measures))
        if matter:
            measured.rows.append(_by_posterior(case, correlation, matter))
        name = f"sets, correlation {correlation:g}"
        measured.claim(f"{name}: share that converged", converged / len(trials), 1.0, at_least=True)
        if matter:
            measured.claim(
                f"{name}: right orders where each level decides a tenth", right / len(matter), 0.99, at_least=True
            )
        if clear:
            share = sum(own.right for own in clear) / len(clear)
            measured.claim(f"{name}: right orders where a tenth hangs on each level", share, 0.99, at_least=True)
        sure = [trial.right for trial in matter if trial.probability >= SURE]
        if sure:
            told = f"{name}: right orders where each level decides a tenth and the posterior is sure"
            measured.claim(told, float(np.mean(sure)), 0.99, at_least=True)
    return measured


def _by_posterior(case: str, correlation: float, trials: Sequence[Trial]) -> Row:
    """What the posterior says of the orders of these deciders: with two levels, what is not the one is the other."""
    likeliest = sum(own.right == (own.probability >= 0.5) for own in trials)
    expected = sum(max(own.probability, 1 - own.probability) for own in trials)
    sure = [own.right for own in trials if own.probability >= SURE]
    wrong = [own.probability for own in trials if not own.right]
    note = (
        f"the posterior's likeliest order is right in {likeliest} of the {len(trials)}, of which it expects "
        f"{expected:.1f}; where it gives what was found {SURE:g} or more, that is right in {sum(sure)} of {len(sure)}"
    )
    if wrong:
        note += f"; to a wrong order it gives {min(wrong):.2f} to {max(wrong):.2f}"
    measures = {
        "likeliest is right": likeliest, "of": len(trials), "expected": expected, "sure and right": sum(sure),
        "sure": len(sure), "most that a wrong order is given": max(wrong, default=0.0),
    }  # fmt: skip
    return Row(case, f"correlation {correlation:g}, by the posterior", note=note, measures=measures)


def _batches(settings: SetRecoverySettings | SetCoverageSettings, count: int) -> list[range]:
    """Seeds whose data are fitted together."""
    seeds = range(settings.first_seed, settings.first_seed + count)
    return [seeds[start : start + settings.batch] for start in range(0, count, settings.batch)]


def _trials(work: tuple[SetRecoverySettings, float, Sequence[int]]) -> dict[str, Any]:
    settings, correlation, seeds = work
    truths, data = [], []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        truths.append(random_model(generator, 2, ATTRIBUTES, speaks=TENTH))
        table = correlated(generator, (settings.choices, ALTERNATIVES, ATTRIBUTES), correlation)
        data.append(simulated(truths[-1], Choices.from_arrays(table, np.zeros(len(table), int)), generator))
    fits = fit_each(LORI(levels=2, standard_errors="none"), data)
    found = []
    for truth, seen, fit in zip(truths, data, fits, strict=True):
        probes = seen.alternatives.reshape(len(seen), ALTERNATIVES, ATTRIBUTES)
        found.append(
            Trial(
                decides=float(decided(truth, seen).mean(axis=0)[:-1].min()),
                hangs=float(hanging(truth, probes[:, 0], probes[:, 1]).min()),
                converged=bool(fit.converged_),
                right=bool(in_order(truth, fit.model_)),
                ahead=_ahead(truth, seen, fit),
                probability=_probability(seen, fit, settings.draws),
            )
        )
    return {"trials": [asdict(own) for own in found]}


def _ahead(truth: OrderedModel, seen: Choices, fit: LORI) -> float:
    """By how much what was found is better than where Newton's method ends that starts from the truth."""
    optimum = fit.optimum_
    assert optimum is not None
    known, scaling = optimum.units.specification, optimum.units.scaling
    weights = [level.alpha * level.weights * scaling.scale for level in truth.levels]
    thresholds = np.array([level.alpha * level.epsilon for level in truth.levels])
    start = known.pack(weights, thresholds, np.ones(len(truth.levels)), FEW_SLIPS)
    problem = Problem.of(known, [seen], optimum.prior, scaling)
    return float(problem.solve_from(start[None, None]).values[0, 0] - optimum.value)


def _probability(seen: Choices, fit: LORI, draws: int) -> float:
    """The share of the posterior's draws whose levels stand in the order that was found."""
    assert fit.settings_ is not None
    assert fit.optimum_ is not None
    known = fit.optimum_, fit.rivals_
    posterior = sample_posterior(fit.settings_, seen, method="laplace", draws=draws, seed=0, known=known)
    return float(np.mean([in_order(fit.model_, own) for own in posterior.models(draws)]))


def correlated(generator: np.random.Generator, shape: tuple[int, ...], correlation: float) -> np.ndarray:
    """Standard normal attributes, correlated with their neighbours."""
    places = np.arange(shape[-1])
    covariance = correlation ** np.abs(places[:, None] - places)
    return generator.normal(size=shape) @ np.linalg.cholesky(covariance).T


def fit_each(estimator: LORI, data: Sequence[Choices]) -> list[LORI]:
    """The same model for each of the data, fitted as one batch."""
    labelled = [replace(own, agent=np.full(len(own), str(place))) for place, own in enumerate(data)]
    return list(estimator.fit_by_agent(Choices.concatenate(labelled)).values())


@dataclass(frozen=True)
class SetCoverageSettings:
    """How many data sets, of what kind."""

    data_sets: int = 100
    """Data sets, each fitted with two levels."""
    sets: int = 500
    """Sets of each."""
    alternatives: int = 20
    """Alternatives of each set, with two standard normal features."""
    weight: float = 3.0
    """Of the only feature of each level."""
    epsilon: float = 3.0
    """Threshold of the first level; that of the last one is zero."""
    first_seed: int = 100
    """Of the first data set."""
    batch: int = 10
    """Data sets that are fitted together."""
    jobs: int = 1
    """Batches worked on at the same time."""


COVERAGE_SMOKE = SetCoverageSettings(data_sets=2, sets=20, alternatives=6, batch=2)


def measure_coverage(
    settings: SetCoverageSettings, out: Path, say: Callable[[str], None], progress: Callable[[int, int], None]
) -> Measured:
    measured = Measured()
    work = [(settings, own) for own in _batches(settings, settings.data_sets)]
    cells = Keeping(out, say, progress).each("set-coverage", _intervals, settings, work.__getitem__, len(work))
    found = [
        {reading: Quantity.from_dict(told) for reading, told in own.items()}
        for cell in cells
        for own in cell["thresholds"]
    ]
    truth = settings.epsilon / settings.weight
    case = f"{settings.sets:,} sets of {settings.alternatives}, {settings.data_sets} data sets"
    for reading in READINGS:
        values = [own[reading] for own in found]
        made = [own.interval for own in values if own.interval is not None]
        share = float(np.mean([low <= truth <= high for low, high in made])) if made else float("nan")
        length = float(np.median([high - low for low, high in made])) if made else float("nan")
        middle = float(np.mean([own.value for own in values if own.value is not None]))
        note = (
            f"the threshold of the first level, {truth:g}, was covered in {share:.1%} of {len(made)}, median length "
            f"{length:.2g}, mean estimate {middle:.3g}"
        )
        measures = {"coverage": share, "intervals": len(made), "median length": length, "mean": middle}
        measured.rows.append(Row(case, reading, note=note, measures=measures))
        if reading == "sets":
            measured.claim("sets: 95 % intervals of the first threshold, at least", share, 0.90, at_least=True)
            measured.claim("sets: 95 % intervals of the first threshold, at most", share, 0.98)
    return measured


def _intervals(work: tuple[SetCoverageSettings, Sequence[int]]) -> dict[str, Any]:
    """Of each seed, by reading of the same data: the threshold of the first level in its own feature."""
    settings, seeds = work
    truth = OrderedModel.linear(settings.weight * np.eye(2), epsilon=[settings.epsilon, 0.0])
    data = []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        table = generator.normal(size=(settings.sets, settings.alternatives, 2))
        data.append(simulated(truth, Choices.from_arrays(table, np.zeros(settings.sets, int)), generator))
    estimator = LORI(levels=2, epsilon=(None, 0.0), lapse=0)
    found = []
    for own, fit in zip(data, fit_each(estimator, data), strict=True):
        pairs = own.as_pairs()
        together = np.repeat(np.arange(len(own)), own.sizes - 1)
        fits = (fit, estimator.copy().fit(pairs), estimator.copy().fit(pairs, clusters=together))
        thresholds = [each.summary().levels[0].thresholds[truth.features[0]] for each in fits]
        found.append({reading: own.to_dict() for reading, own in zip(READINGS, thresholds, strict=True)})
    return {"thresholds": found}
