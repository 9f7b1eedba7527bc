"""Ladder: what comes first? Levels from the top, what each weighs, from when on it counts, and what it decides."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.interfaces.figures.style import COLOURS, HATCHES, QUIET, SMALL, described, new_figure, style
from lori.language.answer import leaders, threshold, with_interval
from lori.language.names import label

LEAST = 0.005  # shares of a weight below this are not drawn
MENTIONED = 2  # weights that are written beside a level
NAME = 18  # characters of a name there


def figure(summary: dict[str, Any]) -> Figure:
    """Weights on the left, the share of decisions on the right."""
    levels = summary["levels"]
    with style():
        drawn, (left, right) = new_figure(1.1 + 0.95 * len(levels), 2, width_ratios=(4, 1), sharey=True)
        draw(left, summary, with_shares=False)
        shares = [level["decides"] for level in levels]
        right.barh(range(len(levels)), shares, height=0.3, color="#444444")
        for row, share in enumerate(shares):
            right.text(0, row - 0.2, f"{share:.0%}", va="bottom", fontsize=SMALL, color=QUIET)
        right.set_xlim(0, 1)
        right.set_xticks([0, 1], ["0", "1"])
        right.set_xlabel("share decided")
        right.tick_params(axis="y", length=0, labelleft=False)
        right.spines["left"].set_visible(False)
        drawn.legend(
            *_once(left), loc="outside lower left", ncols=1 if _long(summary) else 3, handlelength=2.2, handleheight=1.1
        )
    return described(drawn, description(summary))


def draw(axes: Axes, summary: dict[str, Any], title: str = "", *, with_shares: bool = True) -> None:
    """One bar for each level, divided among its features; `with_shares` writes what each decides beside it."""
    levels, features = summary["levels"], summary["features"]
    styles = {name: (COLOURS[i % 8], HATCHES[(i + i // 8) % 8]) for i, name in enumerate(features)}
    for row, level in enumerate(levels):
        start = 0.0
        for name in sorted(features, key=lambda f: -level["importance"][f]):
            share = level["importance"][name]
            if share < LEAST:
                continue
            colour, hatch = styles[name]
            axes.barh(
                row, share, left=start, height=0.3, color=colour, hatch=hatch, edgecolor="white", linewidth=1,
                label=label(name),
            )  # fmt: skip
            start += share
        beside = _beside(level) + (f"\ndecides {level['decides']:.0%} of the comparisons" if with_shares else "")
        axes.text(0, row - 0.2, beside, fontsize=SMALL, va="bottom", color=QUIET)
    axes.set_yticks(range(len(levels)), [f"Level {level['level']}" for level in levels])
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


def description(summary: dict[str, Any]) -> str:
    """What the ladder shows."""
    parts = []
    for level in summary["levels"]:
        named = sorted(summary["features"], key=lambda f: -level["importance"][f])
        shares = ", ".join(
            f"{name} {level['importance'][name]:.0%}" for name in named if level["importance"][name] >= LEAST
        )
        least = threshold(level)
        counts = f" and counts from a difference of {with_interval(least)} in {level['leading'][0]} on" if least else ""
        parts.append(
            f"Level {level['level']}, led by {leaders(level)}, decides {level['decides']:.0%} of the comparisons"
            f"{counts}; its weight is divided into {shares or 'nothing'}."
        )
    return " ".join(parts)


def _beside(level: dict[str, Any]) -> str:
    """Weights and threshold of a level, in two short lines."""
    named = sorted(level["importance"], key=lambda f: -level["importance"][f])[:MENTIONED]
    weights = [
        f"{label(name, NAME)} {level['weights'][name]['value']:+.3g}"
        for name in named
        if level["importance"][name] >= LEAST
    ]
    lines = [", ".join(weights)] if weights else []
    least = threshold(level)
    if least:
        between = least["interval"]
        around = f" ({between[0]:.3g} to {between[1]:.3g})" if between else ""
        alone = f"{label(level['leading'][0], NAME)} " if len(level["leading"]) > 1 else ""
        lines.append(f"{alone}counts from {least['value']:.3g}{around}")
    return "\n".join(lines)


def _once(axes: Axes) -> tuple[list, list]:
    """Legend entries without repeats."""
    entries = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    return list(entries.values()), list(entries)


def _long(summary: dict[str, Any]) -> bool:
    return any(len(name) > 16 for name in summary["features"])
