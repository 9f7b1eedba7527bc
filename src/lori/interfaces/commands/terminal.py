"""How does an answer look at a glance, in a terminal? The summary's main numbers, in colour."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lori.language.answer import answer, leaders, threshold, with_interval
from lori.language.names import plain_text

BAR = 20  # characters of a full bar


def print_compact(summary: dict[str, Any], console: Console | None = None) -> None:
    """The answer in three sentences, a row for each level, and what to beware of."""
    (console or Console()).print(Group(_answer(summary), _levels(summary), *_beware(summary)))


def _answer(summary: dict[str, Any]) -> Panel:
    sentences = "\n".join(plain_text(sentence, summary["features"]) for sentence in answer(summary))
    size = f"{summary['comparisons']:,} comparisons of {summary['pairs']:,} pairs"
    return Panel(Text(sentences), title="What comes first", subtitle=size, border_style="blue", title_align="left")


def _levels(summary: dict[str, Any]) -> Table:
    table = Table(box=SIMPLE, pad_edge=False)
    for heading in ("Level", "Leads", "Counts from", "Decides"):
        table.add_column(heading, overflow="fold")
    for level in summary["levels"]:
        least = threshold(level)
        share = level["decides"]
        table.add_row(
            str(level["level"]),
            Text(plain_text(leaders(level), summary["features"]), style="bold"),
            with_interval(least).replace("95% interval ", "") if least else "any difference",
            Text(f"{'█' * round(BAR * share)} {share:.0%}", style="cyan"),
        )
    return table


def _beware(summary: dict[str, Any]) -> list[Padding]:
    status = summary["status"]
    notes = [f"{note['text']} {note['remedy']}".strip() for note in status["notes"]]
    lines = [Text(f"Note: {plain_text(note, summary['features'])}", style="yellow") for note in notes]
    ended = "converged" if status["converged"] else "NOT CONVERGED"
    last = f"{ended}; log-likelihood {summary['log_likelihood']:.3f}; the whole summary: add | cat, or --json"
    lines.append(Text(last, style="green" if status["converged"] else "bold red"))
    return [Padding(line, (0, 0, 0, 1)) for line in lines]
