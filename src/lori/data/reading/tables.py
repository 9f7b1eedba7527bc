"""Tables: which column of a file plays which role, whatever the file calls it? Messages speak of the file's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lori.data import validation as check
from lori.data.reading.files import read_frame, read_table
from lori.data.reading.headers import column_error
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

TEXT_ROLES = (
    "agent", "choice", "winner", "loser", "left", "right", "id", "set", "chosen", "trajectory", "alternative", "best",
    "worst", "occasion",
)  # fmt: skip
NUMBER_ROLES = ("weight", "count", "left_wins", "right_wins", "ties", "step")
SIDES = ("left", "right")
BLANKS = ("", "na", "n/a", "#n/a", "nan", "null", ".", "<na>")
YES, NO = ("1", "true", "yes"), ("0", "false", "no")


@dataclass(frozen=True)
class Table:
    """A file with columns under our names; messages speak of the file's own names."""

    path: str
    frame: pandas.DataFrame
    names: dict[str, str]  # our name -> column in the file
    by_pattern: frozenset[str]  # our names that came from a pattern such as left.* = *1
    outcome_needed: bool = True  # whether a file without a choice is an error: not when the choice is to be predicted
    rows: np.ndarray | None = None  # from 1: which rows of the file these are, where others were left out

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __len__(self) -> int:
        return len(self.frame)

    def answered(self, name: str) -> bool:
        """Does this column say what was chosen? Where that is to be predicted, a column with gaps does not."""
        return name in self and (self.outcome_needed or not blank(self.frame[self.names[name]]).any())

    def what(self, name: str) -> str:
        """How a message calls this column."""
        return f"{self.path}, column {check.name_text(self.names[name])}"

    def numbered(self) -> np.ndarray:
        """(rows,) the number of each in the file, from 1 below its header."""
        return np.arange(1, len(self) + 1) if self.rows is None else self.rows

    def where(self, bad: np.ndarray) -> str:
        """How a message names the rows of a mask: as they are counted in the file, also where others were left out."""
        return f"{check.rows_text(bad, self.rows)} below the header"

    def missing(self, expected: str, fix: str) -> DataError:
        """The error for an absent column; lists those there are."""
        names = list(self.frame.columns)
        rows = self.frame.head(20).itertuples(index=False, name=None)
        return column_error(
            self.path, names, rows, expected=expected, got=f"the columns {check.names_text(names)}", fix=fix
        )

    def require(self, *names: str) -> None:
        """These columns must be there."""
        for name in names:
            if name not in self:
                raise self.missing(
                    f"a column {name}",
                    f"add it or say which column it is with columns={{'{name}': …}} (--columns {name}=…)",
                )

    def column(self, name: str) -> pandas.Series:
        """A column as it was read, each cell a single value."""
        column = self.frame[self.names[name]]
        if column.dtype == object:
            check.check_single(column.to_numpy(), self.what(name))
        return column

    def numbers(self, name: str, needed: np.ndarray | None = None) -> np.ndarray:
        """A column of finite numbers; zero in rows where none is `needed`."""
        values = self._as_float(name)
        if needed is not None:
            values = np.where(needed, values, 0.0)
        if not np.isfinite(values).all():
            instead, fix = self._instead_of_numbers(name, ~np.isfinite(values))
            check.check_finite(values, self.what(name), instead=instead, fix=fix, rows=self.where)
        check.check_size(values, self.what(name), self.where)
        return values

    def counts(self, name: str) -> np.ndarray:
        """A column of whole numbers from zero."""
        values = self._as_float(name)
        check.check_counts(values, self.what(name), self.where)
        return values

    def labels(self, name: str) -> np.ndarray:
        """A column of non-empty text."""
        return check.as_labels(self.column(name).to_numpy(), self.what(name), self.where)

    def ranks(self, name: str) -> np.ndarray:
        """A column of numbers, NaN where it is empty."""
        import pandas

        values = self._as_float(name)
        given = [not pandas.isna(cell) and str(cell).strip() not in ("", "nan") for cell in self.column(name)]
        return np.where(np.isnan(values) & given, -1.0, values)  # text is no rank, either

    def words(self, name: str, known: Sequence[str], shown: Sequence[str] | None = None, fix: str = "") -> np.ndarray:
        """A column of words, compared without regard to case and spaces; unknown ones are an error."""
        import pandas

        codes, words = pandas.factorize(self.column(name), use_na_sentinel=False)
        simple = ["" if pandas.isna(word) else plain(word) for word in words]
        unknown = np.array([word not in known for word in simple])
        if unknown.any():
            count = int(unknown.sum())
            raise DataError(
                self.what(name),
                expected=f"only {', '.join(shown or known)}",
                got=f"{'another word' if count == 1 else f'{count} other words'} in {self.where(unknown[codes])}",
                fix=f"correct these rows{fix}",
            )
        return np.array(simple, dtype=str)[codes]

    def marks(self, name: str) -> np.ndarray:
        """(rows,) mask from a column of 1 or 0, true or false, yes or no."""
        return np.isin(self.words(name, (*YES, *NO), shown=("1 or 0", "true or false", "yes or no")), YES)

    def matrix(self, names: Sequence[str], needed: np.ndarray | None = None) -> np.ndarray:
        """(rows, names): several columns of finite numbers side by side; zero in rows where none are `needed`."""
        block = self.frame[[self.names[name] for name in names]]
        if needed is None and all(kind.kind in "iufb" for kind in set(block.dtypes)):
            try:
                return check.as_table(np.ascontiguousarray(block.to_numpy(dtype=np.float64)), self.path)
            except DataError:
                pass  # once more, column by column, so that the message names one
        return np.column_stack([np.empty((len(self), 0)), *(self.numbers(name, needed) for name in names)])

    def features_besides(
        self, roles: Sequence[str], wanted: Sequence[str] | None, *, needed: bool = True
    ) -> tuple[str, ...]:
        """The wanted features, or every column that has none of these roles; at least one, if they are `needed`."""
        if wanted is not None:
            names = check.chosen_features(wanted)
            self.require(*names)
        else:
            names = tuple(name for name in self.names if name not in roles)
        if not names and needed:
            raise self.missing("at least one feature column", "add a column with numbers")
        return names

    def observers(self, rows: np.ndarray | slice = slice(None)) -> dict[str, np.ndarray]:
        """The optional columns agent and weight, as arguments of Preferences."""
        found = {}
        if "agent" in self:
            found["agent"] = self.labels("agent")[rows]
        if "weight" in self:
            weight = self._as_float("weight")
            check.check_weights(weight, self.what("weight"), self.where)
            found["weight"] = weight[rows]
        return found

    def _instead_of_numbers(self, name: str, bad: np.ndarray) -> tuple[str, str]:
        """What stands in these cells instead of numbers, and what can be done about it."""
        if blank(self.frame[self.names[name]])[bad].all():
            return "empty cells", "fill them in, or leave such rows out with missing='drop' (--missing drop)"
        if self._has_commas(name):
            return "numbers with commas", "write decimal points, and thousands without a separator"
        return "text or infinity", "correct these rows or choose other features with features=… (--features a,b)"

    def _has_commas(self, name: str) -> bool:
        return bool(self.frame[self.names[name]].astype(str).str.fullmatch(r"\s*[+-]?[\d.,]*\d,\d[\d.,]*\s*").any())

    def _as_float(self, name: str) -> np.ndarray:
        """The column as float64, NaN where something is not a number."""
        import pandas

        column = self.column(name)
        if column.dtype.kind in "iufb":
            return column.to_numpy(dtype=np.float64)
        if column.dtype.kind in "OTU":
            try:
                return pandas.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
            except OverflowError:  # a whole number beyond all floating-point ones
                return pandas.to_numeric(column.astype(str), errors="coerce").to_numpy(np.float64, na_value=np.inf)
        return np.full(len(column), np.nan)  # dates and the like


