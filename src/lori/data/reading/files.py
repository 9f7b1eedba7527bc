"""Files with tables: what do they hold? CSV (any common delimiter, also .gz) or Parquet, as a pandas table.

Whatever is wrong with a file ends in a DataError of one sentence that shows none of its cells. A file is opened once,
so that a pipe can be read, too.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from lori.data.validation import ROW_NUMBERS, names_text
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

DELIMITERS = ",;\t|"
PARQUET = (".parquet", ".pq")
SAMPLE = 1 << 16  # characters that show which delimiter a file uses, or more where the header is longer
LONGEST_HEADER = 1 << 24  # characters: above that nobody named columns
DECIMAL = re.compile(r"[+-]?\d+(?P<mark>[.,])(?P<after>\d+)")
VALUE = re.compile(r"[-+.,]?\d[-+\d.,:/ eET]*|.*@.*")  # a number, a date or an address, where a name should be


def read_table(path: str | Path, text_columns: Iterable[str] = ()) -> pandas.DataFrame:
    """The rows of a file with stripped column names and without index columns.

    The `text_columns`, where present, are kept as written ('007' stays '007'); of the others pandas decides.
    Nothing counts as missing yet: what is not a number shows when a number is needed.
    """
    file = Path(path)
    frame = _read_parquet(file) if file.suffix.lower() in PARQUET else _read_csv(file, set(text_columns))
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
    frame = _tidy(given.reset_index(drop=True))
    if frame.empty:
        raise DataError("table", expected="at least one row and one column", got="none", fix="add the data")
    return frame


def as_paths(given: str | Path | Iterable[str | Path]) -> list[str]:
    """The names of one file or several, as they were written."""
    paths = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not all(isinstance(path, str | Path) for path in paths):
        raise DataError("files", expected="names of files", got="something else", fix="give text or a pathlib.Path")
    return [str(path) for path in paths]


# -- text ------------------------------------------------------------------------------------------------------


class Beginning(NamedTuple):
    """What the first rows of a text file tell about it."""

    delimiter: str
    decimal: str
    header: list[str]


def _read_csv(file: Path, text_columns: set[str]) -> pandas.DataFrame:
    import pandas

    with opened_text(file) as handle:
        delimiter, decimal, header = beginning(file, handle)
        types: dict[str, type] = {name: str for name in header if name.strip() in text_columns}
        frame = pandas.read_csv(handle, sep=delimiter, decimal=decimal, na_filter=False, dtype=types, low_memory=False)
    return _tidy(frame)


@contextmanager
def opened_text(file: Path) -> Iterator[TextIO]:
    """A text file to read, and back to its beginning; what goes wrong meanwhile is a DataError."""
    import pandas

    expected = "a table in UTF-8 text with one delimiter"
    try:
        with _opened_bytes(file) as content, io.TextIOWrapper(content, encoding="utf-8-sig", newline="") as handle:
            yield handle
        return
    except UnicodeDecodeError:
        problem, fix = "bytes that are not UTF-8", "save it as UTF-8 (or as Parquet with the extension .parquet)"
    except (gzip.BadGzipFile, EOFError, zlib.error):
        problem, fix = "a damaged .gz file", "compress it again"
    except (pandas.errors.ParserError, csv.Error):
        problem, fix = "rows with more fields than the header, or an open quote", "correct these rows"
    except pandas.errors.EmptyDataError:
        problem, fix = "an empty file", "add the data"
    except MemoryError:
        problem, fix = "more than the memory holds", "convert it to Parquet, which can be read piece by piece"
    except OSError as error:
        problem, fix = error.strerror or "a failure of the file system", "check that the file can be read"
    raise DataError(str(file), expected=expected, got=problem, fix=fix) from None


def _opened_bytes(file: Path) -> Any:
    """The unpacked bytes of a file; what cannot be wound back is taken into memory."""
    packed = file.suffix.lower() == ".gz"
    if stat.S_ISREG(check_file(file)):
        return gzip.open(file) if packed else open(file, "rb")
    content = io.BytesIO(file.read_bytes())
    return gzip.open(content) if packed else content


def check_file(path: str | Path) -> int:
    """The mode of a file that can be read: an ordinary one, a pipe or a terminal."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        problem = "a name that does not exist"
    except OSError as error:  # a link to itself, a name that is too long, a folder that is closed
        problem = error.strerror or "a failure of the file system"
    except ValueError:
        problem = "a name with a character that no name can have"
    else:
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or _is_terminal(path, mode):
            return mode
        if stat.S_ISDIR(mode):
            raise DataError(str(path), expected="a file", got="a folder", fix="give the name of a file in it")
        problem = "a device"
    raise DataError(str(path), expected="a file", got=problem, fix="check the path")


