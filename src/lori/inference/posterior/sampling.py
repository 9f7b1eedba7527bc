"""Sampling: from data to a posterior. Which sampler, started where, and how far may its draws be trusted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import special

from lori.data.preferences import Preferences
from lori.errors import InputError
from lori.inference.estimates import Optimum, Units
from lori.inference.fitting import fit_groups
from lori.inference.posterior.diagnostics import LARGEST_R_HAT, agreement, mixing_of_chains
from lori.inference.posterior.draws import Posterior, Trust
from lori.inference.posterior.laplace import Kernels, Mixture, systematic
from lori.inference.posterior.nuts import sample_by_nuts
from lori.inference.posterior.smc import Population, sample_by_smc
from lori.inference.problem import Problem
from lori.inference.search.search import RIVAL, SAME
from lori.inference.settings import FitSettings
from lori.inference.statistics import Statistics
from lori.inference.summary import about_data
from lori.language import notes as verdicts
from lori.language.notes import Note
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
    data: Preferences,
    *,
    method: str,
    draws: int,
    seed: int,
    known: tuple[Optimum, np.ndarray] | None = None,
) -> Posterior:
    """Draws from the posterior of these data. `known` are the optimum and its rivals, if they were found before."""
    generator = np.random.default_rng(seed)
    scaling = known[0].units.scaling if known else None
    problem = Problem.of(settings.specification, [data], settings.prior, scaling)
    if method == "smc":
        posterior = _by_smc(problem, settings.alpha, draws, generator)
    else:
        optimum, rivals = known or _found(settings, data)
        if optimum.curvature is None:
            raise InputError(
                "method", expected="a model of few enough parameters for a posterior by laplace or nuts",
                got=f"{settings.specification.size} parameters",
                fix="use linear rewards with fewer features, or method='smc'",
            )  # fmt: skip
        if method == "nuts":
            posterior = _by_nuts(problem, optimum, draws, generator)
        else:
            posterior = _by_laplace(problem, optimum, rivals, draws, generator)
    notes = (*_notes(settings, data), *posterior.notes)
    return replace(posterior, notes=notes, comparisons=data.n_comparisons)


def posterior_of_optimum(optimum: Optimum, *, draws: int, seed: int) -> Posterior:
    """The Gaussian around one optimum, without looking at data again."""
    mixture = Mixture.of([optimum], draws, np.random.default_rng(seed))
    trust = Trust(True, verdicts.unchecked())
    notes = (Note("flat"),) if mixture.flat else ()
    evidence = mixture.log_mass if _proper(optimum.prior, optimum.units.specification) else None
    return Posterior("laplace", optimum.units, mixture.draws[None], trust, evidence, None, notes)


def _by_smc(problem: Problem, alpha: tuple[float | None, ...], draws: int, generator: np.random.Generator) -> Posterior:
    if not _proper(problem.prior, problem.specification):
        raise InputError(
            "method", expected="a prior on every parameter for smc", got="none",
            fix="use prior='weak', or method='nuts' or 'laplace'",
        )  # fmt: skip
    populations = sample_by_smc(problem, particles=draws, generator=generator)
    vectors = np.stack([own.draws for own in populations])
    evidence = np.array([own.log_evidence for own in populations])
    return Posterior(
        "smc",
        Units(problem.specification, problem.scaling, alpha),
        vectors,
        _trust_in_populations(vectors, populations),
        log_evidence=float(special.logsumexp(evidence) - np.log(len(evidence))),
        log_evidence_error=float(np.std(evidence, ddof=1) / np.sqrt(len(evidence))),
    )


def _by_nuts(problem: Problem, optimum: Optimum, draws: int, generator: np.random.Generator) -> Posterior:
    chains = sample_by_nuts(problem, optimum.vector, draws=draws, generator=generator)
    return Posterior("nuts", optimum.units, chains.draws, _trust_in_chains(chains.draws, chains.divergences))


def _by_laplace(
    problem: Problem, optimum: Optimum, rivals: np.ndarray, count: int, generator: np.random.Generator
) -> Posterior:
    """Draws of the Gaussians; where there are not too many rows, as probable as the posterior finds them."""
    optima = [optimum, *_polished(problem, optimum, rivals)]
    numbers = {"optima": float(len(optima))}
    error: float | None = None
    if PROPOSALS * count * problem.source.rows > CORRECTED:
        mixture = Mixture.of(optima, count, generator)
        draws, evidence, trusted = mixture.draws, mixture.log_mass, True
        verdict = verdicts.gaussian(len(optima))
    else:
        mixture = Mixture.of(optima, PROPOSALS * count, generator, WIDTHS)
        weighted = _corrected(mixture, problem, generator)
        draws = weighted.draws[generator.permutation(systematic(weighted.shares, count, generator))]
        evidence, error, effective = weighted.log_evidence, weighted.error, min(weighted.effective, float(count))
        trusted = effective >= LEAST_EFFECTIVE * count
        numbers["effective size"] = effective
        verdict = verdicts.corrected(len(optima), effective)
        if not trusted:
            verdict = verdicts.not_gaussian(len(optima), effective, count)
    proper = _proper(problem.prior, problem.specification)
    return Posterior(
        "laplace",
        optimum.units,
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


def _corrected(mixture: Mixture, problem: Problem, generator: np.random.Generator) -> Weighted:
    """Importance sampling in two rounds: from the mixture, then also around what turned out to be probable."""
    first = mixture.draws
    first_target = problem.log_posterior(first)
    weighted = _weighted(first, first_target - mixture.log_density(first))
    kernels = Kernels.of(first, weighted.shares, generator)
    second = kernels.draw(len(first), generator)
    both = np.concatenate([first, second])
    proposal = np.logaddexp(mixture.log_density(both), kernels.log_density(both)) - np.log(2)
    return _weighted(both, np.append(first_target, problem.log_posterior(second)) - proposal)


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


def _found(settings: FitSettings, data: Preferences) -> tuple[Optimum, np.ndarray]:
    fit = fit_groups(settings, [data])[0]
    return fit.optimum, fit.rivals


def _polished(problem: Problem, optimum: Optimum, rivals: np.ndarray) -> list[Optimum]:
    """Other optima, on all rows, that are not out of the question and not the same."""
    if not len(rivals):
        return []
    found = problem.solve_from(rivals[None])
    assert found.gradient is not None
    assert found.curvature is not None
    values = found.values[0]
    kept: list[Optimum] = []
    for i in np.argsort(values):
        near = found.converged[0, i] and values[i] <= optimum.value + RIVAL
        if near and all(abs(values[i] - other.value) > SAME for other in [optimum, *kept]):
            around = {"gradient": found.gradient[0, i], "curvature": found.curvature[0, i]}
            kept.append(replace(optimum, vector=found.vectors[0, i], value=float(values[i]), **around))
    return kept


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


def _notes(settings: FitSettings, data: Preferences) -> tuple[Note, ...]:
    """What the data cannot tell, whatever the sampler does."""
    if not data.n_comparisons:
        return (Note("no data"),)
    if len(data) < 2:
        return ()
    notes = [note for note in about_data(Statistics.of(data)) if note.code in ("constant", "collinear")]
    told = [Note("shared out", note.slots) if note.code == "collinear" else note for note in notes]
    lower, upper = settings.specification.bounds
    signed = bool(np.all(np.isfinite(lower) | np.isfinite(upper)))
    if any(note.code == "collinear" for note in notes) and not signed:
        told.append(Note("order by prior"))
    return tuple(told)
