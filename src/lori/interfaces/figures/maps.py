"""Maps of two features: who is preferred, and how likely, over the differences of both? (figure 2 of the paper)"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import Landscape
from lori.experiments.figures import draw_regions, draw_surface, region_legend
from lori.interfaces.figures.style import AXIS, described, new_figure, style
from lori.language.answer import number
from lori.language.names import label


def regions(land: Landscape) -> Figure:
    """`land` tells ties apart: where neither side is preferred as often as not, nothing is drawn."""
    with style():
        drawn, (axes,) = new_figure(4.2)
        draw_regions(axes, land)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.axvline(0, color="black", linewidth=0.6)
        _name_axes(axes, land)
        handles = region_legend("left preferred", "right preferred", "neither")
        drawn.legend(handles=handles, loc="outside upper left", ncols=3, handlelength=2.2, handleheight=1.1)
    return described(drawn, _description_of_regions(land))


def surface(land: Landscape) -> Figure:
    """The probability that left is preferred, as colour."""
    with style():
        drawn, (axes,) = new_figure(4.0)
        image = draw_surface(axes, land)
        _name_axes(axes, land)
        drawn.colorbar(image, ax=axes, label="probability that left is preferred", shrink=0.9)
    return described(drawn, _description_of_surface(land))


def _name_axes(axes: Axes, land: Landscape) -> None:
    axes.set_xlabel(f"difference in {label(land.across, AXIS)}, left − right")
    axes.set_ylabel(f"difference in {label(land.up, AXIS)}, left − right")


def _description_of_regions(land: Landscape) -> str:
    """What share of the plane is whose, and what the corners are like."""
    left, right = land.left > 0.5, land.right > 0.5
    neither = ~left & ~right
    corner = {True: "left", False: "right"}
    less_across = "neither" if neither[-1, 0] else corner[bool(left[-1, 0])]
    across, up = number(land.x[-1]), number(land.y[-1])
    return (
        f"Over differences of up to ±{across} in {land.across} and ±{up} in {land.up}, left is preferred more often "
        f"than not in {np.mean(left):.0%} of the area, right in {np.mean(right):.0%} and neither "
        f"in {np.mean(neither):.0%}. With the largest {land.up} but the smallest {land.across}, "
        f"{less_across} is preferred."
    )


def _description_of_surface(land: Landscape) -> str:
    """The middle of the edges and two corners."""
    middle = len(land.x) // 2
    across, up = number(land.x[-1]), number(land.y[-1])
    return (
        f"Left is preferred with a probability of {land.left[middle, -1]:.0%} where it has {across} more of "
        f"{land.across} and as much of {land.up}, {land.left[-1, middle]:.0%} where it has {up} more of "
        f"{land.up} and as much of {land.across}, and {land.left[-1, 0]:.0%} where it has that much more of {land.up} "
        f"but {across} less of {land.across}."
    )
