"""What does a model look like? Drawings only; every number comes from a summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from lori.data.files import writing

# Okabe and Ito's palette, told apart by the colour-blind; hatches tell it apart in grey print.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "+++", "ooo")


def save(figure, path: Path) -> None:
    """Write a figure as its ending says (PNG, SVG, PDF), whole or not at all."""
    with writing(path) as temporary:
        figure.savefig(temporary, dpi=160, bbox_inches="tight")
    plt.close(figure)


def draw_ladder(axes: Axes, summary: dict[str, Any], title: str = "") -> None:
    """The priority ladder: levels from the top, what each weighs, its threshold, and what it decides."""
    levels, features = summary["levels"], summary["features"]
    styles = {name: (COLOURS[i % 8], HATCHES[i % 8]) for i, name in enumerate(features)}
    seen: set[str] = set()
    for row, level in enumerate(levels):
        start = 0.0
        for name in sorted(features, key=lambda f: -level["importance"][f]):
            share = level["importance"][name]
            if share < 0.005:
                continue
            colour, hatch = styles[name]
            axes.barh(
                row, share, left=start, height=0.36, color=colour, hatch=hatch, edgecolor="white", linewidth=1,
                label=None if name in seen else name,
            )  # fmt: skip
            seen.add(name)
            start += share
        text = f"decides {level['decides']:.0%} of the comparisons\n"
        lead = level["leading"][0] if level["leading"] else None
        threshold = level["thresholds"][lead] if lead else {"value": None}
        if threshold["value"]:
            text += f"{lead} counts from a difference of {threshold['value']:.3g}"
            if threshold["interval"]:
                text += f" ({threshold['interval'][0]:.3g} to {threshold['interval'][1]:.3g})"
        axes.text(0, row - 0.24, text.strip(), fontsize=8, va="bottom", color="#333333")
    axes.set_yticks(range(len(levels)), [f"Level {level['level']}" for level in levels])
    axes.set_ylim(len(levels) - 0.7, -0.7)
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the level's weight (features in standard deviations)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.22), ncols=4)
    if title:
        axes.set_title(title, loc="left", fontsize=10, fontweight="bold")


def draw_observed(axes: Axes, x, observed, predicted, baseline, labels: dict[str, str], title: str = "") -> None:
    """Observed shares as dots, a model's as a line, and a simpler model's as a dashed line."""
    axes.axhline(0.5, color="#bbbbbb", linewidth=0.8, zorder=0)
    axes.plot(x, baseline, "--", color=COLOURS[7], label=labels["baseline"])
    axes.plot(x, predicted, "-", color=COLOURS[0], label=labels["predicted"])
    axes.plot(x, observed, "o", color="black", markersize=4, label=labels["observed"])
    axes.set_xlabel(labels["x"])
    axes.set_ylabel(labels["y"])
    axes.set_ylim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    if title:
        axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
