"""From preferences to a posterior: which sampler, started where, and how far may its draws be trusted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import special

from lori.data.preferences import Preferences
from lori.errors import InputError
from lori.inference.fitting import FitSettings, fit_groups
from lori.inference.optimum import Peak
from lori.inference.posterior.diagnostics import LARGEST_R_HAT, agreement, mixing_of_chains
from lori.inference.posterior.draws import Posterior, Trust
from lori.inference.posterior.laplace import Kernels, Mixture, systematic
from lori.inference.posterior.nuts import sample_by_nuts
from lori.inference.posterior.smc import Population, sample_by_smc
from lori.inference.problem import Objective
from lori.inference.scaling import Moments, Scaling
from lori.inference.search import newton
from lori.inference.search.search import RIVAL, SAME
from lori.inference.sources.memory import Memory
from lori.inference.statistics import Survey
from lori.inference.status import about_data
from lori.inference.units import Units
from lori.language import verdicts
from lori.language.notes import Note
from lori.model.likelihoods.observations import Observations
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.specification import Specification

METHODS = ("laplace", "smc", "nuts")
CORRECTED = 50_000_000  # draws × rows up to which draws of the Gaussian are corrected by the posterior itself
PROPOSALS = 8  # draws of the Gaussians for each that is kept where they are corrected
WIDTHS = {1.0: 0.4, 2.0: 0.4, 4.0: 0.2}  # of the Gaussians that are corrected, with their shares
LEAST_EFFECTIVE = 0.05  # share of effective draws below which the Gaussian is not the posterior's shape


@double_precision
def sample_posterior(
    settings: FitSettings,
    preferences: Preferences,
    *,
    method: str,
    draws: int,
    seed: int,
    known: tuple[Peak, np.ndarray] | None = None,
) -> Posterior:
    """Draws from the posterior of these preferences. `known` are the peak and its rivals, if they were found before."""
    generator = np.random.default_rng(seed)
    if method == "smc":
        posterior = _by_smc(settings, preferences, draws, generator)
    else:
        peak, rivals = known or _found(settings, preferences)
        if peak.curvature is None:
            raise InputError(
                "method", expected="at most 60 parameters for a posterior by laplace or nuts",
                got=str(settings.specification.size), fix="use linear rewards with fewer features, or method='smc'",
            )  # fmt: skip
        if method == "nuts":
            posterior = _by_nuts(peak, preferences, draws, generator)
        else:
            posterior = _by_laplace(peak, rivals, preferences, draws, generator)
    notes = (*_notes(settings, preferences), *posterior.notes)
    return replace(posterior, notes=notes, comparisons=preferences.n_comparisons)


def posterior_of_peak(peak: Peak, *, draws: int, seed: int) -> Posterior:
    """The Gaussian around one peak, without looking at data again."""
    mixture = Mixture.of([peak], draws, np.random.default_rng(seed))
    verdict = verdicts.unchecked()
    notes = (Note("flat"),) if mixture.flat else ()
    evidence = mixture.log_mass if _proper(peak.prior, peak.units.specification) else None
    return Posterior("laplace", peak.units, mixture.draws[None], Trust(True, verdict), evidence, None, notes)


def _by_smc(settings: FitSettings, preferences: Preferences, draws: int, generator: np.random.Generator) -> Posterior:
    specification, prior = settings.specification, settings.prior
    if prior is None or not prior.proper(specification):
        raise InputError(
            "method", expected="a prior on every parameter for smc", got="none",
            fix="use prior='weak', or method='nuts' or 'laplace'",
        )  # fmt: skip
    scaling = _scaling(settings, preferences)
    observations = Observations.of(preferences, specification.linear)
    populations = sample_by_smc(specification, observations, scaling, prior, particles=draws, generator=generator)
    vectors = np.stack([own.draws for own in populations])
    evidence = np.array([own.log_evidence for own in populations])
    return Posterior(
        "smc",
        Units(specification, scaling, settings.alpha),
        vectors,
        _trust_in_populations(vectors, populations),
        log_evidence=float(special.logsumexp(evidence) - np.log(len(evidence))),
        log_evidence_error=float(np.std(evidence, ddof=1) / np.sqrt(len(evidence))),
    )


def _by_nuts(peak: Peak, preferences: Preferences, draws: int, generator: np.random.Generator) -> Posterior:
    observations = Observations.of(preferences, peak.units.specification.linear)
    chains = sample_by_nuts(peak, observations, draws=draws, generator=generator)
    return Posterior("nuts", peak.units, chains.draws, _trust_in_chains(chains.draws, chains.divergences))


def _by_laplace(
    peak: Peak, rivals: np.ndarray, preferences: Preferences, count: int, generator: np.random.Generator
) -> Posterior:
    """Draws of the Gaussians; where there are not too many rows, as probable as the posterior finds them."""
    specification = peak.units.specification
    source = Memory((Observations.of(preferences, specification.linear),))
    objective = Objective(specification, source, peak.units.scaling, peak.prior)
    peaks = [peak, *_polished(objective, peak, rivals)]
    numbers = {"optima": float(len(peaks))}
    error: float | None = None
    if PROPOSALS * count * source.rows > CORRECTED:
        mixture = Mixture.of(peaks, count, generator)
        draws, evidence, trusted = mixture.draws, mixture.log_mass, True
        verdict = verdicts.gaussian(len(peaks))
    else:
        mixture = Mixture.of(peaks, PROPOSALS * count, generator, WIDTHS)
        weighted = _corrected(mixture, objective, generator)
        draws = weighted.draws[generator.permutation(systematic(weighted.shares, count, generator))]
        evidence, error, effective = weighted.log_evidence, weighted.error, min(weighted.effective, float(count))
        trusted = effective >= LEAST_EFFECTIVE * count
        numbers["effective size"] = effective
        verdict = verdicts.corrected(len(peaks), effective)
        if not trusted:
            verdict = verdicts.not_gaussian(len(peaks), effective, count)
    proper = _proper(peak.prior, specification)
    return Posterior(
        "laplace",
        peak.units,
        draws[None],
        Trust(trusted, verdict, numbers),
        log_evidence=evidence if proper else None,
        log_evidence_error=error if proper else None,
        notes=(Note("flat"),) if mixture.flat else (),
    )


class Weighted(NamedTuple):
    """Draws with their shares of the posterior."""

    draws: np.ndarray
    shares: np.ndarray
    effective: float
    log_evidence: float
    error: float


def _corrected(mixture: Mixture, objective: Objective, generator: np.random.Generator) -> Weighted:
    """Importance sampling in two rounds: from the mixture, then also around what turned out to be probable."""
    lower, upper = objective.specification.bounds
    prior = objective.prior
    constant = 0.0 if prior is None else prior.log_constant(objective.specification)

    def log_target(vectors: np.ndarray) -> np.ndarray:
        inside = np.all((vectors >= lower) & (vectors <= upper), axis=1)
        values = objective.evaluate(np.clip(vectors, lower, upper)[None], order=0).value[0]
        return np.where(inside, constant - values, -np.inf)

    first = mixture.draws
    first_target = log_target(first)
    weighted = _weighted(first, first_target - mixture.log_density(first))
    kernels = Kernels.of(first, weighted.shares, generator)
    second = kernels.draw(len(first), generator)
    both = np.concatenate([first, second])
    proposal = np.logaddexp(mixture.log_density(both), kernels.log_density(both)) - np.log(2)
    return _weighted(both, np.append(first_target, log_target(second)) - proposal)


def _weighted(draws: np.ndarray, log_ratio: np.ndarray) -> Weighted:
    ratio = np.exp(log_ratio - log_ratio.max())
    shares = np.minimum(ratio, ratio.mean() * np.sqrt(len(ratio)))  # a few draws must not stand for all
    shares /= shares.sum()
    return Weighted(
        draws,
        shares,
        effective=float(1 / np.sum(shares**2)),
        log_evidence=float(np.log(ratio.mean()) + log_ratio.max()),
        error=float(ratio.std() / ratio.mean() / np.sqrt(len(ratio))),
    )


def _proper(prior: Prior | None, specification: Specification) -> bool:
    return prior is not None and prior.proper(specification)


def _found(settings: FitSettings, preferences: Preferences) -> tuple[Peak, np.ndarray]:
    fit = fit_groups(settings, [preferences])[0]
    return fit.peak, fit.rivals


def _polished(objective: Objective, peak: Peak, rivals: np.ndarray) -> list[Peak]:
    """Other optima, on all rows, that are not out of the question and not the same."""
    if not len(rivals):
        return []

    def evaluate(vectors: np.ndarray):
        result = objective.evaluate(vectors[None])
        return type(result)(*(part[0] for part in result if part is not None))

    found = newton.minimise(evaluate, rivals, objective.specification.bounds)
    assert found.gradient is not None
    assert found.curvature is not None
    kept: list[Peak] = []
    for i in np.argsort(found.values):
        near = found.converged[i] and found.values[i] <= peak.value + RIVAL
        if near and all(abs(found.values[i] - other.value) > SAME for other in [peak, *kept]):
            numbers = (found.vectors[i], float(found.values[i]), found.gradient[i], found.curvature[i])
            kept.append(replace(peak, **dict(zip(("vector", "value", "gradient", "curvature"), numbers, strict=True))))
    return kept


def _scaling(settings: FitSettings, preferences: Preferences) -> Scaling:
    if not len(preferences):
        size = len(settings.specification.features)
        return Scaling(np.zeros(size), np.ones(size))
    moments = Moments.of(preferences.left_features, preferences.right_features)
    return Scaling.of(moments, settings.specification.standardised)


def _trust_in_populations(vectors: np.ndarray, populations: Sequence[Population]) -> Trust:
    found = agreement(vectors)
    spread = float(np.ptp([own.log_evidence for own in populations]))
    numbers = {
        "r_hat": found.r_hat,
        "temperatures": float(max(own.temperatures for own in populations)),
        "accepted": float(np.mean([own.accepted for own in populations])),
        "log evidence apart": spread,
        "effective size": found.effective,
    }
    if not all(own.finished for own in populations):
        return Trust(False, verdicts.unfinished(), numbers)
    if found.r_hat > LARGEST_R_HAT:
        return Trust(False, verdicts.populations_disagree(found.r_hat), numbers)
    return Trust(True, verdicts.populations_agree(found.r_hat), numbers)


def _trust_in_chains(vectors: np.ndarray, divergences: int) -> Trust:
    found = mixing_of_chains(vectors)
    numbers = {"r_hat": found.r_hat, "effective size": found.effective, "divergences": float(divergences)}
    told = found.r_hat, found.effective, divergences
    if found.mixed and divergences <= 0.01 * vectors.shape[0] * vectors.shape[1]:
        return Trust(True, verdicts.chains_mixed(*told), numbers)
    return Trust(False, verdicts.chains_not_mixed(*told), numbers)


def _notes(settings: FitSettings, preferences: Preferences) -> tuple[Note, ...]:
    """What the data cannot tell, whatever the sampler does."""
    if not preferences.n_comparisons:
        return (Note("no data"),)
    if len(preferences) < 2:
        return ()
    notes = [note for note in about_data(Survey.of(preferences)) if note.code in ("constant", "collinear")]
    told = [Note("shared out", note.slots) if note.code == "collinear" else note for note in notes]
    lower, upper = settings.specification.bounds
    signed = bool(np.all(np.isfinite(lower) | np.isfinite(upper)))
    if any(note.code == "collinear" for note in notes) and not signed:
        told.append(Note("order by prior"))
    return tuple(told)
