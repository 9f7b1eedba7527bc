"""What came out of each comparison? Words and counts in a table as wins, losses and ties of the left side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from lori.data.reading.columns import Table
from lori.errors import DataError

WORDS = ("left", "right", "tie")
COUNT_COLUMNS = {"wins": "left_wins", "losses": "right_wins", "ties": "ties"}
YES, NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")


def outcomes(table: Table, values: Mapping[str, str] | None = None) -> dict[str, np.ndarray]:
    """Wins, losses and ties from a column of choice words (each counted `count` times) or from counts."""
    counted = [column for column in COUNT_COLUMNS.values() if column in table]
    if "choice" in table and counted:
        raise table.missing("either a column choice or counts, not both", "remove one of the two")
    if "choice" in table:
        words = choice_words(values)
        chosen = _words(table, "choice", words)
        times = multiplicity(table)
        return {name: np.where(chosen == word, times, 0.0) for name, word in zip(COUNT_COLUMNS, words, strict=True)}
    if not counted and not table.outcome_needed:
        return {"wins": np.ones(len(table))}
    if not counted or counted == ["ties"]:
        raise table.missing(
            "a column choice (left, right or tie) or the counts left_wins and right_wins",
            "add one of them or name it with columns=… (--columns choice=…)",
        )
    table.require("left_wins", "right_wins")
    return {name: table.counts(column) for name, column in COUNT_COLUMNS.items() if column in table}


def multiplicity(table: Table) -> np.ndarray:
    """How often each row was observed: the column count, otherwise once."""
    return table.counts("count") if "count" in table else np.ones(len(table))


def choice_words(values: Mapping[str, str] | None) -> tuple[str, ...]:
    """The words for left, right and tie, as used in the file."""
    given = {str(ours): _plain(theirs) for ours, theirs in (values or {}).items()}
    words = tuple(given.get(word, word) for word in WORDS)
    if not set(given) <= set(WORDS) or len(set(words)) < len(words):
        raise DataError(
            "values",
            expected="different words for left, right and tie",
            got=", ".join(f"{ours}={theirs}" for ours, theirs in given.items()),
            fix="write for example values={'left': 'A', 'right': 'B'} (--values left=A --values right=B)",
        )
    return words


def chosen_rows(table: Table) -> np.ndarray:
    """(rows,) mask from the column chosen: 1 or 0, true or false, yes or no."""
    return np.isin(_words(table, "chosen", (*YES, *NO), shown=("1 or 0", "true or false", "yes or no")), YES)


def _words(table: Table, name: str, known: Iterable[str], shown: Iterable[str] | None = None) -> np.ndarray:
    """A column of words, compared without regard to case and spaces; unknown ones are an error."""
    import pandas

    codes, words = pandas.factorize(table.frame[table.names[name]], use_na_sentinel=False)
    distinct = ["" if pandas.isna(word) else str(word) for word in words]
    plain = [_plain(word) for word in distinct]
    unknown = [word for word, ours in zip(distinct, plain, strict=True) if ours not in set(known)]
    if unknown:
        listed = ", ".join(repr(word[:20]) for word in unknown[:3])
        raise DataError(
            table.what(name),
            expected=f"only {', '.join(shown or known)}",
            got=listed + (f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""),
            fix="correct these rows" + (" or say which words are used with values=… (--values)" * (not shown)),
        )
    return np.array(plain, dtype=str)[codes]


def _plain(word: object) -> str:
    return str(word).strip().casefold().removesuffix(".0")
