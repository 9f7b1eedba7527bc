"""Trajectories: how do two trajectories differ, step by step?"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.data.trajectories import Trajectories
from lori.data.validation import as_labels, look_up
from lori.interfaces.figures.style import COLOURS, WIDTH, described, style
from lori.language.answer import number
from lori.language.names import label


def figure(trajectories: Trajectories, left: str, right: str) -> Figure:
    """A panel for each feature, both trajectories in it."""
    names = trajectories.features
    with style():
        drawn = Figure(figsize=(WIDTH, 0.8 + 1.5 * len(names)), layout="constrained")
        panels = drawn.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for (side, look), steps in zip(_looks(left, right), _both(trajectories, left, right), strict=True):
            for place, axes in enumerate(panels):
                axes.plot(np.arange(1, len(steps) + 1), steps[:, place], label=side, **look)
        for axes, name in zip(panels, names, strict=True):
            axes.set_ylabel(label(name))
        panels[-1].set_xlabel("step")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return described(drawn, description(trajectories, left, right))


def description(trajectories: Trajectories, left: str, right: str) -> str:
    """Lengths, and the mean and the last value of each feature."""
    one, other = _both(trajectories, left, right)
    parts = [
        f"{name} averages {number(one[:, place].mean())} against {number(other[:, place].mean())} "
        f"and ends at {number(one[-1, place])} against {number(other[-1, place])}"
        for place, name in enumerate(trajectories.features)
    ]
    return f"Left has {len(one)} steps, right {len(other)}: {'; '.join(parts)}."


def _both(trajectories: Trajectories, left: str, right: str) -> list[np.ndarray]:
    places = look_up(trajectories.ids, as_labels(np.array([left, right]), "ids"), "ids", "the trajectories")
    return [trajectories.values[trajectories.offsets[p] : trajectories.offsets[p + 1]] for p in places]


def _looks(left: str, right: str) -> list[tuple[str, dict]]:
    return [
        (f"left: {label(left)}", {"color": COLOURS[0], "marker": "o", "markersize": 3, "linestyle": "-"}),
        (f"right: {label(right)}", {"color": COLOURS[5], "marker": "s", "markersize": 3, "linestyle": "--"}),
    ]
