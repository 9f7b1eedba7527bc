"""How likely is a preference over the differences of two features? (figure 2 of the paper)"""

from __future__ import annotations

from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import Landscape
from lori.experiments.figures import draw_surface
from lori.interfaces.figures.style import AXIS, new_figure, style
from lori.language.answer import number
from lori.language.names import label


def figure(land: Landscape) -> Figure:
    with style():
        drawn, (axes,) = new_figure(4.0)
        image = draw_surface(axes, land)
        axes.set_xlabel(f"difference in {label(land.across, AXIS)}, left − right")
        axes.set_ylabel(f"difference in {label(land.up, AXIS)}, left − right")
        drawn.colorbar(image, ax=axes, label="probability that left is preferred", shrink=0.9)
    return drawn


def words(land: Landscape) -> str:
    """The middle of the edges and two corners."""
    middle = len(land.x) // 2
    across, up = number(land.x[-1]), number(land.y[-1])
    return (
        f"Left is preferred with a probability of {land.left[middle, -1]:.0%} where it has {across} more of "
        f"{land.across} and as much of {land.up}, {land.left[-1, middle]:.0%} where it has {up} more of "
        f"{land.up} and as much of {land.across}, and {land.left[-1, 0]:.0%} where it has that much more of {land.up} "
        f"but {across} less of {land.across}."
    )
