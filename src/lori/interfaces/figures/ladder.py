"""Ladder: what comes first? Levels from the top, what each weighs, from when on it counts, and what it decides."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.interfaces.figures.style import COLOURS, HATCHES, QUIET, SMALL, described, new_figure, style, wrapped
from lori.language.answer import (
    UNKNOWN,
    leaders,
    share_of_comparisons,
    threshold_clause,
    threshold_interval,
    threshold_text,
)
from lori.language.names import label
from lori.language.numbers import NONE, estimate, percent
from lori.language.results import LevelSummary, Summary
from lori.language.sentence import Name, Sentence, Share, clause, joined, paragraph

LEAST = 0.005  # shares of a weight below this are not drawn
MENTIONED = 3  # weights that are written beside a level
LINE, EACH, DEEP = 46, 0.95, 0.3  # characters of a line there; inches for each level, and for each line at least


def figure(summary: Summary) -> Figure:
    """Weights on the left, the share of decisions on the right."""
    levels = summary.levels
    with style():
        drawn, (left, right) = new_figure(1.1 + pitch(summary) * len(levels), 2, width_ratios=(4, 1), sharey=True)
        draw(left, summary, with_shares=False)
        shares = [level.decides for level in levels]
        right.barh(range(len(levels)), shares, height=0.3, color="#444444")
        for row, share in enumerate(shares):
            right.text(0, row - 0.2, percent(share), va="bottom", fontsize=SMALL, color=QUIET)
        right.set_xlim(0, 1)
        right.set_xticks([0, 1], ["0", "1"])
        right.set_xlabel("share decided")
        right.tick_params(axis="y", length=0, labelleft=False)
        right.spines["left"].set_visible(False)
        drawn.legend(
            *_once(left), loc="outside lower left", ncols=1 if _long(summary) else 3, handlelength=2.2, handleheight=1.1
        )
    return described(drawn, caption(summary))


def draw(axes: Axes, summary: Summary, title: str = "", *, with_shares: bool = True) -> None:
    """One bar for each level, divided among its features; `with_shares` writes what each decides beside it."""
    levels, features = summary.levels, summary.features
    styles = {name: (COLOURS[i % 8], HATCHES[(i + i // 8) % 8]) for i, name in enumerate(features)}
    for row, level in enumerate(levels):
        start = 0.0
        for name in sorted(features, key=lambda f: -level.importance[f]):
            share = level.importance[name]
            if share < LEAST:
                continue
            colour, hatch = styles[name]
            axes.barh(
                row, share, left=start, height=0.3, color=colour, hatch=hatch, edgecolor="white", linewidth=1,
                label=label(name),
            )  # fmt: skip
            start += share
        axes.text(0, row - 0.2, _beside(level, summary.sets, with_shares), fontsize=SMALL, va="bottom", color=QUIET)
    axes.set_yticks(range(len(levels)), [f"Level {level.level}" for level in levels])
    axes.set_ylim(len(levels) - 0.75, -0.75)
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the weight, per standard deviation")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if title:
        axes.set_title(title)


def add_legend(axes: Axes) -> None:
    """Below the axes, each feature once."""
    axes.legend(*_once(axes), loc="upper left", bbox_to_anchor=(0, -0.22), ncols=4)


def caption(summary: Summary) -> Sentence:
    """What the ladder shows."""
    return paragraph(_told(level, summary.sets) for level in summary.levels)


def _told(level: LevelSummary, sets: bool) -> Sentence:
    named = [name for name in _weightiest(level) if level.importance[name] >= LEAST]
    shares = [clause("{name} {share}", name=Name(name), share=Share(level.importance[name])) for name in named]
    led = clause(", led by {leaders},", leaders=leaders(level)) if level.leading else ""
    counts: Sentence | str = ""
    if level.threshold:
        counts = clause("; {counts}", counts=threshold_clause(level))
    return Sentence.of(
        "Level {level}{led} decides {decides}{counts}; {shares}.",
        level=level.level, led=led, decides=share_of_comparisons(level.decides, sets=sets), counts=counts,
        shares=clause("shares of its weight: {all}", all=joined(shares)) if shares else "no feature weighs anything",
    )  # fmt: skip


def pitch(summary: Summary, *, with_shares: bool = False) -> float:
    """Inches for each level, with room for what is written beside it."""
    return max(EACH, *(DEEP * len(_beside(level, summary.sets, with_shares).split("\n")) for level in summary.levels))


def _beside(level: LevelSummary, sets: bool, with_share: bool = False) -> str:
    """Weights and threshold of a level, and what it decides, in short lines."""
    named = [name for name in _weightiest(level)[:MENTIONED] if level.importance[name] >= LEAST]
    lines = [", ".join(f"{label(name)}\u00a0{_weight(level, name)}" for name in named)] if named else []
    if level.threshold:
        alone = f" in {label(level.leading[0])} alone" if len(level.leading) > 1 else ""
        value, interval = threshold_text(level, level.leading[0]), threshold_interval(level, level.leading[0])
        around = "" if interval == NONE else f" ({interval})"
        lines.append(f"threshold{alone} {value}" if value == UNKNOWN else f"counts{alone} from {value}{around}")
    if with_share:
        lines.append(f"decides {share_of_comparisons(level.decides, sets=sets)}")
    return "\n".join(wrapped(line, LINE) for line in lines)


def _weight(level: LevelSummary, name: str) -> str:
    weight = level.weights[name]
    sign = "+" if (weight.value or 0.0) > 0 else ""
    return f"{sign}{estimate(weight)}"


def _weightiest(level: LevelSummary) -> list[str]:
    return sorted(level.importance, key=lambda name: -level.importance[name])


def _once(axes: Axes) -> tuple[list, list]:
    """Legend entries without repeats."""
    entries = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    return list(entries.values()), list(entries)


def _long(summary: Summary) -> bool:
    return any(len(name) > 16 for name in summary.features)
