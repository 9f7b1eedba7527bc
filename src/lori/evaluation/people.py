"""People: how well is what everybody will choose foretold, beside one model for all and one for each?

Some choices of each agent are left out, and three models are fitted to the others. Differences between models are
summed by agent, because choices of the same agent go together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.estimators.lori import LORI
from lori.estimators.population import Population
from lori.evaluation.classes import left_out
from lori.inference.population.panel import Panel
from lori.inference.statistics import Observed

SHARED = ("reward", "alpha", "epsilon", "ties", "lapse", "prior", "seed")  # settings that a population has like LORI
MANY = 20_000  # choices; of more, those of some agents are compared
NAMES = {"all": "one model for all", "each": "one model for each"}


@dataclass(frozen=True)
class Rival:
    """Another way to foretell what people choose."""

    name: str
    log_likelihood: float  # of a choice that was left out
    advantage: float  # of the population over it
    error: float  # standard error of the advantage, agents being independent


@dataclass(frozen=True)
class Foretold:
    """The population beside its rivals, on choices that none of them had learned from."""

    choices: int
    agents: int
    log_likelihood: float  # of a choice, by the population
    rivals: tuple[Rival, ...]


def compare(population: Population, data: Observed, mask: np.ndarray | None = None) -> Foretold | None:
    """Fit anew without the choices in `mask` (a quarter of each agent's), and foretell them; None if there are none."""
    data = _some(data)
    mask = left_out(data, by_agent=False) if mask is None else mask
    kept, rest = data.subset(~mask), data.subset(mask)
    if not mask.any() or len(Panel.of(kept)) < max(2, population.classes):
        return None
    seen = rest.comparisons * rest.weights
    own = population.copy().fit(kept).log_likelihoods(rest)
    rivals = [
        _rival(NAMES["all"], own, single_of(population).fit(kept).model_.log_likelihood(rest), seen, rest),
        _rival(NAMES["each"], own, by_each(single_of(population), kept, rest), seen, rest),
    ]
    return Foretold(round(float(seen.sum())), len(Panel.of(data)), float(own.sum() / seen.sum()), tuple(rivals))


def single_of(population: Population) -> LORI:
    """One model with the same settings, and as many levels as the class that has most."""
    levels = population.levels if isinstance(population.levels, int) else max(population.levels)
    shared = {name: getattr(population, name) for name in SHARED}
    return LORI(levels=levels, standard_errors="none", **shared)


def by_each(single: LORI, kept: Observed, rest: Observed) -> np.ndarray:
    """(observations of `rest`,) log-likelihood of each by a model of that agent alone; strangers have one for all."""
    assert rest.agent is not None
    fitted, people = single.fit_by_agent(kept), np.unique(rest.agent)
    everybody = single.copy().fit(kept) if set(map(str, people)) - set(fitted) else None
    found = np.empty(len(rest))
    for agent in people:
        own = rest.agent == agent
        model = fitted.get(str(agent), everybody)
        assert model is not None
        found[own] = model.model_.log_likelihood(rest.subset(own))
    return found


def gain(own: np.ndarray, other: np.ndarray, seen: np.ndarray, agent: np.ndarray) -> tuple[float, float]:
    """Of a choice: the mean of own − other, and its standard error with agents as clusters."""
    _, group = np.unique(agent, return_inverse=True)
    mean = float((own - other).sum() / seen.sum())
    away = np.bincount(group, own - other) - mean * np.bincount(group, seen)
    return mean, float(np.sqrt(np.sum(away**2)) / seen.sum())


def _rival(name: str, own: np.ndarray, other: np.ndarray, seen: np.ndarray, rest: Observed) -> Rival:
    assert rest.agent is not None
    return Rival(name, float(other.sum() / seen.sum()), *gain(own, other, seen, rest.agent))


def _some(data: Observed) -> Observed:
    """All choices, or those of agents drawn at random where they are very many."""
    if len(data) <= MANY:
        return data
    panel = Panel.of(data)
    counts = np.bincount(panel.agent)
    order = np.random.default_rng(0).permutation(len(counts))
    chosen = np.zeros(len(counts), bool)
    chosen[order[: max(2, int(np.searchsorted(np.cumsum(counts[order]), MANY)))]] = True
    return data.subset(chosen[panel.agent])
