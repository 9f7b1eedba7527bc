"""Readers: how do files become Preferences? One function for each of the four forms, and one that recognises them.

In all of them `columns` maps our name of a column to the file's, `values` maps left, right and tie to the
words in the file's choice column, and `features` picks and orders the features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lori.data.preferences import Preferences
from lori.data.reading import forms
from lori.data.reading.tables import Table, open_tables
from lori.errors import DataError

FilePath = str | Path
EXPECTED = (
    "a file of pairs (left.F, right.F, choice) or choices (set, chosen, F), or a file of items (id, F) or "
    "trajectories (trajectory, step, F) and one of comparisons (winner, loser)"
)


def read_pairs(
    path: FilePath,
    *,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    identical: str = "error",
) -> Preferences:
    """Read `left.F…, right.F…` with `choice` (left, right, tie) or counts `left_wins, right_wins, ties`.

    `columns` may map whole patterns: {"left.*": "*1", "right.*": "*2"} takes price1 and price2 for the two
    sides of price. `identical` says what to do with pairs of equal alternatives: error, keep or drop.
    """
    forms.check_keys(columns)
    (table,) = open_tables([path], columns)
    return forms.pairs(table, values=values, features=features, identical=identical)


def read_choices(
    path: FilePath,
    *,
    columns: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
) -> Preferences:
    """Read `set, chosen, F…`: the chosen row is preferred to each other row of its set."""
    (table,) = open_tables([path], columns)
    return forms.choices(table, features=features)


def read_comparisons(
    items: FilePath,
    comparisons: FilePath,
    *,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
) -> Preferences:
    """Read items `id, F…` and comparisons `winner, loser[, count]` or `left, right` with an outcome."""
    described, compared = open_tables([items, comparisons], columns)
    return forms.comparisons(described, compared, values=values, features=features)


def read_trajectories(
    trajectories: FilePath,
    comparisons: FilePath,
    *,
    pooling: str = "mean",
    discount: float = 0.95,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
) -> Preferences:
    """Read `trajectory, step, F…` and comparisons of trajectories; `pooling` as in `Trajectories.pool`."""
    steps, compared = open_tables([trajectories, comparisons], columns)
    return forms.trajectories(steps, compared, pooling=pooling, discount=discount, values=values, features=features)


def read(
    paths: FilePath | Sequence[FilePath],
    *,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    pooling: str = "mean",
    discount: float = 0.95,
    identical: str = "error",
    outcome_needed: bool = True,
) -> Preferences:
    """Read one file (pairs or choices) or two (items or trajectories, and comparisons, in either order).

    The form is told by the columns. With `outcome_needed=False` pairs and comparisons may come without a choice
    (to have it predicted); the left side then stands for the winner.
    """
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    if len(files) not in (1, 2):
        raise DataError("files", expected=EXPECTED, got=f"{len(files)} files", fix="give one file or two")
    tables = open_tables(files, columns, outcome_needed)
    found = {forms.form_of(table): table for table in tables}
    match sorted(found):
        case ["pairs"] if len(tables) == 1:
            forms.check_keys(columns)
            return forms.pairs(found["pairs"], values=values, features=features, identical=identical)
        case ["choices"] if len(tables) == 1:
            return forms.choices(found["choices"], features=features)
        case ["comparisons", "items"]:
            return forms.comparisons(found["items"], found["comparisons"], values=values, features=features)
        case ["comparisons", "trajectories"]:
            return forms.trajectories(
                found["trajectories"],
                found["comparisons"],
                pooling=pooling,
                discount=discount,
                values=values,
                features=features,
            )
    raise _unrecognised(tables)


def _unrecognised(tables: Sequence[Table]) -> DataError:
    if len(tables) == 1:
        (table,) = tables
        form = forms.form_of(table)
        if form != "unknown":
            return table.missing(EXPECTED, f"it has the form of {form}: give the other file too")
        return table.missing(EXPECTED, "rename the columns or map them with columns=… (--columns)")
    return DataError(
        " and ".join(table.path for table in tables),
        expected=EXPECTED,
        got=" and ".join(forms.form_of(table) for table in tables),
        fix="give files that belong together, or map their columns with columns=… (--columns)",
    )
