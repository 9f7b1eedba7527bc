"""Files with tables: what do they hold? Text, Parquet, a sheet of an Excel workbook or R's data, as a pandas table.

Whatever is wrong with a file ends in a DataError of one sentence that shows none of its cells.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lori.data.reading.headers import check_header, tidy
from lori.data.reading.paths import check_file
from lori.data.reading.text import read_text
from lori.data.reading.workbooks import R_DATA, WORKBOOKS, read_r_data, read_workbook, without_sheet
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

PARQUET = (".parquet", ".pq")
Result = TypeVar("Result")


def read_table(path: str | Path, text_columns: Iterable[str] = ()) -> pandas.DataFrame:
    """The rows of a file with stripped column names and without index columns.

    The `text_columns`, where present, are kept as written ('007' stays '007'); of the others pandas decides.
    Nothing counts as missing yet: what is not a number shows when a number is needed. A sheet of a workbook is named
    behind a number sign, `survey.xlsx#Answers`; without it the first one is read.
    """
    file, sheet = without_sheet(path)
    ending = file.suffix.lower()
    if ending in PARQUET:
        frame = _read_parquet(file)
    elif ending in WORKBOOKS:
        frame = read_workbook(file, sheet, set(text_columns))
    elif ending in R_DATA:
        frame = read_r_data(file, sheet)
    else:
        frame = read_text(file, set(text_columns))
    if frame.empty:
        raise DataError(str(path), expected="a header and at least one row", got="no rows", fix="add the data")
    return frame


def read_frame(given: pandas.DataFrame) -> pandas.DataFrame:
    """A table that somebody has in memory, as `read_table` would have read it."""
    import pandas

    if not isinstance(given, pandas.DataFrame):
        raise DataError(
            "file", expected="the name of a file, or a pandas table", got=type(given).__name__, fix="give one of these"
        )
    check_header("table", [str(name) for name in given.columns])
    frame = tidy(given.reset_index(drop=True))
    if frame.empty:
        raise DataError("table", expected="at least one row and one column", got="none", fix="add the data")
    return frame


# -- Parquet ---------------------------------------------------------------------------------------------------


def _read_parquet(file: Path) -> pandas.DataFrame:
    with opened_parquet(file) as content:
        return _frame_of(_checked(file, content.read()))


def read_batches(
    file: str | Path,
    groups: Sequence[int],
    rows: int,
    plain: Callable[[Any], Result | None],
    footers: MutableMapping[str, Any],
) -> Iterator[Result | pandas.DataFrame]:
    """Some row groups of a Parquet file, at most so many rows at a time: what `plain` makes of Arrow's batch, or, where
    that is nothing, a pandas table. One thread reads; `footers` are those of files that were opened before."""
    with opened_parquet(file, footers.get(str(file))) as content:
        footers[str(file)] = content.metadata
        for batch in content.iter_batches(batch_size=rows, row_groups=list(groups), use_threads=False):
            found = plain(_checked(file, batch))
            yield _frame_of(batch) if found is None else found


@contextmanager
def opened_parquet(file: str | Path, footer: Any = None) -> Iterator[Any]:
    """A Parquet file to read; what goes wrong meanwhile is a DataError. Its footer may be known."""
    import pyarrow.parquet

    if not stat.S_ISREG(check_file(file)):
        raise DataError(str(file), expected="a Parquet file", got="a pipe", fix="write it to a file first")
    try:
        with pyarrow.parquet.ParquetFile(file, metadata=footer) as content:
            yield content
        return
    except DataError:
        raise
    except Exception:  # of a damaged file Arrow raises nearly everything, and Unicode errors that quote a cell
        pass
    raise DataError(
        str(file),
        expected="a whole Parquet file",
        got="something else, or a file that was cut off or damaged",
        fix="write the file again, or name it .csv if it is text",
    ) from None


def _checked(file: str | Path, table: Any) -> Any:
    """Rows from Arrow, of columns with names of their own."""
    check_header(file, table.schema.names)
    table.validate(full=True)  # text that is no text would show, with a cell in the message, only when it is used
    return table


def _frame_of(table: Any) -> pandas.DataFrame:
    """Rows from Arrow as pandas has them, under stripped names and without index columns."""
    return tidy(table.to_pandas(ignore_metadata=True))
