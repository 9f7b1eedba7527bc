"""Summary of a fit: what it says about itself, from convergence to what the data leave open, and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lori.data.preferences import one_sided
from lori.inference.estimates import Uncertainty
from lori.inference.statistics import Statistics
from lori.language.notes import Note
from lori.language.results import SELDOM, CapInFeature, LevelSummary, NestedFit, Status, Summary, Support
from lori.model.quantity import Quantity
from lori.model.specification import Specification

if TYPE_CHECKING:
    from lori.inference.fitting import Fit

NEGLIGIBLE = 0.05  # gain in log-likelihood units that is none
CLEAR = 6.0  # difference of BIC from which a level is supported without reserve
DUST = 1e-6  # log-odds of a standard deviation: a smaller weight is zero but for rounding
LEADING, AT_LEAST = 0.8, 0.05  # shares of a level's standardised weight: one feature stands for it; mentioned at all


def summarise(fit: Fit) -> Summary:
    """What a person needs to know about a fit."""
    return Summary(
        features=tuple(fit.model.features),
        ties=fit.model.ties,
        levels=tuple(_level(fit, index) for index in range(len(fit.model.levels))),
        undecided_share=float(fit.shares[-1]),
        log_likelihood=fit.log_likelihood,
        comparisons=fit.comparisons,
        pairs=fit.pairs,
        by_levels=tuple(
            NestedFit(step.levels, step.log_likelihood, step.parameters, step.bic(fit.comparisons))
            for step in fit.steps
        ),
        support=_support(fit),
        status=fit.status,
    )


def _level(fit: Fit, index: int) -> LevelSummary:
    level, error = fit.model.levels[index], fit.errors[index]
    names, errors = fit.model.features, np.asarray(fit.errors[index].parameters)
    weight_errors = level.reward.weights(errors)
    direct = weight_errors is not None  # weights are parameters, not averages of slopes
    none = np.full(len(names), np.nan)
    size = np.abs(level.weights) * np.where(fit.typical > 0, fit.typical, 0.0)
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
    return LevelSummary(
        level=index + 1,
        reward=level.reward.kind,
        importance={name: float(value) for name, value in zip(names, share, strict=True)},
        leading=tuple(names[i] for i in order[: 1 if alone else 2] if share[i] > AT_LEAST),
        weights=_by_name(names, weights, weight_errors if direct else none),
        epsilon=Quantity.of(level.epsilon, error.epsilon, positive=True),
        thresholds=_by_name(names, thresholds, np.asarray(error.thresholds) if direct else none, positive=True),
        alpha=Quantity.of(level.alpha, error.alpha),
        decides=float(fit.shares[index]),
        cap=cap,
        cap_reached=fit.reached[index] if cap is not None else None,
        cap_in_feature=where,
        particulars=level.reward.particulars(np.asarray(level.parameters), errors, names, fit.typical),
    )


def _by_name(
    names: tuple[str, ...], values: np.ndarray, errors: np.ndarray, *, positive: bool = False
) -> dict[str, Quantity]:
    return {
        name: Quantity.of(value, error, positive=positive)
        for name, value, error in zip(names, values, errors, strict=True)
    }


def _support(fit: Fit) -> Support | None:
    """Is the last level worth its parameters? By the Bayesian information criterion against one level less."""
    if len(fit.steps) < 2:
        return None
    smaller, full = fit.steps[-2], fit.steps[-1]
    gain = full.log_likelihood - smaller.log_likelihood
    better = smaller.bic(fit.comparisons) - full.bic(fit.comparisons)
    if better > CLEAR:
        verdict = "supported"
    elif better > 0 and gain > NEGLIGIBLE:
        verdict = "weakly supported"
    else:
        verdict = "not supported"
    return Support(
        level=full.levels,
        gain=gain,
        extra_parameters=full.parameters - smaller.parameters,
        bic_difference=better,
        verdict=verdict,
        recommended=min(fit.steps, key=lambda step: step.bic(fit.comparisons)).levels,
    )


RARELY = 0.005  # a level that decides less than this share of the comparisons is said not to decide


def about_data(statistics: Statistics, context: frozenset[str] = frozenset()) -> list[Note]:
    """What can be said before any fit; features of the context are meant to be the same on both sides."""
    notes = []
    preferences = statistics.sample
    side = one_sided(statistics.outcomes)
    if side is not None:
        notes.append(Note("one-sided", {"side": side}))
    same = int(preferences.identical().sum())
    if same:
        notes.append(Note("identical", {"share": same / len(preferences)}))
    differences = preferences.differences
    size = np.sqrt((differences**2).mean(axis=0))
    spread = np.abs(preferences.alternatives).max(axis=0)
    constant = size <= 1e-12 * np.maximum(spread, 1e-300)
    for place in np.flatnonzero(constant):
        if preferences.features[place] not in context:
            notes.append(Note("constant", {"feature": preferences.features[place]}))
    varying = np.flatnonzero(~constant)
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
    separated: bool,
    with_prior: bool,
    said: list[Note],
) -> Status:
    """What can be said after it. `shares`: what share of comparisons each level decides, then nobody; `reached`: what
    share of alternatives comes up to the cap of each level that has one."""
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
    return Status(bool(converged), int(starts), float(share_at_best), tuple(notes))


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
