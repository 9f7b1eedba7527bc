"""Fit: from settings and data to complete models, for one data set or for many as one batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from lori.data.preferences import Preferences
from lori.errors import DataError, InputError
from lori.inference.estimates import Optimum, Reported, Uncertainty, Units, uncertainty, unknown
from lori.inference.problem import Problem
from lori.inference.search.newton import TOLERANCE
from lori.inference.search.paper import run_paper_method
from lori.inference.search.search import Found
from lori.inference.settings import FitSettings
from lori.inference.sources.memory import Memory, Source
from lori.inference.statistics import Scaling, Statistics
from lori.inference.summary import Note, Status, about_data, about_fit
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.model.specification import Specification

Chain = Sequence[tuple[Problem, Found]]
NESTED = 1.0  # on many rows, smaller models are starts and comparisons: their last step may promise so much


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
    optimum: Optimum
    rivals: np.ndarray  # (optima, parameters) of the search that are not much worse
    nested: tuple[tuple[Units, np.ndarray], ...]  # with 1, 2, … levels: the best vector, and what it means


def fit_groups(settings: FitSettings, groups: Sequence[Preferences], scaling: Scaling | None = None) -> list[Fit]:
    """Fit the same model to each group of preferences; all groups and starts run as one batch.

    All share a scaling, that of all their data together unless one is given.
    """
    statistics = [Statistics.of(group) for group in groups]
    source = Memory(tuple(settings.specification.likelihood.observed(group) for group in groups))
    return fit_source(settings, source, statistics, groups, scaling)


def fit_source(
    settings: FitSettings,
    source: Source,
    statistics: Sequence[Statistics],
    groups: Sequence[Preferences] | None = None,
    scaling: Scaling | None = None,
) -> list[Fit]:
    """Fit rows wherever they live. `groups` holds them as preferences where they are in memory."""
    if len(statistics) == 1 and statistics[0].pairs < 2:
        raise DataError(
            "preferences", expected="at least two pairs", got=("none", "one")[statistics[0].pairs],
            fix="add comparisons; nothing can be learned about priorities from one pair",
        )  # fmt: skip
    specification = settings.specification
    if scaling is None:
        moments = sum((own.moments for own in statistics[1:]), start=statistics[0].moments)
        scaling = Scaling.of(moments, specification.standardised)
    problem = Problem(specification, source, scaling, settings.prior)
    context = frozenset(name for reward in specification.rewards for name in reward.context)
    said = [about_data(own, context) for own in statistics]
    if settings.method == "paper":
        found, chain = _paper_fits(settings, problem), []
    else:
        chain = list(solve_nested(problem, starts=settings.starts, seed=settings.seed))
        found = chain[-1][1]
    units = Units(specification, scaling, settings.alpha)
    penalty = problem.penalty(found.vectors)
    log_likelihood = penalty.value - found.values
    fits = []
    for g, own_statistics in enumerate(statistics):
        known = unknown(found.vectors[g])
        if found.curvature is not None:
            assert penalty.curvature is not None
            known = uncertainty(
                problem.of_group(g),
                found.vectors[g],
                information=found.curvature[g] - penalty.curvature[g],
                curvature=found.curvature[g],
                data=None if groups is None else groups[g],
                kind=settings.standard_errors,
            )
        value = float(log_likelihood[g])
        fits.append(_assembled(settings, units, own_statistics, known, found, g, value, chain, said[g]))
    return fits


def solve_nested(
    problem: Problem, *, starts: int, seed: int, tolerance: float = NESTED
) -> Iterator[tuple[Problem, Found]]:
    """The problems with 1, 2, … levels and what was found, each search starting from the one before.

    `tolerance` is what the smaller models may be short of on many rows; the last one is exact.
    """
    generator = np.random.default_rng(seed)
    found: Found | None = None
    for own in problem.nested():
        last = own is problem
        found = own.solve(
            starts=starts if last else max(starts // 2, 1),
            generator=generator,
            fewer=found,
            tolerance=TOLERANCE if last else tolerance,
        )
        yield own, found


def _steps(chain: Chain, group: int, said: list[Note]) -> tuple[Step, ...]:
    """How well each number of levels explains the data of a group.

    Parameters that no data of this kind could identify do not count.
    """
    lost = sum(note.code in ("constant", "collinear") for note in said)
    steps = []
    for problem, found in chain:
        levels, vector = problem.specification.levels, found.vectors[group]
        value = problem.penalty(vector, order=0).value - found.values[group]
        steps.append(Step(levels, float(value), problem.specification.size - lost * levels))
    return tuple(steps)


@double_precision
def _standardised(specification: Specification, raw: np.ndarray, scaling: Scaling) -> np.ndarray:
    """The vector for standardised features that says the same as `raw` does for raw ones."""
    back = Scaling(-scaling.location / scaling.scale, 1 / scaling.scale)
    vector = np.array(raw, float)
    for reward, where in zip(specification.rewards, specification.reward_slots, strict=True):
        vector[where] = reward.in_units(jnp.asarray(vector[where]), jnp.asarray(back.location), jnp.asarray(back.scale))
    return vector


def _paper_fits(settings: FitSettings, problem: Problem) -> Found:
    specification, source = problem.specification, problem.source
    if not isinstance(source, Memory):
        raise InputError(
            "method", expected="newton for data that are not in memory", got="paper", fix="leave --method out"
        )
    runs = [run_paper_method(specification, own, seed=settings.seed) for own in source.observations]
    vectors = np.stack([_standardised(specification, run.vector, problem.scaling) for run in runs])
    at_end = problem.evaluate(vectors[:, None])
    return Found(
        vectors,
        at_end.value[:, 0],
        np.array([run.stopped for run in runs]),
        at_end.curvature[:, 0] if at_end.curvature is not None else None,
        None,
        1,
        np.ones(len(runs)),
        (np.empty((0, specification.size)),) * len(runs),
    )


def _assembled(
    settings: FitSettings,
    units: Units,
    statistics: Statistics,
    known: Uncertainty,
    found: Found,
    place: int,
    log_likelihood: float,
    chain: Chain,
    said: list[Note],
) -> Fit:
    vector, part = found.vectors[place], statistics.sample
    model = units.model(vector, part.alternatives)
    left, right = part.left_features, part.right_features
    counts = part.comparisons * part.weights
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
        separated=settings.specification.likelihood.explained(part, model.compare),
        with_prior=settings.prior is not None,
        said=said,
    )
    return Fit(
        model=model,
        errors=units.standard_errors(vector, known.covariance),
        log_likelihood=log_likelihood,
        steps=_steps(chain, place, said),
        shares=shares,
        reached=tuple(reached),
        status=status,
        comparisons=statistics.comparisons,
        pairs=statistics.pairs,
        typical=statistics.deviation,
        ranges=statistics.ranges,
        optimum=Optimum(
            units,
            settings.prior,
            vector,
            float(found.values[place]),
            None if found.gradient is None else found.gradient[place],
            None if found.curvature is None else found.curvature[place],
        ),
        rivals=found.rivals[place],
        nested=tuple(
            (Units(own.specification, own.scaling, settings.alpha[: own.specification.levels]), each.vectors[place])
            for own, each in chain
        ),
    )


def _reaching(level: Level, alternatives: np.ndarray) -> float:
    """The share of alternatives whose reward comes up to the cap."""
    return float(np.mean(alternatives @ level.weights >= level.cap))
