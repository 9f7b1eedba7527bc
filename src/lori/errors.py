"""Errors: what can go wrong, said in one plain sentence.

    LoriError
    ├── InputError (also a ValueError)    something given to LORI is wrong        exit code 2
    │   ├── DataError                     a table, an array or a file of choices
    │   ├── ModelFileError                a saved model
    │   └── MissingExtra                  an optional package is not installed
    └── FitError                          the computation itself failed           exit code 1

Every InputError says which argument or file, what was expected, what came, and how to mend it. No error
carries a cell of somebody's data: rows are named by number, names only where they are those of columns, files and
settings. What would move a terminal's cursor or turn its text around is shown as an escape.
"""

from __future__ import annotations

import numbers
from typing import Any


class LoriError(Exception):
    """Base of every error that LORI raises on purpose."""

    exit_code = 1


class InputError(LoriError, ValueError):
    """Something given to LORI is not what was expected.

    >>> str(InputError("levels", expected="a whole number from 1", got="0", fix="pass levels=1 or more"))
    'levels: expected a whole number from 1, got 0; pass levels=1 or more.'
    """

    exit_code = 2

    def __init__(self, what: str, *, expected: str, got: str, fix: str) -> None:
        self.what, self.expected, self.got, self.fix = what, expected, got, fix
        super().__init__(printable(f"{what}: expected {expected}, got {got}; {fix}."))

    def __reduce__(self) -> Any:  # keyword-only arguments do not survive the default pickling of exceptions
        return _rebuild, (type(self), self.what, self.expected, self.got, self.fix)


class DataError(InputError):
    """A table, an array or a file of choices is wrong."""


class ModelFileError(InputError):
    """A saved model cannot be used."""


class MissingExtra(InputError):
    """An optional package is needed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            package,
            expected=f"the optional package {package}",
            got="an installation without it",
            fix=f"install it with: pip install 'lori[{extra}]'",
        )
        self.package, self.extra = package, extra

    def __reduce__(self) -> Any:
        return type(self), (self.package, self.extra)


class FitError(LoriError):
    """A fit could not be carried out although its input was sound."""


def printable(text: str) -> str:
    """Text for a terminal: control characters, marks of direction and half characters as escapes, as Python has them.

    >>> print(printable("two\\nlines, \\x1b[31mred, \\u202eturned"))
    two\\nlines, \\x1b[31mred, \\u202eturned
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number from `least` to `most`, or the error that says so."""
    known = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    too_many = known and most is not None and value > most
    if not known or value < least or too_many:
        raise InputError(
            name,
            expected=f"a whole number from {least}" + (f" to {most}" if too_many else ""),
            got=repr(value)[:40],
            fix=f"give {most} or less" if too_many else f"give {max(least, 1)} or more",
        )
    return int(value)


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """One of the words that are allowed, or the error that lists them."""
    if value not in allowed:
        raise InputError(name, expected=" or ".join(allowed), got=repr(value), fix=f"use {name}={allowed[0]!r}")
    return value


def _rebuild(kind: type[InputError], what: str, expected: str, got: str, fix: str) -> InputError:
    return kind(what, expected=expected, got=got, fix=fix)
