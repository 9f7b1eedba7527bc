"""Metrics: how good are predicted probabilities, of data that were learned from and of data that were left out?

Measures for any model that predicts left, tie and right, or the choice from a set. Every choice counts once, times its
weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from lori.data.choices import Choices
from lori.data.grouping import group_rows
from lori.data.preferences import OUTCOMES, Preferences
from lori.errors import DataError, InputError
from lori.estimators.lori import LORI
from lori.evaluation.favourites import Favourites, chances_of, predictable, repeated
from lori.inference.statistics import Observed
from lori.model.quantity import NORMAL_95


class Predicts(Protocol):
    """A fitted LORI, an OrderedModel, or anything else with three columns of probabilities."""

    def predict_proba(self, left: np.ndarray, right: np.ndarray, /) -> np.ndarray: ...


class Calibration(NamedTuple):
    """One entry for each bin that holds comparisons."""

    lower: np.ndarray  # bins are [lower, upper), the last one closed
    upper: np.ndarray
    predicted: np.ndarray  # mean predicted probability of the favoured side
    observed: np.ndarray  # share of the comparisons that it won
    comparisons: np.ndarray  # how many, by weight


class Reliability(NamedTuple):
    """One entry for each bin that holds comparisons, seen from the side that the model favours."""

    predicted: np.ndarray  # mean predicted probability of that side
    observed: np.ndarray  # share of the comparisons that it won
    lower: np.ndarray  # 95 % interval of that share (Wilson)
    upper: np.ndarray
    comparisons: np.ndarray

    @property
    def agreeing(self) -> int:
        """In how many bins the interval holds the prediction."""
        return int(np.sum((self.lower <= self.predicted) & (self.predicted <= self.upper)))


def accuracy(model: Any, preferences: Observed) -> float:
    """Share of the comparisons that were not tied whose winner gets a probability above ½ (table 2 of the paper).

    Of sets: the share in which the likeliest alternative was chosen. Not even the true model reaches 1: choices are
    noisy.
    """
    if isinstance(preferences, Choices):
        return Favourites.of(chances_of(model, preferences), preferences).accuracy
    probabilities, counts = _predicted(model, preferences), preferences.weighted_counts
    decided = counts[:, 0] + counts[:, 2]
    if decided.sum() == 0:
        raise DataError(
            "preferences", expected="comparisons with a winner", got="ties only", fix="use log_loss, which counts ties"
        )
    right_ones = counts[:, 0] * (probabilities[:, 0] > 0.5) + counts[:, 2] * (probabilities[:, 2] > 0.5)
    return float(right_ones.sum() / decided.sum())


def log_loss(model: Predicts, preferences: Preferences) -> float:
    """Minus the mean log-probability of what was observed: lower is better, log 2 is a coin."""
    probabilities, counts = _predicted(model, preferences), preferences.weighted_counts
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(-(counts[seen] @ np.log(probabilities[seen])) / counts.sum())


def rmse(probabilities: ArrayLike, others: ArrayLike) -> float:
    """Root mean squared difference between two arrays of probabilities, for example the model's and the truth's."""
    one, other = np.asarray(probabilities, float), np.asarray(others, float)
    if one.shape != other.shape or one.size == 0:
        raise InputError(
            "probabilities", expected="two arrays of the same shape, not empty", got=f"{one.shape} and {other.shape}",
            fix="predict the same pairs with both models",
        )  # fmt: skip
    return float(np.sqrt(np.mean((one - other) ** 2)))


def calibration(model: Any, preferences: Observed, bins: int = 20) -> Calibration:
    """Of the comparisons whose favoured side gets 80 to 85 %, does it win 80 to 85 %?

    Each pair is seen from the side that the model favours, so it does not matter which side winners were
    written on; each set is seen from its likeliest alternative.
    """
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise InputError("bins", expected="a whole number from 1", got=repr(bins), fix="use bins=20")
    if isinstance(preferences, Choices):
        seen = Favourites.of(chances_of(model, preferences), preferences)
        predicted, won, total = seen.predicted, seen.won, seen.total
    else:
        probabilities, counts = _predicted(model, preferences), preferences.weighted_counts
        favours_left = probabilities[:, 0] >= probabilities[:, 2]
        predicted = np.where(favours_left, probabilities[:, 0], probabilities[:, 2])
        won, total = np.where(favours_left, counts[:, 0], counts[:, 2]), counts.sum(axis=1)
    edges = np.linspace(0.0, 1.0, bins + 1)
    place = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, bins - 1)
    count, sums, favoured = (np.bincount(place, values, minlength=bins) for values in (total, total * predicted, won))
    filled = count > 0
    return Calibration(
        edges[:-1][filled],
        edges[1:][filled],
        sums[filled] / count[filled],
        favoured[filled] / count[filled],
        count[filled],
    )


def reliability(model: Any, preferences: Observed, bins: int = 20) -> Reliability:
    """Predicted against observed shares, with Wilson's interval for each share."""
    found = calibration(model, preferences, bins)
    share, count, z2 = found.observed, found.comparisons, NORMAL_95**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = NORMAL_95 * np.sqrt(share * (1 - share) / count + z2 / (4 * count**2)) / (1 + z2 / count)
    return Reliability(found.predicted, share, np.maximum(middle - half, 0), np.minimum(middle + half, 1), count)


def _predicted(model: Predicts, preferences: Preferences) -> np.ndarray:
    """Probabilities of left, tie and right; features are put into the order that the model knows."""
    features = getattr(model, "features_", getattr(model, "features", preferences.features))
    same = preferences if tuple(features) == preferences.features else preferences.select(features)
    return np.asarray(model.predict_proba(same.left_features, same.right_features))


