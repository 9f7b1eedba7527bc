"""Columns: which one of a file plays which role? Tables whose columns go by our names, whatever the file says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lori.data import validation as check
from lori.data.reading.tables import read_table
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

TEXT_ROLES = (
    "agent", "choice", "winner", "loser", "left", "right", "id", "set", "chosen", "trajectory",
)  # fmt: skip
NUMBER_ROLES = ("weight", "count", "left_wins", "right_wins", "ties", "step")
SIDES = ("left", "right")


@dataclass(frozen=True)
class Table:
    """A file with columns under our names; messages speak of the file's own names."""

    path: str
    frame: pandas.DataFrame
    names: dict[str, str]  # our name -> column in the file
    by_pattern: frozenset[str]  # our names that came from a pattern such as left.* = *1
    outcome_needed: bool = True  # whether a file without a choice is an error: not when the choice is to be predicted

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __len__(self) -> int:
        return len(self.frame)

    def what(self, name: str) -> str:
        """How a message calls this column."""
        return f"{self.path}, column {self.names[name]}"

    def missing(self, expected: str, fix: str) -> DataError:
        """The error for an absent column; lists those there are."""
        return DataError(
            self.path, expected=expected, got=f"the columns {check.names_text(self.frame.columns)}", fix=fix
        )

    def require(self, *names: str) -> None:
        """These columns must be there."""
        for name in names:
            if name not in self:
                raise self.missing(
                    f"a column {name}",
                    f"add it or say which column it is with columns={{'{name}': …}} (--columns {name}=…)",
                )

    def numbers(self, name: str) -> np.ndarray:
        """A column of finite numbers."""
        values = self._as_float(name)
        instead, fix = (
            "text, a missing value or infinity",
            "correct these rows or choose other features with features=… (--features a,b)",
        )
        if not np.isfinite(values).all() and self._has_commas(name):
            instead, fix = "numbers with commas", "write decimal points, and thousands without a separator"
        check.check_finite(values, self.what(name), instead=instead, fix=fix)
        return values

    def counts(self, name: str) -> np.ndarray:
        """A column of whole numbers from zero."""
        values = self._as_float(name)
        check.check_counts(values, self.what(name))
        return values

    def labels(self, name: str) -> np.ndarray:
        """A column of non-empty text."""
        return check.as_labels(self.frame[self.names[name]].to_numpy(), self.what(name))

    def matrix(self, names: Sequence[str]) -> np.ndarray:
        """(rows, names): several columns of finite numbers side by side."""
        return np.column_stack([self.numbers(name) for name in names])

    def features_besides(self, roles: Sequence[str], wanted: Sequence[str] | None) -> tuple[str, ...]:
        """The wanted features, or every column that has none of these roles."""
        if wanted is not None:
            names = check.chosen_features(wanted)
            self.require(*names)
        else:
            names = tuple(name for name in self.names if name not in roles)
        if not names:
            raise self.missing("at least one feature column", "add a column with numbers")
        return names

    def observers(self, rows: np.ndarray | slice = slice(None)) -> dict[str, np.ndarray]:
        """The optional columns agent and weight, as arguments of Preferences."""
        found = {}
        if "agent" in self:
            found["agent"] = self.labels("agent")[rows]
        if "weight" in self:
            weight = self._as_float("weight")
            check.check_weights(weight, self.what("weight"))
            found["weight"] = weight[rows]
        return found

    def _has_commas(self, name: str) -> bool:
        return bool(self.frame[self.names[name]].astype(str).str.fullmatch(r"\s*[+-]?[\d.,]*\d,\d[\d.,]*\s*").any())

    def _as_float(self, name: str) -> np.ndarray:
        """The column as float64, NaN where something is not a number."""
        import pandas

        column = self.frame[self.names[name]]
        if column.dtype.kind in "iufb":
            return column.to_numpy(dtype=np.float64)
        if column.dtype.kind in "OTU":
            return pandas.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        return np.full(len(column), np.nan)  # dates and the like


def open_tables(
    paths: Sequence[str | Path], columns: Mapping[str, str] | None, outcome_needed: bool = True
) -> list[Table]:
    """Read files and give their columns our names; every mapped column must exist in one of them."""
    mapping = {str(ours): str(theirs) for ours, theirs in (columns or {}).items()}
    text_columns = set(TEXT_ROLES) | {mapping[role] for role in TEXT_ROLES if role in mapping}
    tables = []
    for path in paths:
        tables.append(table_of(str(path), read_table(path, text_columns), mapping, outcome_needed))
    for ours, theirs in mapping.items():
        if not any(_applies(ours, theirs, table) for table in tables):
            close = get_close_matches(theirs, [str(name) for table in tables for name in table.frame.columns], 1)
            meant = f", perhaps to {close[0]}" if close else ""
            raise tables[-1].missing(f"a column {theirs} for {ours}", f"correct columns=… (--columns){meant}")
    return tables


def table_of(path: str, frame: pandas.DataFrame, mapping: Mapping[str, str], outcome_needed: bool = True) -> Table:
    """A table that was read, its columns under our names."""
    names, by_pattern = _named(list(frame.columns), mapping)
    return Table(path, frame, names, frozenset(by_pattern), outcome_needed)


def _named(existing: list[str], mapping: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """Our names for the columns of a file, in the file's order; the mapping goes before the file's own."""
    patterns = {ours: theirs for ours, theirs in mapping.items() if "*" in ours}
    explicit = {ours: theirs for ours, theirs in mapping.items() if "*" not in ours}
    names: dict[str, str] = {}
    by_pattern: set[str] = set()
    for column in existing:
        mapped = [ours for ours, theirs in explicit.items() if theirs == column]
        matched = [] if mapped else [ours.replace("*", stem) for ours, stem in _matches(column, patterns)]
        by_pattern.update(matched)
        own = [column] if not mapped and not matched and column not in explicit else []
        names.update(dict.fromkeys(mapped + matched + own, column))
    return names, by_pattern


def _matches(column: str, patterns: Mapping[str, str]) -> list[tuple[str, str]]:
    """The patterns that fit a column, each with the part that the star stands for."""
    found = []
    for ours, theirs in patterns.items():
        if ours not in ("left.*", "right.*") or theirs.count("*") != 1:
            raise DataError(
                "columns",
                expected="patterns such as left.*=*1 and right.*=*2, with one star on each side",
                got=f"{ours}={theirs}",
                fix="correct the pattern",
            )
        before, after = theirs.split("*")
        stem = column[len(before) : len(column) - len(after)]
        if stem and column == before + stem + after:
            found.append((ours, stem))
    return found


def _applies(ours: str, theirs: str, table: Table) -> bool:
    if "*" in ours:
        return any(_matches(column, {ours: theirs}) for column in table.frame.columns)
    return theirs in table.frame.columns
