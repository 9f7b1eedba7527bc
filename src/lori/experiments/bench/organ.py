"""Organ scale: how long do two levels take here, one level in scikit-learn, and the paper's procedure?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from sklearn.base import clone

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, Row, Seconds, hold
from lori.experiments.bench.data import ORGAN_PAIRS, TRUTH_EPSILON, TRUTH_WEIGHTS, organ_pairs
from lori.experiments.bench.passes import add_passes
from lori.experiments.bench.regression import at_its_best, by_the_best, regression
from lori.inference.problem import Problem
from lori.inference.search.paper import PaperRun, run_paper_method
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.ordered import OrderedModel
from lori.model.rewards import Linear
from lori.model.specification import Specification

OURS, REGRESSION = "LORI, 2 levels", "scikit-learn, 1 level"


@dataclass(frozen=True)
class OrganSettings:
    """What is measured at organ scale."""

    pairs: int = ORGAN_PAIRS
    """Pairs, as many as the paper had."""
    repeats: int = 9
    """Rounds of the contest."""
    referee_iterations: int = 500
    """Most iterations of each of the two long L-BFGS runs that referee the likelihood."""
    paper_passes: tuple[int, int] = (2, 22)
    """Two numbers of passes of the paper's procedure: a pass costs the difference in time by that in passes."""
    paper_pairs: int = 50_000
    """Pairs on which the paper's procedure runs to its own stop, to estimate how many passes it needs."""
    paper_to_the_end: bool = False
    """Run the paper's procedure on all pairs, once, to its own stop or until it is cut off: nothing is estimated."""
    paper_patience: float = 600.0
    """It is cut off after so many times LORI's time; then its time is a lower bound."""


SMOKE = OrganSettings(pairs=1_500, repeats=0, referee_iterations=100, paper_passes=(2, 1_002), paper_pairs=100)


def measure(settings: OrganSettings) -> Measured:
    pairs = organ_pairs(settings.pairs)
    preferences, differences = pairs.preferences, pairs.differences
    estimator = LORI(levels=2, reward=Linear(increasing="all"), lapse=0, prior=None)
    specification = Specification(
        (Linear(increasing="all"),) * 2, (None, None), (1.0, 1.0), Pairs("split"), preferences.features
    )
    rows = specification.likelihood.observed(preferences)

    def paper(passes: int) -> PaperRun:
        return run_paper_method(specification, rows, seed=0, limit=passes)

    few, many = settings.paper_passes
    short, long = f"paper's procedure, {few} passes", f"paper's procedure, {many} passes"
    outcome = hold(
        f"organ, {settings.pairs:,} pairs",
        [
            Contestant(OURS, lambda: estimator.fit(preferences)),
            Contestant(REGRESSION, lambda: regression(differences, pairs.left_won)),
            *at_its_best(differences, pairs.left_won),
            Contestant(short, lambda: paper(few), warm=False, note="with compiling, which the difference cancels"),
            Contestant(long, lambda: paper(many), warm=False, note="with compiling, which the difference cancels"),
        ],
        settings.repeats,
    )
    problem = Problem.of(specification, [preferences], prior=None)
    starts = _starts(estimator, problem.scaling)
    referee = max(_referee(problem, start, settings.referee_iterations) for start in starts)
    short_of = referee - estimator.log_likelihood_
    outcome.add(
        OURS, f"{short_of:.2g} log-likelihood short of long L-BFGS runs", log_likelihood=estimator.log_likelihood_
    )
    add_passes(outcome, OURS, estimator, preferences)
    measured = Measured(outcome.rows)
    measured.claim("organ: log-likelihood short of long L-BFGS runs", short_of, 0.5)
    measured.claim("organ: LORI k = 2 by scikit-learn k = 1", outcome.relative(OURS, REGRESSION), 0.75)
    measured.claim("organ: LORI k = 2 by scikit-learn k = 1 at its best", by_the_best(outcome, OURS), 0.75)
    slow, fast, ours = outcome.median(long), outcome.median(short), outcome.median(OURS)
    assert slow is not None
    assert fast is not None
    assert ours is not None
    own, better = _paper_total(settings, preferences, estimator, specification, (slow - fast) / (many - few), ours)
    assert own.seconds is not None
    own = replace(own, ratio=own.seconds.median / ours)
    measured.rows.append(own)
    if settings.paper_to_the_end:  # an estimate is no ground for a claim
        measured.claim("organ: the paper's procedure by LORI k = 2", own.ratio, 500, at_least=True)
    measured.claim("organ: log-likelihood of LORI above the paper's", better, 0.0, at_least=True, at_any_size=True)
    return measured


def _paper_total(
    settings: OrganSettings,
    preferences: Preferences,
    estimator: LORI,
    specification: Specification,
    a_pass: float,
    ours: float,
) -> tuple[Row, float]:
    """The paper's procedure to its own stop: measured, or estimated from a pass and a run on fewer pairs.

    Returns its line, and how much better LORI's log-likelihood is on the pairs that it ran on.
    """
    if not settings.paper_to_the_end:
        preferences = preferences[: settings.paper_pairs]
        estimator = clone(estimator).fit(preferences)
    limit = int(settings.paper_patience * ours / a_pass) if settings.paper_to_the_end else 100_000
    started = perf_counter()
    run = run_paper_method(specification, specification.likelihood.observed(preferences), seed=0, limit=limit)
    seconds, passes = perf_counter() - started, run.passes
    end = "to its own stop" if run.stopped else "WITHOUT STOPPING, a lower bound"
    note = f"measured once, {passes:,} passes on all pairs {end}"
    if not settings.paper_to_the_end:
        seconds = a_pass * passes
        note = f"ESTIMATED: {a_pass:.3g} s a pass × {passes:,} passes, as many as on {len(preferences):,} pairs"
    reached = OrderedModel.linear(run.vector[:4].reshape(2, 2), epsilon=run.vector[4:], features=preferences.features)
    chosen = reached.predict_log_proba(preferences.left_features, preferences.right_features)[:, 0]
    better = estimator.log_likelihood_ - float(chosen.sum())
    note += f"; ends {better:.3g} log-likelihood below LORI there"
    row = Row(f"organ, {settings.pairs:,} pairs", "paper's procedure, to its stop", Seconds((seconds,)), note=note)
    return row.with_measures(passes=passes, seconds_a_pass=a_pass, log_likelihood_below=better), better


def _starts(estimator: LORI, scaling: Scaling) -> list[np.ndarray]:
    """The optimum to be refereed, and the truth."""
    assert estimator.optimum_ is not None
    return [estimator.optimum_.vector, np.append((TRUTH_WEIGHTS * scaling.scale).ravel(), TRUTH_EPSILON)]


def _referee(problem: Problem, start: np.ndarray, iterations: int) -> float:
    """The log-likelihood at the end of a long L-BFGS run of SciPy."""
    from scipy.optimize import minimize

    def both(vector: np.ndarray):
        at = problem.negative_log_likelihood(vector[None, None], order=1)
        assert at.gradient is not None
        return float(at.value[0, 0]), at.gradient[0, 0]

    lower, upper = problem.specification.bounds
    options = {"maxiter": iterations, "maxfun": 2 * iterations, "ftol": 0.0, "gtol": 1e-9, "maxcor": 30}
    bounds = list(zip(lower, upper, strict=True))
    return -float(minimize(both, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun)
