"""Agents side by side: a table with a row for each agent's model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lori.language.answer import threshold_interval, threshold_text
from lori.language.names import label
from lori.language.numbers import NONE, counted
from lori.language.sentence import listed

if TYPE_CHECKING:
    from lori.estimators.lori import LORI
    from lori.language.results import LevelSummary, Summary

COLUMNS = ("agent", "first", "threshold", "95 % interval", "then", "log-lik.", "last level", "notes")
TOLD = ("separation", "one-sided", "unidentified")  # notes that concern single agents


def agents_table(fitted: dict[str, LORI]) -> str:
    """A row for each agent: what comes first, its threshold, what comes then, and whether that is supported."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for agent, model in fitted.items():
        rows.append(_row(agent, model.summary()))
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    total = sum(model.log_likelihood_ for model in fitted.values())
    lines.append(f"\n{counted(len(fitted), 'agent')}, summed log-likelihood {total:.2f}")
    return "\n".join([*lines, *_shared_notes(fitted)])


def _row(agent: str, summary: Summary) -> tuple[str, ...]:
    first, *rest = summary.levels
    counts = bool(rest) and bool(first.leading)
    own = [] if summary.status.converged else ["not converged"]
    own += [note.code for note in summary.status.notes if note.code in TOLD]
    return (
        label(agent),
        _led_by(first),
        threshold_text(first, first.leading[0]) if counts else NONE,
        threshold_interval(first, first.leading[0]) if counts else NONE,
        ", then ".join(_led_by(level) for level in rest) or NONE,
        f"{summary.log_likelihood:.2f}",
        summary.support.verdict if summary.support else NONE,
        ", ".join(dict.fromkeys(own)),
    )


def _led_by(level: LevelSummary) -> str:
    return listed(level.leading) or NONE


def _shared_notes(fitted: dict[str, LORI]) -> list[str]:
    """Notes that hold for every agent are said once."""
    common: list[str] | None = None
    for model in fitted.values():
        texts = [str(note) for note in model.status_.notes]
        common = texts if common is None else [text for text in common if text in texts]
    return [f"Note: {text}" for text in common or []]
