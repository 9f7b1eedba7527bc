"""Text: how is a table written down in it? Encoding, delimiter, decimal mark and header are told by the file itself.

UTF-8, UTF-16 and, where bytes are neither, Windows-1252, which Excel writes. A first line `sep=;`, also Excel's, names
the delimiter. A file is opened once, so that a pipe can be read, too.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TextIO

from lori.data.reading.headers import check_header, tidy
from lori.data.reading.paths import opened_bytes
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

DELIMITERS = ",;\t|"
SAMPLE = 1 << 16  # characters that show which delimiter a file uses, or more where the header is longer
LONGEST_HEADER = 1 << 24  # characters: above that nobody named columns
PIECE = 1 << 20  # bytes that are decoded at once to see how a file is encoded
DECIMAL = re.compile(r"[+-]?\d+(?P<mark>[.,])(?P<after>\d+)")
DECIMAL_COMMA = r"^\s*([+-]?\d*),(\d+)\s*$"
SEPARATOR = re.compile(r'"?sep=(?P<mark>[,;\t|])"?\r?\n', re.IGNORECASE)
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class Beginning(NamedTuple):
    """What the first rows of a text file tell about it."""

    delimiter: str
    decimal: str
    header: list[str]


def read_text(file: Path, text_columns: set[str]) -> pandas.DataFrame:
    """The table of a text file; numbers that stand beside blank cells are numbers, too."""
    import pandas

    with opened_text(file) as handle:
        delimiter, decimal, header = beginning(file, handle)
        types: dict[str, type] = {name: str for name in header if name.strip() in text_columns}
        frame = pandas.read_csv(handle, sep=delimiter, decimal=decimal, na_filter=False, dtype=types, low_memory=False)
    frame = tidy(frame)
    if decimal == ",":
        for name in frame.columns:
            if name not in text_columns and frame[name].dtype.kind in "OTU":
                frame[name] = frame[name].astype(str).str.replace(DECIMAL_COMMA, r"\1.\2", regex=True)
    return frame


@contextmanager
def opened_text(file: Path) -> Iterator[TextIO]:
    """A text file to read, and back to its beginning; what goes wrong meanwhile is a DataError."""
    import pandas

    expected = "a table in text with one delimiter"
    try:
        with opened_bytes(file) as content:
            encoding = encoding_of(content)
            with io.TextIOWrapper(content, encoding=encoding, newline="") as handle:
                yield handle
        return
    except UnicodeError:
        problem, fix = "bytes that are no text", "save it as text in UTF-8 (or as Parquet with the extension .parquet)"
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


def encoding_of(content: BinaryIO) -> str:
    """How bytes stand for characters, from a mark at the beginning or from all of them; then back to the start."""
    first = content.read(64)
    content.seek(0)
    marked = next((encoding for mark, encoding in MARKS.items() if first.startswith(mark)), None)
    if marked:
        return marked
    if len(first) > 3 and (first[1::2].count(0) > len(first) // 4) != (first[::2].count(0) > len(first) // 4):
        return "utf-16-le" if first[1::2].count(0) > len(first) // 4 else "utf-16-be"
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while piece := content.read(PIECE):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    finally:
        content.seek(0)
    return "utf-8"


def beginning(file: Path, handle: TextIO) -> Beginning:
    """How a text file is written, from its header and first rows, however long the header; then back to the header."""
    start, sample, more = 0, "", "more"
    records: list[list[str]] = []
    delimiters = DELIMITERS
    while more and len(records) < 2 and len(sample) < LONGEST_HEADER:
        more = handle.read(max(SAMPLE, len(sample)))
        if not sample and (named := SEPARATOR.match(more)):
            handle.seek(0)
            handle.readline()
            start, delimiters = handle.tell(), named["mark"]
            more = handle.read(SAMPLE)
        sample += more
        if "\0" in sample:
            raise UnicodeError
        by_delimiter = {delimiter: _records(sample, delimiter, cut=bool(more)) for delimiter in delimiters}
        delimiter = _delimiter(by_delimiter)
        records = by_delimiter[delimiter]
    handle.seek(start)
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

    consistent = [delimiter for delimiter in records if quality(delimiter) > (True, 1)]
    return max(consistent or records, key=lambda delimiter: quality(delimiter)[1])


def _decimal(records: list[list[str]]) -> str:
    """A comma where the first rows have decimal commas and no decimal point.

    Three digits after every comma could mean thousands, so that these are left to be refused as text.
    """
    numbers = [found for record in records for field in record if (found := DECIMAL.fullmatch(field.strip()))]
    commas = [found for found in numbers if found["mark"] == ","]
    told = any(len(found["after"]) != 3 for found in commas)
    return "," if told and len(commas) == len(numbers) else "."
