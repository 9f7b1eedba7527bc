"""Figures of studies: how does a result look that asks for no drawing of its own, and which panels do others share?

By default each metric has a panel, ours beside the paper's. Regions and surfaces are panels of landscapes, which
people's own figures show as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Patch

from lori.evaluation.tradeoffs import Landscape
from lori.experiments.study import metrics

OURS, PAPER = "#0072B2", "#E69F00"
PANELS_ABREAST = 4
LEFT, RIGHT = "#D55E00", "#56B4E9"
# From white to a blue on which black lines are seen: the order stays visible in grey print.
SHADES = ListedColormap(colormaps["Blues"](np.linspace(0, 0.7, 256)))


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


def draw_regions(axes: Axes, land: Landscape) -> None:
    """Colour where a side is preferred with a probability above ½; elsewhere neither is."""
    axes.contourf(land.x, land.y, land.left, levels=[0.5 + 1e-9, 1.1], colors=[LEFT])
    striped = axes.contourf(land.x, land.y, land.right, levels=[0.5 + 1e-9, 1.1], colors=[RIGHT], hatches=["///"])
    striped.set_edgecolor("white")


def region_legend(left: str, right: str, neither: str) -> list[Patch]:
    """What the colours of `draw_regions` mean."""
    return [
        Patch(facecolor=LEFT, label=left),
        Patch(facecolor=RIGHT, edgecolor="white", hatch="///", label=right),
        Patch(facecolor="white", edgecolor="#999999", label=neither),
    ]


def draw_surface(axes: Axes, land: Landscape) -> AxesImage:
    """The probability of left as colour, with lines at a tenth, a half and nine tenths."""
    extent = (land.x[0], land.x[-1], land.y[0], land.y[-1])
    image = axes.imshow(land.left, origin="lower", extent=extent, vmin=0, vmax=1, cmap=SHADES, aspect="auto")
    lines = axes.contour(
        land.x, land.y, land.left, levels=[0.1, 0.5, 0.9], colors="black", linewidths=[0.7, 1.5, 0.7],
        linestyles=["dotted", "solid", "dotted"],
    )  # fmt: skip
    axes.clabel(lines, fontsize=7, fmt="%g")
    return image


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
