"""Errors are one line that any terminal can print."""

import pytest

from lori.errors import DataError, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größe 温度 😀 […]", "größe 温度 😀 […]"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines\r\t", r"two\nlines\r\t"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("half \udcff", r"half \udcff"),
        ("\x00\x7f\x9b", r"\x00\x7f\x9b"),
    ],
)
def test_what_would_steer_a_terminal_is_escaped(text, shown):
    assert printable(text) == shown
    error = DataError(text, expected="a", got=text, fix="b")
    assert str(error) == f"{shown}: expected a, got {shown}; b."
    assert error.what == text
