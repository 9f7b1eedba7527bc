"""Terminal view of a summary: the answer, a row for each level, and what to beware of, in colour."""

from __future__ import annotations

from rich.box import SIMPLE
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lori.language.answer import leaders, threshold_interval, threshold_text
from lori.language.numbers import NONE, counted, percent
from lori.language.results import LevelSummary, Summary

BAR = 20  # characters of a full bar


def print_compact(summary: Summary, console: Console | None = None) -> None:
    """The answer, a row for each level, and what to beware of."""
    (console or Console()).print(Group(_answer(summary), _levels(summary), *_beware(summary)))


def _answer(summary: Summary) -> Panel:
    size = f"{counted(summary.comparisons, 'comparison')} of {counted(summary.pairs, 'pair')}"
    told = Text("\n".join(summary.sentences))
    return Panel(told, title="What comes first", subtitle=size, border_style="blue", title_align="left")


def _levels(summary: Summary) -> Table:
    table = Table(box=SIMPLE, pad_edge=False)
    for heading in ("Level", "Led by", "Counts from", "Decides"):
        table.add_column(heading, overflow="fold")
    for level in summary.levels:
        bar = Text(f"{'█' * round(BAR * level.decides)} {percent(level.decides)}", style="cyan")
        table.add_row(str(level.level), Text(leaders(level), style="bold"), _counts_from(level), bar)
    return table


def _counts_from(level: LevelSummary) -> str:
    if level.threshold is None:
        return "any difference"
    value, interval = threshold_text(level, level.leading[0]), threshold_interval(level, level.leading[0])
    return value if interval == NONE else f"{value} ({interval})"


def _beware(summary: Summary) -> list[Padding]:
    status = summary.status
    lines = [Text(f"Note: {note}", style="yellow") for note in status.notes]
    ended = "converged" if status.converged else "NOT CONVERGED"
    last = f"{ended}; log-likelihood {summary.log_likelihood:.3f}; the whole summary: add | cat, or --json"
    lines.append(Text(last, style="green" if status.converged else "bold red"))
    return [Padding(line, (0, 0, 0, 1)) for line in lines]
