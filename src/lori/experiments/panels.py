"""What do panels look like that studies and people's own figures share?"""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.image import AxesImage
from matplotlib.patches import Patch

from lori.evaluation.tradeoffs import Landscape

LEFT, RIGHT = "#D55E00", "#56B4E9"
# From white to a blue on which black lines are seen: the order stays visible in grey print.
SHADES = ListedColormap(colormaps["Blues"](np.linspace(0, 0.7, 256)))


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
