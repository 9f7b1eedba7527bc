"""Summary of a fit: what it says about itself, from convergence to what the data leave open, and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lori.data.preferences import Preferences, one_sided
from lori.inference.estimates import Uncertainty
from lori.inference.statistics import Observed, Statistics
from lori.language.notes import Note
from lori.language.numbers import an_ordinal
from lori.language.results import SELDOM, CapInFeature, LevelSummary, NestedFit, Status, Summary, Support
from lori.model.quantity import Precision, Quantity
from lori.model.rewards import subjects_of
from lori.model.specification import Specification

if TYPE_CHECKING:
    from lori.inference.fitting import Fit

DUST = 1e-6  # log-odds of a standard deviation: a smaller weight is zero but for rounding
NORMAL_90 = 1.645  # standard errors: 95 % of a normal distribution lie below
LEADING, AT_LEAST = 0.8, 0.05  # shares of a level's standardised weight: one feature stands for it; mentioned at all


def summarise(fit: Fit) -> Summary:
    """What a person needs to know about a fit."""
    subjects = subjects_of([level.reward for level in fit.model.levels], fit.model.features)
    return Summary(
        features=tuple(dict.fromkeys(name for name in subjects if name is not None)),
        ties=fit.model.ties,
        levels=tuple(_level(fit, index, subjects) for index in range(len(fit.model.levels))),
        undecided_share=float(fit.shares[-1]),
        lapse=fit.lapse,
        log_likelihood=fit.log_likelihood,
        comparisons=fit.comparisons,
        pairs=fit.pairs,
        by_levels=tuple(
            NestedFit(step.levels, step.log_likelihood, step.parameters, step.bic(fit.comparisons))
            for step in fit.steps
        ),
        support=fit.support,
        status=fit.status,
        sets=fit.sets,
        null_log_likelihood=fit.null,
        agents=fit.agents,
    )


def _level(fit: Fit, index: int, subjects: tuple[str | None, ...]) -> LevelSummary:
    level, error = fit.model.levels[index], fit.errors[index]
    names, errors = fit.model.features, np.asarray(fit.errors[index].parameters)
    particulars = level.reward.particulars(np.asarray(level.parameters), errors, names, fit.typical)
    typical = fit.typical
    if subjects != names:  # several features may be about the same
        names = tuple(dict.fromkeys(name for name in subjects if name is not None))
        about = np.array([[own == name for own in subjects] for name in names], float)
        typical = np.sqrt(about @ typical**2 / about.sum(axis=1))
        level = replace(level, slopes=about @ level.slopes)
    weight_errors = level.reward.weights(errors)
    direct = weight_errors is not None  # weights are parameters, not averages of slopes
    none = np.full(len(names), Precision())
    size = np.abs(level.weights) * np.where(typical > 0, typical, 0.0)
    dust = (size < DUST) & direct
    size = np.where(dust, 0.0, size)
    weights, thresholds = np.where(dust, 0.0, level.weights), np.where(dust, np.inf, level.thresholds)
    share = size / size.sum() if size.sum() > 0 else np.zeros(len(names))
    order = np.argsort(-share)
    alone = bool(share[order[0]] >= LEADING)
    cap = None if level.cap is None else Quantity.of(level.cap, level.reward.cap(errors))
    where = None
    if level.cap is not None and alone and level.weights[order[0]] != 0:
        where = CapInFeature(names[order[0]], level.cap / float(level.weights[order[0]]))
    additive = direct and level.cap is None  # weights say all about the level
    return LevelSummary(
        level=index + 1,
        reward=level.reward.kind,
        importance={name: float(value) for name, value in zip(names, share, strict=True)},
        leading=tuple(names[i] for i in order[: 1 if alone else 2] if share[i] > AT_LEAST),
        weights=_by_name(names, weights, weight_errors if direct else none),
        epsilon=Quantity.of(level.epsilon, error.epsilon),
        thresholds=_by_name(names, thresholds, np.asarray(error.thresholds) if direct else none),
        alpha=Quantity.of(level.alpha, error.alpha),
        decides=float(fit.shares[index]),
        cap=cap,
        cap_reached=fit.reached[index] if cap is not None else None,
        cap_in_feature=where,
        particulars=particulars,
        outweighs=tuple(names[i] for i in outweighing(weights, weight_errors, fit.differences)) if additive else (),
    )


def outweighing(weights: np.ndarray, errors: np.ndarray, differences: np.ndarray) -> list[int]:
    """Features each of which outweighs all that follow together: weights that make an order within one level.

    `differences` (2, features) has the smallest one that is not zero and the largest one of each feature. A feature is
    ahead if the smallest in it counts for more than the largest in all that follow, by more than their errors.
    """
    least, most = differences
    ahead: list[int] = []
    rest = [int(place) for place in np.flatnonzero((weights != 0) & (most > 0))]
    known = np.nan_to_num(errors.astype(float))
    while len(rest) > 1:
        first = max(rest, key=lambda place: abs(weights[place]) * least[place])
        others = [place for place in rest if place != first]
        lead = abs(weights[first]) * least[first] - np.abs(weights[others]) @ most[others]
        error = np.hypot(known[first] * least[first], np.linalg.norm(known[others] * most[others]))
        if lead <= NORMAL_90 * error:
            break
        ahead.append(first)
        rest = others
    return ahead


def _by_name(names: tuple[str, ...], values: np.ndarray, errors: np.ndarray) -> dict[str, Quantity]:
    return {name: Quantity.of(value, error) for name, value, error in zip(names, values, errors, strict=True)}


RARELY = 0.005  # a level that decides less than this share of the comparisons is said not to decide


def about_data(statistics: Statistics, context: frozenset[str] = frozenset()) -> list[Note]:
    """What can be said before any fit, but not of the context, whose features may be the same on both sides."""
    notes = []
    preferences = statistics.sample
    side = one_sided(statistics.outcomes) if isinstance(preferences, Preferences) else None
    if side is not None:
        notes.append(Note("one-sided", {"side": side}))
    same = int(preferences.identical().sum())
    if same:
        notes.append(Note("identical", {"share": same / len(preferences)}))
    for place in np.flatnonzero(statistics.extreme):
        count = int(statistics.extreme[place])
        slots = {"feature": preferences.features[place], "count": count}
        notes.append(Note("extreme", slots, "one" if count == 1 else "several"))
    differences = statistics.differences
    size = np.sqrt((differences**2).mean(axis=0))
    spread = np.abs(preferences.alternatives).max(axis=0)
    constant = size <= 1e-12 * np.maximum(spread, 1e-300)
    for place in np.flatnonzero(constant):
        if preferences.features[place] not in context:
            notes.append(Note("constant", {"feature": preferences.features[place]}))
    varying = np.flatnonzero(~constant & np.array([name not in context for name in preferences.features]))
    for group in _collinear(differences[:, varying] / size[varying]):
        notes.append(Note("collinear", {"features": tuple(preferences.features[varying[i]] for i in group)}))
    return notes


def about_fit(
    specification: Specification,
    uncertainty: Uncertainty,
    *,
    converged: bool,
    starts: int,
    share_at_best: float,
    shares: np.ndarray,
    epsilon: np.ndarray,
    reached: Sequence[float | None],
    beyond: np.ndarray,
    separated: bool,
    with_prior: bool,
    said: list[Note],
) -> Status:
    """What can be said after it. `shares`: what share of comparisons each level decides, then nobody; `reached`: what
    share of alternatives comes up to the cap of each level that has one; `beyond`: is the threshold of each level
    larger than every difference in the data?"""
    notes = list(said)
    if not converged:
        notes.append(Note("not converged"))
    if starts > 1 and share_at_best * starts <= 1:
        notes.append(Note("rare optimum", {"starts": int(starts)}))
    if separated:
        notes.append(Note("separation", variant="" if with_prior else "no prior"))
    if not any(note.code in ("constant", "collinear") for note in said):
        for group in uncertainty.unidentified:
            names = tuple(specification.names[i] for i in group)
            notes.append(Note("unidentified", {"parameters": names}, "one" if len(names) == 1 else "several"))
    for level in range(specification.levels):
        share = reached[level]
        if share is not None and share < SELDOM:
            notes.append(Note("cap", {"level": level + 1, "share": float(share)}))
        if shares[level] < RARELY:
            notes.append(Note("never decides", {"level": level + 1, "share": float(shares[level])}))
        elif level < specification.levels - 1 and epsilon[level] == 0 and specification.epsilon[level] is None:
            notes.append(Note("no threshold", {"level": level + 1}))
        if beyond[level] and specification.epsilon[level] is None:
            notes.append(Note("beyond the data", {"level": level + 1}))
    return Status(bool(converged), int(starts), float(share_at_best), tuple(notes))


def unjudged(status: Status, support: Support | None, data: Observed) -> Status:
    """The status of a fit to several people whose differences were not looked into, where a level is supported."""
    if support is None or not support.holds:
        return status
    if data.agent is None or len(np.unique(data.agent)) < 2:
        return status
    return replace(status, notes=(*status.notes, Note("people", {"level": an_ordinal(support.level)})))


def _collinear(scaled: np.ndarray) -> list[list[int]]:
    """Groups of columns with an exact linear dependence among them."""
    if scaled.shape[1] < 2:
        return []
    values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    groups: list[list[int]] = []
    for direction in vectors[:, values < 1e-10 * values.max()].T:
        members = np.flatnonzero(np.abs(direction) > 1e-3).tolist()
        if members not in groups:
            groups.append(members)
    return groups
