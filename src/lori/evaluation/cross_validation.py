"""How well does a model predict choices that it has not seen?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.grouping import group_rows
from lori.data.preferences import Preferences
from lori.errors import DataError
from lori.estimators.lori import LORI
from lori.evaluation.metrics import accuracy, log_loss

FOLDS = 5
FEWEST = 2 * FOLDS  # distinct pairs
MANY = 20_000  # pairs; of more, so many are drawn


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Every pair with the probabilities of a model that was fitted without it; itself a model for the measures."""

    preferences: Preferences
    probabilities: np.ndarray  # (pairs, 3) left, tie, right
    folds: int

    def predict_proba(self, left: np.ndarray, right: np.ndarray, /) -> np.ndarray:
        return self.probabilities

    @property
    def log_likelihood(self) -> float:
        """Of a comparison, on average; log ½ is a coin."""
        return -log_loss(self, self.preferences)

    @property
    def accuracy(self) -> float | None:
        """Share of the choices whose winner was the favourite; None where every comparison is tied."""
        decided = self.preferences.wins.any() or self.preferences.losses.any()
        return accuracy(self, self.preferences) if decided else None


def held_out(estimator: LORI, preferences: Preferences, *, folds: int = FOLDS, seed: int = 0) -> HeldOut:
    """Predict each of `folds` parts with the settings of `estimator` fitted to the others.

    Repeats of a pair stay in one part, so that what is predicted was not seen.
    """
    some = _some(preferences, seed)
    rule = ("observed" if some.has_ties else "split") if estimator.ties == "auto" else estimator.ties
    part = _parts(some, folds, seed)
    probabilities = np.empty((len(some), 3))
    for number in range(folds):
        out = part == number
        own = estimator.copy(ties=rule, standard_errors="observed").fit(some.subset(~out))
        probabilities[out] = own.predict_proba(some.subset(out))
    return HeldOut(some, probabilities, folds)


def advantage(one: HeldOut, other: HeldOut) -> tuple[float, float]:
    """How much more log-likelihood `one` has than `other` for a comparison, and the standard error of that.

    Both have predicted the same pairs. Pairs are taken to be independent, comparisons of one pair are not.
    """
    prefs = one.preferences
    counts = np.stack([prefs.wins, prefs.ties, prefs.losses], axis=1) * prefs.weights[:, None]
    seen = counts > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(one.probabilities) - np.log(other.probabilities)
    each = np.where(seen, counts * ratio, 0.0).sum(axis=1)
    mean = each.sum() / counts.sum()
    rest = each - mean * counts.sum(axis=1)
    return float(mean), float(np.sqrt((rest**2).sum() * len(rest) / max(len(rest) - 1, 1)) / counts.sum())


def one_level(estimator: LORI) -> LORI:
    """The same kind of model with the first level only, which keeps what was said about the last threshold."""

    def single(setting, place):
        return setting[place] if isinstance(setting, list | tuple | np.ndarray) else setting

    return estimator.copy(
        levels=1,
        reward=single(estimator.reward, 0),
        alpha=single(estimator.alpha, 0),
        epsilon=single(estimator.epsilon, -1),
    )


def _some(preferences: Preferences, seed: int) -> Preferences:
    if len(preferences) <= MANY:
        return preferences
    drawn = np.random.default_rng(seed).choice(len(preferences), MANY, replace=False)
    return preferences.subset(np.sort(drawn))


def _parts(preferences: Preferences, folds: int, seed: int) -> np.ndarray:
    """(pairs,) the part of each pair, parts being as equal as repeats allow."""
    _, alternative = group_rows(list(preferences.alternatives.T))
    left, right = alternative[preferences.left], alternative[preferences.right]
    first, pair = group_rows([np.minimum(left, right), np.maximum(left, right)])
    if len(first) < FEWEST:
        raise DataError(
            "preferences", expected=f"at least {FEWEST} different pairs for cross-validation", got=str(len(first)),
            fix="collect more pairs",
        )  # fmt: skip
    return np.random.default_rng(seed).permutation(np.arange(len(first)) % folds)[pair]
