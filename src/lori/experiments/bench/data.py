"""Data of the benchmarks: which pairs are contestants given? Some like the organ study's, drawn from its answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lori.data.preferences import Preferences
from lori.model.ordered import OrderedModel

ORGAN_PAIRS = 2_450_718
FEATURES = ("benefit", "need")
DEVIATIONS = np.array([300.0, 100.0])  # of differences, in days
TRUTH_WEIGHTS = np.array([[0.0001, 0.0139], [0.0562, 0.0002]])
TRUTH_EPSILON = np.array([0.8944, 1.8830])
PIECE = 250_000  # pairs drawn at a time, so that a file can be larger than memory


@dataclass(frozen=True)
class OrganPairs:
    """Both sides of each pair as they were met, and which one was chosen."""

    left: np.ndarray
    right: np.ndarray
    left_won: np.ndarray

    @property
    def differences(self) -> np.ndarray:
        return self.left - self.right

    @property
    def preferences(self) -> Preferences:
        """The chosen one on the left, as in the paper."""
        won = self.left_won[:, None]
        sides = np.where(won, self.left, self.right), np.where(won, self.right, self.left)
        return Preferences.from_arrays(*sides, features=FEATURES)


def truth() -> OrderedModel:
    """What the paper learned from the registry: need first, then benefit."""
    return OrderedModel.linear(TRUTH_WEIGHTS, epsilon=TRUTH_EPSILON, features=FEATURES)


def organ_pairs(pairs: int, seed: int = 0) -> OrganPairs:
    generator = np.random.default_rng(seed)
    left, right = generator.normal(size=(2, pairs, 2)) * DEVIATIONS / np.sqrt(2)
    chosen = truth().predict_proba(left, right)[:, 0]
    return OrganPairs(left, right, generator.uniform(size=pairs) < chosen)


def write_organ_pairs(path: Path, pairs: int) -> None:
    """The same kind of pairs as a Parquet file, a piece (one row group) after the other."""
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema(
        [(f"{side}.{name}", pyarrow.float64()) for side in ("left", "right") for name in FEATURES]
        + [("left_wins", pyarrow.int8()), ("right_wins", pyarrow.int8())]
    )
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for number, start in enumerate(range(0, pairs, PIECE)):
            part = organ_pairs(min(PIECE, pairs - start), seed=number)
            columns = [*part.left.T, *part.right.T, part.left_won.astype(np.int8), (~part.left_won).astype(np.int8)]
            writer.write_table(pyarrow.table([pyarrow.array(column) for column in columns], schema=schema))
