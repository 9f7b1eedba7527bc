"""How does a result look that asks for no drawing of its own? Each metric in a panel, ours beside the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.experiments.study import metrics

OURS, PAPER = "#0072B2", "#E69F00"
PANELS_ABREAST = 4


def draw_rows(result: dict[str, Any], path: Path) -> None:
    """Methods from the top; every seed as a dot, mean ± standard deviation as a bar, the paper's as a diamond."""
    rows, names = result["rows"], metrics(result["rows"])
    abreast = max(1, min(PANELS_ABREAST, len(names)))
    deep = max(1, -(-len(names) // abreast))
    figure = Figure(figsize=(1.5 + 3 * abreast, 0.4 + deep * (1 + 0.3 * len(rows))), layout="constrained")
    panels = list(figure.subplots(deep, abreast, sharey=True, squeeze=False).flat)
    for axes, metric in zip(panels, names, strict=False):
        _panel(axes, result, metric)
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    labelled = [axes.get_legend_handles_labels() for axes in panels]
    legend = {label: handle for handles, labels in labelled for handle, label in zip(handles, labels, strict=True)}
    if legend:
        handles, labels = legend.values(), legend.keys()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    figure.savefig(path, dpi=160)


def _panel(axes: Axes, result: dict[str, Any], metric: str) -> None:
    rows = result["rows"]
    for place, row in enumerate(rows):
        ours, paper = row.get(metric), result["paper"].get(row["method"], {}).get(metric)
        if ours:
            axes.errorbar(
                ours["mean"], place - 0.12, xerr=ours["std"], fmt="o", color=OURS, capsize=3, label="mean ± std"
            )
            values = ours["values"]
            axes.plot(values, [place - 0.12] * len(values), ".", color=OURS, alpha=0.4, label="each seed")
        if paper:
            axes.errorbar(
                paper["mean"], place + 0.16, xerr=paper.get("std"), fmt="D", color=PAPER, markersize=5,
                markerfacecolor="white", capsize=3, label="the paper",
            )  # fmt: skip
    axes.set_yticks(range(len(rows)), [row["method"] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_title(metric, loc="left", fontsize=10)
    axes.grid(axis="x", color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
