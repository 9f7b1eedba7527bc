"""Figure of regions: which side is preferred over the differences of two features, and where is neither?"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.landscape import Landscape
from lori.experiments.panels import draw_regions, region_legend
from lori.interfaces.figures.style import AXIS, new_figure, style
from lori.language.names import label
from lori.language.sentence import Name, Sentence, Share


def figure(land: Landscape) -> Figure:
    """`land` tells ties apart: where neither side is preferred as often as not, nothing is drawn."""
    with style():
        drawn, (axes,) = new_figure(4.2)
        draw_regions(axes, land)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_xlabel(f"difference in {label(land.across, AXIS)}, left − right")
        axes.set_ylabel(f"difference in {label(land.up, AXIS)}, left − right")
        handles = region_legend("left preferred", "right preferred", "neither")
        drawn.legend(handles=handles, loc="outside upper left", ncols=3, handlelength=2.2, handleheight=1.1)
    return drawn


def caption(land: Landscape) -> Sentence:
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
