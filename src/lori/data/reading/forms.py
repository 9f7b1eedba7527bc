"""Forms of files: how do they say who preferred what? Tables of pairs in, Preferences out; sets have their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lori.data.grouping import group_rows
from lori.data.preferences import Preferences
from lori.data.reading.cells import Categories, with_indicators, without_gaps
from lori.data.reading.tables import NUMBER_ROLES, SIDES, TEXT_ROLES, Table, plain
from lori.data.trajectories import Trajectories
from lori.data.validation import (
    COUNTS,
    as_mapping,
    check_distinct,
    check_unique,
    chosen_features,
    look_up,
    names_text,
)
from lori.errors import DataError

Features = Sequence[str] | None
ChoiceWords = Mapping[str, str] | None
OUTCOMES = ("chosen", "rank", "best", "worst")  # what may be said about an alternative of a set
WORDS = ("left", "right", "tie")  # as in COUNTS: wins, losses, ties of the left side


def pairs(
    table: Table, *, values: ChoiceWords = None, features: Features = None, identical: str = "error"
) -> Preferences:
    """One row per pair: left.F…, right.F… and an outcome."""
    if identical not in ("error", "keep", "drop"):
        raise DataError("identical", expected="error, keep or drop", got=repr(identical), fix="choose one of these")
    names = _paired_features(table, features)
    counts = _outcomes(table, values)
    left, right = (table.matrix([f"{side}.{name}" for name in names]) for side in SIDES)
    prefs = Preferences.from_arrays(left, right, features=names, **counts, **table.observers())
    prefs = prefs._derived(row=table.rows)
    same = prefs.identical()
    if identical == "keep" or not same.any():
        return prefs
    if identical == "error" or same.all():
        raise DataError(
            table.path,
            expected="two different alternatives in every pair",
            got=f"equal features on both sides in {table.where(same)}",
            fix="remove these rows, or pass identical='keep' or 'drop' (--identical keep)",
        )
    return prefs._derived(row=prefs.rows).subset(~same)


def complete_pairs(
    table: Table, features: Features, missing: str, known: Mapping[str, Sequence[str]] | None = None
) -> tuple[Table, int, Categories]:
    """The pairs without empty cells, how many were left out, and features of words as numbers."""
    names = _paired_features(table, without_categories(features, known))
    sides = {name: [f"{side}.{name}" for side in SIDES] for name in names}
    needed = [column for own in sides.values() for column in own]
    needed += [name for name in ("choice", *COUNTS.values()) if table.answered(name)]
    needed += [name for name in ("agent", "weight") if name in table]
    table, dropped = without_gaps(table, needed, missing)
    table, categories = with_indicators(table, sides, known)
    return table, dropped, categories


def with_categories(features: Features, categories: Mapping[str, Sequence[str]]) -> Features:
    """Wanted features, those of categories by their words."""
    if features is None:
        return None
    words = {name: [f"{name}: {word}" for word in own[1:]] for name, own in categories.items()}
    return [each for name in chosen_features(features) for each in words.get(name, [name])]


def without_categories(features: Features, known: Mapping[str, Sequence[str]] | None) -> Features:
    """Wanted features by the names of their columns: form: pill is one of form."""
    if features is None or not known:
        return features
    home = {f"{name}: {word}": name for name, own in known.items() for word in own}
    return list(dict.fromkeys(home.get(name, name) for name in chosen_features(features)))


def comparisons(items: Table, table: Table, *, values: ChoiceWords = None, features: Features = None) -> Preferences:
    """Items with id, F… and rows that compare them by id."""
    items.require("id")
    names = items.features_besides(("id",), features)
    ids = items.labels("id")
    check_unique(ids, items.what("id"), items.where)
    left, right, counts = _compared(table, ids, items.path, values)
    return Preferences.from_indices(items.matrix(names), left, right, features=names, **counts, **table.observers())


def trajectories(
    steps: Table,
    table: Table,
    *,
    pooling: str = "mean",
    discount: float = 0.95,
    values: ChoiceWords = None,
    features: Features = None,
) -> Preferences:
    """Trajectories with trajectory, step, F… and rows that compare them by id."""
    ragged = stepwise(steps, features)
    left, right, counts = _compared(table, ragged.ids, steps.path, values)
    return ragged.pooled(left, right, pooling, discount, None, **counts, **table.observers())


def stepwise(steps: Table, features: Features = None) -> Trajectories:
    """One row per step: trajectory, step, F…, in any order."""
    steps.require("trajectory", "step")
    names = steps.features_besides(("trajectory", "step"), features)
    labels, step = steps.labels("trajectory"), steps.numbers("step")
    first, group = group_rows([labels])
    order = np.lexsort((step, group))
    repeated = np.zeros(len(order), dtype=bool)
    repeated[order[1:]] = (np.diff(group[order]) == 0) & (np.diff(step[order]) == 0)
    if repeated.any():
        raise DataError(
            steps.what("step"),
            expected="every step of a trajectory once",
            got=f"steps that occurred before in {steps.where(repeated)}",
            fix="remove or renumber these rows",
        )
    offsets = np.concatenate([[0], np.cumsum(np.bincount(group))])
    return Trajectories(labels[first], steps.matrix(names)[order], offsets, names)


def form_of(table: Table) -> str:
    """Which form a table has, told by its columns: pairs, choices, comparisons, trajectories or items."""
    if "trajectory" in table and "step" in table:
        return "trajectories"
    if any(name.startswith("left.") for name in table.names):
        return "pairs"
    if "set" in table and (not table.outcome_needed or any(name in table for name in OUTCOMES)):
        return "choices"
    if ("winner" in table and "loser" in table) or ("left" in table and "right" in table):
        return "comparisons"
    return "items" if "id" in table else "unknown"


def check_keys(columns: Mapping[str, str] | None) -> None:
    """In the pairs form a column map speaks of roles, left.F and right.F; anything else is a slip."""
    known = (*TEXT_ROLES, *NUMBER_ROLES)
    unknown = [
        key for key in as_mapping(columns, "columns") if key not in known and not key.startswith(("left.", "right."))
    ]
    if unknown:
        raise DataError(
            "columns",
            expected="left.F, right.F, choice, left_wins, right_wins, ties, agent or weight",
            got=names_text(unknown, 3),
            fix="write for example columns={'left.price': 'price1'} (--columns left.price=price1)",
        )


def _paired_features(table: Table, wanted: Features) -> tuple[str, ...]:
    """The features that both sides have, in the order of the left side or as wanted."""
    left = [name.removeprefix("left.") for name in table.names if name.startswith("left.")]
    both = tuple(name for name in left if f"right.{name}" in table)
    if wanted is not None:
        names = chosen_features(wanted)
        missing = [name for name in names if not all(f"{side}.{name}" in table for side in SIDES)]
        if missing:
            raise DataError(
                table.path,
                expected=f"the features {names_text(missing)} on both sides",
                got=f"the features {names_text(both)}",
                fix="correct features=… (--features) or add the columns",
            )
        return names
    for name in table.names:
        for side, other in (SIDES, SIDES[::-1]):  # a pattern may also catch columns that do not come in pairs
            if name.startswith(f"{side}.") and name not in table.by_pattern:
                table.require(other + name.removeprefix(side))
    for side in SIDES:
        caught = [name.removeprefix(f"{side}.") for name in table.by_pattern if name.startswith(f"{side}.")]
        if caught and not set(caught) & set(both):
            raise table.missing(
                f"columns of both sides for the pattern {side}.*",
                "correct the pattern (--columns), or name its columns one by one",
            )
    if not both:
        raise table.missing(
            "columns left.F and right.F for at least one feature F",
            "rename the columns or map them with columns={'left.*': '*1', 'right.*': '*2'} "
            "(--columns 'left.*=*1' --columns 'right.*=*2')",
        )
    return both


def _compared(
    table: Table, ids: np.ndarray, where: str, values: ChoiceWords
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Positions of both sides among the ids, and the outcomes, from winner and loser or left and right."""
    if "winner" in table or "loser" in table:
        sides = ("winner", "loser")
    elif "left" in table or "right" in table:
        sides = SIDES
    else:
        raise table.missing(
            "the columns winner and loser, or left and right",
            "add them or name them with columns=… (--columns winner=…)",
        )
    table.require(*sides)
    left, right = (look_up(ids, table.labels(side), table.what(side), where, table.where) for side in sides)
    check_distinct(left, right, table.path)
    counts = {"wins": _multiplicity(table)} if sides[0] == "winner" else _outcomes(table, values)
    return left, right, counts


