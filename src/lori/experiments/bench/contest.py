"""Contests: how long does each contestant take? They take turns in one process: what slows one slows the others.

Every contestant first runs once without being timed (compiling, warming caches). Then come rounds A B C, A B C, …
Before each turn there is a short rest: threads of NumPy's and other libraries wait for more work in circles for some
hundredths of a second, and whoever came next would pay for them. Only ratios of medians from the same contest are
compared.
"""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter, sleep
from typing import Any

HOW_TO_INSTALL = "pip install 'lori[bench]'"
REST = 0.1  # seconds before a turn that is timed


@dataclass(frozen=True)
class Seconds:
    """Times of the same work, several times over."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def to_dict(self) -> dict[str, Any]:
        spread = {"min": min(self.values), "max": max(self.values)}
        return {"median": self.median, **spread, "values": list(self.values)}


@dataclass(frozen=True)
class Contestant:
    """Somebody who can do the work: `run` does it once and returns the answer."""

    name: str
    run: Callable[[], Any]
    needs: str | None = None
    """The package of a peer; without it the contestant is skipped."""
    scale: float = 1.0
    """What times are multiplied by where only a part of the work is done; the note must say so."""
    warm: bool = True
    """Whether it runs once beforehand; not where that is what is measured, or where there is nothing to warm up."""
    note: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    case: str
    contestant: str
    seconds: Seconds | None = None
    ratio: float | None = None
    """Median by the median of the first contestant of the case."""
    note: str = ""
    measures: dict[str, float] = field(default_factory=dict)
    """Anything else that was measured, by name."""

    def with_measures(self, **measures: float) -> Row:
        return replace(self, measures={**self.measures, **measures})

    def to_dict(self) -> dict[str, Any]:
        seconds = self.seconds.to_dict() if self.seconds else None
        own = {"case": self.case, "contestant": self.contestant, "seconds": seconds, "ratio": self.ratio}
        return {**own, "note": self.note, "measures": self.measures}


@dataclass(frozen=True)
class Claim:
    """Something that must hold: a measured value and its limit."""

    text: str
    value: float
    limit: float
    at_least: bool = False
    at_any_size: bool = False
    """Whether it is judged in a smoke run, too: answers are, speeds are not."""

    @property
    def holds(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def to_dict(self, smoke: bool) -> dict[str, Any]:
        judged = self.holds if self.at_any_size or not smoke else None
        bound = {"at least" if self.at_least else "at most": self.limit}
        return {"claim": self.text, "value": self.value, **bound, "holds": judged}


@dataclass
class Measured:
    """What a group of cases brings: lines for the table, and what must hold."""

    rows: list[Row] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    table: str = ""
    """How the rows are shown, where columns of times would say nothing."""

    def claim(self, text: str, value: float | None, limit: float, **options: bool) -> None:
        """Note what must hold; without a value (a peer is missing) there is nothing to say."""
        if value is not None:
            self.claims.append(Claim(text, float(value), limit, **options))


@dataclass(frozen=True)
class Outcome:
    """How a contest went: lines for the table, and what each contestant answered in the last round."""

    rows: list[Row]
    answers: dict[str, Any]

    def median(self, contestant: str) -> float | None:
        """Seconds, or None if the contestant did not take part."""
        row = next(row for row in self.rows if row.contestant == contestant)
        return row.seconds.median if row.seconds else None

    def add(self, contestant: str, note: str = "", **measures: float) -> None:
        """Write more into the line of a contestant, if it took part."""
        for place, row in enumerate(self.rows):
            if row.contestant == contestant and row.seconds:
                both = "; ".join(part for part in (row.note, note) if part)
                self.rows[place] = replace(row, note=both).with_measures(**measures)

    def relative(self, one: str, other: str) -> float | None:
        """The median of `one` by that of `other`."""
        own, theirs = self.median(one), self.median(other)
        return None if own is None or theirs is None else own / theirs


def hold(
    case: str,
    contestants: Sequence[Contestant],
    repeats: int,
    *,
    clock: Callable[[], float] = perf_counter,
    rest: Callable[[float], None] = sleep,
) -> Outcome:
    """Time the contestants by turns. A peer that is absent, or that fails, is named and left out.

    With no `repeats` what otherwise warms up is all there is, and is timed: of no use but to see that everything runs.
    """
    remarks: dict[str, str] = {}
    times: dict[str, list[float]] = {one.name: [] for one in contestants}
    answers: dict[str, Any] = {}
    for one in contestants:
        if one.needs and importlib.util.find_spec(one.needs) is None:
            remarks[one.name] = f"skipped: {one.needs} is not installed ({HOW_TO_INSTALL})"
    for turn in range(-1, repeats) if repeats else (0,):
        for one in contestants:
            if one.name in remarks or (turn < 0 and not one.warm):
                continue
            if turn >= 0 and repeats:
                rest(REST)
            started = clock()
            try:
                answers[one.name] = one.run()
            except Exception as error:
                if one.needs is None:  # our own failure is no result
                    raise
                remarks[one.name] = f"failed: {type(error).__name__}: {str(error)[:120]}"
                answers.pop(one.name, None)
                continue
            if turn >= 0:
                times[one.name].append((clock() - started) * one.scale)
    first = times[contestants[0].name]
    rows = []
    for one in contestants:
        if one.name in remarks:
            rows.append(Row(case, one.name, note=remarks[one.name]))
            continue
        seconds = Seconds(tuple(times[one.name]))
        rows.append(Row(case, one.name, seconds, seconds.median / statistics.median(first), one.note))
    return Outcome(rows, answers)
