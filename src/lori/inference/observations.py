"""Which rows enter the likelihood: outcomes seen from the winner's side, features standardised?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lori.data.preferences import Preferences
from lori.model.specification import Specification


@dataclass(frozen=True, eq=False)
class Scaling:
    """Features are fitted as (x − location) / scale; a feature that never varies keeps scale 1."""

    location: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, groups: Sequence[Preferences], specification: Specification) -> Scaling:
        """The common scaling of all groups, so that they share starts and prior."""
        if not specification.standardised:
            return cls(np.zeros(groups[0].n_features), np.ones(groups[0].n_features))
        pooled = [group.alternatives for group in groups]
        alternatives = pooled[0] if len(pooled) == 1 else np.concatenate(pooled)
        deviation, location = alternatives.std(axis=0), alternatives.mean(axis=0)
        varies = deviation > 1e-12 * np.maximum(np.abs(location), 1e-300)
        return cls(location, np.where(varies, deviation, 1.0))

    def apply(self, x: np.ndarray) -> np.ndarray:
        return (x - self.location) / self.scale


@dataclass(frozen=True, eq=False)
class Observations:
    """Outcomes as rows: `decided` pairs have the preferred alternative first, `tied` pairs in either order.

    A pair with wins and losses becomes two decided rows. Rows hold differences (rows, features) if the model is
    linear and both alternatives (rows, 2, features) otherwise. `origin` is the row's place in the preferences.
    """

    decided: np.ndarray
    decided_weight: np.ndarray
    decided_origin: np.ndarray
    tied: np.ndarray
    tied_weight: np.ndarray
    tied_origin: np.ndarray

    @classmethod
    def of(cls, preferences: Preferences, specification: Specification, scaling: Scaling) -> Observations:
        x = scaling.apply(preferences.alternatives)

        def rows(first: np.ndarray, second: np.ndarray) -> np.ndarray:
            return x[first] - x[second] if specification.linear else np.stack([x[first], x[second]], axis=1)

        won, lost, tied = (np.flatnonzero(c) for c in (preferences.wins, preferences.losses, preferences.ties))
        left, right, weight = preferences.left, preferences.right, preferences.weights
        return cls(
            decided=rows(np.append(left[won], right[lost]), np.append(right[won], left[lost])),
            decided_weight=np.append((preferences.wins * weight)[won], (preferences.losses * weight)[lost]),
            decided_origin=np.append(won, lost),
            tied=rows(left[tied], right[tied]),
            tied_weight=(preferences.ties * weight)[tied],
            tied_origin=tied,
        )

    @property
    def rows(self) -> int:
        return len(self.decided) + len(self.tied)

    @property
    def total_weight(self) -> float:
        return float(self.decided_weight.sum() + self.tied_weight.sum())

    def sample(self, rows: int, generator: np.random.Generator) -> Observations:
        """About `rows` random rows, reweighted so that the expected log-likelihood stays the same."""
        if self.rows <= rows:
            return self
        share = rows / self.rows

        def pick(pairs: np.ndarray, weight: np.ndarray, origin: np.ndarray) -> tuple[np.ndarray, ...]:
            count = min(len(pairs), int(np.ceil(share * len(pairs))))
            chosen = np.sort(generator.choice(len(pairs), size=count, replace=False)) if count else slice(0)
            rest = weight[chosen].sum()
            return pairs[chosen], weight[chosen] * (weight.sum() / rest if rest > 0 else 1.0), origin[chosen]

        return Observations(
            *pick(self.decided, self.decided_weight, self.decided_origin),
            *pick(self.tied, self.tied_weight, self.tied_origin),
        )
