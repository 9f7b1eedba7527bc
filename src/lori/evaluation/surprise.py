"""Which observed choices does the model find hard to believe, and are there more of them than it expects?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.model.ordered import OrderedModel

RARE = 0.1  # what has a smaller probability is called rare
LIKELY = 0.5  # what has at least this probability surprises nobody
OUTCOMES = ("left", "tie", "right")


@dataclass(frozen=True)
class Surprise:
    """One pair by its features. Chances and counts are of: left preferred, tie, right preferred."""

    left: dict[str, float]
    right: dict[str, float]
    chances: tuple[float, float, float]
    counts: tuple[int, int, int]
    level: int  # the likeliest to decide, from 1; 0 where no difference counts

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


def surprises(model: OrderedModel, preferences: Preferences, count: int = 6) -> list[Surprise]:
    """At most `count` pairs that cost the model most log-likelihood against the shares that were observed.

    For pairs that were compared once these are the ones with the smallest probability of what was chosen. A choice that
    the model thinks likely is none of them.
    """
    same = _same(model, preferences)
    logs, counts = model.predict_log_proba(same.left_features, same.right_features), _counts(same)
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
        )
        for row, level in zip(worst, levels, strict=True)
    ]
    return [each for each in found if each.probability < LIKELY]


def rare_choices(model: OrderedModel, preferences: Preferences) -> RareChoices:
    """Rare choices that were seen, beside those that the model itself expects among as many comparisons."""
    same = _same(model, preferences)
    chances, counts = model.predict_proba(same.left_features, same.right_features), _counts(same)
    rare = chances < RARE
    expected = (chances * rare * counts.sum(axis=1, keepdims=True)).sum()
    return RareChoices(int(counts[rare].sum()), float(expected), int(counts.sum()))


def _same(model: OrderedModel, preferences: Preferences) -> Preferences:
    return preferences if preferences.features == model.features else preferences.select(model.features)


def _counts(preferences: Preferences) -> np.ndarray:
    return np.stack([preferences.wins, preferences.ties, preferences.losses], axis=1)


def _named(preferences: Preferences, values: np.ndarray) -> dict[str, float]:
    return dict(zip(preferences.features, map(float, values), strict=True))
