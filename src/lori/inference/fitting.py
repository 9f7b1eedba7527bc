"""What comes out of a fit: from settings and preferences to complete models, for one data set or many?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np

from lori.data.preferences import Preferences
from lori.errors import DataError
from lori.inference.objective import Objective
from lori.inference.observations import Observations, Scaling
from lori.inference.paper import run_paper_method
from lori.inference.search import SECOND_ORDER_SIZE, Found, search
from lori.inference.status import Note, Status, about_data, about_fit
from lori.inference.uncertainty import ErrorKind, Uncertainty, uncertainty, unknown
from lori.inference.units import Reported, Units
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.specification import Specification

DECISION_SAMPLE = 20_000  # pairs over which shares of deciding levels are averaged


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
    status: Status
    comparisons: int
    pairs: int
    typical: np.ndarray  # (features,) deviation of each feature
    ranges: np.ndarray  # (features,) largest minus smallest value
    covariance: np.ndarray  # of the free parameters, standardised
    vector: np.ndarray


def fit_groups(settings: FitSettings, groups: Sequence[Preferences]) -> list[Fit]:
    """Fit the same model to each group of preferences; all groups and starts run as one batch."""
    for group in groups:
        if group.n_pairs < 2 and len(groups) == 1:
            raise DataError(
                "preferences", expected="at least two pairs", got="one",
                fix="add comparisons; nothing can be learned about priorities from one pair",
            )  # fmt: skip
    specification = settings.specification
    scaling = Scaling.of(groups, specification)
    said = [about_data(group) for group in groups]
    if settings.method == "paper":
        found, steps = _paper_fits(settings, groups, scaling)
    else:
        found, steps = _searched_fits(settings, groups, scaling)
    observations = [Observations.of(group, specification, scaling) for group in groups]
    objective = Objective(specification, tuple(observations), settings.prior)
    units = Units(specification, scaling, settings.alpha)
    at_best = found.vectors[:, None]
    second_order = specification.size <= SECOND_ORDER_SIZE
    at_optimum = objective.likelihood(at_best, order=2 if second_order else 0)
    log_likelihood = -at_optimum.value[:, 0]
    if second_order:
        assert at_optimum.curvature is not None
        information = at_optimum.curvature[:, 0]
        curvature = information + objective.penalty(at_best).curvature[:, 0]  # type: ignore[index]
    fits = []
    for g, group in enumerate(groups):
        vector = found.vectors[g]
        if second_order:
            known = uncertainty(
                specification,
                vector,
                information[g],
                curvature[g],
                observations[g],
                group,
                settings.standard_errors,
            )
        else:
            known = unknown(specification, vector)
        own = [_with_rank(step, notes=said[g], features=group.n_features) for step in steps[g]]
        fits.append(_assembled(settings, units, group, vector, known, found, g, float(log_likelihood[g]), own, said[g]))
    return fits


def _searched_fits(
    settings: FitSettings, groups: Sequence[Preferences], scaling: Scaling
) -> tuple[Found, list[list[Step]]]:
    """Fits with 1, 2, … levels, each starting from the one before."""
    chain = [settings.specification]
    while chain[0].levels > 1:
        chain.insert(0, chain[0].fewer())
    generator = np.random.default_rng(settings.seed)
    found: Found | None = None
    steps: list[list[Step]] = [[] for _ in groups]
    for specification in chain:
        observations = tuple(Observations.of(group, specification, scaling) for group in groups)
        objective = Objective(specification, observations, settings.prior)
        starts = settings.starts if specification.levels == settings.specification.levels else settings.starts // 2
        found = search(objective, starts=max(starts, 1), generator=generator, fewer=found)
        penalty = objective.penalty(found.vectors, order=0).value
        for own, value in zip(steps, penalty - found.values, strict=True):
            own.append(Step(specification.levels, float(value), specification.size))
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


def _paper_fits(
    settings: FitSettings, groups: Sequence[Preferences], scaling: Scaling
) -> tuple[Found, list[list[Step]]]:
    specification = settings.specification
    untouched = Scaling(np.zeros_like(scaling.location), np.ones_like(scaling.scale))
    vectors, stopped = [], []
    for group in groups:
        rows = Observations.of(group, specification, untouched)
        run = run_paper_method(specification, rows, seed=settings.seed)
        vectors.append(_standardised(specification, run.vector, scaling))
        stopped.append(run.stopped)
    found = Found(np.stack(vectors), np.zeros(len(groups)), np.array(stopped), 1, np.ones(len(groups)))
    return found, [[] for _ in groups]


def _with_rank(step: Step, *, notes: list[Note], features: int) -> Step:
    """Do not count parameters that no data of this kind could identify."""
    lost = sum(note.code in ("constant", "collinear") for note in notes)
    return replace(step, parameters=step.parameters - lost * step.levels)


def _assembled(
    settings: FitSettings,
    units: Units,
    group: Preferences,
    vector: np.ndarray,
    known: Uncertainty,
    found: Found,
    place: int,
    log_likelihood: float,
    steps: list[Step],
    said: list[Note],
) -> Fit:
    model = units.model(vector, group.alternatives)
    some = np.linspace(0, len(group) - 1, min(len(group), DECISION_SAMPLE)).astype(int)
    part = group if len(some) == len(group) else group.subset(some)
    left, right = part.left_features, part.right_features
    counts = (part.wins + part.losses + part.ties) * part.weights
    decided = model.decisions(left, right)
    shares = np.append(counts @ (decided.left + decided.right), counts @ decided.nobody) / counts.sum()
    status = about_fit(
        settings.specification,
        known,
        converged=bool(found.converged[place]),
        starts=found.starts,
        share_at_best=float(found.share_at_best[place]),
        shares=shares,
        epsilon=np.array([level.epsilon for level in model.levels]),
        separated=_separated(model, part),
        with_prior=settings.prior is not None,
        said=said,
    )
    alternatives = group.alternatives
    return Fit(
        model=model,
        errors=units.standard_errors(vector, known.covariance),
        log_likelihood=log_likelihood,
        steps=tuple(steps),
        shares=shares,
        status=status,
        comparisons=group.n_comparisons,
        pairs=len(group),
        typical=alternatives.std(axis=0),
        ranges=np.ptp(alternatives, axis=0),
        covariance=known.covariance,
        vector=vector,
    )


def _separated(model: OrderedModel, preferences: Preferences) -> bool:
    """Does the model without noise explain every choice? Then larger weights explain them better, without end.

    Pairs with equal features say nothing on weights and do not count.
    """
    order = model.compare(preferences.left_features, preferences.right_features)
    seen = np.stack([preferences.wins, preferences.ties, preferences.losses], axis=1) > 0
    explained = order[:, None] == np.array([1, 0, -1])
    return bool(np.all(explained[seen & ~preferences.identical()[:, None]]))
