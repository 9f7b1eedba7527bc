"""Attributes: how do features become a few values each, as CP-nets and trees of preferences have them?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Attributes:
    """Cuts of each feature, between which lie its values 0, 1, 2, …"""

    cuts: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, alternatives: np.ndarray, bins: int) -> Attributes:
        """As many values as a feature has, or `bins` of about equally many alternatives."""
        return cls(tuple(_cuts(column, bins) for column in alternatives.T))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(cuts) + 1 for cuts in self.cuts)

    def codes(self, alternatives: np.ndarray) -> np.ndarray:
        """(alternatives, features) the value of each, from 0 for the lowest."""
        columns = [np.searchsorted(cuts, column) for cuts, column in zip(self.cuts, alternatives.T, strict=True)]
        return np.stack(columns, axis=1)


def _cuts(column: np.ndarray, bins: int) -> np.ndarray:
    values = np.unique(column)
    if len(values) > bins:
        values = np.unique(np.quantile(column, (np.arange(bins) + 0.5) / bins, method="inverted_cdf"))
    return (values[1:] + values[:-1]) / 2
