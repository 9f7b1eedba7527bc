"""Fields of preferences and choices: is each sound, and do they belong together? Asked whenever they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.data.answers import Places, mask_of
from lori.data.grouping import group_rows
from lori.data.validation import (
    COUNTS,
    as_array,
    as_labels,
    as_numbers,
    as_table,
    check_counts,
    check_distinct,
    check_indices,
    check_length,
    check_weights,
    feature_names,
    names_text,
)
from lori.errors import DataError

if TYPE_CHECKING:
    from lori.data.choices import Choices
    from lori.data.preferences import Preferences

MOST_CONSTANTS = 200  # more names than that are rather numbers of people or things


def rows_of(table: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(*places, features) some rows of a table, copied, in a tenth of the time of `table[places]`.

    A table whose columns lie in one stretch of memory each would be copied whole by `take`, however few rows are asked
    for: there each column is asked.
    """
    if table.flags.c_contiguous or table.strides[0] != table.itemsize:
        return table.take(places, axis=0)
    return np.moveaxis(np.stack([column.take(places) for column in table.T]), 0, -1)


def checked_fields(given: Preferences) -> dict[str, Any]:
    """Every field brought into its form, or a DataError that says what is wrong with one."""
    alternatives = as_table(given.alternatives, "alternatives")
    left, right = as_indices(given.left, "left"), as_indices(given.right, "right")
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


def as_indices(values: object, what: str) -> np.ndarray:
    indices = as_array(values, what)
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


# -- choices -----------------------------------------------------------------------------------------------------


def checked_choice_fields(given: Choices) -> dict[str, Any]:
    """Every field brought into its form, or a DataError that says what is wrong with one."""
    table = as_table(given.alternatives, "alternatives")
    names = alternative_names(given.names, len(given.names))
    offsets, label = as_indices(given.offsets, "offsets"), as_indices(given.label, "label")
    chosen = mask_of(given.chosen, (len(table),), "chosen")
    sets = len(offsets) - 1
    if sets < 1:
        raise DataError("sets", expected="at least one set of alternatives", got="none", fix="add a choice")
    sizes = np.diff(offsets)
    if offsets[0] != 0 or offsets[-1] != len(table) or (sizes < 0).any():
        raise DataError(
            "offsets", expected="where each set begins among the alternatives, and where the last one ends",
            got="something else", fix="use Choices.from_arrays",
        )  # fmt: skip
    check_length(label, len(table), "label", of="alternatives")
    check_indices(label, len(names), "label")
    places, owner = Places(), np.repeat(np.arange(sets), sizes)
    places.check(sizes < 2, expected="at least two alternatives", got="fewer")
    group = group_rows([owner, label])[1]
    repeated = np.bincount(owner[np.bincount(group)[group] > 1], minlength=sets) > 0
    places.check(
        repeated, expected="every alternative once", got="one that is repeated", fix="give alternatives different names"
    )
    picked = np.bincount(owner[chosen], minlength=sets)
    places.check(picked == 0, expected="a chosen alternative", got="none")
    places.check(picked == sizes, expected="an alternative that was not chosen", got="all chosen")
    return {
        "alternatives": table,
        "offsets": offsets,
        "chosen": chosen,
        "label": label,
        "names": names,
        "features": feature_names(given.features, table.shape[1]),
        **_checked_circumstances(given, sets),
    }


def _checked_circumstances(given: Choices, sets: int) -> dict[str, Any]:
    """What is known of each set: who chose, how often, with what weight, which end, in which answer."""
    checked: dict[str, Any] = {}
    if given.agent is not None:
        checked["agent"] = as_labels(given.agent, "agents")
    if given.times is not None:
        checked["times"] = as_numbers(given.times, "counts")
        check_counts(checked["times"], "counts")
        if not checked["times"].any():
            raise DataError("counts", expected="at least one choice in total", got="only zeros", fix="count choices")
    if given.weight is not None:
        checked["weight"] = as_numbers(given.weight, "weight")
        check_weights(checked["weight"], "weight")
    for name, values in checked.items():
        check_length(values, sets, {"agent": "agents", "times": "counts"}.get(name, name), of="sets")
    if given.worst is not None:
        checked["worst"] = mask_of(given.worst, (sets,), "worst")
    if given.occasion is not None:
        occasion = as_labels(given.occasion, "occasion")
        check_length(occasion, sets, "occasion", of="sets")
        checked["occasion"] = group_rows([occasion])[1]
    return checked


def alternative_names(given: Sequence[str] | None, width: int | None = None) -> tuple[str, ...]:
    """What the alternatives are called, 1, 2, … where nobody says so; each once, and so many if that is known."""
    names = tuple(str(name).strip() for name in (range(1, (width or 0) + 1) if given is None else given))
    expected = len(names) if width is None else width
    if len(names) != expected or len(set(names)) < expected or not all(names):
        raise DataError(
            "alternatives", expected=f"{expected} different, non-empty names", got=f"{len(set(names))}",
            fix="name each alternative once",
        )  # fmt: skip
    return names


def names_besides(names: tuple[str, ...], baseline: str | None) -> tuple[str, ...]:
    """All names but one, which the others are compared with."""
    if baseline not in names or len(names) < 2:
        raise DataError(
            "baseline", expected=f"the name of one of the {len(names)} alternatives, with others beside it",
            got=repr(baseline), fix="name an alternative, as it is called in the data",
        )  # fmt: skip
    return tuple(name for name in names if name != baseline)


def check_constants(constants: Sequence[str], names: Sequence[str], features: Sequence[str]) -> None:
    """Constants are few, belong to alternatives, and are features of their own."""
    unknown = [name for name in constants if name not in names]
    if len(constants) > MOST_CONSTANTS or unknown:
        raise DataError(
            "constants", expected=f"names of alternatives, at most {MOST_CONSTANTS} of them",
            got=names_text(unknown, 3) if unknown else f"{len(constants)}",
            fix="correct the names" if unknown else "describe the alternatives by features instead",
        )  # fmt: skip
    if set(constants) & set(features):
        raise DataError(
            "constants", expected="names of alternatives that no feature has", got="the name of a feature",
            fix="rename the feature, or the alternative",
        )  # fmt: skip
