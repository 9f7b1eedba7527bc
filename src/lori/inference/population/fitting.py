"""Fit of a population: from settings and choices of many people to classes, or to a distribution between people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lori.data.choices import Choices
from lori.data.grouping import relative
from lori.inference import intervals
from lori.inference.estimates import HELD, Optimum, Reported, Uncertainty, Units, unknown
from lori.inference.fitting import Fit, differences_within, reaching, solve_nested
from lori.inference.population import membership
from lori.inference.population.chain import POOLED_STARTS, Chain
from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.classes import Mixture
from lori.inference.population.hierarchy import Hierarchy, by_agent, start_of
from lori.inference.population.panel import Panel
from lori.inference.population.prediction import Known
from lori.inference.population.search import Classes, Report, find_classes
from lori.inference.population.spread import Kind, Learned, learn, with_another
from lori.inference.posterior.importance import gaussian
from lori.inference.problem import Problem
from lori.inference.search.solutions import Found
from lori.inference.settings import FitSettings
from lori.inference.statistics import Observed, Scaling, Statistics
from lori.inference.threads import without_blas_threads
from lori.language.populations import is_empty
from lori.language.results import Status
from lori.model.decisions import decided
from lori.model.likelihoods.base import Compares
from lori.model.quantity import Quantity

SEARCHED = 10_000  # choices × effort for each class that a search needs
MANY = 2  # times as many, from which on classes are searched for on some of the agents: most of them may mislead
DRAWS = 2048  # for intervals
POSTERIOR, FEWEST_POSTERIOR = 128, 16  # vectors that stand for what is known about a person
MEMORY = 1 << 22  # numbers of all persons together, beyond which there are fewer vectors for each, at least
RIVALS = 3  # other optima of all people together, from which a distribution between them is learned, too
CARELESS = 0.05  # log-likelihood of a choice above chance, below which a class answers at random


@dataclass(frozen=True, eq=False)
class PopulationFit:
    """What was learned about many people."""

    panel: Panel
    classes: tuple[Fit, ...]
    shares: np.ndarray  # (classes,) of the people
    members: np.ndarray  # (agents, classes)
    log_likelihood: float
    by_agent: np.ndarray  # (agents,)
    parameters: int
    converged: bool
    comparisons: int
    careless: tuple[bool, ...]  # by class: does it answer at random?
    known: tuple[Known, ...]  # what is known about each person and about a stranger, by specification
    odds: np.ndarray  # (classes, columns) log-odds of shares against the first class
    found: Classes | None = None
    learned: Learned | None = None


@without_blas_threads()
def fit_population(
    settings: Sequence[FitSettings],
    data: Observed,
    *,
    spread: bool = False,
    design: np.ndarray | None = None,
    checkpoint: Checkpoint | None = None,
    report: Report | None = None,
) -> PopulationFit:
    """A class for each of the settings, in which people are all alike, or (with `spread`) differ."""
    (data,) = relative([data])
    panel, statistics = Panel.of(data), Statistics.of(data)
    scaling = Scaling.within(settings[0].specification, statistics.moments)
    problems = problems_of(settings, data, scaling)
    kept = Checkpoint() if checkpoint is None else checkpoint
    if spread:
        return _continuous(settings, data, panel, statistics, problems, kept)
    columns = np.ones((len(panel), 1)) if design is None else np.column_stack([np.ones(len(panel)), design])
    mixture = Mixture(tuple(problems), panel, columns)
    sample = _sample(mixture, data, settings) if len(settings) > 1 else None
    found = classes_of(settings, mixture, sample, kept, report)
    seen = data.comparisons * data.weights
    chance = panel.totals(-np.log(offered(settings[0], data)) * seen)
    return fit_of_classes(settings, statistics, mixture, found, chance, panel.totals(seen))


def problems_of(settings: Sequence[FitSettings], data: Observed, scaling: Scaling) -> list[Problem]:
    """Of each class; classes with the same specification share theirs."""
    made: list[Problem] = []
    for own in settings:
        known = [other for other in made if other.specification == own.specification]
        made.append(known[0] if known else Problem.of(own.specification, [data], own.prior, scaling))
    return made


def classes_of(
    settings: Sequence[FitSettings],
    mixture: Mixture,
    sample: Mixture | None,
    checkpoint: Checkpoint,
    report: Report | None = None,
) -> Classes:
    """The best classes, searched for on a sample of the agents if there is one."""
    small = mixture if sample is None else sample
    pooled: dict[int, Found] = {}
    for problem, own in zip(small.problems, settings, strict=True):
        if id(problem) not in pooled:
            *_, (_, best) = solve_nested(problem, starts=min(own.starts, POOLED_STARTS), seed=own.seed)
            pooled[id(problem)] = best
    first, levels = settings[0], small.problems[0].specification.levels
    chain = Chain(small, first.starts, first.seed, checkpoint, {levels: pooled[id(small.problems[0])]})
    alike = len(small.alike()) == 1
    return find_classes(
        mixture,
        [pooled[id(problem)] for problem in small.problems],
        starts=first.starts,
        generator=np.random.default_rng(first.seed),
        sample=sample,
        given=partial(chain.given, small.classes, levels) if alike else list,
        checkpoint=checkpoint,
        report=report,
    )


def most_of(settings: Sequence[FitSettings], most: int) -> int:
    """So many choices, or fewer if each takes long."""
    effort = max(own.specification.likelihood.effort for own in settings)
    return max(2000, int(most / min(effort, 10.0)))


def kept_for_search(choices: int, needed: int) -> int:
    """How many of these choices a search sees if it needs so many."""
    return choices if choices <= MANY * needed else needed


def _sample(mixture: Mixture, data: Observed, settings: Sequence[FitSettings]) -> Mixture | None:
    """The same classes on some of the agents, where all would take long; None if that is not so."""
    most = kept_for_search(len(data), most_of(settings, SEARCHED * len(settings)))
    if most >= len(data):
        return None
    counts = np.bincount(mixture.panel.agent)
    order = np.random.default_rng([settings[0].seed, len(counts)]).permutation(len(counts))
    chosen = np.zeros(len(counts), bool)
    chosen[order[: max(20, int(np.searchsorted(np.cumsum(counts[order]), most)))]] = True
    if chosen.all():
        return None
    return restricted(mixture, settings, data.subset(chosen[mixture.panel.agent]))


def restricted(mixture: Mixture, settings: Sequence[FitSettings], few: Observed) -> Mixture:
    """The same classes on the choices of some of the agents, in memory."""
    problems, panel = problems_of(settings, few, mixture.problems[0].scaling), Panel.of(few)
    places = {agent: number for number, agent in enumerate(mixture.panel.agents)}
    return Mixture(tuple(problems), panel, mixture.design[[places[agent] for agent in panel.agents]])


def fit_of_classes(
    settings: Sequence[FitSettings],
    statistics: Statistics,
    mixture: Mixture,
    found: Classes,
    chance: np.ndarray,
    counts: np.ndarray,
) -> PopulationFit:
    """Classes, the largest first; by agent the log-likelihood of answers at random, and how many answers there are."""
    (parts, shares), odds = mixture.divided(found.vector), mixture.parts(found.vector)[1]
    order = np.argsort(-shares, kind="stable")
    members = found.members
    if mixture.classes > 1 and statistics.pairs <= most_of(settings, membership.MOST):
        members = membership.averaged(mixture, found, np.random.default_rng([settings[0].seed, mixture.classes]))
    logs = mixture.log_likelihoods([part[None] for part in parts])[0]
    fits, careless = [], []
    for place in order:
        optimum = _optimum(settings[place], mixture, found, int(place))
        known, drawn = _precision(optimum, mixture, found, int(place), settings[0].seed)
        weights = members[place]
        own = logs[place]
        fits.append(
            _class_fit(
                settings[place], statistics, optimum, known, drawn, weights, mixture.panel, found.converged,
                float(weights @ own),
            )
        )  # fmt: skip
        nobody = is_empty(shares[place], len(mixture.panel))
        careless.append(bool(not nobody and weights @ (own - chance) < CARELESS * (weights @ counts)))
    possible: list[Known] = []
    for problem, classes in mixture.alike():
        vectors = np.stack([parts[place] for place in classes])[None]
        stranger = np.append(members[classes].T, shares[classes][None], axis=0)
        possible.append(Known(problem.specification, problem.scaling, vectors, stranger))
    return PopulationFit(
        panel=mixture.panel,
        classes=tuple(fits),
        shares=shares[order],
        members=members[order].T,
        log_likelihood=found.log_likelihood,
        by_agent=found.by_agent,
        parameters=mixture.size,
        converged=found.converged,
        comparisons=statistics.comparisons,
        careless=tuple(careless),
        known=tuple(possible),
        odds=odds[order] - odds[order[:1]],
        found=found,
    )


def offered(settings: FitSettings, data: Observed) -> np.ndarray:
    """(observations,) how many answers each question offered."""
    likelihood = settings.specification.likelihood
    if isinstance(data, Choices):
        return data.sizes.astype(float)
    assert hasattr(likelihood, "offered")
    own: Compares = likelihood  # type: ignore[assignment]
    return np.full(len(data), float(len(own.offered)))


def _optimum(settings: FitSettings, mixture: Mixture, found: Classes, place: int) -> Optimum:
    """Of one class, the others being integrated over as far as the curvature tells."""
    where, problem = mixture.slots[place], mixture.problems[place]
    units = Units(problem.specification, problem.scaling, settings.alpha)
    curvature = mixture.marginal(found.vector, found.curvature, where)
    return Optimum(units, settings.prior, found.vector[where], found.value, found.gradient[where], curvature)


def _precision(
    optimum: Optimum, mixture: Mixture, found: Classes, place: int, seed: int
) -> tuple[Uncertainty, intervals.Drawn | None]:
    """What is known about the numbers of a class; agents are the clusters, as the likelihood has them."""
    specification = optimum.units.specification
    lower, upper = specification.bounds
    at_bound = (optimum.vector <= lower + HELD) | (optimum.vector >= upper - HELD)
    assert optimum.curvature is not None
    free = np.flatnonzero(~at_bound)
    values = np.linalg.eigvalsh(optimum.curvature[np.ix_(free, free)]) if len(free) else np.ones(1)
    if not found.converged or values.min() <= 1e-8 * max(values.max(), 1.0):
        return unknown(optimum.vector), None
    covariance = np.zeros((specification.size, specification.size))
    covariance[np.ix_(free, free)] = np.linalg.inv(optimum.curvature[np.ix_(free, free)])
    known = Uncertainty(covariance, at_bound, [])
    generator = np.random.default_rng([seed, place])
    return known, intervals.Drawn.of(gaussian([optimum], DRAWS, generator), known)


def _class_fit(
    settings: FitSettings,
    statistics: Statistics,
    optimum: Optimum,
    known: Uncertainty,
    drawn: intervals.Drawn | None,
    member: np.ndarray,
    panel: Panel,
    converged: bool,
    log_likelihood: float,
) -> Fit:
    """What is reported of a class: a fit to all choices, each as far as its agent belongs to the class."""
    part = statistics.sample
    model = optimum.units.model(optimum.vector, part.alternatives)
    weights = part.comparisons * part.weights * member[panel.numbers_of(part.agent)]  # type: ignore[arg-type]
    total = max(float(weights.sum()), np.finfo(float).tiny)
    errors: list[Reported] = intervals.precision(optimum, drawn, known)
    lapse: Quantity | None = intervals.lapse(optimum, drawn, known)
    return Fit(
        model=model,
        errors=errors,
        log_likelihood=log_likelihood,
        steps=(),
        support=None,
        shares=weights @ decided(model, part) / total,
        lapse=lapse,
        reached=tuple(None if own.cap is None else reaching(own, part.alternatives) for own in model.levels),
        status=Status(converged, 1, 1.0),
        comparisons=statistics.comparisons,
        pairs=statistics.pairs,
        typical=statistics.deviation,
        ranges=statistics.ranges,
        differences=differences_within(part.differences),
        optimum=optimum,
        rivals=np.empty((0, len(optimum.vector))),
        sets=isinstance(part, Choices),
        nested=(),
    )


def _continuous(
    settings: Sequence[FitSettings],
    data: Observed,
    panel: Panel,
    statistics: Statistics,
    problems: Sequence[Problem],
    checkpoint: Checkpoint,
) -> PopulationFit:
    """People who differ: a distribution for each class, whose person in the middle stands for it."""
    learned = _learned(settings, data, panel, problems, checkpoint)
    count = POSTERIOR
    size = sum(own.hierarchy.size for own in learned.kinds)
    while count > FEWEST_POSTERIOR and count * len(panel) * size > MEMORY:
        count //= 2
    fits, known = [], []
    for place, (kind, member) in enumerate(zip(learned.kinds, learned.members, strict=True)):
        problem = kind.hierarchy.problem
        own = next(each for each in settings if each.specification == problem.specification)
        vector = kind.hierarchy.link.parameters(kind.distribution.mean)
        units = Units(problem.specification, problem.scaling, own.alpha)
        optimum = Optimum(units, own.prior, vector, -learned.log_likelihood, None, None)
        fits.append(
            _class_fit(
                own, statistics, optimum, unknown(vector), None, member, panel, learned.converged,
                learned.log_likelihood,
            )
        )  # fmt: skip
        vectors = np.concatenate([learned.posterior(count, place), learned.of_strangers(count, place)[None]])
        shares = np.repeat(np.append(member, kind.share)[:, None] / count, count, axis=1)
        known.append(Known(problem.specification, problem.scaling, vectors, shares))
    of_all = np.array([own.share for own in learned.kinds])
    return PopulationFit(
        panel=panel,
        classes=tuple(fits),
        shares=of_all,
        members=learned.members.T,
        log_likelihood=learned.log_likelihood,
        by_agent=learned.by_agent,
        parameters=learned.parameters,
        converged=learned.converged,
        comparisons=data.n_comparisons,
        careless=(False,) * len(fits),
        known=tuple(known),
        odds=np.log(of_all / of_all[0])[:, None],
        learned=learned,
    )


def _learned(
    settings: Sequence[FitSettings],
    data: Observed,
    panel: Panel,
    problems: Sequence[Problem],
    checkpoint: Checkpoint,
) -> Learned:
    """Class by class, those with few levels first, from the best models of all people together; then largest first."""
    groups = [data.subset(own) for own in np.split(*_grouped(panel))]
    learned: Learned | None = None
    for own, problem in sorted(zip(settings, problems, strict=True), key=lambda each: each[0].specification.levels):
        *_, (_, pooled) = solve_nested(problem, starts=min(own.starts, POOLED_STARTS), seed=own.seed)
        hierarchy = Hierarchy(by_agent(problem, groups))
        around = [start_of(problem, vector) for vector in (pooled.vectors[0], *pooled.rivals[0][:RIVALS])]
        starts = (
            [(Kind.around(hierarchy, each),) for each in around]
            if learned is None
            else with_another(learned, hierarchy, around)
        )
        learned = learn(starts, checkpoint)
    assert learned is not None
    return replace(learned, kinds=tuple(sorted(learned.kinds, key=lambda kind: -kind.share)))


def _grouped(panel: Panel) -> tuple[np.ndarray, np.ndarray]:
    """Observations agent by agent, and where one agent's end."""
    return np.argsort(panel.agent, kind="stable"), np.cumsum(np.bincount(panel.agent))[:-1]
