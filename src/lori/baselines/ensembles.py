"""Ensembles of reward networks (Christiano et al. 2017): where do several learners of the same preferences disagree?

Each member is trained on a bootstrap sample of the pairs, from first weights of its own. The prediction is the mean
of theirs; how much they differ says where the next question would tell most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lori.baselines.base import PreferenceLearner
from lori.baselines.trex import NetworkTREX
from lori.data.preferences import Preferences
from lori.errors import whole


class RewardEnsemble(PreferenceLearner):
    """Several networks on resampled preferences.

    Parameters
    ----------
    members : how many.
    hidden, penalty, iterations, seed : as of `NetworkTREX`.

    Attributes
    ----------
    members_ : the fitted networks.
    """

    def __init__(
        self, *, members: int = 5, hidden: int = 16, penalty: float = 1.0, iterations: int = 300, seed: int = 0
    ) -> None:
        self.members = members
        self.hidden = hidden
        self.penalty = penalty
        self.iterations = iterations
        self.seed = seed

    def _learn(self, preferences: Preferences) -> None:
        generator = np.random.default_rng(whole("seed", self.seed, 0))
        pairs = len(preferences)
        members = []
        for _ in range(whole("members", self.members, 2)):
            times = np.bincount(generator.integers(pairs, size=pairs), minlength=pairs)
            own = int(generator.integers(1 << 31))
            network = NetworkTREX(hidden=self.hidden, penalty=self.penalty, iterations=self.iterations, seed=own)
            drawn = np.repeat(np.arange(pairs), times)
            members.append(network.fit(preferences.subset(drawn)))
        self.members_ = tuple(members)
        counts = preferences.weighted_counts
        self.tie_ = float(counts[:, 1].sum() / counts.sum())

    def each(self, left: Any, right: Any = None) -> np.ndarray:
        """(members, pairs, 3) what each of them predicts."""
        asked = self._asked(left, right)
        return np.stack([own.predict_proba(asked) for own in self.members_])

    def disagreement(self, left: Any, right: Any = None) -> np.ndarray:
        """(pairs,) standard deviation between the members of the probability of left."""
        return self.each(left, right)[:, :, 0].std(axis=0)

    def _probabilities(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        mean = np.mean([own._probabilities(left, right) for own in self.members_], axis=0)
        decided = mean[:, ::2] / mean[:, ::2].sum(axis=1, keepdims=True) * (1 - self.tie_)
        return np.stack([decided[:, 0], np.full(len(left), self.tie_), decided[:, 1]], axis=1)
