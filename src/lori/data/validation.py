"""Validation: is what was given sound, and if not, how do we say so without showing anybody's data?

Every check of observed numbers and labels lives here, for arrays and files alike: `what` names the argument, or the
file and the column. Rows are named by their number, counted from one. Labels may identify a person, so no message
repeats one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.errors import DataError

if TYPE_CHECKING:
    from lori.data.preferences import Preferences

LARGEST = 1e100  # squares of larger features overflow
COUNTS = {"wins": "left_wins", "losses": "right_wins", "ties": "ties"}
"""The counts of Preferences, and what their columns are called in files."""


def rows_text(bad: np.ndarray) -> str:
    """The rows of a mask in words.

    >>> rows_text(np.array([False, True])), rows_text(np.ones(5, dtype=bool))
    ('row 2', 'rows 1, 2, 3 and 2 more')
    """
    numbers = np.flatnonzero(bad) + 1
    shown = ", ".join(str(number) for number in numbers[:3])
    more = f" and {len(numbers) - 3} more" if len(numbers) > 3 else ""
    return f"{'row' if len(numbers) == 1 else 'rows'} {shown}{more}"


def names_text(names: Iterable[object], at_most: int = 12) -> str:
    """Column names, features or other settings in words: the first ones, then how many more there are."""
    listed = [str(name) for name in names]
    more = f" and {len(listed) - at_most} more" if len(listed) > at_most else ""
    return (", ".join(listed[:at_most]) or "none") + more


def as_numbers(values: object, what: str) -> np.ndarray:
    """The values as a float64 array, or a DataError where they are not numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            what,
            expected="an array of numbers",
            got="something else, or rows of different lengths",
            fix="pass a numeric array",
        ) from None


def as_table(values: object, what: str) -> np.ndarray:
    """The values as a (rows, features) array of finite numbers."""
    table = as_numbers(values, what)
    if table.ndim != 2:
        raise DataError(
            what,
            expected="an array of two dimensions (rows, features)",
            got=f"an array of shape {table.shape}",
            fix="write a single alternative as [[...]], a single feature as array[:, None]",
        )
    if table.shape[1] == 0:
        raise DataError(what, expected="at least one feature", got="none", fix="add a feature column")
    check_finite(table, what)
    if table.size and max(table.max(), -table.min()) > LARGEST:
        raise DataError(
            what,
            expected=f"numbers up to {LARGEST:g} in size",
            got="larger ones",
            fix="measure the features in larger units",
        )
    return table


def check_finite(
    values: np.ndarray,
    what: str,
    *,
    instead: str = "NaN or infinity",
    fix: str = "correct or remove these rows",
) -> None:
    """Features are finite numbers; `instead` says what else could have been there."""
    finite = np.isfinite(values)
    if not finite.all():
        bad = ~(finite if values.ndim == 1 else finite.all(axis=1))
        raise DataError(
            what,
            expected="a finite number in every row",
            got=f"{instead} in {rows_text(bad)}",
            fix=fix,
        )


def check_counts(values: np.ndarray, what: str) -> None:
    """Counts are whole numbers from zero (NaN and infinity fail both comparisons)."""
    with np.errstate(invalid="ignore"):
        bad = ~((values >= 0) & (values == np.floor(values)) & np.isfinite(values))
    if bad.any():
        raise DataError(
            what,
            expected="whole numbers from 0",
            got=f"something else in {rows_text(bad if bad.ndim == 1 else bad.any(axis=1))}",
            fix="give counts such as 0, 1 or 20; fractions belong in weight",
        )


def check_weights(values: np.ndarray, what: str) -> None:
    """Weights are finite and not negative."""
    bad = ~((values >= 0) & np.isfinite(values))
    if bad.any():
        raise DataError(
            what,
            expected="finite numbers from 0",
            got=f"something else in {rows_text(bad)}",
            fix="correct these weights or leave them out (each pair then weighs 1)",
        )
    if len(values) and not values.any():
        raise DataError(
            what, expected="some weight above 0", got="zeros only", fix="leave the weights out, or correct them"
        )


