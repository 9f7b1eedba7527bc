"""Contract of a baseline: what does every method that learns from preferences share? One `fit`, one `predict_proba`.

A method adds `_learn(preferences)` and `_probabilities(left, right)`. One that only says which side is better, or
neither, adds `_verdicts(left, right)` instead: how often each verdict was right becomes its probability. Choices from
sets are learned as pairs that share their winner, and predicted by coupling the pairs of a set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import OUTCOMES, Preferences
from lori.estimators.contract import Coding, Estimator, as_preferences, not_fitted
from lori.model.rewards import Linear

Learner = TypeVar("Learner", bound="PreferenceLearner")

LEAST = 1e-9  # probability of a pair when a set is put together from its pairs
DOUBT = 0.5  # of an answer for each verdict, added to what was seen (Jeffreys' prior)
LEFT, TIE, RIGHT = range(len(OUTCOMES))


class PreferenceLearner(Estimator):
    """A method that learns from preferences between alternatives, as scikit-learn expects."""

    features_: tuple[str, ...]
    coding_: Coding

    def fit(self: Learner, X: Any, y: Any = None, sample_weight: Any = None) -> Learner:
        """Learn from `Preferences`, `Choices`, or pairs X (n, 2, features) with y as `LORI.fit` takes it."""
        data, self.coding_ = as_preferences(X, y, sample_weight)
        self.features_, self.n_features_in_ = data.features, data.n_features
        pairs = data.as_pairs() if isinstance(data, Choices) else data
        self._learn(pairs)
        self._calibrate(pairs)
        return self

    def predict_proba(self, left: Any, right: Any = None) -> np.ndarray:
        """Columns: left preferred, tie, right preferred. Takes two arrays, pairs (n, 2, features) or Preferences.

        Of `Choices`: a column for each name of an alternative, zero where it is not in the set.
        """
        if isinstance(left, Choices):
            return left.table(np.exp(self.choice_log_proba(left)))
        asked = self._asked(left, right)
        return self._probabilities(asked.left_features, asked.right_features)

    def choice_log_proba(self, choices: Choices) -> np.ndarray:
        """(rows,) of each alternative of each set, from the probabilities r of pairs in it (Price et al. 1994).

        p_x ∝ 1 / (Σ_{y≠x} 1 / r_xy − (n − 2)), which is the choice probability itself where pairs follow Bradley and
        Terry.
        """
        same = self._known(choices)
        one = np.repeat(np.arange(len(same.alternatives)), same.sizes[same.owner])
        begin = np.repeat(same.offsets[:-1][same.owner], same.sizes[same.owner])
        first = np.repeat(np.cumsum(np.append(0, same.sizes[same.owner]))[:-1], same.sizes[same.owner])
        other = begin + np.arange(len(one)) - first
        one, other = one[one != other], other[one != other]
        if same.worst is not None:  # the worst is the one that loses
            turned = same.worst[same.owner[one]]
            one_, other_ = np.where(turned, other, one), np.where(turned, one, other)
        else:
            one_, other_ = one, other
        pair = self._probabilities(same.alternatives[one_], same.alternatives[other_])
        inverse = 1 / np.maximum(pair[:, LEFT] + pair[:, TIE] / 2, LEAST)
        total = np.bincount(one, inverse, len(same.alternatives)) - (same.sizes[same.owner] - 2)
        share = 1 / np.maximum(total, 1.0)
        return np.log(share / np.add.reduceat(share, same.offsets[:-1])[same.owner])

    def predict(self, left: Any, right: Any = None) -> np.ndarray:
        """The likeliest outcome of each pair, as `y` had it; of `Choices` the name of the likeliest alternative."""
        probabilities = self.predict_proba(left, right)
        if isinstance(left, Choices):
            return np.array(left.names)[probabilities.argmax(axis=1)]
        return self.coding_.words(probabilities.argmax(axis=1))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log-likelihood of a choice: higher is better, log ½ is a coin."""
        data, _ = as_preferences(X, y, sample_weight, features=self._fitted())
        if isinstance(data, Choices):
            picked = np.where(data.chosen, np.exp(self.choice_log_proba(data)), 0.0)
            weight = data.comparisons * data.weights
            return float(weight @ np.log(np.add.reduceat(picked, data.offsets[:-1])) / weight.sum())
        counts, probabilities = data.weighted_counts, self.predict_proba(data)
        seen = counts > 0
        with np.errstate(divide="ignore"):
            return float(counts[seen] @ np.log(probabilities[seen]) / counts.sum())

    @property
    def classes_(self) -> np.ndarray:
        self._fitted()
        return self.coding_.labels

    def _learn(self, preferences: Preferences) -> None:
        raise NotImplementedError

    def _calibrate(self, pairs: Preferences) -> None:
        """Nothing, where the method has probabilities of its own."""

    def _probabilities(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _fitted(self) -> tuple[str, ...]:
        if not hasattr(self, "features_"):
            raise not_fitted(type(self).__name__)
        return self.features_

    def _known(self, data: Any) -> Any:
        """The same observations with the features that were fitted, in their order."""
        return data if data.features == self._fitted() else data.select(self._fitted())

    def _asked(self, left: Any, right: Any) -> Preferences:
        if right is not None:
            return Preferences.from_arrays(left, right, features=self._fitted())
        return as_preferences(left, None, None, features=self._fitted())[0]


class OrdinalLearner(PreferenceLearner):
    """A method whose verdict is left, neither or right, or a share of each.

    reliability_ : (3, 3) the probability of each outcome [columns] given each verdict [rows], as often as it was seen.
    """

    def _calibrate(self, pairs: Preferences) -> None:
        verdicts = self._verdicts(pairs.left_features, pairs.right_features)
        self.reliability_ = reliability(verdicts, pairs.weighted_counts)

    def _probabilities(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self._verdicts(left, right) @ self.reliability_

    def _verdicts(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        raise NotImplementedError


def reliability(verdicts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(3, 3) how probable each outcome is given each verdict, both sides being treated alike."""
    table = verdicts.T @ counts
    ties = float(table[:, TIE].any())
    sides = table[LEFT] + table[RIGHT][::-1] + DOUBT * np.array([1.0, ties, 1.0])
    neither = table[TIE] + table[TIE][::-1] + DOUBT * np.array([1.0, ties, 1.0])
    rows = np.array([sides, neither, sides[::-1]])
    return rows / rows.sum(axis=1, keepdims=True)


def verdict_shares(sign: np.ndarray) -> np.ndarray:
    """(pairs, 3) from +1 for left, 0 for neither and −1 for right."""
    return np.stack([sign > 0, sign == 0, sign < 0], axis=1).astype(float)


def directions(increasing: Any, decreasing: Any, features: Sequence[str]) -> np.ndarray:
    """(features,) +1 where more is better, −1 where less is, 0 where it is to be learned."""
    lower, upper = Linear(increasing=increasing, decreasing=decreasing).bounds(tuple(features))
    return (lower == 0).astype(int) - (upper == 0)
