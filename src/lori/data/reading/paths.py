"""Paths: which files are meant, and can they be read? Ordinary files, pipes, and "-" for standard input."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lori.errors import DataError

STANDARD_INPUT = "-"


def as_paths(given: str | Path | Iterable[str | Path]) -> list[str]:
    """The names of one file or several, as they were written."""
    paths = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not all(isinstance(path, str | Path) for path in paths):
        raise DataError("files", expected="names of files", got="something else", fix="give text or a pathlib.Path")
    return [str(path) for path in paths]


def as_sources(given: Any) -> list[Any]:
    """Files by their names, and tables that somebody has in memory, one or several."""
    parts = list(given) if isinstance(given, list | tuple) else [given]
    return [part if hasattr(part, "columns") else as_paths([part])[0] for part in parts]


def check_file(path: str | Path) -> int:
    """The mode of a file that can be read: an ordinary one, a pipe or a terminal."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        problem = "a path that does not exist"
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


def opened_bytes(file: Path) -> Any:
    """The unpacked bytes of a file; what cannot be wound back is taken into memory."""
    packed = file.suffix.lower() == ".gz"
    if str(file) == STANDARD_INPUT:
        return io.BytesIO(sys.stdin.buffer.read())
    if stat.S_ISREG(check_file(file)):
        return gzip.open(file) if packed else open(file, "rb")
    content = io.BytesIO(file.read_bytes())
    return gzip.open(content) if packed else content
