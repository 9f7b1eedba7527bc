"""Headers: does every column of a table have a name of its own, and is the first row one of names at all?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lori.data.validation import ROW_NUMBERS, names_text
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

VALUE = re.compile(r"[-+.,]?\d[-+\d.,:/ eET]*|.*@.*")  # a number, a date or an address, where a name should be


def tidy(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The table with stripped names and without index columns."""
    frame.columns = [str(name).strip() for name in frame.columns]
    return frame[[name for name in frame.columns if not ROW_NUMBERS.fullmatch(name)]]


def check_header(file: str | Path, header: Sequence[str], rows: Iterable[Sequence[object]] = ()) -> None:
    """Every column has a name of its own."""
    times = Counter(name.strip() for name in header if name.strip())
    repeated = sorted(name for name, count in times.items() if count > 1)
    if repeated:
        raise column_error(
            file,
            header,
            rows,
            expected="every column name once",
            got=f"more than one column called {names_text(repeated, 3)}",
            fix="rename the repeated columns",
        )


def column_error(
    file: str | Path, names: Sequence[str], rows: Iterable[Sequence[object]], *, expected: str, got: str, fix: str
) -> DataError:
    """An error that names columns, except where the names look like somebody's data: then there is no header.

    So they look where a number, a date or an address stands among them, or where a column holds its own name.
    """
    if any(VALUE.fullmatch(name.strip()) for name in names) or any(
        str(cell) == name for row in rows for name, cell in zip(names, row, strict=False)
    ):
        got, fix = "a first row that looks like data", "the first row should name the columns: add one above the data"
    return DataError(str(file), expected=expected, got=got, fix=fix)
