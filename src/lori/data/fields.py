"""What form does each field of Preferences have? The one door through which observations come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lori.data import validation as check
from lori.data.labels import as_labels
from lori.errors import DataError

if TYPE_CHECKING:
    from lori.data.preferences import Preferences

COUNTS = ("wins", "losses", "ties")


def checked_fields(given: Preferences) -> dict[str, Any]:
    """Every field brought into its form, or a DataError that says what is wrong with one."""
    alternatives = check.as_table(given.alternatives, "alternatives")
    left, right = _as_indices(given.left, "left"), _as_indices(given.right, "right")
    pairs = len(left)
    if pairs == 0:
        raise DataError("left", expected="at least one pair", got="none", fix="add a comparison")
    check.check_length(right, pairs, "right")
    check.check_indices(left, len(alternatives), "left")
    check.check_indices(right, len(alternatives), "right")
    check.check_distinct(left, right, "left and right")
    checked: dict[str, Any] = {
        "alternatives": alternatives,
        "left": left,
        "right": right,
        "features": check.feature_names(given.features, alternatives.shape[1]),
        **_checked_counts(given, pairs),
    }
    if given.agent is not None:
        checked["agent"] = as_labels(given.agent, "agent")
        check.check_length(checked["agent"], pairs, "agent")
    if given.weight is not None:
        checked["weight"] = check.as_numbers(given.weight, "weight")
        check.check_length(checked["weight"], pairs, "weight")
        check.check_weights(checked["weight"], "weight")
    return checked


def default_counts(pairs: int, wins: object, losses: object, ties: object) -> dict[str, Any]:
    """Without any count, left was preferred once in each pair; otherwise the ones left out are zero."""
    given = dict(zip(COUNTS, (wins, losses, ties), strict=True))
    if all(values is None for values in given.values()):
        given["wins"] = np.ones(pairs)
    return {name: np.zeros(pairs) if values is None else values for name, values in given.items()}


def _checked_counts(given: Preferences, pairs: int) -> dict[str, np.ndarray]:
    counts = {name: check.as_numbers(getattr(given, name), name) for name in COUNTS}
    for name, values in counts.items():
        check.check_length(values, pairs, name)
        check.check_counts(values, name)
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
