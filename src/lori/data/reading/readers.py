"""Readers: how do files become Preferences or Choices? One function for each form, and one that recognises them.

In all of them `columns` maps our name of a column to the file's, `values` maps left, right and tie, or the alternatives
of a set, to the file's words for them, and `features` picks and orders the features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.data.reading import forms, wide
from lori.data.reading.long import SetOptions, long_choices
from lori.data.reading.paths import as_paths
from lori.data.reading.tables import Table, open_tables
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

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
    path: FilePath | pandas.DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    alternatives: Sequence[str] | None = None,
    constants: bool | str | Sequence[str] = False,
    opt_out: str | None = None,
    ties: str = "error",
    where: Mapping[str, object] | None = None,
    outcome_needed: bool = True,
) -> Choices:
    """Read choices among the alternatives of sets, from a file or a pandas table, in the long or the wide form.

    Long: a row for each alternative, `set, chosen, F…`, with `rank` instead of `chosen` for rankings, or `best` and
    `worst`; optionally `alternative` (its name), `available`, and, from the row of what was chosen, `agent`, `count`,
    `weight`. Wide: a row for each set; in `columns` a star stands for the name of an alternative, as in
    {"time": "*_TT", "available": "*_AV", "choice": "CHOICE"}.

    `values` tells the file's codes of alternatives, {"train": 1, "car": 3}; `alternatives` names them in their order.
    `constants` adds a constant for each of them but the last, or but the one that is named, or for those of a list; so
    do names of alternatives among `features`. `opt_out` names "none of these": chosen where nothing else was, described
    by zeros and a constant of its own. Several chosen rows, or equal ranks, are a tie with ties="observed", otherwise
    an error.
    `where` keeps rows, {"PURPOSE": [1, 3]}. With `outcome_needed=False` nothing need be chosen (to have it predicted).
    """
    options = SetOptions(features, values, alternatives, constants, opt_out, ties)
    if not wide.is_wide(columns, alternatives):
        (table,) = open_tables([path], columns, outcome_needed, where)
        return long_choices(table, options)
    mapping, fixed = wide.numbers_in(columns)
    (table,) = open_tables([path], mapping, outcome_needed, where)
    return wide.wide_choices(table, mapping, fixed, options)


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
    alternatives: Sequence[str] | None = None,
    constants: bool | str | Sequence[str] = False,
    opt_out: str | None = None,
    ties: str = "error",
    where: Mapping[str, object] | None = None,
    as_pairs: bool = False,
    outcome_needed: bool = True,
) -> Preferences | Choices:
    """Read one file (pairs or choices) or two (items or trajectories, and comparisons, in either order).

    The form is told by the columns. Files of choices give `Choices`, or the pairs of `Choices.as_pairs` with
    `as_pairs=True`; `alternatives`, `constants`, `opt_out` and `ties` are about these, see `read_choices`. With
    `outcome_needed=False` files may come without a choice (to have it predicted); the left side, or the first
    alternative, then stands for the winner.
    """
    files = as_paths(paths)
    if len(files) not in (1, 2):
        raise DataError("files", expected=EXPECTED, got=f"{len(files)} files", fix="give one file or two")
    options = SetOptions(features, values, alternatives, constants, opt_out, ties)
    if len(files) == 1 and wide.is_wide(columns, alternatives):
        mapping, fixed = wide.numbers_in(columns)
        (table,) = open_tables(files, mapping, outcome_needed, where)
        choices = wide.wide_choices(table, mapping, fixed, options)
        return choices.as_pairs() if as_pairs else choices
    tables = open_tables(files, columns, outcome_needed, where)
    found = {forms.form_of(table): table for table in tables}
    if "choices" not in found:
        _check_no_sets(tables, options)
    match sorted(found):
        case ["pairs"] if len(tables) == 1:
            forms.check_keys(columns)
            return forms.pairs(found["pairs"], values=values, features=features, identical=identical)
        case ["choices"] if len(tables) == 1:
            choices = long_choices(found["choices"], options)
            return choices.as_pairs() if as_pairs else choices
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


def _check_no_sets(tables: Sequence[Table], options: SetOptions) -> None:
    """Options about the alternatives of sets are a slip where there are no sets."""
    for name in ("alternatives", "constants", "opt_out"):
        if getattr(options, name):
            known = " and ".join(forms.form_of(table) for table in tables)
            raise DataError(
                name, expected="a file of choices from sets (set, chosen, F), or a column map with a star for them",
                got=f"the form {known}", fix="leave it out, or correct columns=… (--columns)",
            )  # fmt: skip


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
