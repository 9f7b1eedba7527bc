"""Wide tables: which columns describe which alternative, where a row is a whole set? A column map says so.

In the map a star stands for the name of an alternative: {"time": "*_TT"} takes TRAIN_TT for the time of TRAIN. What has
no pattern is named one by one, {"CAR.headway": "headway_c"}, and a number stands for itself, {"CAR.headway": 0}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lori.data.answers import Answers, Places, check_available
from lori.data.choices import Choices
from lori.data.reading.long import CHOSEN, Circumstances, SetOptions, finished
from lori.data.reading.tables import NO, YES, Table, filled, matches
from lori.data.validation import as_mapping, names_text
from lori.errors import DataError

ROLES = ("choice", "best", "worst", "agent", "count", "weight", "occasion", "set")
ROLES_OF_ALTERNATIVES = ("available", "chosen", "rank")


def is_wide(columns: Mapping[str, str] | None, alternatives: Sequence[str] | None = None) -> bool:
    """Does a column map speak of alternatives? By a star on the file's side alone, or by their names."""
    given = [alternatives] if isinstance(alternatives, str) else alternatives or ()
    named = tuple(f"{name}." for name in given)
    return any(
        ("*" in theirs and "*" not in ours) or (bool(named) and ours.startswith(named))
        for ours, theirs in as_mapping(columns, "columns").items()
    )


def outcome_names(table: Table) -> list[str]:
    """The columns without which a row of a wide table says nothing: what was chosen, and by whom."""
    return [name for name in ("choice", "best", "worst") if table.answered(name)] + ["agent"] * ("agent" in table)


def numbers_in(columns: Mapping[str, str] | None) -> tuple[dict[str, str], dict[str, float]]:
    """A column map without the numbers that stand for themselves, and these."""
    mapping, fixed = as_mapping(columns, "columns"), {}
    for ours, theirs in list(mapping.items()):
        try:
            number = float(theirs)
        except ValueError:
            continue
        if "." in ours and np.isfinite(number):
            fixed[ours] = number
            del mapping[ours]
    return mapping, fixed


def wide_choices(table: Table, mapping: Mapping[str, str], fixed: Mapping[str, float], options: SetOptions) -> Choices:
    """One row per set: the columns of each alternative's features, and what was chosen."""
    names = options.names() or options.with_opt_out(_alternatives(table, mapping, fixed))
    offered = tuple(name for name in names if name != options.opt_out)
    if len(names) < 2:
        raise table.missing(
            "columns of at least two alternatives",
            "correct the patterns (--columns 'time=time_*'), or name them one by one",
        )
    own, common = _described(table, mapping, fixed, offered)

    def refuse(missing: list[str]) -> None:
        raise DataError(
            table.path, expected=f"the features {names_text(missing)} in the column map",
            got=f"the features {names_text([*own, *common])}",
            fix="correct features=… (--features) or columns=… (--columns)",
        )  # fmt: skip

    columns, features = options.described_by((*own, *common), names, refuse)
    places = Places(table.path, table.numbered(), single=True)
    there = np.ones((len(table), len(names)), bool)
    if any(_has(table, fixed, name, "available") for name in offered) or "available" in mapping:
        for place, name in enumerate(names):
            if name in offered:
                there[:, place] = _marks(table, fixed, name, "available")
    rank, worst, ranked = _said(table, mapping, fixed, names, there, options)
    for marks in (~np.isnan(rank), worst):
        check_available(marks, there, table.path, places)
    x = np.zeros((*there.shape, len(columns)))
    for place, name in enumerate(names):
        if name in offered:
            for column, feature in enumerate(columns):
                x[:, place, column] = _numbers(table, fixed, name, feature, there[:, place], feature in common)
    owner, label = np.nonzero(there)
    answers = Answers(x[there], owner, label, rank[there], worst[there], places)
    return finished(answers, Circumstances.of(table), columns, features, names, options, ranked=ranked)


