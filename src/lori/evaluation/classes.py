"""Selection of classes: how many kinds of people are there, or does everybody differ?

Candidates are one model for all, several classes, and people who differ continuously. Three measures for each: the
Bayesian information criterion of all choices, the log-likelihood of choices left out within agents (how well are the
others' and one's own earlier choices a guide?), and that of agents left out as a whole (how well are strangers
foretold?). Recommended is the smallest criterion; where choices left out speak clearly for another one, that is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lori.data.choices import Choices
from lori.data.grouping import group_rows
from lori.data.preferences import Preferences
from lori.errors import whole
from lori.estimators.population import Population
from lori.estimators.schema import MOST_CLASSES
from lori.inference.population.panel import Panel
from lori.language.populations import candidate_name, selection_lines, selection_reason

LEFT_OUT = 0.25  # share of the choices of each agent, and of the agents
CLEAR = 2.0  # standard errors by which another candidate must be ahead to be mentioned


@dataclass(frozen=True, eq=False)
class ClassCandidate:
    """A number of classes, or people who differ."""

    classes: int
    levels: int
    spread: bool
    log_likelihood: float
    parameters: int
    bic: float
    within: np.ndarray | None  # (choices left out within agents,) log-likelihood of each
    strangers: np.ndarray | None  # (choices of agents left out,)

    @property
    def name(self) -> str:
        return candidate_name(self.classes, self.levels, self.spread)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "classes": self.classes,
            "levels": self.levels,
            "spread": self.spread,
            "log_likelihood": self.log_likelihood,
            "parameters": self.parameters,
            "bic": self.bic,
            "held_out_within_agents": None if self.within is None else float(self.within.mean()),
            "held_out_agents": None if self.strangers is None else float(self.strangers.mean()),
        }


@dataclass(frozen=True, eq=False)
class ClassSelection:
    """What speaks for each candidate, and a recommendation with its reason."""

    candidates: tuple[ClassCandidate, ...]
    recommended: ClassCandidate
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "candidates": [own.to_dict() for own in self.candidates],
            "recommended": self.recommended.name,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        return "\n".join(selection_lines([own.to_dict() for own in self.candidates], self.reason))

    __repr__ = __str__


def select_classes(
    data: Preferences | Choices,
    up_to: int = 6,
    *,
    estimator: Population | None = None,
    levels: tuple[int, ...] | None = None,
    held_out: bool = True,
    checkpoint: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ClassSelection:
    """Weigh 1, 2, … classes and people who differ, each with each of these numbers of `levels`.

    `estimator` has the other settings. Classes are added until two more in a row do not lower the criterion. What long
    fits have found is kept in the folder `checkpoint`: the same call, if it was interrupted, goes on from there.
    """
    single = Population() if estimator is None else estimator
    most = min(whole("up_to", up_to, 1, MOST_CLASSES), len(Panel.of(data)))
    fixed = single.levels if isinstance(single.levels, int) else max(single.levels)
    within, strangers = (left_out(data, by_agent) for by_agent in (False, True)) if held_out else (None, None)
    candidates: list[ClassCandidate] = []
    for count in levels or (fixed,):
        chain = [(number, False) for number in range(1, most + 1)]
        worse, best = 0, np.inf
        for classes, spread in [(1, True), *chain]:
            own = single.copy(classes=classes, levels=count, spread=spread)
            if worse >= 2 and not spread:
                continue
            if progress is not None:
                progress(f"Weighing {candidate_name(classes, count, spread)}")
            fitted = own.copy().fit(data, checkpoint=checkpoint)
            candidates.append(
                ClassCandidate(
                    classes, count, spread, fitted.log_likelihood_, fitted.n_parameters_, fitted.bic_,
                    _foretold(own, data, within, checkpoint), _foretold(own, data, strangers, checkpoint),
                )
            )  # fmt: skip
            if not spread:
                worse, best = (0, fitted.bic_) if fitted.bic_ < best else (worse + 1, best)
    chosen = min(candidates, key=lambda own: own.bic)
    return ClassSelection(tuple(candidates), chosen, _reason(candidates, chosen))


def left_out(data: Preferences | Choices, by_agent: bool, seed: int = 0) -> np.ndarray:
    """(observations,) mask: a random quarter of the choices of each agent, or of the agents."""
    panel, generator = Panel.of(data), np.random.default_rng(seed)
    if by_agent:
        chosen = np.zeros(len(panel), bool)
        chosen[generator.permutation(len(panel))[: max(1, round(LEFT_OUT * len(panel)))]] = True
        return chosen[panel.agent]
    rank = generator.permutation(len(data))
    order = np.lexsort((rank, panel.agent))
    _, group = group_rows([panel.agent[order]])
    counts = np.bincount(group)
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    mask = np.empty(len(order), bool)
    mask[order] = place < np.floor(LEFT_OUT * counts)[group]
    return mask


def _foretold(
    own: Population, data: Preferences | Choices, mask: np.ndarray | None, checkpoint: str | Path | None
) -> np.ndarray | None:
    if mask is None or not mask.any() or mask.all():
        return None
    kept = data.subset(~mask)
    if len(Panel.of(kept)) < max(2, own.classes):
        return None
    return own.copy().fit(kept, checkpoint=checkpoint).log_likelihoods(data.subset(mask))


def _reason(candidates: list[ClassCandidate], chosen: ClassCandidate) -> str:
    others = [own for own in candidates if own is not chosen]
    next_best = min((own.bic for own in others), default=None)
    ahead = None
    if chosen.within is not None:
        for own in others:
            assert own.within is not None
            gain = own.within - chosen.within
            error = float(np.sqrt(len(gain)) * gain.std())
            if gain.sum() > CLEAR * error and (ahead is None or gain.sum() > ahead[1]):
                ahead = own.name, float(gain.sum())
    lead = None if next_best is None else next_best - chosen.bic
    return selection_reason(chosen.name, lead, None if ahead is None else ahead[0])
