"""Tables: what does a file hold? CSV (any common delimiter, also .gz) or Parquet, as a pandas table."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

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
