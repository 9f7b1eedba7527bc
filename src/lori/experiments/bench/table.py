"""How are measurements shown? As plain text in columns that line up."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from lori.experiments.bench.contest import Claim, Row

HEADER = ("case", "contestant", "median", "min – max", "ratio")
NOTE_WIDTH = 110


def text_table(rows: Sequence[Row]) -> str:
    """A line for each row and, indented below it, what there is to say about it."""
    cells = [HEADER, *(_cells(row, before) for row, before in zip(rows, [None, *rows], strict=False))]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    lines = [_aligned(cells[0], widths), "─" * (sum(widths) + 2 * len(widths) - 2)]
    for row, line in zip(rows, cells[1:], strict=True):
        lines.append(_aligned(line, widths))
        lines += ["    " + part for part in wrap(row.note, NOTE_WIDTH)]
    return "\n".join(lines)


def text_claims(claims: Sequence[Claim], smoke: bool) -> str:
    """What must hold, with what was measured."""
    lines = []
    for claim in claims:
        verdict = {True: "holds", False: "DOES NOT HOLD", None: "not judged"}[claim.to_dict(smoke)["holds"]]
        sign = "≥" if claim.at_least else "≤"
        lines.append(f"{verdict:13}  {claim.text}: {claim.value:.3g} {sign} {claim.limit:g}")
    return "\n".join(lines)


def _cells(row: Row, before: Row | None) -> tuple[str, ...]:
    case = "" if before and before.case == row.case else row.case
    if row.seconds is None:
        return case, row.contestant, "–", "–", "–"
    low, high = min(row.seconds.values), max(row.seconds.values)
    ratio = "–" if row.ratio is None else f"{row.ratio:.3g}"
    return case, row.contestant, seconds(row.seconds.median), f"{seconds(low)} – {seconds(high)}", ratio


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    words = [
        cell.ljust(width) if place < 2 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(words).rstrip()


def seconds(value: float) -> str:
    """Three digits and a unit.

    >>> seconds(0.00123), seconds(0.5), seconds(1234.5)
    ('1.23 ms', '500 ms', '1234 s')
    """
    if value < 1:
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g} s" if value < 1000 else f"{value:.0f} s"
