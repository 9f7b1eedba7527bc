"""Long tables: how do they say what was chosen from which alternatives? One row for each alternative."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lori.data.answers import Answers, Places, check_ties, checked_ranks
from lori.data.choices import COLUMNS, Choices
from lori.data.fields import alternative_names, check_constants, names_besides
from lori.data.grouping import group_rows
from lori.data.reading.cells import Categories, with_indicators, without_gaps, words_of
from lori.data.reading.forms import OUTCOMES, without_categories
from lori.data.reading.tables import NO, YES, Table, plain
from lori.data.validation import as_mapping, chosen_features, names_text
from lori.errors import DataError

CHOSEN = ("1 or 0", "true or false", "yes or no", "-1 for the worst")
ONE_OUTCOME = "one of the columns chosen, rank, or best and worst"


@dataclass(frozen=True)
class SetOptions:
    """How sets are to be read, whatever the form of their file."""

    features: Sequence[str] | None = None
    values: Mapping[str, str] | None = None  # the alternatives, and the file's words for them
    alternatives: Sequence[str] | None = None
    constants: bool | str | Sequence[str] = False
    opt_out: str | None = None
    ties: str = "error"

    def names(self) -> tuple[str, ...] | None:
        """What alternatives are called, the opt-out among them, where that was said."""
        codes = as_mapping(self.values, "values")
        if self.alternatives is None and not codes:
            return None
        given = (self.alternatives,) if isinstance(self.alternatives, str) else self.alternatives
        names = alternative_names(tuple(codes) if given is None else tuple(given))
        unknown = [name for name in codes if name not in names and name != self.opt_out]
        if unknown:
            raise DataError(
                "values", expected="codes of alternatives", got=f"codes of {names_text(unknown, 3)}",
                fix="correct values=… (--values NAME=CODE) or alternatives=… (--alternatives a,b)",
            )  # fmt: skip
        return self.with_opt_out(names)

    def with_opt_out(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return names if self.opt_out is None or self.opt_out in names else (*names, str(self.opt_out))

    def coded(self, table: Table, column: str, names: Sequence[str]) -> np.ndarray:
        """(rows,) which of the names a column of names or codes means."""
        codes = as_mapping(self.values, "values")
        words = [plain(codes.get(name, name)) for name in names]
        if len(set(words)) < len(words):
            raise DataError(
                "values", expected="a word of its own for every alternative", got="one word for two of them",
                fix="correct values=… (--values NAME=CODE)",
            )  # fmt: skip
        fix = ", leave them out with where=… (--where COLUMN=1,2), or name all codes with values=… (--values NAME=CODE)"
        found, cell = np.unique(table.words(column, words, fix=fix), return_inverse=True)
        place = {word: number for number, word in enumerate(words)}
        return np.array([place[word] for word in found])[cell]

    def constants_among(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The alternatives that get a constant; the opt-out always has one, unless it is the baseline."""
        own = () if self.opt_out is None else (str(self.opt_out),)
        if self.constants is False or self.constants is None:
            return own
        if self.constants is True:
            others = [name for name in names if name != self.opt_out]
            return names_besides(names, others[-1] if others else None)
        if isinstance(self.constants, str):
            return names_besides(names, self.constants)
        return tuple(dict.fromkeys((*(str(name) for name in self.constants), *own)))

    def described_by(
        self, known: tuple[str, ...], names: tuple[str, ...], refuse: Callable[[list[str]], None]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the features that are known: which to take, and all in their order, constants of alternatives among them.

        `refuse` is told the features that nobody knows.
        """
        constants = self.constants_among(names)
        wanted = known if self.features is None else chosen_features(self.features)
        columns = tuple(name for name in wanted if name in known)
        others = [name for name in wanted if name not in known]
        missing = [name for name in others if name not in names]
        if missing:
            refuse(missing)
        check_constants(constants, names, columns)
        return columns, (*wanted, *(name for name in constants if name not in wanted))


@dataclass(frozen=True)
class Circumstances:
    """What a file says of each set beside its alternatives."""

    agent: np.ndarray | None = None
    times: np.ndarray | None = None
    weight: np.ndarray | None = None
    occasion: np.ndarray | None = None

    @classmethod
    def of(cls, table: Table, rows: np.ndarray | slice = slice(None)) -> Circumstances:
        """From the optional columns of these rows, one for each set."""
        known: dict[str, Any] = dict(table.observers(rows))
        if "count" in table:
            known["times"] = table.counts("count")[rows]
        if "occasion" in table:
            known["occasion"] = table.labels("occasion")[rows]
        return cls(**known)


def long_choices(table: Table, options: SetOptions) -> Choices:
    """One row per alternative: set, chosen (or rank, or best and worst), F…, optionally its name."""
    table.require("set")
    outcome = outcome_columns(table)
    first, group = group_rows([table.labels("set")])
    order = np.argsort(group, kind="stable")
    places = Places(table.path, table.numbered()[first])
    label, names = _labels(table, group, order, options)
    there = table.marks("available") if "available" in table else np.ones(len(table), bool)
    opted = np.zeros(len(table), bool)
    if options.opt_out is not None:
        opted = label == names.index(str(options.opt_out))
    columns, features = chosen_columns(table, options, names)
    rank, worst = _said(table, outcome)
    kept = order[there[order]]
    if not outcome:  # to be predicted: the first alternative that can be chosen stands for the chosen one
        rank[kept[np.unique(group[kept], return_index=True)[1]]] = 1
    said = ~np.isnan(rank) | worst
    places.check(
        np.bincount(group[said & ~there], minlength=len(first)) > 0,
        expected="a chosen alternative that was available", got="another one",
        fix="correct what was chosen, or what was available",
    )  # fmt: skip
    leads = first.copy()  # a set is described by the row of what was chosen
    leads[group[said][::-1]] = np.flatnonzero(said)[::-1]
    best = rank == 1
    leads[group[best][::-1]] = np.flatnonzero(best)[::-1]
    x = table.matrix(columns, None if there.all() and not opted.any() else there & ~opted)
    answers = Answers(x[kept], group[kept], label[kept], rank[kept], worst[kept], places)
    known = Circumstances.of(table, leads)
    return finished(answers, known, columns, features, names, options, ranked="rank" in outcome)


def complete_sets(
    table: Table, options: SetOptions, missing: str, known: Mapping[str, Sequence[str]] | None = None
) -> tuple[Table, int, Categories]:
    """The sets without empty cells, how many were left out, and features of words as numbers."""
    wanted = without_categories(options.features, known)
    names = [name for name in table.names if name not in COLUMNS] if wanted is None else [*wanted]
    names = [name for name in names if name in table]  # constants of alternatives are no columns
    there = table.marks("available") if "available" in table else np.ones(len(table), bool)
    if options.opt_out is not None and "alternative" in table:
        there &= table.labels("alternative") != str(options.opt_out)
    needed = [*names, *["agent"] * ("agent" in table), *["chosen"] * table.answered("chosen")]
    table, dropped = without_gaps(table, needed, missing, ["set"] if "set" in table else [], there)
    if "set" in table and known is None:
        table = _without_descriptions(table, names, wanted)
        names = [name for name in names if name in table]
    table, categories = with_indicators(table, {name: [name] for name in names}, known)
    return table, dropped, categories


def _without_descriptions(table: Table, names: Sequence[str], wanted: Sequence[str] | None) -> Table:
    """The table without words that are the same in all rows of a set: they describe the set, such as who chose."""
    words = [name for name in names if words_of([table.frame[table.names[name]]])]
    if not words:
        return table
    sets = table.labels("set")
    same = [name for name in words if (table.frame.groupby(sets)[table.names[name]].nunique(dropna=False) <= 1).all()]
    if wanted is not None and same:
        raise DataError(
            table.what(same[0]), expected="a feature that differs between the alternatives of a set",
            got="words that are the same for all of them", fix="leave it out of features=… (--features)",
        )  # fmt: skip
    kept = {ours: theirs for ours, theirs in table.names.items() if ours not in same}
    return replace(table, names=kept)


def outcome_columns(table: Table) -> tuple[str, ...]:
    """The columns that say what was chosen; none only where that is to be predicted."""
    found = tuple(name for name in OUTCOMES if (name in table if name != "chosen" else table.answered(name)))
    if not found and table.outcome_needed:
        table.require("chosen")
    if found not in ((), ("chosen",), ("rank",), ("best",), ("worst",), ("best", "worst"), ("rank", "worst")):
        raise table.missing(
            ONE_OUTCOME, "remove the others, or give them another name with columns={'NAME': …} (--columns NAME=…)"
        )
    return found


def _said(table: Table, outcome: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The rank of every row, NaN where it has none, and whether it was picked as the worst."""
    rank, worst = np.full(len(table), np.nan), np.zeros(len(table), bool)
    if "chosen" in outcome:
        words = table.words("chosen", (*YES, *NO, "-1"), shown=CHOSEN)
        rank[np.isin(words, YES)] = 1
        worst |= words == "-1"
    if "rank" in outcome:
        rank = table.ranks("rank")
    if "best" in outcome:
        rank[table.marks("best")] = 1
    if "worst" in outcome:
        worst |= table.marks("worst")
    return rank, worst


def _labels(
    table: Table, group: np.ndarray, order: np.ndarray, options: SetOptions
) -> tuple[np.ndarray, tuple[str, ...]]:
    """(rows,) the number of each alternative's name, and the names: their column's, or places within the set."""
    sizes = np.bincount(group)
    if "alternative" not in table:
        place = np.empty(len(group), np.int64)
        place[order] = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return place, options.with_opt_out(tuple(str(number + 1) for number in range(sizes.max())))
    names = options.names()
    if names is None:
        labels = table.labels("alternative")
        first, label = group_rows([labels])
        names = options.with_opt_out(tuple(str(name) for name in labels[first]))
    else:
        label = options.coded(table, "alternative", names)
    first, cell = group_rows([group, label])
    repeated = np.zeros(len(sizes), bool)
    repeated[group[first[np.bincount(cell) > 1]]] = True
    Places(table.what("alternative"), table.numbered()[group_rows([group])[0]]).check(
        repeated, expected="every alternative once", got="one that is repeated",
        fix="give alternatives different names, or take the column for a feature with columns=… (--columns NAME=…)",
    )  # fmt: skip
    return label, names


def chosen_columns(
    table: Table, options: SetOptions, names: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns to take for features, and all features in their order, constants of alternatives among them."""
    wanted = () if options.features is None else chosen_features(options.features)
    constants = options.constants_among(names) or any(name in names for name in wanted)
    known = table.features_besides(COLUMNS, None, needed=not constants)
    both = [name for name in wanted if name in COLUMNS and name in table and name not in names]  # a role, too
    return options.described_by((*known, *both), names, lambda missing: table.require(*missing))


def finished(
    answers: Answers,
    known: Circumstances,
    columns: tuple[str, ...],
    features: tuple[str, ...],
    names: tuple[str, ...],
    options: SetOptions,
    *,
    ranked: bool,
) -> Choices:
    """Choices from sound answers: an opt-out added where it is missing, constants put beside the columns."""
    check_ties(options.ties)
    if options.opt_out is not None:
        answers = _with_opt_out(answers, names.index(str(options.opt_out)), ranked=ranked)
    places = answers.places
    sets = 0 if places.rows is None else len(places.rows)
    places.check(
        np.bincount(answers.owner, minlength=sets) < 2, expected="at least two alternatives", got="fewer",
        fix="correct these sets" + ", and see that all rows of a set have one label" * (not places.single),
    )  # fmt: skip
    rank = answers.rank
    if ranked:
        rank = checked_ranks(answers.owner, rank, options.ties, places)
    else:
        best = np.bincount(answers.owner[rank == 1], minlength=sets)
        last = np.bincount(answers.owner[answers.worst], minlength=sets)
        places.check(
            best + last == 0, expected="exactly one chosen alternative", got="none",
            fix="correct these sets, or say opt_out='none' (--opt-out none) if people could choose none of these",
        )  # fmt: skip
        places.check(
            (best > 1) & (options.ties == "error"), expected="exactly one chosen alternative", got="several",
            fix="correct these sets" + ", see that different sets have different labels" * (not places.single)
            + ", or allow ties with ties='observed' (--ties observed)",
        )  # fmt: skip
    constants = [(answers.label == names.index(name)).astype(float) for name in features if name not in columns]
    values = dict(
        zip((*columns, *(f for f in features if f not in columns)), (*answers.table.T, *constants), strict=True)
    )
    answers = replace(answers, table=np.column_stack([values[name] for name in features]), rank=rank)
    return Choices.from_answers(answers, features=features, names=names, **vars(known))


def _with_opt_out(answers: Answers, label: int, *, ranked: bool) -> Answers:
    """Every set has the opt-out, with zeros for features; it was chosen where nothing else was."""
    assert answers.places.rows is not None
    sets = len(answers.places.rows)
    lacking = np.bincount(answers.owner[answers.label == label], minlength=sets) == 0
    answers.places.check(
        lacking & ranked, expected="a row for the opt-out, with its rank", got="none", fix="add one to these rankings"
    )
    chosen = np.bincount(answers.owner[answers.rank == 1], minlength=sets) > 0
    own = (answers.label == label) & ~chosen[answers.owner] & (not ranked)
    added = np.flatnonzero(lacking)
    order = np.argsort(np.concatenate([answers.owner, added]), kind="stable")
    return Answers(
        np.concatenate([answers.table, np.zeros((len(added), answers.table.shape[1]))])[order],
        np.concatenate([answers.owner, added])[order],
        np.concatenate([answers.label, np.full(len(added), label)])[order],
        np.concatenate([np.where(own, 1.0, answers.rank), np.where(chosen[added], np.nan, 1.0)])[order],
        np.concatenate([answers.worst, np.zeros(len(added), bool)])[order],
        answers.places,
    )
