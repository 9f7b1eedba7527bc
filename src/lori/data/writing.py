"""How does a file come to be, whole or not at all?"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lori.errors import DataError


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
