"""Which rows enter the likelihood: outcomes seen from the winner's side?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lori.data.preferences import Preferences


@dataclass(frozen=True, eq=False)
class Observations:
    """Outcomes as rows: `decided` pairs have the preferred alternative first, `tied` pairs in either order.

    A pair with wins and losses becomes two decided rows. Rows hold differences (rows, features) if the model is
    linear and both alternatives (rows, 2, features) otherwise, in the user's units.
    """

    decided: np.ndarray
    decided_weight: np.ndarray
    tied: np.ndarray
    tied_weight: np.ndarray
    blocks: dict[Any, Any] = field(default_factory=dict, repr=False)  # laid out for computing, by size

    @classmethod
    def of(cls, preferences: Preferences, linear: bool) -> Observations:
        won, lost, tied = outcome_rows(preferences)
        sides = preferences.left_features, preferences.right_features

        def weighted(count: np.ndarray, pairs: np.ndarray) -> np.ndarray:
            own = _some(count, pairs)
            return own if preferences.weight is None else own * preferences.weight[pairs]

        decided, weight = _rows(sides, won, linear), weighted(preferences.wins, won)
        if len(lost):
            turned = _rows(sides, lost, linear)
            decided = np.concatenate([decided, -turned if linear else turned[:, ::-1]])
            weight = np.append(weight, weighted(preferences.losses, lost))
        return cls(decided, weight, _rows(sides, tied, linear), weighted(preferences.ties, tied))

    @property
    def rows(self) -> int:
        return len(self.decided) + len(self.tied)

    def __add__(self, other: Observations) -> Observations:
        return Observations(
            np.concatenate([self.decided, other.decided]),
            np.append(self.decided_weight, other.decided_weight),
            np.concatenate([self.tied, other.tied]),
            np.append(self.tied_weight, other.tied_weight),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Blocks are laid out again where the rows arrive."""
        return {**self.__dict__, "blocks": {}}

    def sample(self, rows: int, generator: np.random.Generator) -> Observations:
        """About `rows` random rows, reweighted so that the expected log-likelihood stays the same."""
        if self.rows <= rows:
            return self
        share = rows / self.rows

        def pick(pairs: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            count = min(len(pairs), int(np.ceil(share * len(pairs))))
            chosen = np.sort(generator.choice(len(pairs), size=count, replace=False, shuffle=False))
            kept = weight[chosen].sum()
            return pairs[chosen], weight[chosen] * (weight.sum() / kept if kept > 0 else 1.0)

        return Observations(*pick(self.decided, self.decided_weight), *pick(self.tied, self.tied_weight))

    def as_differences(self) -> Observations:
        """For a linear model, from rows that hold both alternatives."""
        decided, tied = (rows[:, 0] - rows[:, 1] for rows in (self.decided, self.tied))
        return Observations(decided, self.decided_weight, tied, self.tied_weight)

    def shards(self, count: int) -> list[Observations]:
        """Views of consecutive rows, about equally many each."""

        def cut(array: np.ndarray) -> list[np.ndarray]:
            return np.array_split(array, count)

        parts = zip(*map(cut, (self.decided, self.decided_weight, self.tied, self.tied_weight)), strict=True)
        return [Observations(*part) for part in parts]


def outcome_rows(preferences: Preferences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which pairs were won, lost and tied by the left side, in the order in which `Observations` has its rows."""
    won, lost, tied = (np.flatnonzero(count) for count in (preferences.wins, preferences.losses, preferences.ties))
    return won, lost, tied


def _rows(sides: tuple[np.ndarray, np.ndarray], pairs: np.ndarray, linear: bool) -> np.ndarray:
    """Left minus right, or both, for some of the pairs."""
    left, right = (_some(side, pairs) for side in sides)
    return left - right if linear else np.stack([left, right], axis=1)


def _some(array: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Some rows, or the array itself if they are all (`chosen` is sorted and without repetition)."""
    return array if len(chosen) == len(array) else array[chosen]
