"""Validation: is what was given sound, and if not, how do we say so without showing anybody's data?

Every check of observed numbers and labels lives here, for arrays and files alike: `what` names the argument, or the
file and the column. Rows are named by their number, counted from one. Labels may identify a person, so no message
repeats one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from lori.errors import DataError

LARGEST = 1e100  # squares of larger features overflow
MOST = 1e15  # counts are floating-point numbers, which are exact somewhat beyond that
WEIGHTS = 1e-12, 1e12  # beyond that one pair drowns all others, or is drowned
LONGEST_LABEL = 1_000  # characters; arrays of text take as much room for every label as for the longest
ROW_NUMBERS = re.compile(r"|Unnamed: \d+|__index_level_\d+__")  # what columns of row numbers are called
LONGEST_NAME = 60  # characters of a column's name that a message shows
COUNTS = {"wins": "left_wins", "losses": "right_wins", "ties": "ties"}
"""The counts of Preferences, and what their columns are called in files."""


Rows = Callable[[np.ndarray], str]
"""How a message names the rows of a mask."""


def rows_text(bad: np.ndarray, numbers: np.ndarray | None = None) -> str:
    """The rows of a mask in words; `numbers` are their own, where they are not counted from 1.

    >>> rows_text(np.array([False, True])), rows_text(np.ones(5, dtype=bool))
    ('row 2', 'rows 1, 2, 3 and 2 more')
    """
    numbers = np.flatnonzero(bad) + 1 if numbers is None else numbers[bad]
    shown = ", ".join(str(number) for number in numbers[:3])
    more = f" and {len(numbers) - 3} more" if len(numbers) > 3 else ""
    return f"{'row' if len(numbers) == 1 else 'rows'} {shown}{more}"


def names_text(names: Iterable[object], at_most: int = 12) -> str:
    """Column names, features or other settings in words: the first ones, then how many more there are."""
    listed = [name_text(name) for name in names]
    more = f" and {len(listed) - at_most} more" if len(listed) > at_most else ""
    return (", ".join(listed[:at_most]) or "none") + more


def name_text(name: object) -> str:
    """A name in a message, the beginning of a long one."""
    text = str(name)
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}…"


def as_numbers(values: object, what: str) -> np.ndarray:
    """The values as a float64 array, or a DataError where they are not numbers."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "cmM":  # NumPy would drop the imaginary part, and count days
            raise TypeError
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
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
    check_size(table, what)
    return table


def check_finite(
    values: np.ndarray,
    what: str,
    *,
    instead: str = "NaN or infinity",
    fix: str = "correct or remove these rows",
    rows: Rows = rows_text,
) -> None:
    """Features are finite numbers; `instead` says what else could have been there."""
    finite = np.isfinite(values)
    if not finite.all():
        bad = ~(finite if values.ndim == 1 else finite.all(axis=1))
        raise DataError(
            what,
            expected="a finite number in every row",
            got=f"{instead} in {rows(bad)}",
            fix=fix,
        )


def check_size(values: np.ndarray, what: str, rows: Rows = rows_text) -> None:
    """Squares of these numbers neither overflow nor, in a whole column, vanish."""
    if not values.size:
        return
    table = values.reshape(len(values), -1)
    if max(table.max(), -table.min()) > LARGEST:
        raise DataError(
            what,
            expected=f"numbers up to {LARGEST:g} in size",
            got=f"larger ones in {rows((np.abs(table) > LARGEST).any(axis=1))}",
            fix="correct these rows or measure in larger units",
        )
    small = np.abs(table[:100]).max(axis=0) < 1 / LARGEST  # most columns show at once that they are not
    if any(0 < np.abs(table[:, column]).max() < 1 / LARGEST for column in np.flatnonzero(small)):
        raise DataError(
            what,
            expected=f"some numbers above {1 / LARGEST:g} in size in every column that is not zero",
            got="smaller ones only",
            fix="measure in smaller units",
        )


def check_single(values: np.ndarray, what: str) -> None:
    """Every cell is one value: text, a number or nothing, but neither a list nor bytes."""
    kinds = set(map(type, values.ravel())) if values.dtype.kind == "O" else {values.dtype.type}
    if any(issubclass(kind, list | tuple | dict | set | np.ndarray | bytes | np.void) for kind in kinds):
        raise DataError(
            what,
            expected="one number or text in every row",
            got="lists, records or bytes",
            fix="give each of their values a column of its own, and bytes as text",
        )


def check_counts(values: np.ndarray, what: str, rows: Rows = rows_text) -> None:
    """Counts are whole numbers from zero (NaN and infinity fail the comparisons)."""
    with np.errstate(invalid="ignore"):
        bad = ~((values >= 0) & (values == np.floor(values)) & (values <= MOST))
    if bad.any():
        raise DataError(
            what,
            expected=f"whole numbers from 0 to {MOST:g}",
            got=f"something else in {rows(bad if bad.ndim == 1 else bad.any(axis=1))}",
            fix="give counts such as 0, 1 or 20; fractions belong in weight",
        )


