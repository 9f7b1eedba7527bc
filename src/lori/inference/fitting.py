"""Fit: from settings and data to complete models, for one data set or for many as one batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lori.data.choices import Choices
from lori.data.grouping import relative
from lori.errors import DataError, InputError
from lori.inference import intervals
from lori.inference.estimates import Optimum, Reported, Uncertainty, Units, uncertainty, unknown
from lori.inference.evidence import with_earned_level
from lori.inference.problem import Problem
from lori.inference.search.newton import TOLERANCE
from lori.inference.search.paper import run_paper_method
from lori.inference.search.search import LARGE_ROWS
from lori.inference.search.solutions import Found
from lori.inference.settings import FitSettings
from lori.inference.sources.memory import Memory, Source
from lori.inference.statistics import Observed, Scaling, Statistics
from lori.inference.summary import Note, Status, about_data, about_fit, unjudged
from lori.inference.support import People, Step, judged
from lori.inference.threads import without_blas_threads
from lori.language.results import Support
from lori.model.decisions import deciding
from lori.model.engines import jnp
from lori.model.likelihoods import Pairs
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.model.quantity import Quantity
from lori.model.rewards import subjects_of
from lori.model.specification import Specification

Chain = Sequence[tuple[Problem, Found]]
NESTED = 5.0  # on very many rows, smaller models are starts and comparisons: their last step may promise so much
TOGETHER = 48  # starts that are searched from together


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model with everything that is known about it."""

    model: OrderedModel
    errors: list[Reported]  # by level, the `Precision` of its numbers
    log_likelihood: float
    steps: tuple[Step, ...]
    support: Support | None
    shares: np.ndarray  # (levels + 1,) share of comparisons that each level decides, then nobody
    lapse: Quantity | None  # the rate of slips, where it was learned
    reached: tuple[float | None, ...]  # by level, the share of alternatives that come up to its cap, where it has one
    status: Status
    comparisons: int
    pairs: int
    typical: np.ndarray  # (features,) deviation of each feature
    ranges: np.ndarray  # (features,) largest minus smallest value
    differences: np.ndarray  # (2, features) within pairs: the smallest that is not zero, and the largest
    optimum: Optimum
    rivals: np.ndarray  # (optima, parameters) of the search that are not much worse
    sets: bool  # alternatives came in sets
    nested: tuple[tuple[Units, np.ndarray], ...]  # with 1, 2, … levels: the best vector, and what it means
    null: float | None = None  # the log-likelihood if all outcomes were equally likely
    agents: int | None = None


def fit_groups(
    settings: FitSettings,
    groups: Sequence[Observed],
    scaling: Scaling | None = None,
    clusters: np.ndarray | None = None,
) -> list[Fit]:
    """Fit the same model to each group of preferences; all groups and starts run as one batch.

    All share a scaling, that of all their data together unless one is given. Weights are relative: they average one
    over the comparisons of all groups. `clusters` (pairs,) tell which choices of the only group belong together, if not
    those of an agent.
    """
    groups = relative(groups)
    statistics = [Statistics.of(group) for group in groups]
    source = Memory(tuple(settings.specification.likelihood.observed(group) for group in groups), once=True)
    return fit_source(settings, source, statistics, groups, scaling, clusters)


