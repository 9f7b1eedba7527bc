"""Trajectories: how do two trajectories differ, step by step?"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.data.trajectories import Trajectories
from lori.data.validation import as_labels, look_up
from lori.interfaces.figures.style import COLOURS, WIDTH, described, style
from lori.language.names import label
from lori.language.numbers import counted
from lori.language.sentence import Name, Sentence, clause, joined


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
    return described(drawn, caption(trajectories, left, right))


def caption(trajectories: Trajectories, left: str, right: str) -> Sentence:
    """Lengths, and the mean and the last value of each feature."""
    one, other = _both(trajectories, left, right)
    parts = [
        clause(
            "{name} averages {mean} against {mean_right} and ends at {end} against {end_right}",
            name=Name(name),
            mean=float(one[:, place].mean()),
            mean_right=float(other[:, place].mean()),
            end=float(one[-1, place]),
            end_right=float(other[-1, place]),
        )
        for place, name in enumerate(trajectories.features)
    ]
    lengths = f"Left has {counted(len(one), 'step')} and right has {len(other):,}"
    return Sentence.of("{lengths}: {parts}.", lengths=lengths, parts=joined(parts, "; "))


def _both(trajectories: Trajectories, left: str, right: str) -> list[np.ndarray]:
    places = look_up(trajectories.ids, as_labels(np.array([left, right]), "ids"), "ids", "the trajectories")
    return [trajectories.values[trajectories.offsets[p] : trajectories.offsets[p + 1]] for p in places]


def _looks(left: str, right: str) -> list[tuple[str, dict]]:
    return [
        (f"left: {label(left)}", {"color": COLOURS[0], "marker": "o", "markersize": 3, "linestyle": "-"}),
        (f"right: {label(right)}", {"color": COLOURS[5], "marker": "s", "markersize": 3, "linestyle": "--"}),
    ]
