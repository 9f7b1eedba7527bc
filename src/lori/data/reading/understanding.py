"""Understanding: what do files mean, by what was said of them and by what can be guessed? It is shown, never silent."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lori.data.reading import forms, wide
from lori.data.reading.guesses import Guess, guess
from lori.data.reading.record import Reading
from lori.data.reading.surveys import conjoint, without_headings
from lori.data.reading.tables import (
    NUMBER_ROLES,
    TEXT_ROLES,
    Table,
    matches,
    open_frames,
    table_of,
    tables_of,
    with_joined,
)
from lori.data.validation import as_mapping
from lori.errors import DataError, printable

if TYPE_CHECKING:
    import pandas


class GuessedColumns(UserWarning):
    """What columns mean was guessed from their names and cells."""


@dataclass(frozen=True)
class Understanding:
    """Tables by their form, and how they are to be read."""

    tables: dict[str, Table]
    all_tables: tuple[Table, ...]
    columns: dict[str, str]
    values: dict[str, str]
    features: Sequence[str] | None
    alternatives: Sequence[str] | None
    fixed: dict[str, float] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()
    by_guess: tuple[str, ...] = ()  # features, where they were guessed

    def in_order(self, *forms_wanted: str) -> tuple[Table, ...]:
        return tuple(self.tables[form] for form in forms_wanted)

    def _plays_a_part(self, form: str, table: Table, ours: str) -> bool:
        if ours in self.columns or ours in table.by_pattern or ours in (*TEXT_ROLES, *NUMBER_ROLES):
            return True
        if form == "pairs":
            return ours.startswith(("left.", "right."))
        return form != "wide" and (self.features is None or ours in self.features)

    def record(self, categories: Mapping[str, tuple[str, ...]], dropped: int) -> Reading:
        """How the files were read."""
        table = self.all_tables[-1]
        form = next(iter(self.tables))
        used = {theirs for ours, theirs in table.names.items() if self._plays_a_part(form, table, ours)}
        return Reading(
            form=form if len(self.tables) == 1 else next(own for own in self.tables if own != "comparisons"),
            sources=tuple(own.path for own in self.all_tables),
            columns=self.columns | {ours: f"{number:g}" for ours, number in self.fixed.items()},
            values=dict(self.values),
            alternatives=tuple(self.alternatives or ()),
            features=self.by_guess,
            guessed=self.guessed,
            categories=dict(categories),
            ignored=tuple(name for name in table.frame.columns if name not in used),
            rows=len(table),
            dropped=dropped,
        )


def understood(
    sources: Sequence[Any],
    columns: Mapping[str, str] | None,
    values: Mapping[str, str] | None,
    features: Sequence[str] | None,
    alternatives: Sequence[str] | None,
    where: Mapping[str, object] | None,
    outcome_needed: bool,
    remembered: Reading | None = None,
) -> Understanding:
    """Read the files, and find out what their columns mean."""
    mapping, words = as_mapping(columns, "columns"), as_mapping(values, "values")
    fixed: dict[str, float] = {}
    known = Reading() if remembered is None else remembered
    frames = open_frames(sources, {**known.columns, **mapping}, where)
    mapping = recalled(known, mapping, frames)
    words = words or dict(known.values)
    alternatives = alternatives or known.alternatives or None
    is_wide = len(sources) == 1 and wide.is_wide(mapping, alternatives)
    if is_wide:
        mapping, fixed = wide.numbers_in(mapping)
    guessed = Guess()
    if len(frames) == 1:
        path, frame = frames[0][0], without_headings(frames[0][1])
        survey = conjoint(path, frame, mapping)
        if survey is not None:
            (frame, mapping), is_wide = survey, False
        elif not is_wide and not _is_plain(path, frame, mapping, outcome_needed):
            guessed = guess(frame, mapping, words)
            frame = _with_outcome(frame, guessed)
        frames = [(path, frame)]
    if guessed.columns:
        named = set(mapping.values())
        if "chosen" in guessed.columns and mapping.get("choice") == guessed.columns["chosen"]:
            del mapping["choice"]
        new = {ours: theirs for ours, theirs in guessed.columns.items() if ours not in mapping}
        mapping = new | mapping
        said = tuple(ours for ours, theirs in new.items() if theirs not in named)
        words = words or dict(guessed.values)
        is_wide = bool(guessed.alternatives)
        alternatives = alternatives or guessed.alternatives or None
        by_guess = guessed.features or () if features is None else ()
        _warn(frames[0][0], {ours: mapping[ours] for ours in said}, guessed.values if not values else {})
        guesses = said + tuple(guessed.values if not values else ())
    else:
        guesses, by_guess = (), ()
    tables = tables_of(frames, mapping, outcome_needed)
    by_form = {"wide" if is_wide else forms.form_of(table): table for table in tables}
    return Understanding(
        by_form, tuple(tables), mapping, words, features if features is not None else by_guess or None, alternatives,
        fixed, guesses, tuple(by_guess),
    )  # fmt: skip


def recalled(known: Reading, mapping: dict[str, str], frames: Sequence[tuple[str, pandas.DataFrame]]) -> dict[str, str]:
    """The map with what is known of files like these, as far as they have the columns."""
    names = [name for _, frame in frames for name in frame.columns]
    found = dict(mapping)
    for ours, theirs in known.columns.items():
        parts = [theirs] if theirs in names else theirs.split("+")
        fits = any(matches(name, {ours: theirs}) for name in names) if "*" in theirs else set(parts) <= set(names)
        number = theirs.replace(".", "", 1).lstrip("-").isdigit() and "." in ours
        if ours not in mapping and (fits or number):
            found[ours] = theirs
    return found


def _is_plain(path: str, frame: pandas.DataFrame, mapping: Mapping[str, str], outcome_needed: bool) -> bool:
    """Do the columns go by our names, so that nothing need be guessed?"""
    table = table_of(path, with_joined(frame, mapping), mapping, outcome_needed)
    form = forms.form_of(table)
    if form == "pairs":
        return not outcome_needed or "choice" in table or "left_wins" in table
    return form not in ("unknown", "items")


def _with_outcome(frame: pandas.DataFrame, guessed: Guess) -> pandas.DataFrame:
    """Where columns say which side was preferred, a choice that says so in every row."""
    if guessed.always is None:
        return frame
    if "choice" in frame:
        raise DataError(
            "columns", expected="either columns of the preferred and the other side, or a choice", got="both",
            fix="say which columns are meant with columns=… (--columns)",
        )  # fmt: skip
    return frame.assign(choice=guessed.always)


def _warn(path: str, columns: Mapping[str, str], values: Mapping[str, str]) -> None:
    pairs = ", ".join(f"{ours}={theirs}" for ours, theirs in (*columns.items(), *values.items()))
    said = f"{path}: guessed that {pairs}; say it with columns=… and values=… to be sure"
    warnings.warn(printable(said), GuessedColumns, stacklevel=4)
