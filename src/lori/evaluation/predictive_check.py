"""Could the model have produced these data? Posterior predictive checks, by predicted probability and by level.

For each draw of the posterior the same comparisons are drawn again. A group of comparisons agrees with the model where
what was seen lies within what such replications give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.inference.posterior.draws import Posterior, interval
from lori.language.numbers import counted, percent

DRAWS = 200  # replications


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
        groups = counted(len(self.groups), "group")
        said = (
            f"In {self.agreeing} of {groups} of comparisons, the observed share lies within the model's "
            f"{percent(self.probability)} interval; if the model were true, about "
            f"{self.probability * len(self.groups):.0f} would."
        )
        return said if self.trusted else f"{said} (The posterior has not converged.)"

    def to_dict(self) -> dict[str, Any]:
        groups = [{**asdict(group), "agrees": group.agrees} for group in self.groups]
        return {"groups": groups, "probability": self.probability, "sentence": self.sentence}


def predictive_check(
    posterior: Posterior, preferences: Preferences, *, bins: int = 10, probability: float = 0.9, seed: int = 0
) -> Check:
    """Compare what was seen with replications, in equally filled bins of probability and by the likeliest decider."""
    generator = np.random.default_rng(seed)
    left, right = preferences.left_features, preferences.right_features
    few = posterior.thinned(DRAWS)
    probabilities = few.predict_proba(left, right)
    middle = probabilities.mean(axis=0)
    turned = middle[:, 0] < middle[:, 2]
    probabilities[:, turned] = probabilities[:, turned][:, :, ::-1]
    wins = np.where(turned, preferences.losses, preferences.wins)
    total = preferences.wins + preferences.losses + preferences.ties
    score = wins + 0.5 * preferences.ties
    again = generator.multinomial(total.astype(int), probabilities / probabilities.sum(axis=-1, keepdims=True))
    replicated = again[..., 0] + 0.5 * again[..., 1]  # (draws, pairs)
    favoured = np.where(turned, middle[:, 2], middle[:, 0]) + 0.5 * middle[:, 1]
    groups = []
    for by, name, members in (*_by_probability(favoured, total, bins), *_by_level(few, left, right)):
        count = float(total[members].sum())
        if not count:
            continue
        low, high = interval(replicated[:, members].sum(axis=1) / count, probability)
        predicted = float(favoured[members] @ total[members] / count)
        groups.append(
            Group(by, name, int(count), float(score[members].sum() / count), predicted, float(low), float(high))
        )
    return Check(tuple(groups), probability, posterior.trust.trusted)


def _by_probability(favoured: np.ndarray, total: np.ndarray, bins: int) -> Iterator[tuple[str, str, np.ndarray]]:
    order = np.argsort(favoured, kind="stable")
    filled = np.cumsum(total[order]) / total.sum()
    edges = np.searchsorted(filled, np.arange(1, bins) / bins) + 1
    for members in np.split(order, np.unique(edges)):
        if len(members):
            yield "probability", f"{favoured[members].min():.2f} to {favoured[members].max():.2f}", members


def _by_level(posterior: Posterior, left: np.ndarray, right: np.ndarray) -> Iterator[tuple[str, str, np.ndarray]]:
    decided = [model.decisions(left, right) for model in posterior.models(20)]
    by_level = np.mean([np.column_stack([own.left + own.right, own.nobody]) for own in decided], axis=0)
    likeliest = by_level.argmax(axis=1)
    for level in range(by_level.shape[1]):
        name = f"level {level + 1}" if level < by_level.shape[1] - 1 else "no level"
        yield "level", name, np.flatnonzero(likeliest == level)