def _alternatives(table: Table, mapping: Mapping[str, str], fixed: Mapping[str, float]) -> tuple[str, ...]:
    """What the stars of the features stand for, in the file's order, and alternatives that the map names itself."""
    patterns = {ours: theirs for ours, theirs in mapping.items() if "*" in theirs and ours not in ROLES_OF_ALTERNATIVES}
    found = [stem for column in table.frame.columns for _, stem in matches(column, patterns)]
    for key in (*mapping, *fixed):
        found += [key.removesuffix(f".{ours}") for ours in patterns if key.endswith(f".{ours}")]
    return tuple(dict.fromkeys(found))


def _described(
    table: Table, mapping: Mapping[str, str], fixed: Mapping[str, float], names: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Features that every alternative has of its own, and features of the set, in the order of the map."""
    own: dict[str, None] = {}
    common = []
    for ours in (*mapping, *fixed):
        name = next((name for name in names if ours.startswith(f"{name}.")), None)
        feature = ours if name is None or "*" in mapping.get(ours, "") else ours.removeprefix(f"{name}.")
        if feature in ROLES_OF_ALTERNATIVES or ours in ROLES:
            continue
        if feature is ours and "*" not in mapping[ours]:
            common.append(ours)
        else:
            own[feature] = None
    for feature in own:
        lacking = [name for name in names if not _has(table, fixed, name, feature)]
        if lacking:
            raise table.missing(
                f"a column of {feature} for each of {names_text(names)}",
                f"name the missing ones with columns={{'{lacking[0]}.{feature}': …}} "
                f"(--columns {lacking[0]}.{feature}=…, or =0 where there is none), or say which alternatives there are "
                "with alternatives=… (--alternatives a,b)",
            )
    return list(own), common


def _said(
    table: Table,
    mapping: Mapping[str, str],
    fixed: Mapping[str, float],
    names: tuple[str, ...],
    there: np.ndarray,
    options: SetOptions,
) -> tuple[np.ndarray, np.ndarray, bool]:
    """(sets, alternatives) the rank of each, NaN where it has none; whether it was the worst; were they ranked?"""
    rank, worst = np.full(there.shape, np.nan), np.zeros(there.shape, bool)
    by_column = [role for role in ("choice", "best", "worst") if table.answered(role)]
    by_alternative = [role for role in ("chosen", "rank") if role in mapping]
    found = (*by_column, *by_alternative)
    if found not in (
        (),
        ("choice",),
        ("best",),
        ("worst",),
        ("best", "worst"),
        ("chosen",),
        ("rank",),
        ("worst", "rank"),
    ):
        raise table.missing(
            "one column choice, columns best and worst, or patterns for chosen or rank",
            "remove the others from columns=… (--columns), or rename them",
        )
    if not found and table.outcome_needed:
        table.require("choice")
    if not found:
        rank[np.arange(len(table)), there.argmax(axis=1)] = 1
    for role in by_column:
        place = np.arange(len(names)) == options.coded(table, role, names)[:, None]
        if role == "worst":
            worst = place
        else:
            rank[place] = 1
    for column, name in enumerate(names):
        key = filled(by_alternative[0], name) if by_alternative else ""
        if key in table and by_alternative == ["rank"]:
            rank[:, column] = table.ranks(key)
        elif key in table:
            words = table.words(key, (*YES, *NO, "-1", ""), shown=CHOSEN)
            rank[np.isin(words, YES), column] = 1
            worst[:, column] = words == "-1"
        elif key and (name != options.opt_out or by_alternative == ["rank"]):
            table.require(key)
    return rank, worst, by_alternative == ["rank"]


def _has(table: Table, fixed: Mapping[str, float], name: str, feature: str) -> bool:
    return filled(feature, name) in table or filled(feature, name) in fixed


def _marks(table: Table, fixed: Mapping[str, float], name: str, role: str) -> np.ndarray:
    key = filled(role, name)
    if key in fixed:
        return np.full(len(table), bool(fixed[key]))
    table.require(key)
    return table.marks(key)


def _numbers(
    table: Table, fixed: Mapping[str, float], name: str, feature: str, needed: np.ndarray, common: bool
) -> np.ndarray:
    key = feature if common else filled(feature, name)
    return np.full(len(table), fixed[key]) if key in fixed else table.numbers(key, needed)