def blank(column: pandas.Series) -> np.ndarray:
    """(rows,) is the cell empty, or a word for that?"""
    return column.isna().to_numpy() | column.map(plain).isin(BLANKS).to_numpy()


def plain(word: object) -> str:
    """A word as it is compared with others: without case, spaces around it, and the '.0' of a whole number."""
    return str(word).strip().casefold().removesuffix(".0")


def open_tables(
    sources: Sequence[str | Path | pandas.DataFrame],
    columns: Mapping[str, str] | None,
    outcome_needed: bool = True,
    where: Mapping[str, object] | None = None,
) -> list[Table]:
    """Read files and give their columns our names; every mapped column must exist in one of them.

    `where` keeps the rows whose cells in these columns have one of these values. A table may also be given itself.
    """
    mapping = check.as_mapping(columns, "columns")
    return tables_of(open_frames(sources, mapping, where), mapping, outcome_needed)


def open_frames(
    sources: Sequence[str | Path | pandas.DataFrame], mapping: Mapping[str, str], where: Mapping[str, object] | None
) -> list[tuple[str, pandas.DataFrame]]:
    """Read files, each under its name; columns of labels and words stay text."""
    text_columns = set(TEXT_ROLES) | {mapping[role] for role in TEXT_ROLES if role in mapping}
    frames: list[tuple[str, pandas.DataFrame]] = []
    for source in sources:
        if isinstance(source, str | Path):
            frames.append((str(source), read_table(source, text_columns)))
        else:
            frames.append(("table", read_frame(source)))
    return kept_rows(frames, where)


def tables_of(
    frames: Sequence[tuple[str, pandas.DataFrame]], mapping: Mapping[str, str], outcome_needed: bool = True
) -> list[Table]:
    """Tables under our names; every mapped column must exist in one of them."""
    joined = [(path, with_joined(frame, mapping)) for path, frame in frames]
    tables = [table_of(path, frame, mapping, outcome_needed) for path, frame in joined]
    for ours, theirs in mapping.items():
        if not any(_applies(ours, theirs, table) for table in tables):
            close = get_close_matches(theirs, [str(name) for table in tables for name in table.frame.columns], 1)
            meant = f", perhaps to {close[0]}" if close else ""
            raise tables[-1].missing(f"a column {theirs} for {ours}", f"correct columns=… (--columns){meant}")
    return tables


