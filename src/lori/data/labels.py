"""Who is who? Labels of people, items and sets as text, and where each one stands.

Labels may identify a person, so no message repeats one: they are named by how many there are and by row.
"""

from __future__ import annotations

import numpy as np

from lori.data.validation import rows_text
from lori.errors import DataError


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
