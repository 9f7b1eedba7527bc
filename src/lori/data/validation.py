"""Is what was given sound, and if not, how do we say so without showing anybody's data?

Every check of observed numbers lives here, for arrays and files alike: `what` names the argument, or the file
and the column, and rows are named by their number, counted from one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lori.errors import DataError

LARGEST = 1e100  # squares of larger features overflow


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
            got=f"something else in {rows_text(bad)}",
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
