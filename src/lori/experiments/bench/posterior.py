"""Posteriors: how long do they take? Sequential Monte Carlo on cancer data, Gaussians at organ scale."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from lori.applications.cancer import world
from lori.applications.cancer.dynamics import Cancer
from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, Row, Seconds, hold
from lori.experiments.bench.data import ORGAN_PAIRS, organ_pairs
from lori.experiments.cancer import SIGNS
from lori.model.rewards import Capped, Linear
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


SMOKE = PosteriorSettings(cancer_pairs=40, particles=40, cells=10, organ_pairs=1_500, repeats=1)


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
    return measured
