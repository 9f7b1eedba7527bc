"""Checks of a model: could it have produced these data, and which choices does it find hard to believe?

Posterior predictive checks draw the same comparisons again for each draw of the posterior. A group of comparisons, by
predicted probability or by level, agrees with the model where what was seen lies within what such replications give.
Surprises are single pairs, seen by the best model alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import OUTCOMES, Preferences
from lori.evaluation.favourites import SetSurprise, chances_of, replicated, set_surprises, shares
from lori.inference.posterior.draws import Posterior, interval
from lori.inference.statistics import Observed
from lori.language.numbers import percent, share_of
from lori.model.ordered import OrderedModel

DRAWS = 200  # replications
RARE = 0.1  # what has a smaller probability is called rare
LIKELY = 0.5  # what has at least this probability surprises nobody


@dataclass(frozen=True)
class Group:
    """Comparisons that belong together, seen from the side that the model favours."""

    by: str  # "probability" or "level"
    name: str
    comparisons: int
    observed: float  # share won by the favoured side; a tie is half a win
    predicted: float
    lower: float  # of the replications
    upper: float

    @property
    def agrees(self) -> bool:
        return self.lower <= self.observed <= self.upper


@dataclass(frozen=True)
class Check:
    """All groups, and the verdict."""

    groups: tuple[Group, ...]
    probability: float
    trusted: bool

    @property
    def agreeing(self) -> int:
        return sum(group.agrees for group in self.groups)

    @property
    def sentence(self) -> str:
        """What a person should know."""
        said = (
            f"The observed share lies within the model's {percent(self.probability)} interval in "
            f"{share_of(self.agreeing, len(self.groups), 'group')} of choices; if the model were true, about "
            f"{self.probability * len(self.groups):.1f} would be expected."
        )
        return said if self.trusted else f"{said} The posterior has not converged."

    def to_dict(self) -> dict[str, Any]:
        groups = [{**asdict(group), "agrees": group.agrees} for group in self.groups]
        return {"groups": groups, "probability": self.probability, "sentence": self.sentence}


def predictive_check(
    posterior: Posterior, preferences: Observed, *, bins: int = 10, probability: float = 0.9, seed: int = 0
) -> Check:
    """Compare what was seen with replications, in equally filled bins of probability and by the likeliest decider."""
    generator = np.random.default_rng(seed)
    if isinstance(preferences, Choices):
        seen, replications, decider = replicated(posterior, preferences, DRAWS, generator)
        favoured, total, score = seen.predicted, seen.total, seen.won
    else:
        favoured, total, score, replications = _sides(posterior.thinned(DRAWS), preferences, generator)
        decider = _deciders(posterior.thinned(DRAWS), preferences.left_features, preferences.right_features)
    by_level = _by_level(decider, posterior.units.specification.levels)
    groups = []
    for by, name, members in (*_by_probability(favoured, total, bins), *by_level):
        count = float(total[members].sum())
        if not count:
            continue
        low, high = interval(replications[:, members].sum(axis=1) / count, probability)
        predicted = float(favoured[members] @ total[members] / count)
        groups.append(
            Group(by, name, int(count), float(score[members].sum() / count), predicted, float(low), float(high))
        )
    return Check(tuple(groups), probability, posterior.trust.trusted)


def _sides(
    few: Posterior, preferences: Preferences, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each pair, seen from the favoured side: its probability, comparisons, and wins, also in replications."""
    probabilities = few.predict_proba(preferences.left_features, preferences.right_features)
    middle = probabilities.mean(axis=0)
    turned = middle[:, 0] < middle[:, 2]
    probabilities[:, turned] = probabilities[:, turned][:, :, ::-1]
    counts = preferences.outcome_counts
    counts[turned] = counts[turned][:, ::-1]
    total, score = counts.sum(axis=1), counts[:, 0] + 0.5 * counts[:, 1]
    again = generator.multinomial(total.astype(int), probabilities / probabilities.sum(axis=-1, keepdims=True))
    favoured = np.where(turned, middle[:, 2], middle[:, 0]) + 0.5 * middle[:, 1]
    return favoured, total, score, again[..., 0] + 0.5 * again[..., 1]


