"""Answers: what does an answer about a set say? A choice, a ranking or both ends, as choices from what is left.

An answer gives each alternative of its set a rank, 1 for the best and NaN where it has none, and may mark the worst. A
choice has one alternative of rank 1; equal ranks are a tie. The first step chooses from the whole set, the next from
what is left of it, and the worst is picked from what has no rank.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lori.data import validation as check
from lori.errors import DataError

TIES = ("error", "observed")


@dataclass(frozen=True)
class Places:
    """How messages call a set: by its number, or by the row of a file that it begins with."""

    what: str = "sets"
    rows: np.ndarray | None = None  # (sets,) the first row of each, from 1 below the header
    single: bool = False  # every set is one row

    def text(self, bad: np.ndarray) -> str:
        if self.rows is None:
            return check.rows_text(bad).replace("row", "set")
        count, first = int(bad.sum()), f"row {int(self.rows[bad][0])} below the header"
        if self.single:
            return first if count == 1 else f"{count} rows, the first of them {first}"
        return f"{count} {'set' if count == 1 else 'sets'}, the first from {first}"

    def check(self, bad: np.ndarray, *, expected: str, got: str, fix: str = "correct these sets") -> None:
        """No set is bad, or a DataError that says where they are."""
        if bad.any():
            raise DataError(self.what, expected=f"{expected} in every set", got=f"{got} in {self.text(bad)}", fix=fix)


@dataclass(frozen=True)
class Answers:
    """Answers about sets: a row for each alternative, in the order of the sets."""

    table: np.ndarray  # (rows, features)
    owner: np.ndarray  # (rows,) the set of each alternative, ascending from 0
    label: np.ndarray  # (rows,) which of the names of alternatives it has
    rank: np.ndarray  # (rows,) from 1 for the best, without gaps; NaN where it has none
    worst: np.ndarray  # (rows,) was it picked as the least preferred?
    places: Places = field(default_factory=Places)

    def fields(self, *, occasion: np.ndarray | None = None, **known: Any) -> dict[str, Any]:
        """The fields of Choices, once the answers are sound; arrays that are `known` of each set hold for its steps."""
        self.check()
        found = steps(self.owner, self.rank, self.worst)
        several = len(found.answer) > self.owner[-1] + 1
        of_sets = {"agent", "times", "weight"}
        return {
            "alternatives": self.table[found.rows],
            "offsets": found.offsets,
            "chosen": found.chosen,
            "label": self.label[found.rows],
            "worst": found.worst if found.worst.any() else None,
            "occasion": found.answer if several and occasion is None else _of_steps(occasion, found.answer, "occasion"),
            **{name: _of_steps(own, found.answer, name) if name in of_sets else own for name, own in known.items()},
        }

    def check(self) -> None:
        """Every set has something that was preferred to something else."""
        owner, sets = self.owner, int(self.owner[-1]) + 1
        ranked = ~np.isnan(self.rank)
        sizes, first, last = (np.bincount(owner[rows], minlength=sets) for rows in (slice(None), ranked, self.worst))
        self.places.check(sizes < 2, expected="at least two alternatives", got="fewer")
        self.places.check(last > 1, expected="at most one worst alternative", got="several")
        both = np.bincount(owner[self.worst & ranked], minlength=sets) > 0
        self.places.check(both, expected="a worst alternative that was not chosen, too", got="one that was")
        self.places.check(first + last == 0, expected="a chosen alternative", got="none")
        best = np.bincount(owner[self.rank == 1], minlength=sets)
        self.places.check(best == sizes, expected="an alternative that was not chosen", got="all chosen")


def _of_steps(values: Any, answer: np.ndarray, what: str) -> np.ndarray | None:
    """What is known of each set, for each step of its answer."""
    if values is None:
        return None
    array = np.atleast_1d(check.as_array(values, what))
    check.check_length(array, int(answer.max()) + 1, what, of="sets")
    return array[answer]


class Steps(NamedTuple):
    """Choices from what was left, one after the other."""

    rows: np.ndarray  # which rows of the answers can be chosen in each of them
    offsets: np.ndarray  # (steps + 1,) where each step begins among these
    chosen: np.ndarray  # mask of `rows`
    worst: np.ndarray  # (steps,) was the least preferred picked?
    answer: np.ndarray  # (steps,) the set of each step


def steps(owner: np.ndarray, rank: np.ndarray, worst: np.ndarray) -> Steps:
    """The choices that answers consist of; a step that leaves nothing to choose between is none."""
    sets = int(owner[-1]) + 1
    last = int(np.nanmax(rank, initial=0.0))
    parts = [_step(owner, sets, ~(rank < stage), rank == stage, stage) for stage in range(1, last + 1)]
    parts.append(_step(owner, sets, np.isnan(rank), worst, last + 1))
    rows, stage, chosen = (np.concatenate(own) for own in zip(*parts, strict=True))
    order = np.lexsort((rows, stage, owner[rows]))
    rows, stage, chosen = rows[order], stage[order], chosen[order]
    begins = np.ones(len(rows), bool)
    begins[1:] = (np.diff(owner[rows]) != 0) | (np.diff(stage) != 0)
    starts = np.flatnonzero(begins)
    return Steps(rows, np.append(starts, len(rows)), chosen, stage[starts] == last + 1, owner[rows[starts]])


def _step(owner: np.ndarray, sets: int, left: np.ndarray, chosen: np.ndarray, stage: int) -> tuple[np.ndarray, ...]:
    """One step of all sets that have it: the rows to choose from, its number, and which were chosen."""
    picks = np.bincount(owner[left & chosen], minlength=sets) > 0
    others = np.bincount(owner[left & ~chosen], minlength=sets) > 0
    rows = np.flatnonzero(left & (picks & others)[owner])
    return rows, np.full(len(rows), stage), chosen[rows]


def checked_ranks(owner: np.ndarray, rank: np.ndarray, ties: str, places: Places) -> np.ndarray:
    """Ranks 1, 2, 3, … of every set, or a DataError.

    Equal ranks are an error unless `ties` are observed. After a tie the count may go on with the next number (1, 1, 2)
    or with the next place (1, 1, 3).
    """
    check_ties(ties)
    sets = int(owner[-1]) + 1
    ranked = np.flatnonzero(~np.isnan(rank))
    with np.errstate(invalid="ignore"):
        odd = ranked[~((rank[ranked] >= 1) & (rank[ranked] == np.floor(rank[ranked])) & np.isfinite(rank[ranked]))]
    places.check(
        _of(owner[odd], sets), expected="whole ranks from 1 for the best", got="others",
        fix="count ranks from 1, and leave empty what was not ranked",
    )  # fmt: skip
    places.check(~_of(owner[ranked], sets), expected="at least one rank", got="none")
    order = ranked[np.lexsort((rank[ranked], owner[ranked]))]
    own, value = owner[order], rank[order]
    begins = np.ones(len(own), bool)
    begins[1:] = np.diff(own) != 0
    new = begins.copy()
    new[1:] |= np.diff(value) != 0
    start = np.maximum.accumulate(np.where(begins, np.arange(len(own)), 0))  # where the set begins
    head = np.maximum.accumulate(np.where(new, np.arange(len(own)), 0))  # where the rank begins
    dense = np.cumsum(new) - np.cumsum(new)[start] + 1
    if ties == "error":
        places.check(
            _of(own[~new], sets), expected="every rank once", got="a repeated rank",
            fix="correct these sets, or allow ties with ties='observed' (--ties observed)",
        )  # fmt: skip
    gaps = _of(own[value != dense], sets) & _of(own[value != head - start + 1], sets)
    places.check(gaps, expected="ranks 1, 2, 3 and so on", got="a gap", fix="number the ranks without gaps")
    result = np.full(len(rank), np.nan)
    result[order] = dense
    return result


def check_ties(ties: str) -> None:
    if ties not in TIES:
        raise DataError("ties", expected=" or ".join(TIES), got=repr(ties), fix="use ties='error'")


def _of(owner: np.ndarray, sets: int) -> np.ndarray:
    """(sets,) mask of those that own one of these rows."""
    return np.bincount(owner, minlength=sets) > 0


# -- arrays ------------------------------------------------------------------------------------------------------


def described(X: Any, available: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Features of all alternatives (sets, alternatives, features), and which of these could be chosen."""
    table = check.as_numbers(X, "X")
    if table.ndim != 3 or 0 in table.shape:
        raise DataError(
            "X", expected="an array of shape (sets, alternatives, features)", got=f"shape {table.shape}",
            fix="stack the features of the alternatives of each set",
        )  # fmt: skip
    shape = table.shape[:2]
    there = np.ones(shape, bool) if available is None else mask_of(available, shape, "available")
    ragged = (~np.isfinite(table).all(axis=2) & there).any(axis=1)
    Places("X").check(
        ragged, expected="finite features of all that was available", got="NaN or infinity",
        fix="correct them, or say what was not available with available=…",
    )  # fmt: skip
    return table, there