def check_weights(values: np.ndarray, what: str, rows: Rows = rows_text) -> None:
    """Weights are finite and not negative, and neither vanish nor overflow in a product."""
    least, most = WEIGHTS
    bad = ~((values == 0) | ((values >= least) & (values <= most)))
    if bad.any():
        raise DataError(
            what,
            expected=f"finite numbers from 0, no larger than {most:g} and, but for 0, no smaller than {least:g}",
            got=f"something else in {rows(bad)}",
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


def check_length(values: np.ndarray, count: int, what: str, *, of: str = "pairs") -> None:
    """One entry for each pair, or of whatever else there are so many."""
    if values.shape != (count,):
        raise DataError(
            what,
            expected=f"one entry for each of the {count} {of}",
            got=f"an array of shape {values.shape}",
            fix="make the lengths equal",
        )


def feature_names(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """The names of the features, x1, x2, … where none are given; unique and not empty."""
    if names is None:
        return tuple(f"x{number}" for number in range(1, count + 1))
    checked = _as_names(names)
    repeated = sorted(name for name, times in Counter(checked).items() if times > 1)
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


def _as_names(given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, Iterable):
        return (given,) if isinstance(given, str) else tuple(str(name) for name in given)
    raise DataError("features", expected="a list of names", got=type(given).__name__, fix="write features=['price']")


def as_mapping(given: Mapping[str, str] | None, what: str) -> dict[str, str]:
    """Our words and somebody else's for them, none where nothing is given."""
    if given is None or isinstance(given, Mapping):
        return {str(ours): str(theirs) for ours, theirs in (given or {}).items()}
    raise DataError(
        what, expected="our names and yours", got=type(given).__name__, fix=f"write {what}={{'ours': 'yours'}}"
    )


def as_lists(given: Mapping[str, object] | None, what: str) -> dict[str, list[object]]:
    """Values for each of some names, a single one also without a list; none where nothing is given."""
    if given is not None and not isinstance(given, Mapping):
        raise DataError(
            what, expected="names and values", got=type(given).__name__, fix=f"write {what}={{'name': [1, 2]}}"
        )
    return {
        str(name): list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
        for name, values in (given or {}).items()
    }


def chosen_features(wanted: Sequence[str]) -> tuple[str, ...]:
    """The features somebody asks for: at least one, each once; a single name may come without a list."""
    names = _as_names(wanted)
    if not names:
        raise DataError("features", expected="at least one feature", got="none", fix="name a feature")
    return feature_names(names, len(names))


def places_of(names: Sequence[str], features: Sequence[str]) -> list[int]:
    """Where each of the names is among the features; a DataError if some are not."""
    missing = [name for name in names if name not in features]
    if missing:
        raise DataError(
            "features",
            expected=f"some of {names_text(features)}",
            got=names_text(missing),
            fix="choose among the features there are",
        )
    return [list(features).index(name) for name in names]


def check_columns(features: Sequence[str], roles: Sequence[str]) -> None:
    """Features that can be columns beside those with a role, and be found again under their names."""
    lost = [name for name in features if name in roles or name != name.strip() or ROW_NUMBERS.fullmatch(name)]
    if lost:
        raise DataError(
            "features",
            expected="names that can head a column",
            got=names_text(lost, 3),
            fix=f"give them other names: {names_text(roles)} have a meaning, and names have no spaces around them",
        )


def as_labels(values: object, what: str, rows: Rows = rows_text) -> np.ndarray:
    """The values as an array of stripped text; whole numbers lose their '.0', so 7, 7.0 and '7.0' agree."""
    array = np.atleast_1d(as_array(values, what))
    check_single(array, what)
    if array.dtype.kind == "f":
        missing = np.isnan(array)
    elif array.dtype.kind == "O":
        import pandas

        missing = pandas.isna(array)
        _check_lengths(array, what)
    else:
        missing = np.zeros(array.shape, dtype=bool)
    if not missing.any():
        array = _without_zero_fraction(np.strings.strip(array.astype(str)))
        missing = array == ""
    if missing.any():
        raise DataError(
            what,
            expected="a label in every row",
            got=f"none in {rows(missing)}",
            fix="fill in the labels or remove these rows",
        )
    return array


def as_array(values: object, what: str) -> np.ndarray:
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        raise DataError(
            what, expected="one value for each row", got="rows of different lengths", fix="pass a plain array"
        ) from None


def _check_lengths(labels: np.ndarray, what: str) -> None:
    """No label is so long that an array of them would not fit into memory."""
    if max(map(len, map(str, labels.ravel())), default=0) > LONGEST_LABEL:
        raise DataError(
            what,
            expected=f"labels of at most {LONGEST_LABEL} characters",
            got="a longer one",
            fix="use a short name or number instead",
        )


def look_up(known: np.ndarray, wanted: np.ndarray, what: str, where: str, rows: Rows = rows_text) -> np.ndarray:
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
            got=f"{count} unknown {'id' if count == 1 else 'ids'} in {rows(unknown)}",
            fix=f"correct these rows or add the missing entries to {where}",
        )
    return position


def check_unique(labels: np.ndarray, what: str, rows: Rows = rows_text) -> None:
    """Every label occurs once."""
    order = np.argsort(labels, kind="stable")
    repeated = np.zeros(len(labels), dtype=bool)
    repeated[order[1:]] = labels[order][1:] == labels[order][:-1]
    if repeated.any():
        raise DataError(
            what,
            expected="every id once",
            got=f"ids that occurred before in {rows(repeated)}",
            fix="remove the repeated rows or give them ids of their own",
        )


def _without_zero_fraction(labels: np.ndarray) -> np.ndarray:
    """Drop '.0' where every label is a whole number written that way, as tables often store ids."""
    if labels.size and np.strings.endswith(labels, ".0").all():
        whole = np.strings.replace(labels, ".0", "", 1)
        if np.strings.isdigit(whole).all():
            return whole
    return labels
