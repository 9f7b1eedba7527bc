"""Maps of two features: who is preferred, and how likely, over the differences of both? (figure 2 of the paper)"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import Landscape
from lori.experiments.figures import draw_regions, draw_surface, region_legend
from lori.interfaces.figures.style import AXIS, described, new_figure, style
from lori.language.names import label
from lori.language.sentence import Name, Sentence, Share


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
    return described(drawn, _caption_of_regions(land))


def surface(land: Landscape) -> Figure:
    """The probability that left is preferred, as colour."""
    with style():
        drawn, (axes,) = new_figure(4.0)
        image = draw_surface(axes, land)
        _name_axes(axes, land)
        drawn.colorbar(image, ax=axes, label="probability that left is preferred", shrink=0.9)
    return described(drawn, _caption_of_surface(land))


def _name_axes(axes: Axes, land: Landscape) -> None:
    axes.set_xlabel(f"difference in {label(land.across, AXIS)}, left − right")
    axes.set_ylabel(f"difference in {label(land.up, AXIS)}, left − right")


def _caption_of_regions(land: Landscape) -> Sentence:
    """What share of the plane is whose, and what one corner is like."""
    left, right = land.left > 0.5, land.right > 0.5
    neither = ~left & ~right
    corner = "neither side" if neither[-1, 0] else "left" if left[-1, 0] else "right"
    return Sentence.of(
        "Over differences of up to ±{reach} in {across} and ±{height} in {up}, left is preferred more often than not "
        "in {left} of the area, right in {right} and neither in {neither}. With the largest {up} but the smallest "
        "{across}, {corner} is preferred.",
        across=Name(land.across), up=Name(land.up), reach=float(land.x[-1]), height=float(land.y[-1]),
        left=Share(np.mean(left)), right=Share(np.mean(right)), neither=Share(np.mean(neither)), corner=corner,
    )  # fmt: skip


def _caption_of_surface(land: Landscape) -> Sentence:
    """The middle of the edges and one corner."""
    middle = len(land.x) // 2
    return Sentence.of(
        "Left is preferred with a probability of {edge} where it has {reach} more {across} and the same {up}, {top} "
        "where it has {height} more {up} and the same {across}, and {corner} where it has {height} more {up} but "
        "{reach} less {across}.",
        across=Name(land.across), up=Name(land.up), reach=float(land.x[-1]), height=float(land.y[-1]),
        edge=Share(land.left[middle, -1]), top=Share(land.left[-1, middle]), corner=Share(land.left[-1, 0]),
    )  # fmt: skip
