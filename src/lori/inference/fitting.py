"""What comes out of a fit: from settings and preferences to complete models, for one data set or many?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np

from lori.data.preferences import Preferences
from lori.errors import DataError, InputError
from lori.inference.optimum import Peak
from lori.inference.problem import Objective
from lori.inference.scaling import Scaling
from lori.inference.search.newton import TOLERANCE
from lori.inference.search.paper import run_paper_method
from lori.inference.search.search import Found, search
from lori.inference.sources.memory import Memory, Source
from lori.inference.statistics import Survey
from lori.inference.status import Note, Status, about_data, about_fit
from lori.inference.uncertainty import ErrorKind, Uncertainty, uncertainty, unknown
from lori.inference.units import Reported, Units
from lori.model.likelihoods.observations import Observations
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.specification import Specification

NESTED = 1.0  # on many rows, smaller models are starts and comparisons: their last step may promise so much


@dataclass(frozen=True)
class FitSettings:
    """What is to be fitted and how, checked."""

    specification: Specification
    alpha: tuple[float | None, ...]  # as reported; inside, rewards with a free scale have α = 1
    prior: Prior | None
    method: str
    starts: int
    seed: int
    standard_errors: ErrorKind


@dataclass(frozen=True)
class Step:
    """The best fit with a certain number of levels."""

    levels: int
    log_likelihood: float
    parameters: int

    def bic(self, comparisons: float) -> float:
        return self.parameters * float(np.log(max(comparisons, 1.0))) - 2 * self.log_likelihood


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model with everything that is known about it."""

    model: OrderedModel
    errors: list[Reported]
    log_likelihood: float
    steps: tuple[Step, ...]
    shares: np.ndarray  # (levels + 1,) share of comparisons that each level decides, then nobody
    reached: tuple[float | None, ...]  # by level, the share of alternatives that come up to its cap, where it has one
    status: Status
    comparisons: int
    pairs: int
    typical: np.ndarray  # (features,) deviation of each feature
    ranges: np.ndarray  # (features,) largest minus smallest value
    covariance: np.ndarray  # of the free parameters, standardised
    peak: Peak
    rivals: np.ndarray  # (optima, parameters) of the search that are not much worse


def fit_groups(settings: FitSettings, groups: Sequence[Preferences]) -> list[Fit]:
    """Fit the same model to each group of preferences; all groups and starts run as one batch."""
    surveys = [Survey.of(group) for group in groups]
    linear = settings.specification.linear
    source = Memory(tuple(Observations.of(group, linear) for group in groups))
    return fit_source(settings, source, surveys, groups)


def fit_source(
    settings: FitSettings, source: Source, surveys: Sequence[Survey], groups: Sequence[Preferences] | None = None
) -> list[Fit]:
    """Fit rows wherever they live. `groups` holds them as preferences where they are in memory."""
    if len(surveys) == 1 and surveys[0].pairs < 2:
        raise DataError(
            "preferences", expected="at least two pairs", got=("none", "one")[surveys[0].pairs],
            fix="add comparisons; nothing can be learned about priorities from one pair",
        )  # fmt: skip
    specification = settings.specification
    moments = sum((survey.moments for survey in surveys[1:]), start=surveys[0].moments)
    scaling = Scaling.of(moments, specification.standardised)
    context = frozenset(name for reward in specification.rewards for name in reward.context)
    said = [about_data(survey, context) for survey in surveys]
    if settings.method == "paper":
        found, steps = _paper_fits(settings, source, scaling)
    else:
        found, steps = _searched_fits(settings, source, scaling)
    units = Units(specification, scaling, settings.alpha)
    penalty = Objective(specification, source, scaling, settings.prior).penalty(found.vectors)
    log_likelihood = penalty.value - found.values
    fits = []
    for g, survey in enumerate(surveys):
        known = unknown(specification, found.vectors[g])
        if found.curvature is not None:
            assert penalty.curvature is not None
            known = uncertainty(
                specification,
                found.vectors[g],
                information=found.curvature[g] - penalty.curvature[g],
                curvature=found.curvature[g],
                scaling=scaling,
                preferences=None if groups is None else groups[g],
                kind=settings.standard_errors,
            )
        own = [_with_rank(step, notes=said[g]) for step in steps[g]]
        fits.append(_assembled(settings, units, survey, known, found, g, float(log_likelihood[g]), own, said[g]))
    return fits


