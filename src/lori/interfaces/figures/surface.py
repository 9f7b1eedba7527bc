"""Figure of a surface: how likely is a preference over the differences of two features? (figure 2 of the paper)"""

from __future__ import annotations

from matplotlib.figure import Figure

from lori.evaluation.landscape import Landscape
from lori.experiments.panels import draw_surface
from lori.interfaces.figures.style import AXIS, new_figure, style
from lori.language.names import label
from lori.language.sentence import Name, Sentence, Share


def figure(land: Landscape) -> Figure:
    with style():
        drawn, (axes,) = new_figure(4.0)
        image = draw_surface(axes, land)
        axes.set_xlabel(f"difference in {label(land.across, AXIS)}, left − right")
        axes.set_ylabel(f"difference in {label(land.up, AXIS)}, left − right")
        drawn.colorbar(image, ax=axes, label="probability that left is preferred", shrink=0.9)
    return drawn


def caption(land: Landscape) -> Sentence:
    """The middle of the edges and one corner."""
    middle = len(land.x) // 2
    return Sentence.of(
        "Left is preferred with a probability of {edge} where it has {reach} more {across} and the same {up}, {top} "
        "where it has {height} more {up} and the same {across}, and {corner} where it has {height} more {up} but "
        "{reach} less {across}.",
        across=Name(land.across), up=Name(land.up), reach=float(land.x[-1]), height=float(land.y[-1]),
        edge=Share(land.left[middle, -1]), top=Share(land.left[-1, middle]), corner=Share(land.left[-1, 0]),
    )  # fmt: skip