def check_available(marks: np.ndarray, available: np.ndarray, what: str, places: Places | None = None) -> None:
    """Nothing was picked that could not be."""
    (places or Places(what)).check(
        (marks & ~available).any(axis=1), expected="a chosen alternative that was available", got="another one",
        fix="correct what was chosen, or what was available",
    )  # fmt: skip


def marked(positions: Any, shape: tuple[int, int], what: str) -> np.ndarray:
    """(sets, alternatives) mask from the position of an alternative in each set, or from a mask."""
    sets, width = shape
    given = check.as_array(positions, what)
    if given.shape == (sets, width):
        return mask_of(given, (sets, width), what)
    if given.shape != (sets,) or given.dtype.kind not in "iu" or (given < 0).any() or (given >= width).any():
        raise DataError(
            what, expected=f"for each of the {sets} sets the position of an alternative, 0 to {width - 1}",
            got=f"an array of shape {given.shape} and type {given.dtype}, or other positions",
            fix="count alternatives from 0, or mark them in an array of shape (sets, alternatives)",
        )  # fmt: skip
    return np.arange(width) == given[:, None]


def mask_of(values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """True and false from an array of this shape that has nothing else, or 1 and 0."""
    mask = check.as_array(values, what)
    if mask.shape != shape or not np.isin(mask, (0, 1)).all():
        raise DataError(
            what, expected=f"true or false in an array of shape {shape}", got=f"an array of shape {mask.shape}",
            fix="mark each place by 1 or 0",
        )  # fmt: skip
    return mask.astype(bool)