def check_indices(indices: np.ndarray, alternatives: int, what: str) -> None:
    """Indices point into the alternatives."""
    bad = (indices < 0) | (indices >= alternatives)
    if bad.any():
        raise DataError(
            what,
            expected=f"indices from 0 to {alternatives - 1}",
            got=f"others in {rows_text(bad)}",
            fix="point every pair at a row of alternatives",
        )


def check_distinct(left: np.ndarray, right: np.ndarray, what: str) -> None:
    """Nobody compares an alternative with itself."""
    same = left == right
    if same.any():
        raise DataError(
            what,
            expected="two different alternatives in every pair",
            got=f"an alternative compared with itself in {rows_text(same)}",
            fix="remove these rows",
        )


def check_length(values: np.ndarray, pairs: int, what: str) -> None:
    """One entry for each pair."""
    if values.shape != (pairs,):
        raise DataError(
            what,
            expected=f"one entry for each of the {pairs} pairs",
            got=f"an array of shape {values.shape}",
            fix="make the lengths equal",
        )


def feature_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """The names of the features, x1, x2, … where none are given; unique and not empty."""
    if names is None:
        return tuple(f"x{number}" for number in range(1, count + 1))
    checked = (names,) if isinstance(names, str) else tuple(str(name) for name in names)
    repeated = sorted({name for name in checked if checked.count(name) > 1})
    if len(checked) != count:
        problem = f"{len(checked)} names"
    elif not all(name.strip() for name in checked):
        problem = "an empty name"
    elif repeated:
        problem = f"a repeated name ({names_text(repeated, 3)})"
    else:
        return checked
    raise DataError(
        "features",
        expected=f"{count} different, non-empty names, one for each feature column",
        got=problem,
        fix="correct the names",
    )


def chosen_features(wanted: Sequence[str]) -> tuple[str, ...]:
    """The features somebody asks for: at least one, each once; a single name may come without a list."""
    names = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if not names:
        raise DataError("features", expected="at least one feature", got="none", fix="name a feature")
    return feature_names(names, len(names))


