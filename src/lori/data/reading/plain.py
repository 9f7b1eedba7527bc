"""Plain files of pairs: which need no guess, and no pandas, which takes longer to load than such a file to read?

CSV with `left.F…, right.F…` and `choice` in LORI's own words, numbers in every cell and nothing else. Whatever is not
beyond doubt (a blank cell, a quote, another column or word) is left to the other readers, which say what it means or
what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lori.data.preferences import Preferences
from lori.data.reading.record import Reading
from lori.data.validation import COUNTS
from lori.errors import LoriError

LARGEST = 1 << 21  # bytes: more is read faster by pandas, its loading included
SIDES = ("left.", "right.")
WORDS = ("left", "right", "tie")  # as in COUNTS
NUMBERS = re.compile(r"[-+.,0-9eE\n]*")
DOUBTFUL = 1e100  # numbers beyond this have a message of their own


def plain_pairs(path: str, features: Sequence[str] | None, *, outcome_needed: bool) -> Preferences | None:
    """The pairs of a plain file with some of its features, or None where the file is something else."""
    lines = _lines(Path(path)) or [""]
    header = lines[0].split(",")
    sides = [[name.removeprefix(side) for name in header if name.startswith(side)] for side in SIDES]
    names = sides[0] if features is None else list(features)
    beside = [name for name in header if not name.startswith(SIDES)]
    named = names and set(names) <= set(sides[0]) and all(name and name == name.strip() for name in sides[0])
    if not named or set(sides[0]) != set(sides[1]) or len(set(header)) < len(header):
        return None
    if set(beside) not in ({"choice"}, {*COUNTS.values()}, {*COUNTS.values()} - {"ties"}, set()):
        return None
    if any(line.count(",") != len(header) - 1 for line in lines) or (outcome_needed and not beside):
        return None
    columns = dict(zip(header, zip(*(line.split(",") for line in lines[1:]), strict=True), strict=True))
    outcomes = {name: columns.pop(name) for name in beside}
    if not NUMBERS.fullmatch(",".join(cell for column in columns.values() for cell in column)):
        return None
    try:
        left, right = (np.array([columns[side + name] for name in names], float).T for side in SIDES)
        if max(np.abs(left).max(), np.abs(right).max()) > DOUBTFUL:
            return None
        found = Preferences.from_arrays(left, right, features=names, **_counts(outcomes, len(left)))
    except (ValueError, OverflowError, LoriError):
        return None
    return found._derived(reading=Reading(sources=(path,), rows=len(found)))


def _counts(outcomes: dict[str, tuple[str, ...]], rows: int) -> dict[str, np.ndarray]:
    """Wins, losses and ties of each pair; a ValueError where a cell is no word of ours and no whole number."""
    if "choice" in outcomes:
        places = np.array([WORDS.index(word) for word in outcomes["choice"]])
        return {count: np.where(places == place, 1.0, 0.0) for place, count in enumerate(COUNTS)}
    given = {count: outcomes[name] for count, name in COUNTS.items() if name in outcomes}
    return {count: np.array([int(cell) for cell in cells], float) for count, cells in given.items()} or {
        "wins": np.ones(rows)
    }


def _lines(file: Path) -> list[str] | None:
    """A header and rows of text without quotes or blank lines, or None."""
    try:
        if file.suffix.lower() != ".csv" or not file.is_file() or file.stat().st_size > LARGEST:
            return None
        text = file.read_bytes().decode().replace("\r\n", "\n")
    except (OSError, ValueError):
        return None
    lines = text.removesuffix("\n").split("\n")
    return lines if len(lines) > 1 and all(lines) and not any(mark in text for mark in '"\0\ufeff') else None