def _outcomes(table: Table, values: ChoiceWords = None) -> dict[str, np.ndarray]:
    """Wins, losses and ties from a column of choice words (each counted `count` times) or from counts."""
    counted = [column for column in COUNTS.values() if table.answered(column)]
    if table.answered("choice") and counted:
        raise table.missing("either a column choice or counts, not both", "remove one of the two")
    if table.answered("choice"):
        words = _choice_words(values)
        chosen = table.words("choice", words, fix=" or say which words are used with values=… (--values left=A)")
        times = _multiplicity(table)
        return {name: np.where(chosen == word, times, 0.0) for name, word in zip(COUNTS, words, strict=True)}
    if not counted and not table.outcome_needed:
        return {"wins": np.ones(len(table))}
    if not counted or counted == ["ties"]:
        raise table.missing(
            "a column choice (left, right or tie) or the counts left_wins and right_wins",
            "add one of them or name it with columns=… (--columns choice=…)",
        )
    table.require("left_wins", "right_wins")
    return {name: table.counts(column) for name, column in COUNTS.items() if column in table}


def _multiplicity(table: Table) -> np.ndarray:
    """How often each row was observed: the column count, otherwise once."""
    return table.counts("count") if "count" in table else np.ones(len(table))


def _choice_words(values: ChoiceWords) -> tuple[str, ...]:
    """The words for left, right and tie, as used in the file."""
    given = {ours: plain(theirs) for ours, theirs in as_mapping(values, "values").items()}
    words = tuple(given.get(word, word) for word in WORDS)
    if not set(given) <= set(WORDS) or len(set(words)) < len(words):
        raise DataError(
            "values",
            expected="different words for left, right and tie",
            got=", ".join(f"{ours}={theirs}" for ours, theirs in given.items()),
            fix="write for example values={'left': 'A', 'right': 'B'} (--values left=A --values right=B)",
        )
    return words