def as_labels(values: object, what: str) -> np.ndarray:
    """The values as an array of stripped text; whole numbers lose their '.0', so 7, 7.0 and '7.0' agree."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        missing = np.isnan(array)
    elif array.dtype.kind == "O":
        missing = np.array([value is None or value != value for value in array.ravel()], dtype=bool)
        missing = missing.reshape(array.shape)
    else:
        missing = np.zeros(array.shape, dtype=bool)
    if not missing.any():
        array = _without_zero_fraction(np.strings.strip(array.astype(str)))
        missing = array == ""
    if missing.any():
        raise DataError(
            what,
            expected="a label in every row",
            got=f"none in {rows_text(missing)}",
            fix="fill in the labels or remove these rows",
        )
    return array


def look_up(known: np.ndarray, wanted: np.ndarray, what: str, where: str) -> np.ndarray:
    """The position of each wanted label among the known ones; `where` says whose labels are known."""
    order = np.argsort(known, kind="stable")
    place = np.searchsorted(known, wanted, sorter=order)
    position = order[np.minimum(place, len(known) - 1)]
    unknown = known[position] != wanted
    if unknown.any():
        count = len(np.unique(wanted[unknown]))
        raise DataError(
            what,
            expected=f"ids that exist in {where}",
            got=f"{count} unknown {'id' if count == 1 else 'ids'} in {rows_text(unknown)}",
            fix=f"correct these rows or add the missing entries to {where}",
        )
    return position


def check_unique(labels: np.ndarray, what: str) -> None:
    """Every label occurs once."""
    order = np.argsort(labels, kind="stable")
    repeated = np.zeros(len(labels), dtype=bool)
    repeated[order[1:]] = labels[order][1:] == labels[order][:-1]
    if repeated.any():
        raise DataError(
            what,
            expected="every id once",
            got=f"ids that occurred before in {rows_text(repeated)}",
            fix="remove the repeated rows or give them ids of their own",
        )


def _without_zero_fraction(labels: np.ndarray) -> np.ndarray:
    """Drop '.0' where every label is a whole number written that way, as tables often store ids."""
    if labels.size and np.strings.endswith(labels, ".0").all():
        whole = np.strings.replace(labels, ".0", "", 1)
        if np.strings.isdigit(whole).all():
            return whole
    return labels


def checked_fields(given: Preferences) -> dict[str, Any]:
    """Every field brought into its form, or a DataError that says what is wrong with one."""
    alternatives = as_table(given.alternatives, "alternatives")
    left, right = _as_indices(given.left, "left"), _as_indices(given.right, "right")
    pairs = len(left)
    if pairs == 0:
        raise DataError("left", expected="at least one pair", got="none", fix="add a comparison")
    check_length(right, pairs, "right")
    check_indices(left, len(alternatives), "left")
    check_indices(right, len(alternatives), "right")
    check_distinct(left, right, "left and right")
    checked: dict[str, Any] = {
        "alternatives": alternatives,
        "left": left,
        "right": right,
        "features": feature_names(given.features, alternatives.shape[1]),
        **_checked_counts(given, pairs),
    }
    if given.agent is not None:
        checked["agent"] = as_labels(given.agent, "agent")
        check_length(checked["agent"], pairs, "agent")
    if given.weight is not None:
        checked["weight"] = as_numbers(given.weight, "weight")
        check_length(checked["weight"], pairs, "weight")
        check_weights(checked["weight"], "weight")
    return checked


def known_counts(pairs: int, wins: Any, losses: Any, ties: Any, counts: Any) -> dict[str, Any]:
    """Wins, losses and ties, given one by one or as a table whose columns are left preferred, tie, right preferred.

    Without any, left was preferred once in each pair; of several, the ones left out are zero.
    """
    given = {"wins": wins, "losses": losses, "ties": ties}
    named = [name for name, values in given.items() if values is not None]
    if counts is None:
        if not named:
            given["wins"] = np.ones(pairs)
        return {name: np.zeros(pairs) if values is None else values for name, values in given.items()}
    table = as_numbers(counts, "counts")
    if named or table.shape != (pairs, len(COUNTS)):
        raise DataError(
            "counts",
            expected=f"shape ({pairs}, 3), with columns for left preferred, tie and right preferred",
            got=f"{names_text(named)} as well" if named else f"shape {table.shape}",
            fix="leave one of the two out" if named else "give one row for each pair",
        )
    check_counts(table, "counts")
    left, tie, right = np.ascontiguousarray(table.T)
    return {"wins": left, "losses": right, "ties": tie}


def _checked_counts(given: Preferences, pairs: int) -> dict[str, np.ndarray]:
    counts = {name: as_numbers(getattr(given, name), name) for name in COUNTS}
    for name, values in counts.items():
        check_length(values, pairs, name)
        check_counts(values, name)
    if not any(values.any() for values in counts.values()):
        raise DataError(
            "wins, losses and ties",
            expected="at least one comparison in total",
            got="only zeros",
            fix="give the times each side was preferred",
        )
    return counts


def _as_indices(values: object, what: str) -> np.ndarray:
    indices = np.asarray(values)
    if indices.size == 0:
        indices = indices.astype(np.int64)  # an empty list has no type of its own
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise DataError(
            what,
            expected="a one-dimensional array of whole numbers that point at alternatives",
            got=f"an array of shape {indices.shape} and type {indices.dtype}",
            fix="pass indices, or use Preferences.from_arrays with the features of both sides",
        )
    return indices.astype(np.int64, copy=False)
