"""Cells that are no numbers: which rows lack one, and which features are categories?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lori.data.reading.tables import Table, blank
from lori.data.validation import names_text
from lori.errors import DataError, one_of

if TYPE_CHECKING:
    import pandas

MOST_CATEGORIES = 20  # more different words than that are names of people or things
MISSING = ("error", "drop")
Categories = dict[str, tuple[str, ...]]


def without_gaps(
    table: Table, names: Sequence[str], missing: str, groups: Sequence[str] = (), there: np.ndarray | None = None
) -> tuple[Table, int]:
    """The table without rows in which one of these columns is empty, and how many that were.

    With `groups`, rows with the same labels in these columns belong together, and a whole group is left out and
    counted. Cells in rows that are not `there` are not needed.
    """
    one_of("missing", missing, MISSING)
    if missing == "error":
        return table, 0
    gaps = np.zeros(len(table), bool)
    for name in names:
        gaps |= blank(table.frame[table.names[name]])
    gaps &= True if there is None else there
    dropped = int(gaps.sum())
    if groups and dropped:
        label = (
            table.frame.groupby([table.names[name] for name in groups], sort=False, dropna=False).ngroup().to_numpy()
        )
        incomplete = np.unique(label[gaps])
        gaps, dropped = np.isin(label, incomplete), len(incomplete)
    if gaps.all():
        raise DataError(
            table.path, expected="some rows without empty cells", got="none",
            fix="fill in the cells, or choose other features with features=… (--features a,b)",
        )  # fmt: skip
    if not dropped:
        return table, 0
    return replace(table, frame=table.frame[~gaps].reset_index(drop=True), rows=table.numbered()[~gaps]), dropped


def with_indicators(
    table: Table, columns: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]] | None = None
) -> tuple[Table, Categories]:
    """Features of words as columns of 0 and 1, one for each word but the first, which the others are compared with.

    `columns` are those of each feature, under our names. A feature is a category where all its cells are words. The
    first word is the first of the alphabet, or of those that are `known` of the feature.
    """
    found: Categories = {}
    frame, names = table.frame, dict(table.names)
    added: dict[str, np.ndarray] = {}
    for feature, own in columns.items():
        cells = [frame[names[name]] for name in own]
        given = (known or {}).get(feature)
        words = words_of(cells) if given is None else tuple(given)
        if not words:
            continue
        if given is not None:
            _check_known(table, own, words, feature)
        if len(words) > MOST_CATEGORIES:
            continue  # and so refused as text
        found[feature] = words
        for name, column in zip(own, cells, strict=True):
            del names[name]
            stripped = column.astype(str).str.strip()
            for word in words[1:]:
                key = f"{name}: {word}"
                added[key], names[key] = (stripped == word).to_numpy(np.float64), key
    if not added:
        return table, {}
    import pandas

    wider = pandas.concat([frame, pandas.DataFrame(added, index=frame.index)], axis=1)
    return replace(table, frame=wider, names=names), found


def words_of(cells: Sequence[pandas.Series]) -> tuple[str, ...]:
    """The different words of a category, sorted; none where a cell is empty, a number or something like one."""
    from pandas.api.types import infer_dtype

    words: set[str] = set()
    for column in cells:
        if column.dtype.kind not in "OTU" or blank(column).any() or infer_dtype(column) != "string":
            return ()
        own = set(column.astype(str).str.strip().unique())
        if len(own) > 10 * MOST_CATEGORIES or any(word[:1].isdigit() or word[1:2].isdigit() for word in own):
            return ()
        words |= own
    return tuple(sorted(words))


def _check_known(table: Table, own: Sequence[str], words: Sequence[str], feature: str) -> None:
    for name in own:
        strange = ~table.frame[table.names[name]].astype(str).str.strip().isin(words).to_numpy()
        if strange.any():
            raise DataError(
                table.what(name), expected=f"for {feature} one of {names_text(words)}, as the model knows them",
                got=f"something else in {table.where(strange)}", fix="correct these rows, or fit a model to all words",
            )  # fmt: skip