FOLDS = 5
FEWEST = 2 * FOLDS  # distinct pairs
MANY = 20_000  # pairs; of more, so many are drawn


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Every pair with the log-probabilities of a model that was fitted without it; itself a model for the measures.

    Of sets, every alternative has one. `seen` is the log-likelihood of what was chosen, where it is known.
    """

    preferences: Observed
    log_probabilities: (
        np.ndarray
    )  # (pairs, 3) left, tie, right, or (rows,); logarithms, for probabilities may underflow
    folds: int
    seen: np.ndarray | None = None

    def predict_proba(self, left: np.ndarray, right: np.ndarray, /) -> np.ndarray:
        return np.exp(self.log_probabilities)

    def choice_log_proba(self, choices: Choices) -> np.ndarray:
        return self.log_probabilities

    @property
    def of_pairs(self) -> np.ndarray:
        """(pairs,) the log-likelihood of what was seen of each pair, or of each set."""
        if self.seen is not None:
            return self.seen
        assert isinstance(self.preferences, Preferences)
        return log_likelihoods(self.preferences, self.log_probabilities)

    @property
    def log_likelihood(self) -> float:
        """Of a comparison, on average; log ½ is a coin."""
        return float(self.of_pairs.sum() / totals(self.preferences).sum())

    @property
    def accuracy(self) -> float | None:
        """Share of the choices whose winner was the favourite; None where every comparison is tied."""
        data = self.preferences
        if isinstance(data, Choices):
            return accuracy(self, data)
        decided = np.delete(data.outcome_counts, OUTCOMES.index("tie"), axis=1).any()
        return accuracy(self, data) if decided else None


def totals(data: Observed) -> np.ndarray:
    """(observations,) how often each was chosen from, by weight."""
    return data.comparisons * data.weights


def held_out(
    estimator: LORI,
    preferences: Observed,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    fewest: int = FEWEST,
    most: int = MANY,
) -> HeldOut:
    """Predict each of `folds` parts with the settings of `estimator` fitted to the others.

    Repeats of a pair, or of a set, stay in one part, so that what is predicted was not seen, and there are no more
    parts than distinct pairs. Whether ties are outcomes of their own is decided once, by all preferences: a part
    without ties would otherwise be predicted by another model. Fewer than `fewest` distinct pairs are refused; of more
    than `most` pairs so many are drawn.
    """
    some = some_of(preferences, seed, most)
    settings = estimator.for_parts_of(preferences).copy(standard_errors="observed")
    part = parts(some, folds, seed, fewest)
    seen = replace(some, agent=None)  # whether agents differ is not asked of every part
    count = int(part.max()) + 1
    if isinstance(some, Choices):
        of_rows, found = np.empty(len(some.alternatives)), np.empty(len(some))
    else:
        of_rows, found = np.empty((len(some), len(OUTCOMES))), None
    for number in range(count):
        out = part == number
        own = settings.copy(standard_errors="none").fit(seen.subset(~out))
        asked = some.subset(out)
        if isinstance(asked, Preferences):
            of_rows[out] = own.model_.predict_log_proba(asked.left_features, asked.right_features)
        else:
            of_rows[np.repeat(out, some.sizes)] = own.model_.choice_log_proba(asked)  # type: ignore[union-attr]
            found[out] = own.model_.log_likelihood(asked)  # type: ignore[index]
    return HeldOut(some, of_rows, count, found)


def log_likelihoods(preferences: Preferences, log_probabilities: np.ndarray) -> np.ndarray:
    """From log-probabilities of left, tie and right (…, pairs, 3): of what was seen of each pair (…, pairs)."""
    counts = preferences.weighted_counts
    return np.sum(counts * np.where(counts > 0, log_probabilities, 0.0), axis=-1)  # what was not seen may be impossible


def advantage(one: HeldOut, other: HeldOut) -> tuple[float, float]:
    """How much more log-likelihood `one` has than `other` for a comparison, and the standard error of that.

    Both have predicted the same pairs. Pairs are taken to be independent, comparisons of one pair are not.
    """
    each, counts = one.of_pairs - other.of_pairs, totals(one.preferences)
    mean = each.sum() / counts.sum()
    rest = each - mean * counts
    return float(mean), float(np.sqrt((rest**2).sum() * len(rest) / max(len(rest) - 1, 1)) / counts.sum())


def some_of(preferences: Observed, seed: int, most: int) -> Observed:
    if isinstance(preferences, Choices):
        return predictable(preferences, seed, most)
    if len(preferences) <= most:
        return preferences
    drawn = np.random.default_rng(seed).choice(len(preferences), most, replace=False)
    return preferences.subset(np.sort(drawn))


def parts(preferences: Observed, folds: int, seed: int, fewest: int = FEWEST) -> np.ndarray:
    """(pairs,) the part of each pair, parts being as equal as repeats allow."""
    if isinstance(preferences, Choices):
        pair = repeated(preferences)
    else:
        _, alternative = group_rows(list(preferences.alternatives.T))
        left, right = alternative[preferences.left], alternative[preferences.right]
        pair = group_rows([np.minimum(left, right), np.maximum(left, right)])[1]
    distinct = int(pair.max()) + 1
    if distinct < fewest:
        what = "sets" if isinstance(preferences, Choices) else "pairs"
        raise DataError(
            "preferences", expected=f"at least {fewest} different {what} for cross-validation", got=str(distinct),
            fix=f"collect more {what}",
        )  # fmt: skip
    return np.random.default_rng(seed).permutation(np.arange(distinct) % folds)[pair]
