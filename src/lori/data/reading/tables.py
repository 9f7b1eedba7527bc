"""Tables: what a file holds, and which of its columns plays which role, whatever the file calls it.

CSV (any common delimiter, also .gz) or Parquet; messages speak of the file's own names.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import numpy as np

from lori.data import validation as check
from lori.data.validation import names_text
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

DELIMITERS = ",;\t|"
PARQUET = (".parquet", ".pq")
SAMPLE = 1 << 16  # characters that show which delimiter a file uses
DECIMAL = re.compile(r"[+-]?\d+(?P<mark>[.,])(?P<after>\d+)")
INDEX_COLUMN = re.compile(r"|Unnamed: \d+|__index_level_\d+__")


def read_table(path: str | Path, text_columns: Iterable[str] = ()) -> pandas.DataFrame:
    """The rows of a file with stripped column names and without index columns.

    The `text_columns`, where present, are kept as written ('007' stays '007'); of the others pandas decides.
    Nothing counts as missing yet: what is not a number shows when a number is needed.
    """
    file = Path(path)
    if not file.exists():
        raise DataError(str(path), expected="a file", got="a name that does not exist", fix="check the path")
    if file.is_dir():
        raise DataError(str(path), expected="a file", got="a folder", fix="give the name of a file in it")
    frame = _read_parquet(file) if file.suffix.lower() in PARQUET else _read_csv(file, set(text_columns))
    frame.columns = [str(name).strip() for name in frame.columns]
    frame = frame[[name for name in frame.columns if not INDEX_COLUMN.fullmatch(name)]]
    if frame.empty:
        raise DataError(str(path), expected="a header and at least one row", got="no rows", fix="add the data")
    return frame


def _read_parquet(file: Path) -> pandas.DataFrame:
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.ParquetFile(file).read()
        _check_header(file, [str(name) for name in table.column_names])
        return table.to_pandas(ignore_metadata=True)
    except (pyarrow.ArrowException, OSError):
        raise DataError(
            str(file),
            expected="a Parquet file",
            got="something else, or a file that was cut off",
            fix="write the file again, or name it .csv if it is text",
        ) from None


def _read_csv(file: Path, text_columns: set[str]) -> pandas.DataFrame:
    import pandas

    try:
        with _open_text(file) as handle:
            sample = handle.read(SAMPLE)
        delimiter = _delimiter(sample)
        records = _records(sample, delimiter)
        if not records:
            raise DataError(str(file), expected="a header and rows", got="an empty file", fix="add the data")
        header = records[0]
        _check_header(file, header)
        if len(records) > 1 and len(records[1]) > len(header):
            raise pandas.errors.ParserError  # pandas would silently take the first column for row names
        types: dict[str, type] = {name: str for name in header if name.strip() in text_columns}
        with _open_text(file) as handle:
            decimal = _decimal(records[1:])
            return pandas.read_csv(
                handle, sep=delimiter, decimal=decimal, na_filter=False, dtype=types, low_memory=False
            )
    except UnicodeDecodeError:
        problem, fix = (
            "bytes that are not UTF-8",
            "save it as UTF-8 (or as Parquet with the extension .parquet)",
        )
    except (gzip.BadGzipFile, EOFError, zlib.error):
        problem, fix = "a damaged .gz file", "compress it again"
    except (pandas.errors.ParserError, csv.Error):
        problem, fix = "rows with more fields than the header, or an open quote", "correct these rows"
    except OSError as error:
        problem, fix = error.strerror or "a failure of the file system", "check that the file can be read"
    raise DataError(str(file), expected="a table in UTF-8 text with one delimiter", got=problem, fix=fix)


def _open_text(file: Path) -> TextIO:
    if file.suffix.lower() == ".gz":
        return cast(TextIO, gzip.open(file, "rt", encoding="utf-8-sig", newline=""))
    return open(file, encoding="utf-8-sig", newline="")


def _delimiter(sample: str) -> str:
    """The delimiter that cuts the first rows into the most columns, the same number in each."""

    def quality(delimiter: str) -> tuple[bool, int]:
        widths = [len(record) for record in _records(sample, delimiter)[:20]]
        return len(set(widths)) == 1, widths[0] if widths else 0

    consistent = [delimiter for delimiter in DELIMITERS if quality(delimiter) > (True, 1)]
    return max(consistent or DELIMITERS, key=lambda delimiter: quality(delimiter)[1])


def _decimal(records: list[list[str]]) -> str:
    """A comma where the first rows have decimal commas and no decimal point.

    Three digits after every comma could mean thousands, so that these are left to be refused as text.
    """
    numbers = [found for record in records for field in record if (found := DECIMAL.fullmatch(field.strip()))]
    commas = [found for found in numbers if found["mark"] == ","]
    told = any(len(found["after"]) != 3 for found in commas)
    return "," if told and len(commas) == len(numbers) else "."


def _records(sample: str, delimiter: str) -> list[list[str]]:
    """The complete records at the start of a file, without blank lines."""
    records = list(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))
    if len(sample) == SAMPLE and len(records) > 1:
        records.pop()  # it may have been cut
    return [record for record in records if any(field.strip() for field in record)]


def _check_header(file: Path, header: list[str]) -> None:
    names = [name.strip() for name in header if name.strip()]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(
            str(file),
            expected="every column name once",
            got=f"more than one column called {names_text(repeated, 3)}",
            fix="rename the repeated columns",
        )


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
