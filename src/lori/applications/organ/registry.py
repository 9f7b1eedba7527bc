"""Registry: what does a file say about the liver patients of one year? Read in pieces, filtered, steps counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lori.applications.organ.features import (
    BEFORE,
    CANDIDATE,
    CODES,
    COLUMNS,
    DATE_FORMAT,
    DATES,
    DONOR,
    LABORATORY,
    RECIPIENT,
)
from lori.data.reading.text import beginning, opened_text
from lori.data.validation import names_text
from lori.errors import DataError, whole

if TYPE_CHECKING:
    import pandas

PIECE_ROWS = 200_000
ADULT = 18
LAST_YEAR = 9998  # years have four digits


@dataclass(frozen=True)
class Step:
    """How many rows were left after a filter."""

    filter: str
    rows: int


@dataclass(frozen=True, eq=False)
class Registry:
    """Patients as numbers: codes decoded, dates as days since 1970, NaN where nothing is known."""

    cohort: pandas.DataFrame
    """Everybody the survival models may learn from, whether or not they are still waiting."""
    patients: pandas.DataFrame
    """Who was listed and left the list within the year, with all features of a candidate."""
    year: int
    last_day: float
    """The latest date in the file: who is not known to have died was alive until then."""
    steps: tuple[Step, ...]
    unknown: dict[str, int]
    """For each column, in how many of all rows something was written that means nothing, or "unknown"."""

    @property
    def organs(self) -> pandas.DataFrame:
        """The patients who received an organ whose donor is described."""
        return self.patients[self.patients["TX_DATE"].notna() & _recorded(self.patients, DONOR)]

    def listed(self) -> pandas.DataFrame:
        """Of the cohort, whom the model without transplant can learn from."""
        return self.cohort[_recorded(self.cohort, BEFORE)]

    def transplanted(self) -> pandas.DataFrame:
        """Of the cohort, whom the model with transplant can learn from."""
        return self.cohort[self.cohort["TX_DATE"].notna() & _recorded(self.cohort, (*RECIPIENT, *DONOR))]


def read_registry(path: str | Path, *, year: int = 2019, history: int = 10) -> Registry:
    """The registry's patients of `year`, and the cohort listed since `history` years before it.

    Only the columns that are needed are read, and only the rows that pass the filters are kept.
    """
    import pandas

    whole("history", history, 0)
    whole("year", year, history + 1)
    if year > LAST_YEAR:
        raise DataError("year", expected=f"a year up to {LAST_YEAR}", got=str(year), fix="choose an earlier year")
    counts: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    kept, last_day = [], -np.inf
    for piece in _pieces(Path(path)):
        table, odd = decoded(piece)
        unknown.update(odd)
        last_day = max(last_day, float(np.fmax.reduce(table[list(DATES)].to_numpy(float), axis=None, initial=-np.inf)))
        counts["in the file"] += len(table)
        for name, passes in _filters(year, history):
            table = table[passes(table)]
            counts[name] += len(table)
        kept.append(table.drop(columns=["DON_TY", "MULTIORG", "PREV_TX_ANY"]))
    if not counts["in the file"]:
        raise DataError(str(path), expected="at least one patient", got="no rows", fix="give the registry's file")
    cohort = pandas.concat(kept, ignore_index=True)
    patients = cohort[(cohort["INIT_DATE"] >= _new_year(year)) & (cohort["END_DATE"] <= _new_year(year + 1))]
    counts[f"listed in {year} and off the list by its end"] = len(patients)
    complete = patients[_recorded(patients, CANDIDATE)].reset_index(drop=True)
    counts["all features of a candidate recorded"] = len(complete)
    steps = tuple(Step(name, rows) for name, rows in counts.items())
    _check_left(path, steps, patients)
    registry = Registry(cohort, complete, year, last_day, steps, dict(unknown))
    if registry.organs.empty:
        years = _years(cohort["TX_DATE"])
        raise DataError(
            str(path), expected=f"at least one transplant in {year} with a described donor", got="none",
            fix=f"choose another year (the file has transplants in {years})",
        )  # fmt: skip
    return registry


def decoded(piece: pandas.DataFrame) -> tuple[pandas.DataFrame, dict[str, int]]:
    """Text as numbers, and for each column how often there was text without a meaning."""
    import pandas

    numbers: dict[str, np.ndarray] = {}
    odd: dict[str, int] = {}
    for name in COLUMNS:
        text = piece[name].str.strip()
        if name in DATES:
            days = pandas.to_datetime(text, format=DATE_FORMAT, errors="coerce").to_numpy("datetime64[D]")
            values = np.where(np.isnat(days), np.nan, days.astype(float))
        elif name in CODES:
            codes = text.str.upper().str.replace(r"\.0+$", "", regex=True)  # 1.0 is the code 1
            values = codes.map(CODES[name]).to_numpy(float, na_value=np.nan)
        else:
            values = pandas.to_numeric(text, errors="coerce").to_numpy(float, na_value=np.nan)
            with np.errstate(over="ignore"):
                values = values.astype(np.float32)  # nothing that is measured is too large or too small for it
            values = np.where(np.isfinite(values) & (values > 0 if name in LABORATORY else values >= 0), values, np.nan)
        odd[name] = int((np.isnan(values) & (text.fillna("") != "").to_numpy(bool)).sum())
        numbers[name] = values.astype(np.float32)  # days until the year 47 000 are exact
    return pandas.DataFrame(numbers), {name: count for name, count in odd.items() if count}


def _filters(year: int, history: int):
    """The paper's filters in order, each with its name; a missing answer passes, a missing age or date does not."""
    first, end = _new_year(year - history), _new_year(year + 1)
    return (
        ("dates known and in order", _dates_in_order),
        ("adults", lambda table: table["INIT_AGE"] >= ADULT),
        ("deceased donor, or no transplant", lambda table: table["DON_TY"] != 0),
        ("one organ only", lambda table: table["MULTIORG"] != 1),
        ("no earlier transplant", lambda table: table["PREV_TX_ANY"] != 1),
        (f"listed from {year - history} to {year}", lambda table: table["INIT_DATE"].between(first, end, "left")),
    )