def with_joined(frame: pandas.DataFrame, mapping: Mapping[str, str]) -> pandas.DataFrame:
    """The table with labels that several columns make together, as `set=person+task` says."""
    for theirs in mapping.values():
        parts = [part.strip() for part in theirs.split("+")]
        if theirs not in frame and len(parts) > 1 and all(part in frame for part in parts):
            labels = frame[parts[0]].astype(str)
            for part in parts[1:]:
                labels = labels + "+" + frame[part].astype(str)
            frame = frame.assign(**{theirs: labels})
    return frame


def kept_rows(
    frames: list[tuple[str, pandas.DataFrame]], where: Mapping[str, object] | None
) -> list[tuple[str, pandas.DataFrame]]:
    """The rows whose cells have one of the values that `where` lists for their columns."""
    for column, wanted in check.as_lists(where, "where").items():
        if not any(column in frame for _, frame in frames):
            names = [name for _, frame in frames for name in frame.columns]
            rows = frames[-1][1].head(20).itertuples(index=False, name=None)
            raise column_error(
                frames[-1][0], names, rows, expected=f"a column {column}, as where=… (--where) says",
                got=f"the columns {check.names_text(names)}", fix="correct where=… (--where COLUMN=1,2)",
            )  # fmt: skip
        words = {plain(word) for word in wanted}
        for place, (path, frame) in enumerate(frames):
            if column in frame:
                kept = frame[frame[column].map(plain).isin(words)]  # its index still says which rows they were
                if kept.empty:
                    raise DataError(
                        path, expected=f"rows with one of these values in {check.name_text(column)}", got="none",
                        fix="correct where=… (--where COLUMN=1,2)",
                    )  # fmt: skip
                frames[place] = path, kept
    return frames


def table_of(path: str, frame: pandas.DataFrame, mapping: Mapping[str, str], outcome_needed: bool = True) -> Table:
    """A table that was read, its columns under our names."""
    import pandas

    names, by_pattern = named(path, list(frame.columns), mapping)
    rows = None if frame.index.equals(pandas.RangeIndex(len(frame))) else frame.index.to_numpy() + 1
    return Table(path, frame.reset_index(drop=True), names, frozenset(by_pattern), outcome_needed, rows)


def named(path: str, existing: list[str], mapping: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """Our names for the columns of a file, in the file's order.

    A column that the mapping names goes before all others; where a pattern and the file's own names, or two patterns,
    mean different columns by one name, nobody can know which is meant.
    """
    patterns = {ours: theirs for ours, theirs in mapping.items() if "*" in ours + theirs}
    explicit = {ours: theirs for ours, theirs in mapping.items() if ours not in patterns}
    names: dict[str, str] = {}
    by_pattern: set[str] = set()
    for column in existing:
        mapped = [ours for ours, theirs in explicit.items() if theirs == column]
        matched = [] if mapped else [filled(ours, stem) for ours, stem in matches(column, patterns)]
        matched = [ours for ours in matched if ours not in explicit]
        own = [column] if not mapped and not matched and column not in explicit else []
        for ours in matched + own:
            if ours in names:
                raise DataError(
                    path,
                    expected=f"one column for {ours}",
                    got=f"two, {check.names_text([names[ours]])} and {check.names_text([column])}",
                    fix=f"say which with columns={{'{ours}': …}} (--columns {ours}=…)",
                )
        by_pattern.update(matched)
        names.update(dict.fromkeys(mapped + matched + own, column))
    return names, by_pattern


def filled(ours: str, stem: str) -> str:
    """What a column that fits a pattern is called: left.* with price is left.price, time of bus is bus.time."""
    return ours.replace("*", stem) if "*" in ours else f"{stem}.{ours}"


def matches(column: str, patterns: Mapping[str, str]) -> list[tuple[str, str]]:
    """The patterns that fit a column, each with the part that the star stands for."""
    found = []
    for ours, theirs in patterns.items():
        if (ours not in ("left.*", "right.*") and "*" in ours) or theirs.count("*") != 1:
            raise DataError(
                "columns",
                expected="patterns such as left.*=*1 and right.*=*2, with one star on each side, or time=time_*",
                got=f"{ours}={theirs}",
                fix="correct the pattern",
            )
        before, after = theirs.split("*")
        stem = column[len(before) : len(column) - len(after)]
        if stem and column == before + stem + after:
            found.append((ours, stem))
    return found


def _applies(ours: str, theirs: str, table: Table) -> bool:
    if "*" in ours + theirs:
        return any(matches(column, {ours: theirs}) for column in table.frame.columns)
    return theirs in table.frame.columns
