"""Description of preferences: what is in the data, in a few numbers?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.preferences import OUTCOMES, Preferences


@dataclass(frozen=True)
class FeatureRange:
    """One feature over all alternatives, and how much it differs within pairs."""

    name: str
    smallest: float
    median: float
    largest: float
    typical_difference: float  # the median size


@dataclass(frozen=True)
class Description:
    """Counts of what was observed; agents are only counted."""

    pairs: int
    comparisons: int
    ties: int
    identical: int  # pairs with equal features on both sides
    agents: int | None
    weighted: bool
    features: tuple[FeatureRange, ...]


def describe(preferences: Preferences) -> Description:
    table, differences = preferences.alternatives, np.abs(preferences.differences)
    ranges = zip(
        preferences.features, table.min(axis=0), np.median(table, axis=0), table.max(axis=0),
        np.median(differences, axis=0), strict=True,
    )  # fmt: skip
    return Description(
        pairs=preferences.n_pairs,
        comparisons=preferences.n_comparisons,
        ties=int(preferences.outcome_counts[:, OUTCOMES.index("tie")].sum()),
        identical=int(preferences.identical().sum()),
        agents=None if preferences.agent is None else len(np.unique(preferences.agent)),
        weighted=preferences.weight is not None,
        features=tuple(FeatureRange(name, *map(float, numbers)) for name, *numbers in ranges),
    )
