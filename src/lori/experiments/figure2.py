"""Figure 2: how do α and ε shape the probability of a preference, over the differences of two rewards?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.tradeoffs import Landscape, landscape
from lori.experiments.figures import draw_surface
from lori.experiments.study import Cell, Study, setting
from lori.model.ordered import OrderedModel

PANELS = {
    "baseline": (3.0, 1.0),
    "less consistent": (1.5, 1.0),
    "less tolerant": (3.0, 0.5),
}
"""α and ε of both levels, as printed in the paper."""


@dataclass(frozen=True)
class Figure2Settings:
    """How finely, and how far, the differences of the two rewards are looked at."""

    reach: float = setting(3.0, "largest difference that is looked at", scripts="no such script")
    points: int = setting(121, "along each axis", scripts="no such script")


def cell(settings: Figure2Settings, seed: int) -> Cell:
    """What the middle of the edges and a corner of each panel are like."""
    answer: Cell = {}
    for name, (alpha, epsilon) in PANELS.items():
        grid = probabilities(alpha, epsilon, settings.reach, points=3)
        answer[name] = {
            "alpha": alpha,
            "epsilon": epsilon,
            "Pr, first reward better": float(grid[1, 2]),
            "Pr, second reward better": float(grid[2, 1]),
            "Pr, first worse and second better": float(grid[2, 0]),
        }
    return answer


def probabilities(alpha: float, epsilon: float, reach: float, points: int) -> np.ndarray:
    """Pr(x* ≻ x°) over the differences of the first (columns) and the second reward (rows); full ties are split."""
    return _over(alpha, epsilon, reach, points).left


def _over(alpha: float, epsilon: float, reach: float, points: int) -> Landscape:
    model = OrderedModel.linear(np.eye(2), epsilon=[epsilon] * 2, alpha=[alpha] * 2)
    return landscape(model, "x1", "x2", (reach, reach), points=points)


def draw(result: dict[str, Any], path: Path) -> None:
    """Three panels with one colour scale; lines where the probability is a tenth, a half and nine tenths."""
    reach, points = result["settings"]["reach"], result["settings"]["points"]
    figure = Figure(figsize=(10.5, 3.9), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for axes, row in zip(panels, result["rows"], strict=True):
        alpha, epsilon = PANELS[row["method"]]
        image = draw_surface(axes, _over(alpha, epsilon, reach, points))
        axes.set_aspect("equal")
        axes.set_title(
            f"{row['method'].capitalize()} preferences\nα₁ = α₂ = {alpha:g}, ε₁ = ε₂ = {epsilon:g}",
            loc="left", fontsize=10,
        )  # fmt: skip
        axes.set_xlabel("first reward: r₁(x*) − r₁(x°)")
    panels[0].set_ylabel("second reward: r₂(x*) − r₂(x°)")
    figure.colorbar(image, ax=panels, label="Pr(x* ≻ x°)", shrink=0.85)
    figure.savefig(path, dpi=160)


STUDY = Study(
    "figure2",
    "The probability of a preference over the differences of two rewards",
    Figure2Settings(),
    Figure2Settings(points=21),
    cell=cell,
    draw=draw,
    random=False,
)