def _searched_fits(settings: FitSettings, source: Source, scaling: Scaling) -> tuple[Found, list[list[Step]]]:
    """Fits with 1, 2, … levels, each starting from the one before."""
    full = settings.specification
    chain = [full]
    while chain[0].levels > 1:
        chain.insert(0, chain[0].fewer())
    generator = np.random.default_rng(settings.seed)
    found: Found | None = None
    steps: list[list[Step]] = [[] for _ in range(source.groups)]
    for specification in chain:
        own = source if specification.linear == full.linear else source.as_differences()
        objective = Objective(specification, own, scaling, settings.prior)
        last = specification is full
        starts = settings.starts if last else max(settings.starts // 2, 1)
        found = search(
            objective, starts=starts, generator=generator, fewer=found, tolerance=TOLERANCE if last else NESTED
        )
        penalty = objective.penalty(found.vectors, order=0).value
        for step, value in zip(steps, penalty - found.values, strict=True):
            step.append(Step(specification.levels, float(value), specification.size))
    assert found is not None
    return found, steps


@double_precision
def _standardised(specification: Specification, raw: np.ndarray, scaling: Scaling) -> np.ndarray:
    """The vector for standardised features that says the same as `raw` does for raw ones."""
    back = Scaling(-scaling.location / scaling.scale, 1 / scaling.scale)
    vector = np.array(raw, float)
    for reward, where in zip(specification.rewards, specification.reward_slices, strict=True):
        vector[where] = reward.in_units(jnp.asarray(vector[where]), jnp.asarray(back.location), jnp.asarray(back.scale))
    return vector


def _paper_fits(settings: FitSettings, source: Source, scaling: Scaling) -> tuple[Found, list[list[Step]]]:
    specification = settings.specification
    if not isinstance(source, Memory):
        raise InputError(
            "method", expected="newton for data that are not in memory", got="paper", fix="leave --method out"
        )
    runs = [run_paper_method(specification, own, seed=settings.seed) for own in source.observations]
    vectors = np.stack([_standardised(specification, run.vector, scaling) for run in runs])
    at_end = Objective(specification, source, scaling, settings.prior).evaluate(vectors[:, None])
    found = Found(
        vectors,
        at_end.value[:, 0],
        np.array([run.stopped for run in runs]),
        at_end.curvature[:, 0] if at_end.curvature is not None else None,
        None,
        1,
        np.ones(len(runs)),
        (np.empty((0, specification.size)),) * len(runs),
    )
    return found, [[] for _ in runs]


def _with_rank(step: Step, *, notes: list[Note]) -> Step:
    """Do not count parameters that no data of this kind could identify."""
    lost = sum(note.code in ("constant", "collinear") for note in notes)
    return replace(step, parameters=step.parameters - lost * step.levels)


def _assembled(
    settings: FitSettings,
    units: Units,
    survey: Survey,
    known: Uncertainty,
    found: Found,
    place: int,
    log_likelihood: float,
    steps: list[Step],
    said: list[Note],
) -> Fit:
    vector, part = found.vectors[place], survey.sample
    model = units.model(vector, part.alternatives)
    left, right = part.left_features, part.right_features
    counts = (part.wins + part.losses + part.ties) * part.weights
    decided = model.decisions(left, right)
    shares = np.append(counts @ (decided.left + decided.right), counts @ decided.nobody) / counts.sum()
    reached = [None if level.cap is None else _reaching(level, part.alternatives) for level in model.levels]
    status = about_fit(
        settings.specification,
        known,
        converged=bool(found.converged[place]),
        starts=found.starts,
        share_at_best=float(found.share_at_best[place]),
        shares=shares,
        epsilon=np.array([level.epsilon for level in model.levels]),
        reached=reached,
        separated=_separated(model, part),
        with_prior=settings.prior is not None,
        said=said,
    )
    return Fit(
        model=model,
        errors=units.standard_errors(vector, known.covariance),
        log_likelihood=log_likelihood,
        steps=tuple(steps),
        shares=shares,
        reached=tuple(reached),
        status=status,
        comparisons=survey.comparisons,
        pairs=survey.pairs,
        typical=survey.deviation,
        ranges=survey.ranges,
        covariance=known.covariance,
        peak=Peak(
            units,
            settings.prior,
            vector,
            float(found.values[place]),
            None if found.gradient is None else found.gradient[place],
            None if found.curvature is None else found.curvature[place],
        ),
        rivals=found.rivals[place],
    )


def _reaching(level: Level, alternatives: np.ndarray) -> float:
    """The share of alternatives whose reward comes up to the cap."""
    return float(np.mean(alternatives @ level.weights >= level.cap))


def _separated(model: OrderedModel, preferences: Preferences) -> bool:
    """Does the model without noise explain every choice? Then larger weights explain them better, without end.

    Pairs with equal features say nothing on weights and do not count.
    """
    order = model.compare(preferences.left_features, preferences.right_features)
    seen = np.stack([preferences.wins, preferences.ties, preferences.losses], axis=1) > 0
    explained = order[:, None] == np.array([1, 0, -1])
    return bool(np.all(explained[seen & ~preferences.identical()[:, None]]))
