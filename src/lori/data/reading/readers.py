"""Readers: how do files become Preferences or Choices? One function for each form, and one that recognises them.

In all of them `columns` maps our name of a column to the file's, `values` maps left, right and tie, or the alternatives
of a set, to the file's words for them, and `features` picks and orders the features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.data.reading import forms, wide
from lori.data.reading.cells import Categories, without_gaps
from lori.data.reading.long import SetOptions, complete_sets, long_choices
from lori.data.reading.orders import is_orders, orders
from lori.data.reading.paths import as_sources
from lori.data.reading.plain import plain_pairs
from lori.data.reading.record import Reading
from lori.data.reading.tables import Table, open_tables
from lori.data.reading.understanding import understood
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
    paths: FilePath | pandas.DataFrame | Sequence[FilePath | pandas.DataFrame],
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
    missing: str = "error",
    categories: Mapping[str, Sequence[str]] | None = None,
    remembered: Reading | None = None,
) -> Preferences | Choices:
    """Read one file (pairs or choices) or two (items or trajectories, and comparisons, in either order).

    Files are named, or given as pandas tables. The form is told by the columns. Where their names are none of ours, it
    is guessed what they mean, and a warning says how; `reading` of what is returned has the details. Files of choices
    give `Choices`, or the pairs of `Choices.as_pairs` with `as_pairs=True`; `alternatives`, `constants`, `opt_out` and
    `ties` are about these, see `read_choices`. Words instead of numbers are a category: a feature of 0 and 1 for each
    word but the first, or but the first of `categories`. `missing="drop"` leaves rows with empty cells out. What is
    `remembered` of the files of a model (`LORI.reading_`) holds for these, where nothing else is said. With
    `outcome_needed=False` files may come without a choice (to have it predicted); the left side, or the first
    alternative, then stands for the winner.
    """
    sources = as_sources(paths)
    if len(sources) not in (1, 2):
        raise DataError("files", expected=EXPECTED, got=f"{len(sources)} files", fix="give one file or two")
    unsaid = not (columns or values or alternatives or constants or opt_out or where or categories)
    if unsaid and len(sources) == 1 and isinstance(sources[0], str) and (remembered is None or remembered.plain):
        plain = plain_pairs(sources[0], features, outcome_needed=outcome_needed)
        if plain is not None and (identical == "keep" or not plain.identical().any()):
            return plain
    if any(map(is_orders, sources)):
        choices: Preferences | Choices = _read_orders(sources, columns, features, ties)
        return choices.as_pairs() if as_pairs and isinstance(choices, Choices) else choices
    found = understood(sources, columns, values, features, alternatives, where, outcome_needed, remembered)
    if categories is None and remembered is not None:
        categories = remembered.categories
    options = SetOptions(found.features, found.values, found.alternatives, constants, opt_out, ties)
    match sorted(found.tables):
        case ["wide"]:
            table, dropped = without_gaps(found.tables["wide"], wide.outcome_names(found.tables["wide"]), missing)
            choices = wide.wide_choices(table, found.columns, found.fixed, options)
            read_as: Categories = {}
        case ["pairs"] if len(sources) == 1:
            forms.check_keys(found.columns)
            table, dropped, read_as = forms.complete_pairs(found.tables["pairs"], found.features, missing, categories)
            wanted = forms.with_categories(found.features, read_as)
            choices = forms.pairs(table, values=found.values, features=wanted, identical=identical)
        case ["choices"] if len(sources) == 1:
            table, dropped, read_as = complete_sets(found.tables["choices"], options, missing, categories)
            wanted = forms.with_categories(found.features, read_as)
            choices = long_choices(table, replace(options, features=wanted))
        case ["comparisons", "items"]:
            dropped, read_as = 0, {}
            choices = forms.comparisons(*found.in_order("items", "comparisons"), values=values, features=features)
        case ["comparisons", "trajectories"]:
            dropped, read_as = 0, {}
            choices = forms.trajectories(
                *found.in_order("trajectories", "comparisons"), pooling=pooling, discount=discount, values=values,
                features=features,
            )  # fmt: skip
        case _:
            raise _unrecognised(list(found.all_tables))
    if not isinstance(choices, Choices):
        _check_no_sets(list(found.all_tables), options)
    choices = choices._derived(reading=found.record(read_as, dropped))
    return choices.as_pairs() if as_pairs and isinstance(choices, Choices) else choices


def _read_orders(
    sources: Sequence[Any], columns: Mapping[str, str] | None, features: Sequence[str] | None, ties: str
) -> Choices:
    """PrefLib's orders, and the items that they order."""
    files = [source for source in sources if is_orders(source)]
    if len(sources) != 2 or len(files) != 1:
        raise DataError(
            "files", expected="a file of orders and one of the items (id, F)", got=f"{len(files)} files of orders",
            fix="give one of each",
        )  # fmt: skip
    (items,) = open_tables([source for source in sources if source is not files[0]], columns)
    return orders(files[0], items, features, ties)


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
        return table.missing(
            EXPECTED,
            "rename the columns or map them with columns=… (--columns); a column with what was chosen is choice=…",
        )
    return DataError(
        " and ".join(table.path for table in tables),
        expected=EXPECTED,
        got=" and ".join(forms.form_of(table) for table in tables),
        fix="give files that belong together, or map their columns with columns=… (--columns)",
    )