@dataclass(frozen=True)
class Surprise:
    """One pair by its features. Chances and counts are of: left preferred, tie, right preferred."""

    left: dict[str, float]
    right: dict[str, float]
    chances: tuple[float, float, float]
    counts: tuple[int, int, int]
    level: int  # the likeliest to decide, from 1; 0 where no difference counts
    pair: int | None = None  # its row in the data, from 1

    @property
    def chosen(self) -> str:
        """What was chosen more often than the model expects."""
        excess = [count / self.times - chance for count, chance in zip(self.counts, self.chances, strict=True)]
        return OUTCOMES[int(np.argmax(excess))]

    @property
    def times(self) -> int:
        return sum(self.counts)

    @property
    def times_chosen(self) -> int:
        return self.counts[OUTCOMES.index(self.chosen)]

    @property
    def probability(self) -> float:
        return self.chances[OUTCOMES.index(self.chosen)]


@dataclass(frozen=True)
class RareChoices:
    """How often something happened that had a probability below `RARE`, and how often the model expects that."""

    seen: int
    expected: float
    comparisons: int


def surprises(model: OrderedModel, preferences: Observed, count: int = 6) -> list[Surprise] | list[SetSurprise]:
    """At most `count` pairs that cost the model most log-likelihood against the shares that were observed.

    For pairs that were compared once these are the ones with the smallest probability of what was chosen. A choice that
    the model thinks likely is none of them.
    """
    same = _same(model, preferences)
    if isinstance(same, Choices):
        return set_surprises(model, same, count)
    logs, counts = model.predict_log_proba(same.left_features, same.right_features), same.outcome_counts
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(counts > 0, counts * (np.log(counts / total) - logs), 0.0).sum(axis=1)
    worst = np.argsort(-lost, kind="stable")[:count]
    few = same.subset(worst)
    deciding = model.decisions(few.left_features, few.right_features)
    levels = np.column_stack([deciding.nobody, deciding.left + deciding.right]).argmax(axis=1)
    found = [
        Surprise(
            _named(same, same.left_features[row]),
            _named(same, same.right_features[row]),
            tuple(float(np.exp(value)) for value in logs[row]),  # type: ignore[arg-type]
            tuple(int(value) for value in counts[row]),  # type: ignore[arg-type]
            int(level),
            int(same.rows[row]),
        )
        for row, level in zip(worst, levels, strict=True)
    ]
    return [each for each in found if each.probability < LIKELY]


def rare_choices(model: OrderedModel, preferences: Observed) -> RareChoices:
    """Rare choices that were seen, beside those that the model itself expects among as many comparisons."""
    same = _same(model, preferences)
    if isinstance(same, Choices):
        chances, often = chances_of(model, same), same.comparisons[same.owner]
        counts, total = shares(same) * often, same.n_comparisons
    else:
        chances, counts = model.predict_proba(same.left_features, same.right_features), same.outcome_counts
        often, total = counts.sum(axis=1, keepdims=True), int(counts.sum())
    rare = chances < RARE
    return RareChoices(int(counts[rare].sum()), float((chances * rare * often).sum()), total)


def _by_probability(favoured: np.ndarray, total: np.ndarray, bins: int) -> Iterator[tuple[str, str, np.ndarray]]:
    order = np.argsort(favoured, kind="stable")
    filled = np.cumsum(total[order]) / total.sum()
    edges = np.searchsorted(filled, np.arange(1, bins) / bins) + 1
    for members in np.split(order, np.unique(edges)):
        if len(members):
            ends = [percent(float(end)) for end in (favoured[members].min(), favoured[members].max())]
            yield "probability", " to ".join(dict.fromkeys(ends)), members


def _deciders(posterior: Posterior, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(pairs,) the place of the level that is likeliest to decide, after the last one for nobody."""
    decided = [model.decisions(left, right) for model in posterior.models(20)]
    return np.mean([np.column_stack([own.left + own.right, own.nobody]) for own in decided], axis=0).argmax(axis=1)


def _by_level(decider: np.ndarray, levels: int) -> Iterator[tuple[str, str, np.ndarray]]:
    for place in range(levels + 1):
        name = f"level {place + 1}" if place < levels else "no level"
        yield "level", name, np.flatnonzero(decider == place)


def _same(model: OrderedModel, preferences: Observed) -> Observed:
    return preferences if preferences.features == model.features else preferences.select(model.features)


def _named(preferences: Preferences, values: np.ndarray) -> dict[str, float]:
    return dict(zip(preferences.features, map(float, values), strict=True))
