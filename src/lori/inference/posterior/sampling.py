"""Sampling: from data to a posterior. Which sampler, started where, and how far may its draws be trusted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lori.errors import InputError
from lori.inference.estimates import Optimum, Units
from lori.inference.fitting import fit_groups
from lori.inference.posterior.diagnostics import LARGEST_R_HAT, agreement, mixing_of_chains
from lori.inference.posterior.draws import Posterior, Trust
from lori.inference.posterior.importance import gaussian, weigh, with_rivals
from lori.inference.posterior.nuts import sample_by_nuts
from lori.inference.posterior.smc import Population, sample_by_smc
from lori.inference.problem import Problem
from lori.inference.settings import FitSettings
from lori.inference.statistics import Observed, Statistics
from lori.inference.summary import about_data
from lori.inference.threads import without_blas_threads
from lori.language import notes as verdicts
from lori.language.notes import Note
from lori.model.engines import special
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.specification import Specification

METHODS = ("laplace", "smc", "nuts")
PROPOSALS = 4  # draws of the Gaussians for each that is kept
LEAST_EFFECTIVE = 0.05  # share of effective draws below which the Gaussian is not the posterior's shape


@double_precision
@without_blas_threads()
def sample_posterior(
    settings: FitSettings,
    data: Observed,
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
    generator = np.random.default_rng(seed)
    found = gaussian([optimum], PROPOSALS * draws, generator)
    trust = Trust(True, verdicts.unchecked())
    notes = (Note("flat"),) if found.flat else ()
    evidence = found.log_evidence if _proper(optimum.prior, optimum.units.specification) else None
    return Posterior("laplace", optimum.units, found.resampled(draws, generator)[None], trust, evidence, None, notes)


def posterior_as_reported(optimum: Optimum) -> Posterior:
    """The draws that reported intervals come from, as a fit has kept them."""
    assert optimum.draws is not None
    return Posterior("laplace", optimum.units, optimum.draws[None], Trust(True, verdicts.unchecked()))


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
    (optima,) = with_rivals(problem, [optimum], [rivals])
    (found,) = weigh(problem, [optima], PROPOSALS * count, generator, everywhere=True)
    numbers, trusted, verdict = {"optima": float(len(optima))}, True, verdicts.gaussian(len(optima))
    if found.corrected:
        effective = min(found.effective, float(count))
        trusted = effective >= LEAST_EFFECTIVE * count
        numbers["effective size"] = effective
        verdict = verdicts.corrected(len(optima), effective)
        if not trusted:
            verdict = verdicts.not_gaussian(len(optima), effective, count)
    proper = _proper(problem.prior, problem.specification)
    return Posterior(
        "laplace",
        optimum.units,
        found.resampled(count, generator)[None],
        Trust(trusted, verdict, numbers),
        log_evidence=found.log_evidence if proper else None,
        log_evidence_error=found.error if proper else None,
        notes=(Note("flat"),) if found.flat else (),
    )


def _proper(prior: Prior | None, specification: Specification) -> bool:
    return prior is not None and prior.proper(specification)


def _found(settings: FitSettings, data: Observed) -> tuple[Optimum, np.ndarray]:
    fit = fit_groups(settings, [data])[0]
    return fit.optimum, fit.rivals


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


def _notes(settings: FitSettings, data: Observed) -> tuple[Note, ...]:
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
