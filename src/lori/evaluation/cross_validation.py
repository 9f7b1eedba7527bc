"""Cross-validation: how well does a model predict choices that it has not seen?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.grouping import group_rows
from lori.data.preferences import OUTCOMES, Preferences
from lori.errors import DataError
from lori.estimators.lori import LORI
from lori.evaluation.metrics import accuracy

FOLDS = 5
FEWEST = 2 * FOLDS  # distinct pairs
MANY = 20_000  # pairs; of more, so many are drawn


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Every pair with the log-probabilities of a model that was fitted without it; itself a model for the measures."""

    preferences: Preferences
    log_probabilities: np.ndarray  # (pairs, 3) left, tie, right; logarithms, because probabilities may underflow
    folds: int

    def predict_proba(self, left: np.ndarray, right: np.ndarray, /) -> np.ndarray:
        return np.exp(self.log_probabilities)

    @property
    def of_pairs(self) -> np.ndarray:
        """(pairs,) the log-likelihood of what was seen of each pair."""
        return log_likelihoods(self.preferences, self.log_probabilities)

    @property
    def log_likelihood(self) -> float:
        """Of a comparison, on average; log ½ is a coin."""
        return float(self.of_pairs.sum() / self.preferences.weighted_counts.sum())

    @property
    def accuracy(self) -> float | None:
        """Share of the choices whose winner was the favourite; None where every comparison is tied."""
        decided = np.delete(self.preferences.outcome_counts, OUTCOMES.index("tie"), axis=1).any()
        return accuracy(self, self.preferences) if decided else None


def held_out(
    estimator: LORI,
    preferences: Preferences,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    fewest: int = FEWEST,
    most: int = MANY,
) -> HeldOut:
    """Predict each of `folds` parts with the settings of `estimator` fitted to the others.

    Repeats of a pair stay in one part, so that what is predicted was not seen, and there are no more parts than
    distinct pairs. Whether ties are outcomes of their own is decided once, by all preferences: a part without ties
    would otherwise be predicted by another model. Fewer than `fewest` distinct pairs are refused; of more than `most`
    pairs so many are drawn.
    """
    some = _some(preferences, seed, most)
    rule = ("observed" if preferences.has_ties else "split") if estimator.ties == "auto" else estimator.ties
    part = _parts(some, folds, seed, fewest)
    logs = np.empty((len(some), len(OUTCOMES)))
    count = int(part.max()) + 1
    for number in range(count):
        out = part == number
        own = estimator.copy(ties=rule, standard_errors="observed").fit(some.subset(~out))
        asked = some.subset(out)
        logs[out] = own.model_.predict_log_proba(asked.left_features, asked.right_features)
    return HeldOut(some, logs, count)


def log_likelihoods(preferences: Preferences, log_probabilities: np.ndarray) -> np.ndarray:
    """From log-probabilities of left, tie and right (…, pairs, 3): of what was seen of each pair (…, pairs)."""
    counts = preferences.weighted_counts
    return np.sum(counts * np.where(counts > 0, log_probabilities, 0.0), axis=-1)  # what was not seen may be impossible


def advantage(one: HeldOut, other: HeldOut) -> tuple[float, float]:
    """How much more log-likelihood `one` has than `other` for a comparison, and the standard error of that.

    Both have predicted the same pairs. Pairs are taken to be independent, comparisons of one pair are not.
    """
    each, counts = one.of_pairs - other.of_pairs, one.preferences.weighted_counts
    mean = each.sum() / counts.sum()
    rest = each - mean * counts.sum(axis=1)
    return float(mean), float(np.sqrt((rest**2).sum() * len(rest) / max(len(rest) - 1, 1)) / counts.sum())


def _some(preferences: Preferences, seed: int, most: int) -> Preferences:
    if len(preferences) <= most:
        return preferences
    drawn = np.random.default_rng(seed).choice(len(preferences), most, replace=False)
    return preferences.subset(np.sort(drawn))


def _parts(preferences: Preferences, folds: int, seed: int, fewest: int = FEWEST) -> np.ndarray:
    """(pairs,) the part of each pair, parts being as equal as repeats allow."""
    _, alternative = group_rows(list(preferences.alternatives.T))
    left, right = alternative[preferences.left], alternative[preferences.right]
    first, pair = group_rows([np.minimum(left, right), np.maximum(left, right)])
    if len(first) < fewest:
        raise DataError(
            "preferences", expected=f"at least {fewest} different pairs for cross-validation", got=str(len(first)),
            fix="collect more pairs",
        )  # fmt: skip
    return np.random.default_rng(seed).permutation(np.arange(len(first)) % folds)[pair]