@without_blas_threads()
def fit_source(
    settings: FitSettings,
    source: Source,
    statistics: Sequence[Statistics],
    groups: Sequence[Observed] | None = None,
    scaling: Scaling | None = None,
    clusters: np.ndarray | None = None,
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
        scaling = Scaling.within(specification, moments)
    problem = Problem(specification, source, scaling, settings.prior)
    context = frozenset(name for reward in specification.rewards for name in reward.context)
    if subjects_of(specification.rewards, specification.features) != specification.features:
        context = frozenset(specification.features)  # none of them speaks for itself
    said = [about_data(own, context) for own in statistics]
    if settings.method == "paper":
        found, chain = _paper_fits(settings, problem), []
    else:
        chain = list(solve_nested(problem, starts=settings.starts, seed=settings.seed))
        found = chain[-1][1]
    units = Units(specification, scaling, settings.alpha)
    penalty = problem.penalty(found.vectors)
    log_likelihood = penalty.value - found.values
    optima = [
        Optimum(
            units,
            settings.prior,
            found.vectors[g],
            float(found.values[g]),
            None if found.gradient is None else found.gradient[g],
            None if found.curvature is None else found.curvature[g],
        )
        for g in range(len(statistics))
    ]
    known = [unknown(own.vector) for own in optima]
    drawn: list[intervals.Drawn | None] = [None] * len(optima)
    if found.curvature is not None and settings.standard_errors != "none":
        assert penalty.curvature is not None
        known = [
            uncertainty(
                problem.of_group(g),
                own.vector,
                information=found.curvature[g] - penalty.curvature[g],
                curvature=found.curvature[g],
                data=None if groups is None else groups[g],
                clusters=clusters if clusters is not None or groups is None else groups[g].agent,
                kind=settings.standard_errors,
            )
            for g, own in enumerate(optima)
        ]
        if found.gradient is not None:
            generator = np.random.default_rng(settings.seed)
            drawn = intervals.draw(problem, optima, found.rivals, known, generator)
            if len(optima) == 1 and drawn[0] is not None:  # many agents would make a large file
                optima = [replace(optima[0], draws=drawn[0].resampled(generator))]
            for notes, own in zip(said, drawn, strict=True):
                notes += [] if own else [Note("no intervals")]
    return [
        _assembled(
            settings,
            optima[g],
            own,
            known[g],
            intervals.precision(optima[g], drawn[g], known[g]),
            intervals.lapse(optima[g], drawn[g], known[g]),
            found,
            g,
            float(log_likelihood[g]),
            chain,
            said[g],
            None if groups is None else groups[g],
        )
        for g, own in enumerate(statistics)
    ]


def solve_nested(
    problem: Problem, *, starts: int, seed: int, tolerance: float = NESTED
) -> Iterator[tuple[Problem, Found]]:
    """The problems with 1, 2, … levels and what was found, each search starting from the one before.

    `tolerance` is what the smaller models may be short of on very many rows; the last one is exact. Starts beyond
    `TOGETHER` are searches of their own, of which the best counts, so that more starts never end worse.
    """
    problems = problem.nested()
    counts = [min(TOGETHER, starts - first) for first in range(0, starts, TOGETHER)]
    many = problem.source.rows > LARGE_ROWS * problem.source.groups
    searches = []
    for number, count in enumerate(counts):
        generator = np.random.default_rng([seed, number])
        chain: list[Found] = []
        for place, own in enumerate(problems):
            last = own is problem
            found = own.solve(
                starts=count if last else max(count // 2, 1),
                generator=generator,
                fewer=chain[-1] if chain else None,
                tolerance=TOLERANCE if last or not many else tolerance,
            )
            if place > 1:
                found = with_earned_level(own, found, problems[place - 1], chain[-1], generator)
            chain.append(found)
        searches.append(chain)
    for own, results in zip(problems, zip(*searches, strict=True), strict=True):
        yield own, Found.best_of(results)


def _steps(chain: Chain, group: int, said: list[Note]) -> tuple[Step, ...]:
    """How well each number of levels explains the data of a group.

    Parameters that no data of this kind could identify do not count.
    """
    lost, steps = _lost(said), []
    for problem, found in chain:
        levels, vector = problem.specification.levels, found.vectors[group]
        value = problem.penalty(vector, order=0).value - found.values[group]
        steps.append(Step(levels, float(value), problem.specification.size - lost * levels))
    return tuple(steps)


def _lost(said: list[Note]) -> int:
    """Parameters of a level that the data say nothing about."""
    return sum(note.code in ("constant", "collinear") for note in said)


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
    optimum: Optimum,
    statistics: Statistics,
    known: Uncertainty,
    errors: list[Reported],
    lapse: Quantity | None,
    found: Found,
    place: int,
    log_likelihood: float,
    chain: Chain,
    said: list[Note],
    data: Observed | None,
) -> Fit:
    part = statistics.sample
    model = optimum.units.model(optimum.vector, part.alternatives)
    shares = deciding(model, part)
    reached = [None if level.cap is None else reaching(level, part.alternatives) for level in model.levels]
    status = about_fit(
        settings.specification,
        known,
        converged=bool(found.converged[place]),
        starts=found.starts,
        share_at_best=float(found.share_at_best[place]),
        shares=shares,
        epsilon=np.array([level.epsilon for level in model.levels]),
        reached=reached,
        beyond=_beyond(model, part),
        separated=settings.specification.likelihood.explained(part, model.compare),
        with_prior=settings.prior is not None,
        said=said,
    )
    steps, lost = _steps(chain, place, said), _lost(said)
    people = People.of([(own.of_group(place), each.vectors[place]) for own, each in chain], data, lost)
    support = judged(steps, statistics.comparisons, people)
    return Fit(
        model=model,
        errors=errors,
        log_likelihood=log_likelihood,
        steps=steps,
        support=support,
        shares=shares,
        lapse=lapse,
        reached=tuple(reached),
        status=status if people is not None else unjudged(status, support, part),
        comparisons=statistics.comparisons,
        pairs=statistics.pairs,
        typical=statistics.deviation,
        ranges=statistics.ranges,
        differences=differences_within(statistics.differences),
        optimum=optimum,
        rivals=found.rivals[place],
        sets=isinstance(part, Choices),
        nested=tuple(
            (Units(own.specification, own.scaling, settings.alpha[: own.specification.levels]), each.vectors[place])
            for own, each in chain
        ),
        null=_null(settings.specification, data, statistics),
        agents=None if data is None or data.agent is None else len(np.unique(data.agent)),
    )


def _null(specification: Specification, data: Observed | None, statistics: Statistics) -> float | None:
    """The log-likelihood of answers at random: a coin, or three outcomes where ties are offered."""
    if isinstance(specification.likelihood, Pairs):
        return -statistics.comparisons * float(np.log(len(specification.likelihood.offered)))
    if not isinstance(data, Choices) or data.has_ties:
        return None
    return -float((data.comparisons * data.weights) @ np.log(data.sizes))


def differences_within(differences: np.ndarray) -> np.ndarray:
    """(2, features) the smallest difference within a pair that is more than rounding, and the largest one."""
    sizes = np.abs(differences)
    largest = sizes.max(axis=0)
    return np.stack([np.where(sizes > 1e-9 * largest, sizes, np.inf).min(axis=0), largest])


def _beyond(model: OrderedModel, data: Observed) -> np.ndarray:
    """(levels,) is the threshold larger than every difference of the level's reward within pairs, or from what was
    chosen?"""
    epsilon = np.array([level.epsilon for level in model.levels])
    if not epsilon.any():
        return np.zeros(len(epsilon), bool)
    if model.only_differences_matter:
        gaps = data.differences @ np.stack([level.weights for level in model.levels], axis=1)
    else:
        pairs = data.as_pairs() if isinstance(data, Choices) else data
        gaps = model.rewards(pairs.left_features) - model.rewards(pairs.right_features)
    return np.abs(gaps).max(axis=0, initial=0.0) < epsilon


def reaching(level: Level, alternatives: np.ndarray) -> float:
    """The share of alternatives whose reward comes up to the cap."""
    return float(np.mean(alternatives @ level.weights >= level.cap))
