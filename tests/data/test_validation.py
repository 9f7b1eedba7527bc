"""Labels as text, where each one stands, and messages that repeat none of them."""

import numpy as np
import pytest

from lori.data.validation import as_labels, check_unique, look_up, names_text, rows_text


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        ([7, 8], ["7", "8"]),
        ([7.0, 8.0], ["7", "8"]),
        (["7.0", "8.0"], ["7", "8"]),
        (["007", " b "], ["007", "b"]),
        (["1.0", "x.0"], ["1.0", "x.0"]),
        ([1.5, 2.0], ["1.5", "2.0"]),
        (np.array(["a", 1], dtype=object), ["a", "1"]),
    ],
)
def test_labels_are_text_without_the_fractions_that_tables_add(given, labels):
    assert as_labels(given, "agent").tolist() == labels


@pytest.mark.parametrize("given", [["a", None], ["a", " "], [1.0, np.nan], np.array(["a", np.nan], dtype=object)])
def test_a_missing_label_is_named_by_its_row(given, refused):
    assert "agent: expected a label in every row, got none in row 2" in refused(as_labels, given, "agent")


def test_labels_are_looked_up_and_unknown_ones_only_counted(refused):
    known = np.array(["b", "c", "a"])
    assert look_up(known, np.array(["a", "b", "a"]), "winner", "the items").tolist() == [2, 0, 2]
    message = refused(look_up, known, np.array(["a", "secret", "x"]), "winner", "the items", secret="secret")
    assert "2 unknown ids in rows 2, 3" in message


def test_repeated_labels_are_named_by_row(refused):
    check_unique(np.array(["a", "b"]), "ids")
    message = refused(check_unique, np.array(["secret", "b", "secret"]), "ids", secret="secret")
    assert "occurred before in row 3" in message


def test_long_lists_are_cut():
    assert rows_text(np.ones(5, dtype=bool)) == "rows 1, 2, 3 and 2 more"
    assert names_text("abc", 2) == "a, b and 1 more"
    assert names_text([]) == "none"
