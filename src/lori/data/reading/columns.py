"""Columns of numbers: which rows of a Parquet file are beyond doubt, and need no pandas on the way?

Numbers in every cell of `left.F…` and `right.F…`, whole ones in `left_wins`, `right_wins` and `ties`, and perhaps a
`weight`: Arrow's memory is read as NumPy's, and checked a column at a time. Whatever is not sound, or something else
(an empty cell, a word, an agent), is left to the careful reader, which says what it means or what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.data.reading.tables import SIDES, named
from lori.data.validation import COUNTS, LARGEST, MOST, ROW_NUMBERS, check_weights
from lori.errors import LoriError

DOUBTFUL = ("choice", "agent")  # columns that need a closer look


class Doubt(Exception):
    """Something for the careful reader."""


def pairs_of(
    batch: Any, mapping: Mapping[str, str], wanted: Sequence[str] | None, identical: str
) -> Preferences | None:
    """The pairs of an Arrow batch, described by the wanted features, or None where something is in doubt."""
    try:
        names = _names(batch.schema.names, mapping)
        features = _features(names, wanted)
        numbers = partial(_numbers, batch, names)
        left, right = ([numbers(f"{side}.{name}", _sound) for name in features] for side in SIDES)
        counts = {count: numbers(name, _whole) for count, name in COUNTS.items() if name in names}
        weight = np.array(numbers("weight"), float) if "weight" in names else None
        if weight is not None:
            check_weights(weight, "weight")
        _certain(any(own.any() for own in counts.values()))
        _certain(identical == "keep" or (identical in ("drop", "error") and _differ(left, right)))
    except (Doubt, LoriError):
        return None
    pairs = len(batch)
    return Preferences._sound(
        _successive=(0, pairs),
        alternatives=_side_by_side(left, right),
        left=_numbered(2 * pairs)[:pairs],
        right=_numbered(2 * pairs)[pairs:],
        features=features,
        weight=weight,
        **{count: np.array(counts[count], float) if count in counts else np.zeros(pairs) for count in COUNTS},
    )


def _certain(so: object) -> None:
    if not so:
        raise Doubt


def _names(existing: list[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Our names for the columns of a file whose header needs no tidying, and says how often each side won."""
    _certain(all(name == name.strip() and not ROW_NUMBERS.fullmatch(name) for name in existing))
    names = named("", existing, mapping)[0]
    _certain("left_wins" in names and "right_wins" in names and not any(name in names for name in DOUBTFUL))
    return names


def _features(names: Mapping[str, str], wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The wanted features, or all, where both sides have the same ones."""
    left, right = ([name.removeprefix(f"{side}.") for name in names if name.startswith(f"{side}.")] for side in SIDES)
    _certain(set(left) == set(right) and all(name.strip() for name in left))
    features = tuple(left if wanted is None else wanted)
    _certain(features and set(features) <= set(left))
    return features


def _numbers(
    batch: Any, names: Mapping[str, str], name: str, sound: Callable[[np.ndarray], object] | None = None
) -> np.ndarray:
    """A column of numbers, no cell of it empty, as they lie in Arrow's memory."""
    from pyarrow import types

    column = batch.column(names[name])
    plain = types.is_integer(column.type) or types.is_float32(column.type) or types.is_float64(column.type)
    _certain(plain and len(column) and not column.null_count)
    values = column.to_numpy(zero_copy_only=True)
    _certain(sound is None or sound(values))
    return values


def _sound(values: np.ndarray) -> bool:
    """Finite numbers, whose squares neither overflow nor all vanish (NaN fails the comparisons)."""
    size = max(-float(values.min()), float(values.max()))
    return size == 0.0 or 1 / LARGEST <= size <= LARGEST


def _whole(values: np.ndarray) -> bool:
    """Whole numbers from zero (NaN fails the comparisons)."""
    if values.dtype.kind == "f" and not (values == np.floor(values)).all():
        return False
    return bool(values.min() >= 0 and values.max() <= MOST)


def _differ(left: Sequence[np.ndarray], right: Sequence[np.ndarray]) -> bool:
    """Has every pair two different alternatives?"""
    same = np.logical_and.reduce([one == other for one, other in zip(left, right, strict=True)])
    return not same.any()


def _side_by_side(left: Sequence[np.ndarray], right: Sequence[np.ndarray]) -> np.ndarray:
    """(2 pairs, features) the left alternatives, then the right ones; each feature in one stretch of memory."""
    pairs = len(left[0])
    table = np.empty((len(left), 2 * pairs))
    for own, one, other in zip(table, left, right, strict=True):
        own[:pairs], own[pairs:] = one, other
    return table.T


@lru_cache(maxsize=2)
def _numbered(count: int) -> np.ndarray:
    """0, 1, …: most parts of a stream have the same size, and share these."""
    numbers = np.arange(count)
    numbers.flags.writeable = False
    return numbers
