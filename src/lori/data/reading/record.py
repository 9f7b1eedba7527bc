"""Record of a reading: how did files become observations? Which columns and words meant what, and what was left out.

Observations carry it, a model keeps it, and so a new file with the same columns needs no options again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reading:
    """What was understood of the files: our names and theirs, and what was guessed of that."""

    form: str = "pairs"  # pairs, choices, wide, comparisons, trajectories or orders
    sources: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)  # our name of a column: the file's
    values: Mapping[str, str] = field(default_factory=dict)  # left, right, tie or an alternative: the file's word
    alternatives: tuple[str, ...] = ()  # of sets, where the map says which there are
    features: tuple[str, ...] = ()  # the columns that were taken for features, where that was guessed
    guessed: tuple[str, ...] = ()  # keys of `columns` and `values` that nobody said
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # feature: its values, the baseline first
    ignored: tuple[str, ...] = ()  # columns that play no part
    rows: int = 0  # of the table, blank ones not counted
    dropped: int = 0  # rows, or sets, with an empty cell that were left out

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        content = asdict(self)
        content["categories"] = {name: list(values) for name, values in self.categories.items()}
        return {name: list(own) if isinstance(own, tuple) else own for name, own in content.items()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Reading:
        known: dict[str, Any] = {name: tuple(own) if isinstance(own, list) else own for name, own in content.items()}
        known["categories"] = {name: tuple(values) for name, values in content.get("categories", {}).items()}
        return cls(**known)

    @property
    def words(self) -> dict[str, str]:
        """What the two sides and a tie are called in the file, where it has words for them."""
        return {side: self.values[side] for side in ("left", "tie", "right") if side in self.values}

    @property
    def plain(self) -> bool:
        """Were the files read without a map, words or categories of their own?"""
        return self.form == "pairs" and not (self.columns or self.values or self.features or self.categories)

    def options(self) -> dict[str, Any]:
        """As `lori.read` takes them, for a file like this one."""
        return {
            "columns": dict(self.columns),
            "values": dict(self.values),
            "alternatives": list(self.alternatives) or None,
            "features": list(self.features) or None,
        }
