"""Writing: how does a file come to be, whole or not at all? Any file, and tables of preferences and choices."""

from __future__ import annotations

import errno
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

    from lori.data.choices import Choices
    from lori.data.preferences import Preferences

LONGEST_NAME = 255  # bytes, on nearly every file system
DELIMITER_OF = {".csv": ",", ".txt": ",", ".tsv": "\t"}


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`, renamed to it when the block succeeds and removed when it fails.

    The temporary name ends like the final one, so libraries that look at extensions are content. What was written is
    on the disk before it gets its name, and the name is when the block is left: a power failure loses neither.
    """
    target = check_target(path)
    ending = "".join(target.suffixes[-2:])
    temporary = target.with_name(f".{secrets.token_hex(4)}{ending if len(os.fsencode(ending)) < 40 else ''}")
    try:
        yield temporary
        _to_disk(temporary)
        os.replace(temporary, target)
        _to_disk(target.parent)
    except OSError as error:
        raise DataError(
            str(path),
            expected="a file that can be written",
            got=error.strerror or "a failure of the file system",
            fix="check the permissions and the free space",
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Have the system write out what it still holds of a file or, where it can, of a folder."""
    try:
        number = os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder, on some systems
        return
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):  # a file system that knows no such thing
            raise
    finally:
        os.close(number)


def folder(path: str | Path) -> Path:
    """The folder of this name, made if need be."""
    target = Path(path)
    try:
        target.mkdir(parents=True, exist_ok=True)
        return target
    except FileExistsError:
        got = "a file"
    except OSError as error:
        got = error.strerror or "a failure of the file system"
    except ValueError:
        got = "a character that no name can have"
    raise DataError(str(path), expected="a folder, or a name for one", got=got, fix="choose another name") from None


def check_targets(
    targets: Sequence[str | Path | None], *, inputs: Sequence[str | Path] = (), overwrite: bool = True
) -> None:
    """Could these files be written, each its own, and none of them over something that is read?

    A saved model is replaced only where that was asked for (`overwrite`).
    """
    taken = {Path(os.path.realpath(path)): "a file that is read" for path in inputs}
    read = [path for path in taken if path.is_file()]
    for path in targets:
        if path is None:
            continue
        target = check_target(path)
        got = taken.get(target)
        if got is None and target.exists() and any(target.samefile(each) for each in read):  # by another link
            got = "a file that is read"
        if got is None and any(target.is_relative_to(each) for each in taken if each.is_dir()):
            got = "a file in a folder that is read"
        if got is not None:
            raise DataError(str(path), expected="a file of its own", got=got, fix="choose another name")
        if not overwrite and _is_model(target):
            raise DataError(
                str(path), expected="a new file", got="a model that was saved before",
                fix="choose another name, or add --overwrite to replace it",
            )  # fmt: skip
        taken[target] = "a file that is written, too"


def _is_model(path: Path) -> bool:
    """Was this file written by `LORI.save` and its like? Told by its first bytes."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return b'"lori-model"' in file.read(1000)


def check_target(path: str | Path) -> Path:
    """Could there be a file of this name? Asked before long work whose result is to go there."""
    try:
        target = Path(os.path.realpath(path))  # a link stays, what it leads to is written
        target.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # a new file, if there is a folder for it
    except (OSError, ValueError) as error:
        raise DataError(
            str(path),
            expected="a name that a file can have",
            got=getattr(error, "strerror", None) or "a character that no name can have",
            fix="choose another name",
        ) from None
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
    size = len(os.fsencode(target.name))
    if size > LONGEST_NAME:
        raise DataError(
            str(path), expected=f"a file name of at most {LONGEST_NAME} bytes", got=f"{size:,}", fix="shorten it"
        )
    if not os.access(target.parent, os.W_OK):
        raise DataError(
            str(path), expected="a folder that can be written", got="one that cannot", fix="check the permissions"
        )
    return target


def write_pairs(prefs: Preferences, path: str | Path) -> None:
    """Write one row per pair with counts, as CSV (also .tsv and .gz) or Parquet by the extension.

    The same preferences give the same bytes.
    """
    write_table(prefs.to_frame(), path)


def write_choices(choices: Choices, path: str | Path) -> None:
    """Write one row per alternative of each set, as CSV (also .tsv and .gz) or Parquet by the extension.

    `read_choices` reads it again, with ties="observed" where there are ties.
    """
    write_table(choices.to_frame(), path)


def write_table(frame: pandas.DataFrame, path: str | Path) -> None:
    """Write a table as CSV (also .tsv and .gz) or Parquet by the extension, whole or not at all."""
    from lori.data.reading.files import PARQUET  # not above: the command line checks targets without NumPy

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
