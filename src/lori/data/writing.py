"""Writing: how does a file come to be, whole or not at all? Any file, and tables of preferences."""

from __future__ import annotations

import gzip
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

    from lori.data.preferences import Preferences

DELIMITER_OF = {".csv": ",", ".txt": ",", ".tsv": "\t"}


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`, renamed to it when the block succeeds and removed when it fails.

    The temporary name ends like the final one, so libraries that look at extensions are content.
    """
    target = check_target(path)
    temporary = target.with_name(f".{secrets.token_hex(4)}.{target.name}")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise DataError(
            str(path),
            expected="a file that can be written",
            got=error.strerror or "a failure of the file system",
            fix="check the permissions and the free space",
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def folder(path: str | Path) -> Path:
    """The folder of this name, made if need be."""
    target = Path(path)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            str(path),
            expected="a folder, or a name for one",
            got="a file" if isinstance(error, FileExistsError) else error.strerror or "a failure of the file system",
            fix="choose another name",
        ) from None
    return target


def check_targets(targets: Sequence[str | Path | None], *, inputs: Sequence[str | Path] = ()) -> None:
    """Could these files be written, each its own, and none of them over something that is read?"""
    taken = {Path(path).resolve(): "a file that is read" for path in inputs}
    for path in targets:
        if path is not None:
            target = check_target(path)
            if target in taken:
                raise DataError(str(path), expected="a file of its own", got=taken[target], fix="choose another name")
            taken[target] = "a file that is written, too"


def check_target(path: str | Path) -> Path:
    """Could there be a file of this name? Asked before long work whose result is to go there."""
    target = Path(path).resolve()  # a link stays, what it leads to is written
    if target.is_dir():
        raise DataError(str(path), expected="the name of a file", got="a folder", fix="add a file name")
    if target.exists() and not target.is_file():
        raise DataError(str(path), expected="the name of a file", got="a device or a pipe", fix="name an ordinary file")
    if not target.parent.is_dir():
        raise DataError(
            str(path),
            expected="a name in an existing folder",
            got="a folder that does not exist",
            fix=f"create {Path(path).parent} first",
        )
    return target


def write_pairs(prefs: Preferences, path: str | Path) -> None:
    """Write one row per pair with counts, as CSV (also .tsv and .gz) or Parquet by the extension.

    The same preferences give the same bytes.
    """
    write_table(prefs.to_frame(), path)


def write_table(frame: pandas.DataFrame, path: str | Path) -> None:
    """Write a table as CSV (also .tsv and .gz) or Parquet by the extension, whole or not at all."""
    from lori.data.reading.tables import PARQUET  # not above: the command line checks targets without NumPy

    endings = [ending.lower() for ending in Path(path).suffixes]
    packed = endings[-1:] == [".gz"]
    ending = "".join(endings[:-1][-1:] if packed else endings[-1:])
    if ending not in DELIMITER_OF and (packed or ending not in PARQUET):
        raise DataError(
            str(path),
            expected="a name that ends in .csv, .tsv, .csv.gz or .parquet",
            got=f"the ending {''.join(endings[-2:]) or 'none'}",
            fix="choose one of these endings",
        )
    with writing(path) as temporary:
        if ending in PARQUET:
            frame.to_parquet(temporary, index=False)
        elif packed:
            with open(temporary, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packing:
                frame.to_csv(packing, index=False, sep=DELIMITER_OF[ending])
        else:
            frame.to_csv(temporary, index=False, sep=DELIMITER_OF[ending])
