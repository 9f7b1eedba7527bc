"""Terminal views: one model at a glance and in colour, and the models of many agents side by side."""

from __future__ import annotations

from rich.box import SIMPLE
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lori.estimators.lori import LORI
from lori.language.answer import leaders, threshold_interval, threshold_text
from lori.language.names import label
from lori.language.notes import note_sentences
from lori.language.numbers import NONE, counted, percent
from lori.language.results import LevelSummary, Summary
from lori.language.sentence import listed

COLUMNS = ("agent", "first", "threshold", "95 % interval", "then", "log-likelihood", "last level", "notes")
TOLD = ("separation", "one-sided", "unidentified")  # notes that concern single agents
BAR = 20  # characters of a full bar


def print_compact(summary: Summary, console: Console | None = None) -> None:
    """The answer, a row for each level, and what to beware of."""
    (console or Console()).print(Group(_answer(summary), _levels(summary), *_beware(summary)))


def _answer(summary: Summary) -> Panel:
    told = Text("\n".join(summary.sentences))
    return Panel(told, title="What comes first", subtitle=summary.size, border_style="blue", title_align="left")


def _levels(summary: Summary) -> Table:
    table = Table(box=SIMPLE, pad_edge=False)
    for heading in ("Level", "Led by", "Counts from", "Decides"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "Decides")
    for level in summary.levels:
        bar = Text(f"{'█' * round(BAR * level.decides)} {percent(level.decides)}", style="cyan")
        table.add_row(str(level.level), Text(leaders(level), style="bold"), _counts_from(level), bar)
    return table


def _counts_from(level: LevelSummary) -> str:
    if level.threshold is None:
        return "any difference" if level.leading else NONE
    first = level.leading[0]
    value, interval = threshold_text(level, first), threshold_interval(level, first)
    alone = f" in {label(first)} alone" if len(level.leading) > 1 else ""
    return f"{value}{alone}" if interval == NONE else f"{value}{alone} ({interval})"


def _beware(summary: Summary) -> list[Padding]:
    status = summary.status
    lines = [Text(f"Note: {note}", style="yellow") for note in note_sentences(status.notes)]
    ended = "converged" if status.converged else "NOT CONVERGED"
    last = f"{ended}; log-likelihood {summary.log_likelihood:.3f}; the whole summary: --full, or --json"
    lines.append(Text(last, style="green" if status.converged else "bold red"))
    return [Padding(line, (0, 0, 0, 1)) for line in lines]


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
        texts = [str(note) for note in note_sentences(model.status_.notes)]
        common = texts if common is None else [text for text in common if text in texts]
    return [f"Note: {text}" for text in common or []]
