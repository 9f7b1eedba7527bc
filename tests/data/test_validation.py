"""Labels as text, where each one stands, and messages that repeat none of them."""

import warnings

import numpy as np
import pandas
import pytest

from lori.data.preferences import Preferences
from lori.data.validation import as_labels, as_mapping, check_unique, look_up, name_text, names_text, rows_text


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


# -- arrays -------------------------------------------------------------------------------------------------------

LEFT, RIGHT = np.array([[1.0, 2], [3, 4], [5, 7]]), np.array([[2.0, 1], [4, 3], [0, 1]])
ODD_ARRAYS = {
    "complex": (dict(left=LEFT + 1j, right=RIGHT), "left: expected an array of numbers"),
    "dates": (dict(left=np.full((3, 2), "2020-01-01", "datetime64[D]"), right=RIGHT), "an array of numbers"),
    "beyond all numbers": (dict(left=[[10**400, 1]] * 3, right=RIGHT), "an array of numbers"),
    "huge": (dict(left=LEFT * 1e200, right=RIGHT), "left: expected numbers up to 1e+100 in size, got larger ones in"),
    "tiny": (dict(left=LEFT * 1e-200, right=RIGHT * 1e-200), "measure in smaller units"),
    "count": (dict(left=LEFT, right=RIGHT, wins=[1, 1e19, 0]), "whole numbers from 0 to 1e+15"),
    "weight": (dict(left=LEFT, right=RIGHT, weight=[1, 1, 1e200]), "no larger than 1e+12"),
    "subnormal weight": (dict(left=LEFT, right=RIGHT, weight=[1, 1, 1e-310]), "no smaller than 1e-12"),
    "one agent": (dict(left=LEFT, right=RIGHT, agent="ann"), "one entry for each of the 3 pairs"),
    "ragged agents": (dict(left=LEFT, right=RIGHT, agent=[["a"], ["a", "b"], "c"]), "rows of different lengths"),
    "agents in lists": (dict(left=LEFT, right=RIGHT, agent=np.array([["a"], None, {}], object)), "lists, records"),
    "agents in bytes": (dict(left=LEFT, right=RIGHT, agent=[b"a", b"b", b"\xff"]), "lists, records or bytes"),
    "missing agents": (dict(left=LEFT, right=RIGHT, agent=[pandas.NA, "a", "b"]), "none in row 1"),
    "features": (dict(left=LEFT, right=RIGHT, features=5), "features: expected a list of names, got int"),
}


@pytest.mark.parametrize(("arguments", "part"), ODD_ARRAYS.values(), ids=ODD_ARRAYS)
def test_odd_arrays_are_refused_in_one_sentence(arguments, part, refused):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert part in refused(Preferences.from_arrays, **arguments)


def test_a_column_may_hold_single_small_numbers():
    """Only where a whole column vanishes when squared, nothing can be learned from it."""
    tiny = np.zeros((3, 2))
    tiny[0, 0], tiny[1] = 1e-300, 1.0
    assert Preferences.from_arrays(LEFT, tiny).n_pairs == 3


def test_ragged_indices(refused):
    assert "rows of different lengths" in refused(Preferences.from_indices, LEFT, [[1], [1, 2]], [0, 1])


def test_maps_are_maps(refused):
    assert as_mapping(None, "columns") == {}
    assert as_mapping({"left": 1}, "values") == {"left": "1"}
    assert "columns: expected our names and yours, got list" in refused(as_mapping, ["a=b"], "columns")


def test_long_names_are_cut():
    assert name_text("x" * 61) == "x" * 60 + "…"
    assert names_text(["x" * 60, "y"]) == "x" * 60 + ", y"
