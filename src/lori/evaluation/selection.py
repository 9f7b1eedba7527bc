"""Selection of levels: how many do the data support, and is this decision-maker lexicographic at all?

Two measures for each number of levels: the evidence (how well the model with its prior foretells all data), and the
log-likelihood of comparisons that were left out. A larger model is recommended only where the evidence is clearly for
it: preferring the smaller one costs little, and a level too many misleads. Evidence comes from random draws: where
another set of them could turn the verdict, there is none.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.util import find_spec
from typing import Any

import numpy as np

from lori.data.choices import Choices
from lori.errors import DataError, InputError, whole
from lori.estimators.lori import LORI
from lori.evaluation.metrics import held_out, log_likelihoods
from lori.inference.posterior.draws import Posterior
from lori.inference.problem import Problem
from lori.inference.statistics import Observed
from lori.inference.support import many_people
from lori.language.answer import DIFFERENCES, support_sentence
from lori.language.numbers import cardinal, level_count, odds
from lori.language.sentence import joined

CLEAR = 3.0  # units of log evidence (20 : 1) that a larger model must gain
FEWER = 1.0  # units (3 : 1) from which the evidence is said to be for the smaller one
ERRORS = 2.0  # Monte Carlo errors by which a difference in log evidence may be wrong
MANY = 3000  # pairs beyond which evidence comes from Gaussians and what is held out from cross-validation
EVEN = odds(0.0)
LARGEST_K = 0.7  # Pareto shape above which leaving one out by reweighting is not to be trusted


@dataclass(frozen=True)
class Candidate:
    """One number of levels."""

    levels: int
    log_evidence: float
    log_evidence_error: float | None
    trusted: bool
    held_out: np.ndarray  # log-likelihood of each pair when it was left out
    posterior: Posterior

    @property
    def held_out_total(self) -> float:
        return float(self.held_out.sum())


@dataclass(frozen=True, eq=False)
class Selection:
    """What speaks for each number of levels, and a recommendation with its reason."""

    candidates: tuple[Candidate, ...]
    recommended: int
    verdict: str  # "one level", "more levels" or "undecided"
    reason: str
    held_out_by: str

    @property
    def posterior(self) -> Posterior:
        """Of the recommended model."""
        return next(own.posterior for own in self.candidates if own.levels == self.recommended)

    def short_of_best(self, candidate: Candidate) -> tuple[float, float]:
        """By how much it predicts left-out choices worse than the best candidate, and the standard error of that."""
        best = max(self.candidates, key=lambda own: own.held_out_total)
        short = best.held_out - candidate.held_out
        return float(short.sum()) + 0.0, _error(short)  # never −0

    def to_dict(self) -> dict[str, Any]:
        rows = []
        for own in self.candidates:
            short, error = self.short_of_best(own)
            rows.append(
                {
                    "levels": own.levels,
                    "log_evidence": own.log_evidence,
                    "log_evidence_error": own.log_evidence_error,
                    "trusted": own.trusted,
                    "held_out": own.held_out_total,
                    "held_out_error": _error(own.held_out),
                    "short_of_best": short,
                    "short_of_best_error": error,
                }
            )
        return {
            "candidates": rows,
            "held_out_by": self.held_out_by,
            "recommended": self.recommended,
            "verdict": self.verdict,
            "reason": self.reason,
            "order": self.posterior.order().to_dict(),
        }

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        rows = [("Levels", "log evidence", f"held-out log-likelihood ({self.held_out_by})", "short of the best", "")]
        for own in self.candidates:
            error = "" if own.log_evidence_error is None else f" ± {own.log_evidence_error:.2f}"
            held_out = f"{own.held_out_total:.2f} ± {_error(own.held_out):.2f}"
            short = "{:.2f} ± {:.2f}".format(*self.short_of_best(own))
            doubt = "" if own.trusted else "not converged"
            rows.append((str(own.levels), f"{own.log_evidence:.2f}{error}", held_out, short, doubt))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, "", self.reason])


def select_levels(
    preferences: Observed,
    up_to: int = 4,
    *,
    estimator: LORI | None = None,
    method: str = "auto",
    draws: int = 1000,
    seed: int | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Selection:
    """Compare 1, 2, … `up_to` levels of the estimator's kind (default: `LORI()`) on these preferences.

    `method` is how posteriors are made: `smc`, `laplace`, or `auto` (default): Gaussians, and up to 3 000 pairs
    sequential Monte Carlo where these cannot be trusted (with `lori[bayes]`). Stops early where another level lost the
    evidence by more than `CLEAR` units. Where ten agents or more were pooled, a further level must also be better than
    agents who differ (`lori.inference.support`). What is given level by level is cut or repeated as in
    `LORI.with_levels`.
    """
    whole("up_to", up_to, 1)
    if preferences.n_comparisons < 2:
        raise InputError(
            "preferences", expected="at least two comparisons", got=str(preferences.n_comparisons), fix="add data"
        )
    base = LORI() if estimator is None else estimator
    if base.prior is None:
        raise InputError(
            "prior", expected="a prior, without which there is no evidence", got="None", fix="use prior='weak'"
        )
    few = len(preferences) <= MANY
    kept: list[Candidate] = []
    by_reweighting = few
    for levels in range(1, up_to + 1):
        progress(f"Weighing {levels} level{'s' if levels > 1 else ''}")
        own = base.with_levels(levels)
        posterior = own.posterior(preferences, method="laplace" if method == "auto" else method, draws=draws, seed=seed)
        if method == "auto" and few and not posterior.trust.trusted and find_spec("blackjax"):
            posterior = own.posterior(preferences, method="smc", draws=draws, seed=seed)
        if posterior.log_evidence is None:
            raise InputError(
                "reward", expected="rewards with a prior on every parameter", got="a reward without",
                fix="use linear, capped, network or gated rewards",
            )  # fmt: skip
        left_out = _left_out(posterior, preferences) if by_reweighting else None
        by_reweighting = left_out is not None
        kept.append(
            Candidate(
                levels,
                posterior.log_evidence,
                posterior.log_evidence_error,
                posterior.trust.trusted,
                np.empty(0) if left_out is None else left_out,
                posterior,
            )
        )
        best = max(candidate.log_evidence for candidate in kept)
        if levels >= 2 and best - posterior.log_evidence > CLEAR + 1:
            break
    how = "leaving one out"
    if not by_reweighting:
        progress("Cross-validating")
        options = {"seed": base.seed, "fewest": 2, "most": len(preferences)}
        found = [held_out(base.with_levels(own.levels), preferences, **options) for own in kept]
        kept = [replace(candidate, held_out=own.of_pairs) for candidate, own in zip(kept, found, strict=True)]
        how = f"{found[0].folds}-fold cross-validation"
    recommended, verdict, reason = _recommendation(kept)
    if recommended > 1 and many_people(preferences):
        progress("Comparing with people who differ")
        support = base.with_levels(recommended).fit(preferences).summary().support
        if support is not None and support.verdict == DIFFERENCES:
            recommended, reason = support.recommended, str(support_sentence(support))
            verdict = "more levels" if recommended > 1 else "one level"
    return Selection(tuple(kept), recommended, verdict, reason, how)


def select_levels_by_agent(
    preferences: Observed,
    up_to: int = 2,
    *,
    estimator: LORI | None = None,
    draws: int = 1000,
    progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Selection]:
    """`select_levels` for each agent alone: is this respondent lexicographic at all?"""
    groups: dict[str, Any] = preferences.by_agent()
    few = sum(len(own) < 2 for own in groups.values())
    if few:
        raise DataError(
            "agent", expected="at least two pairs of each agent", got=f"one pair of {few} of the {len(groups)} agents",
            fix="leave these agents out",
        )  # fmt: skip
    base = (LORI() if estimator is None else estimator).for_parts_of(preferences)
    chosen = {}
    for place, (agent, own) in enumerate(groups.items(), start=1):
        progress(f"Agent {place} of {len(groups)}")
        chosen[agent] = select_levels(own, up_to, estimator=base, draws=draws)
    return chosen


def shares(selections: Mapping[str, Selection]) -> dict[str, float]:
    """Shares of agents with one level, with more, and undecided."""
    verdicts = [own.verdict for own in selections.values()]
    return {verdict: verdicts.count(verdict) / len(verdicts) for verdict in ("one level", "more levels", "undecided")}


def _recommendation(kept: list[Candidate]) -> tuple[int, str, str]:
    """The number of levels, the verdict on one level against more, and the reason in a sentence."""
    choice = _chosen(kept)
    verdict, reasons = ("more levels" if choice.levels > 1 else "one level"), []
    if choice.levels > 1:
        reasons.append(f"the odds against one level are {odds(choice.log_evidence - kept[0].log_evidence)}")
    larger = [own for own in kept if own.levels > choice.levels]
    if larger:
        rival = max(larger, key=lambda own: own.log_evidence)
        gain = rival.log_evidence - choice.log_evidence
        if gain <= -FEWER:
            reasons.append(f"the odds against {level_count(rival.levels)} are {odds(-gain)}")
        else:
            ratio = odds(abs(gain))
            how = "even odds" if ratio == EVEN else f"odds of {ratio} {'in favour' if gain > 0 else 'against'}"
            reasons.append(f"{level_count(rival.levels)} would not be clearly better ({how})")
            verdict = "undecided" if choice.levels == 1 else verdict
    if verdict != "undecided" and _turns(kept, choice):
        verdict = "undecided"
        error = evidence_error(
            kept[0], choice if choice.levels > 1 else max(kept[1:], key=lambda own: own.log_evidence)
        )
        reasons.append(
            f"this could turn within the Monte Carlo error of the log evidence, {error:.2f} (use more draws)"
        )
    doubtful = [cardinal(own.levels) for own in kept if not own.trusted]
    if doubtful:
        which = "the posterior" if len(doubtful) == 1 else "the posteriors"
        plural = "" if doubtful == ["one"] else "s"
        has = "has" if len(doubtful) == 1 else "have"
        reasons.append(
            f"{which} with {joined(doubtful, last=' and ')} level{plural} {has} not converged (use more draws)"
        )
    text = f"{level_count(choice.levels)} {'is' if choice.levels == 1 else 'are'} recommended"
    if reasons:
        text += f": {'; '.join(reasons)}"
    return choice.levels, verdict, f"{text[0].upper()}{text[1:]}."


def _chosen(kept: Sequence[Candidate]) -> Candidate:
    """The smallest number of levels, or a larger one for which the evidence is clear."""
    choice = kept[0]
    for own in kept[1:]:
        if own.log_evidence - choice.log_evidence > CLEAR:
            choice = own
    return choice


def _turns(kept: Sequence[Candidate], choice: Candidate) -> bool:
    """Could another set of draws turn the verdict on one level against more?

    For one level: could a larger model come out as not clearly worse? For more: could one level come back?
    """
    one = kept[0]
    others = kept[1:] if choice is one else [choice]
    margins = [
        (-FEWER - gain if choice is one else gain - CLEAR, error)
        for gain, error in ((own.log_evidence - one.log_evidence, evidence_error(own, one)) for own in others)
    ]
    return any(margin < ERRORS * error for margin, error in margins)


def evidence_error(one: Candidate, other: Candidate) -> float:
    """Monte Carlo error of the difference between two log evidences."""
    return float(np.hypot(one.log_evidence_error or 0.0, other.log_evidence_error or 0.0))


def _left_out(posterior: Posterior, preferences: Observed) -> np.ndarray | None:
    """Each pair's log-likelihood when it is left out, by Pareto-smoothed importance sampling of ArviZ; None if not to
    trust, or without ArviZ."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import arviz
    except ImportError:
        return None  # cross-validation does it, too
    if isinstance(preferences, Choices):
        units = posterior.units
        logs = Problem.of(units.specification, [preferences], None, units.scaling).row_log_likelihood(posterior.draws)
    else:
        drawn = posterior.predict_log_proba(preferences.left_features, preferences.right_features)
        logs = log_likelihoods(preferences, drawn)  # (draws, pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights, shapes = arviz.psislw(-logs.T)
    if np.max(shapes) > LARGEST_K:
        return None
    return np.logaddexp.reduce(np.asarray(weights) + logs.T, axis=1)


def _error(values: np.ndarray) -> float:
    return float(np.sqrt(len(values)) * values.std(ddof=1)) if len(values) > 1 else 0.0
