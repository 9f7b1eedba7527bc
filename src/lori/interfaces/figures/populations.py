"""Figures of populations: the classes as ladders with their shares, and a map of who belongs where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from lori.interfaces.figures import ladder
from lori.interfaces.figures.style import COLOURS, HATCHES, WIDTH, described, new_figure, style, wrapped
from lori.language.names import label
from lori.language.numbers import percent
from lori.language.populations import (
    PopulationSummary,
    capitalised,
    class_clause,
    class_heading,
    members_caption,
)
from lori.language.sentence import Sentence, clause, paragraph

COLUMNS = 400  # that are drawn at most; of more agents, evenly spaced ones
LINE = 30  # characters of a line in the legend


def classes(summary: PopulationSummary) -> Figure:
    """A ladder for each class, the largest on top, under its share of the people."""
    there = [(number, own) for number, own in enumerate(summary.classes, start=1) if not own.empty]
    heights = [
        0.55 + max(1.05, ladder.pitch(own.summary, with_shares=True)) * len(own.summary.levels) for _, own in there
    ]
    with style():
        drawn = Figure(figsize=(WIDTH, 0.6 + sum(heights)), layout="constrained")
        rows = drawn.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, (number, own) in zip(rows, there, strict=True):
            ladder.draw(axes, own.summary, class_heading(number, own, spread=summary.spread))
            if axes is not rows[-1]:
                axes.set_xlabel("")
        handles = {name: own for axes in rows for own, name in zip(*axes.get_legend_handles_labels(), strict=True)}
        drawn.legend(handles.values(), handles, loc="outside lower left", ncols=3, handlelength=2.2, handleheight=1.1)
    return described(drawn, classes_caption(summary))


def classes_caption(summary: PopulationSummary) -> Sentence:
    """The answer in words, class by class, with the levels of each."""
    there = [own for own in summary.classes if not own.empty]
    told = [capitalised(clause("{said}.", said=class_clause(own))) for own in there]
    ladders = [ladder.caption(own.summary) for own in there]
    if summary.spread and len(there) == 1:
        return ladders[0]
    return paragraph(part for pair in zip(told, ladders, strict=True) for part in pair)


def members(shares: np.ndarray, names: Sequence[str], *, spread: bool) -> Figure:
    """A column for each agent: with what probability they belong to each class, or put each feature first.

    `shares` (agents, kinds) add up to one; agents stand beside those who are like them.
    """
    kept = [place for place in range(shares.shape[1]) if shares[:, place].max() >= 0.01]
    order = np.lexsort((-shares.max(axis=1), shares.argmax(axis=1)))
    some = order[np.linspace(0, len(order) - 1, min(len(order), COLUMNS)).round().astype(int)]
    edges = np.linspace(0, len(shares), len(some) + 1)
    with style():
        drawn, (axes,) = new_figure(2.9)
        bottom = np.zeros(len(some))
        for place in kept:
            top = bottom + shares[some, place]
            axes.stairs(
                top, edges, baseline=bottom, fill=True, facecolor=COLOURS[place % len(COLOURS)], edgecolor="white",
                hatch=HATCHES[(place + place // 8) % len(HATCHES)], linewidth=0,
                label=wrapped(f"{label(names[place])} ({percent(shares[:, place].mean())})", LINE),
            )  # fmt: skip
            bottom = top
        axes.set_xlim(0, len(shares))
        axes.set_ylim(0, 1)
        axes.set_xlabel("people, beside those who are like them")
        axes.set_ylabel("probability of coming first" if spread else "probability of the class", fontsize=9)
        drawn.legend(loc="outside upper left", ncols=2, handlelength=2.2, handleheight=1.1)
    return described(drawn, members_caption(shares.tolist(), names, spread=spread))