def _dates_in_order(table: pandas.DataFrame) -> np.ndarray:
    """Nothing happens before listing, and nobody dies before their transplant."""
    listing = table["INIT_DATE"]
    wrong = listing.isna() | (table["DEATH_DATE"] < table["TX_DATE"])
    for later in ("TX_DATE", "END_DATE", "DEATH_DATE"):
        wrong |= table[later] < listing
    return ~wrong.to_numpy(bool)


def _recorded(table: pandas.DataFrame, columns: Sequence[str]) -> np.ndarray:
    return table[list(columns)].notna().all(axis=1).to_numpy(bool)


def _new_year(year: int) -> float:
    return float(np.datetime64(f"{year:04d}-01-01", "D").astype(int))


def _years(days: pandas.Series) -> str:
    known = days.dropna().to_numpy(int)
    if not len(known):
        return "no year"
    first, last = (str(np.datetime64(int(day), "D"))[:4] for day in (known.min(), known.max()))
    return first if first == last else f"{first} to {last}"


def _check_left(path: str | Path, steps: Sequence[Step], patients: pandas.DataFrame) -> None:
    """Say which filter left nobody, and which columns are to blame where they are empty."""
    if steps[-1].rows:
        return
    emptied = next(step for step in steps if not step.rows)
    empty = [name for name in CANDIDATE if len(patients) and patients[name].isna().all()]
    raise DataError(
        str(path),
        expected="at least one patient who passes all filters",
        got=f"nobody left by the filter '{emptied.filter}'" + (f" ({names_text(empty)} always missing)" * bool(empty)),
        fix="check the file's columns and codes, or choose another year",
    )


def _pieces(file: Path) -> Iterator[pandas.DataFrame]:
    """The needed columns as text, some rows at a time."""
    import pandas

    with opened_text(file) as handle:
        start = beginning(file, handle)
        names = {name.strip() for name in start.header}
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise DataError(
                str(file), expected="the columns of the liver registry",
                got=f"a file without {names_text(missing)}", fix="add these columns or give the registry's file",
            )  # fmt: skip
        wanted = [name for name in start.header if name.strip() in COLUMNS]
        for piece in pandas.read_csv(handle, sep=start.delimiter, usecols=wanted, dtype=str, chunksize=PIECE_ROWS):
            yield piece.rename(columns=str.strip)
