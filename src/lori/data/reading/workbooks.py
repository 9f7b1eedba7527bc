"""Workbooks and R's data: which table of the file is meant, and what does it hold?

`survey.xlsx#Answers` is the sheet Answers of a workbook, `study.RData#trips` the table trips of a saved workspace.
"""

from __future__ import annotations

import re
import stat
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lori.data.reading.headers import check_header, tidy
from lori.data.reading.paths import check_file
from lori.data.validation import names_text
from lori.errors import DataError, MissingExtra

if TYPE_CHECKING:
    import pandas

WORKBOOKS = (".xlsx", ".xlsm")
R_DATA = (".rds", ".rda", ".rdata")
NAMED = re.compile(r"(?P<file>.*\.(xlsx|xlsm|rds|rda|rdata))#(?P<sheet>[^#]+)", re.IGNORECASE)


def without_sheet(path: str | Path) -> tuple[Path, str | None]:
    """The file, and the table within it that is named behind a number sign."""
    found = NAMED.fullmatch(str(path))
    return (Path(found["file"]), found["sheet"].strip()) if found else (Path(path), None)


def read_workbook(file: Path, sheet: str | None, text_columns: set[str]) -> pandas.DataFrame:
    """A sheet of an Excel workbook, the first one where none is named: a header and rows, without empty ones.

    What a formula gave when the workbook was saved is its value. Whole numbers in `text_columns` are labels.
    """
    rows = _rows_of(file, sheet)
    while rows and not any(_full(cell) for cell in rows[0]):
        rows.pop(0)
    if not rows:
        raise DataError(
            str(file), expected="a header and rows", got="an empty sheet", fix="add the data, or name a sheet"
        )
    width = max((place + 1 for row in rows for place, cell in enumerate(row) if _full(cell)), default=0)
    rows = [(*row[:width], *(None,) * (width - len(row))) for row in rows]
    header = [str(cell).strip() if _full(cell) else "" for cell in rows[0]]
    kept = [row for row in rows[1:] if any(map(_full, row))]
    check_header(file, header, kept[:20])
    import pandas

    columns: dict[str, Any] = {}
    for place, name in enumerate(header):
        cells = [row[place] for row in kept]
        if not name:
            if any(_full(cell) for cell in cells) and place > 0:
                raise DataError(
                    str(file), expected="a name above every column", got=f"none above column {place + 1}",
                    fix="name the column in the first row, or empty it",
                )  # fmt: skip
            continue
        columns[name] = [_label(cell) for cell in cells] if name in text_columns else _values(cells)
    return tidy(pandas.DataFrame(columns))


def _rows_of(file: Path, sheet: str | None) -> list[tuple[Any, ...]]:
    import openpyxl

    if not stat.S_ISREG(check_file(file)):
        raise DataError(str(file), expected="an Excel workbook", got="a pipe", fix="write it to a file first")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception:  # of a damaged or foreign file openpyxl raises nearly everything
        fix = "save it again from Excel as .xlsx"
        got = "something else, or a damaged file"
        if not zipfile.is_zipfile(file):
            got, fix = "another kind of file, or one with a password", "save it from Excel as .xlsx without a password"
        raise DataError(str(file), expected="an Excel workbook", got=got, fix=fix) from None
    try:
        names = [own.title for own in book.worksheets]
        if sheet is not None and sheet not in names:
            raise DataError(
                str(file), expected=f"a sheet called {sheet}", got=f"the sheets {names_text(names)}",
                fix="name one of these behind a number sign, as in survey.xlsx#Answers",
            )  # fmt: skip
        if not names:
            raise DataError(str(file), expected="a sheet with a table", got="none", fix="add the data")
        own = book[sheet] if sheet is not None else book.worksheets[0]
        own.reset_dimensions()  # some programs write wrong ones
        return list(own.iter_rows(values_only=True))
    except DataError:
        raise
    except Exception:
        raise DataError(
            str(file), expected="an Excel workbook", got="a damaged sheet", fix="save it again from Excel"
        ) from None
    finally:
        book.close()


def _full(cell: Any) -> bool:
    return cell is not None and str(cell).strip() != ""


def _label(cell: Any) -> str:
    """Text as a spreadsheet shows it: 7, not 7.0."""
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _values(cells: list[Any]) -> Any:
    """Numbers where all are; otherwise as they are, nothing where a cell is empty."""
    import pandas

    numbers = [isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells]
    if all(numbers):
        return cells
    filled = ["" if not _full(cell) else cell for cell in cells]
    if any(numbers) and all(number or cell == "" for number, cell in zip(numbers, filled, strict=True)):
        return pandas.to_numeric(pandas.Series([None if cell == "" else cell for cell in filled]))
    return pandas.Series([cell.strip() if isinstance(cell, str) else cell for cell in filled], dtype=object)


def read_r_data(file: Path, wanted: str | None) -> pandas.DataFrame:
    """A data frame that R saved; factors are their labels."""
    try:
        import rdata
    except ImportError:
        raise MissingExtra("rdata", "r") from None
    import warnings

    import pandas

    if not stat.S_ISREG(check_file(file)):
        raise DataError(str(file), expected="a file of R", got="a pipe", fix="write it to a file first")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about classes of R that it does not know
            content = rdata.read_rds(file) if file.suffix.lower() == ".rds" else rdata.read_rda(file)
    except Exception:  # of a damaged or foreign file it raises nearly everything
        raise DataError(
            str(file), expected="a file that R saved", got="something else, or a damaged file",
            fix="save it again with saveRDS(table, file), or as CSV with write.csv",
        ) from None  # fmt: skip
    tables = content if isinstance(content, dict) else {wanted or "": content}
    found = {str(name): own for name, own in tables.items() if isinstance(own, pandas.DataFrame)}
    if wanted not in found if wanted is not None else len(found) != 1:
        raise DataError(
            str(file), expected="one data frame" if wanted is None else f"a data frame called {wanted}",
            got=f"the data frames {names_text(found)}", fix="name one behind a number sign, as in study.RData#trips",
        )  # fmt: skip
    frame = found[wanted] if wanted is not None else next(iter(found.values()))
    check_header(file, [str(name) for name in frame.columns])
    frame = frame.reset_index(drop=True)
    for name in frame.columns:
        if isinstance(frame[name].dtype, pandas.CategoricalDtype):
            frame[name] = frame[name].astype(object)
    return tidy(frame)