def _is_terminal(path: str | Path, mode: int) -> bool:
    """Somebody may type a table; other devices may never end."""
    if not stat.S_ISCHR(mode):
        return False
    with open(path, "rb", buffering=0) as device:
        return device.isatty()


def beginning(file: Path, handle: TextIO) -> Beginning:
    """How a text file is written, from its header and first rows, however long the header; then back to the start."""
    sample, more = "", "more"
    records: list[list[str]] = []
    while more and len(records) < 2 and len(sample) < LONGEST_HEADER:
        more = handle.read(max(SAMPLE, len(sample)))
        sample += more
        by_delimiter = {delimiter: _records(sample, delimiter, cut=bool(more)) for delimiter in DELIMITERS}
        delimiter = _delimiter(by_delimiter)
        records = by_delimiter[delimiter]
    handle.seek(0)
    if not records:
        got = "a first row without an end, or an open quote" if sample.strip() else "an empty file"
        raise DataError(str(file), expected="a header and rows", got=got, fix="correct the file or add the data")
    header = records[0]
    check_header(file, header, records[1:20])
    if len(records) > 1 and len(records[1]) > len(header):
        raise csv.Error  # pandas would silently take the first column for row names
    return Beginning(delimiter, _decimal(records[1:]), header)


def _records(sample: str, delimiter: str, *, cut: bool) -> list[list[str]]:
    """The complete records at the start of a file, without blank lines."""
    records = []
    try:
        for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            records.append(record)
    except csv.Error:  # a field longer than this reader takes, though not too long for pandas
        cut = False
    if cut:
        records = records[:-1]
    return [record for record in records if any(field.strip() for field in record)]


def _delimiter(records: dict[str, list[list[str]]]) -> str:
    """The delimiter that cuts the first rows into the most columns, the same number in each."""

    def quality(delimiter: str) -> tuple[bool, int]:
        widths = [len(record) for record in records[delimiter][:20]]
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


# -- Parquet ---------------------------------------------------------------------------------------------------


def _read_parquet(file: Path) -> pandas.DataFrame:
    with opened_parquet(file) as content:
        return _frame_of(file, content.read())


def read_batches(file: str | Path, groups: Sequence[int], rows: int) -> Iterator[pandas.DataFrame]:
    """Some row groups of a Parquet file, at most so many rows at a time."""
    with opened_parquet(file) as content:
        for batch in content.iter_batches(batch_size=rows, row_groups=list(groups)):
            yield _frame_of(file, batch)


@contextmanager
def opened_parquet(file: str | Path) -> Iterator[Any]:
    """A Parquet file to read; what goes wrong meanwhile is a DataError."""
    import pyarrow.parquet

    if not stat.S_ISREG(check_file(file)):
        raise DataError(str(file), expected="a Parquet file", got="a pipe", fix="write it to a file first")
    try:
        with pyarrow.parquet.ParquetFile(file) as content:
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


def _frame_of(file: str | Path, table: Any) -> pandas.DataFrame:
    """Rows from Arrow as pandas has them, under stripped names and without index columns."""
    check_header(file, table.column_names)
    table.validate(full=True)  # text that is no text would show, with a cell in the message, only when it is used
    return _tidy(table.to_pandas(ignore_metadata=True))


# -- names of columns ------------------------------------------------------------------------------------------


def _tidy(frame: pandas.DataFrame) -> pandas.DataFrame:
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
