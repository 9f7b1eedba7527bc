"""Favourites of sets: which alternative does a model find likeliest, how often was it chosen, and what surprises it?

The measures of pairs see each pair from the side that the model favours (`metrics`, `checks`); those of sets see each
set from its favourite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lori.data.choices import Choices
from lori.data.grouping import group_rows
from lori.inference.posterior.draws import Posterior
from lori.model.decisions import decided, simulated
from lori.model.ordered import OrderedModel

MODELS = 10  # of the posterior, whose mean probabilities tell the favourite
LIKELY = 0.5  # what has at least this probability surprises nobody
PREDICTED = 4_000_000  # rows times alternatives of their sets whose probabilities are computed at most


class PredictsSets(Protocol):
    """An OrderedModel, or predictions of choices that were left out."""

    def choice_log_proba(self, choices: Choices) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Favourites:
    """Of each set: the likeliest alternative, its probability, and how often it was chosen, by count and weight."""

    row: np.ndarray  # (sets,) among the alternatives of all sets
    predicted: np.ndarray
    won: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, chances: np.ndarray, data: Choices) -> Favourites:
        """From the probabilities of all alternatives."""
        starts = data.offsets[:-1]
        highest = np.maximum.reduceat(chances, starts)
        row = np.minimum.reduceat(
            np.where(chances >= highest[data.owner], np.arange(len(chances)), len(chances)), starts
        )
        total = data.comparisons * data.weights
        return cls(row, highest, total * shares(data)[row], total)

    @property
    def accuracy(self) -> float:
        return float(self.won.sum() / self.total.sum())


def shares(data: Choices) -> np.ndarray:
    """(rows,) what share of a choice is each alternative's: 1 for what was chosen, less in a tie."""
    return data.chosen / np.add.reduceat(data.chosen.astype(float), data.offsets[:-1])[data.owner]


def chances_of(model: PredictsSets, data: Choices) -> np.ndarray:
    """(rows,) probabilities; features are put into the order that the model knows."""
    known = getattr(model, "model_", model)  # a fitted LORI holds its model
    features = getattr(known, "features", data.features)
    return np.exp(known.choice_log_proba(data if data.features == features else data.select(features)))


def by_chance(data: Choices) -> tuple[float, float]:
    """Log-likelihood of a choice, and share of favourites chosen, if all alternatives were equally likely."""
    weight = data.comparisons * data.weights
    return float(-weight @ np.log(data.sizes) / weight.sum()), float(weight @ (1 / data.sizes) / weight.sum())


def repeated(data: Choices) -> np.ndarray:
    """(sets,) a number that is the same for sets with equal alternatives, and for the parts of one answer."""
    if data.occasion is not None:
        return np.unique(data.occasion, return_inverse=True)[1]
    _, alternative = group_rows(list(data.alternatives.T))
    known: dict[bytes, int] = {}
    parts = np.split(alternative, data.offsets[1:-1])
    return np.array([known.setdefault(np.sort(own).tobytes(), len(known)) for own in parts])


def predictable(data: Choices, seed: int, most: int) -> Choices:
    """So many sets at most, and not more than can be predicted in reasonable time, drawn at random from all."""
    order = np.random.default_rng(seed).permutation(len(data))
    work = np.cumsum(data.sizes[order].astype(float) ** 2)
    count = min(most, max(int(np.searchsorted(work, PREDICTED, side="right")), 1))
    return data if count >= len(data) else data.subset(np.sort(order[:count]))


def replicated(
    posterior: Posterior, data: Choices, draws: int, generator: np.random.Generator
) -> tuple[Favourites, np.ndarray, np.ndarray]:
    """The favourites of a posterior, how often they are chosen in replications (draws, sets), and who decides (sets,).

    A decider is the place of the likeliest level, or the number of levels for nobody.
    """
    few = posterior.models(MODELS)
    found = Favourites.of(np.mean([chances_of(model, data) for model in few], axis=0), data)
    again = np.array([simulated(model, data, generator).chosen[found.row] for model in posterior.models(draws)])
    levels = np.mean([decided(model, data, draws=20) for model in few], axis=0)
    return found, again * found.total, levels.argmax(axis=1)


@dataclass(frozen=True)
class SetSurprise:
    """A set in which something unlikely was chosen: that, and what the model found likeliest."""

    left: dict[str, float]  # features of what was chosen
    right: dict[str, float]  # and of the likeliest
    chosen: str
    favourite: str
    probability: float
    favourite_probability: float
    alternatives: int
    worst: bool  # it was picked as the worst
    level: int  # the likeliest to decide, from 1; 0 where it is nobody


def set_surprises(model: OrderedModel, data: Choices, count: int = 6) -> list[SetSurprise]:
    """At most `count` sets whose choice had the smallest probability; a tie is left aside."""
    chances = chances_of(model, data)
    found = Favourites.of(chances, data)
    first = np.maximum.reduceat(np.where(data.chosen, np.arange(len(chances)), -1), data.offsets[:-1])
    seen = np.where(data.tied, 1.0, chances[first])
    unlikely = np.argsort(seen, kind="stable")[:count]
    unlikely = unlikely[seen[unlikely] < LIKELY]
    if not len(unlikely):
        return []
    deciders = decided(model, data.subset(unlikely))
    levels = np.column_stack([deciders[:, -1], deciders[:, :-1]]).argmax(axis=1)

    def named(row: int) -> dict[str, float]:
        return dict(zip(data.features, map(float, data.alternatives[row]), strict=True))

    return [
        SetSurprise(
            named(first[place]), named(found.row[place]), data.names[data.label[first[place]]],
            data.names[data.label[found.row[place]]], float(seen[place]), float(found.predicted[place]),
            int(data.sizes[place]), data.worst is not None and bool(data.worst[place]), int(level),
        )
        for place, level in zip(unlikely, levels, strict=True)
    ]  # fmt: skip
