"""Posteriors: how long do they take? Sequential Monte Carlo on cancer data, Gaussians at organ scale and on small data,
and the choice of the next question."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, Row, Seconds, hold
from lori.experiments.bench.data import ORGAN_PAIRS, organ_pairs
from lori.experiments.cancer import SIGNS
from lori.inference.interview.questions import next_questions
from lori.inference.posterior.draws import Posterior
from lori.model.ordered import OrderedModel
from lori.model.rewards import Capped, Linear
from lori.model.simulation import simulate
from lori.policies.rollouts import roll_out


@dataclass(frozen=True)
class PosteriorSettings:
    """What is measured."""

    cancer_pairs: int = 1000
    """Preferences between treatments of simulated patients."""
    particles: int = 1000
    """Of sequential Monte Carlo."""
    cells: int = 100
    """Of the planner's grid, for the behaviour that is compared."""
    organ_pairs: int = ORGAN_PAIRS
    """Pairs of the organ study."""
    repeats: int = 3
    """Rounds of the contest."""
    small: tuple[int, ...] = (60, 200, 1000)
    """Pairs of a survey, on which the posterior of a fitted model is drawn."""
    candidates: int = 1500
    """Pairs that could be asked about next."""
    small_repeats: int = 9
    """Rounds of the contests on small data."""


SMOKE = PosteriorSettings(
    cancer_pairs=40, particles=40, cells=10, organ_pairs=1_500, repeats=0, small=(60,), candidates=50, small_repeats=0
)
TRUTH = OrderedModel.linear([[2.0, 0.2], [0.3, 3.0]], epsilon=[1.5, 0.0], features=["first", "second"])
SHARE, SECONDS = 0.3, 0.2  # of the fit's own time, and beside it, that a posterior of small data may take


def measure(settings: PosteriorSettings) -> Measured:
    measured = Measured()
    rollouts = roll_out(Cancer(), world.behaviour_policy(cells=settings.cells), count=1000, seed=0)
    cancer = world.preferences(rollouts, settings.cancer_pairs, seed=1)
    model = LORI(levels=2, reward=[Capped(**SIGNS), Linear(**SIGNS)])
    started = perf_counter()
    posterior = model.posterior(cancer, method="smc", draws=settings.particles)
    seconds = perf_counter() - started
    first = next(iter(posterior.order().first().items()))
    note = f"once, with compiling; {posterior.trust.verdict} {first[0]} first with probability {first[1]:.2f}"
    row = Row(f"cancer, {settings.cancer_pairs:,} pairs", "LORI, smc", Seconds((seconds,)), note=note)
    measured.rows.append(row)
    measured.claim("posterior: seconds of smc on the cancer preferences, with compiling", seconds, 30.0)

    pairs = organ_pairs(settings.organ_pairs).preferences
    estimator = LORI(levels=2, reward=Linear(increasing="all"))
    fit, after = "LORI, fit", "LORI, posterior after it"
    outcome = hold(
        f"organ, {settings.organ_pairs:,} pairs",
        [
            Contestant(fit, lambda: estimator.fit(pairs)),
            Contestant(after, lambda: estimator.posterior(pairs)),
        ],
        settings.repeats,
    )
    verdict = outcome.answers[after].trust.verdict
    outcome.add(after, verdict)
    measured.rows += outcome.rows
    measured.claim("posterior: Gaussians by the fit before, at organ scale", outcome.relative(after, fit), 0.5)
    for count in settings.small:
        _on_small_data(settings, count, measured)
    return measured


def _on_small_data(settings: PosteriorSettings, pairs: int, measured: Measured) -> None:
    """Two levels, as a survey of one person has them; then what to ask next."""
    observed = simulate(TRUTH, pairs, seed=0)
    left, right = np.random.default_rng(0).normal(size=(2, settings.candidates, len(TRUTH.features)))
    estimator, latest = LORI(levels=2), dict[str, Posterior]()
    fit, after, question = "LORI, fit", "LORI, posterior after it", "LORI, next question"
    outcome = hold(
        f"survey, {pairs:,} pairs",
        [
            Contestant(fit, lambda: estimator.fit(observed)),
            Contestant(after, lambda: latest.update(posterior=estimator.posterior(observed))),
            Contestant(question, lambda: next_questions(latest["posterior"], left, right)),
        ],
        settings.small_repeats,
    )
    outcome.add(question, f"among {settings.candidates:,} candidates")
    measured.rows += outcome.rows
    fitted, drawn, asked = (outcome.median(own) for own in (fit, after, question))
    assert fitted is not None
    assert drawn is not None
    assert asked is not None
    allowed = SHARE * fitted + SECONDS
    measured.claim(f"posterior: {pairs:,} pairs, by {SHARE} of the fit's time and {SECONDS} s", drawn / allowed, 1.0)
    measured.claim(f"posterior: {pairs:,} pairs, seconds of the next question", asked, 0.1)
