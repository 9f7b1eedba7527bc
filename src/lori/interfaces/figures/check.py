"""Figure of a predictive check: could the model have produced these data?"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.predictive_check import Check
from lori.interfaces.figures.style import COLOURS, new_figure, style
from lori.language.numbers import percent
from lori.language.sentence import Sentence


def figure(check: Check) -> Figure:
    """What was seen of each group beside the interval of replications; groups that disagree are squares."""
    groups = check.groups
    places = np.arange(len(groups))[::-1]
    with style():
        drawn, (axes,) = new_figure(1.2 + 0.28 * len(groups))
        axes.hlines(
            places, [group.lower for group in groups], [group.upper for group in groups], color=COLOURS[4], linewidth=7,
            label=f"{percent(check.probability)} of replications",
        )  # fmt: skip
        for agrees, marker, label in ((True, "o", "observed"), (False, "s", "observed, outside")):
            own = [i for i, group in enumerate(groups) if group.agrees is agrees]
            axes.plot(
                [groups[i].observed for i in own], places[own], marker, color="black" if agrees else COLOURS[5],
                markersize=5, label=label if own else None,
            )  # fmt: skip
        axes.set_yticks(places, [_name(group.by, group.name) for group in groups])
        axes.set_xlabel("share of comparisons that the favoured side won")
        drawn.legend(loc="outside upper left", ncols=3)
    return drawn


def caption(check: Check) -> Sentence:
    """The verdict, and each group that disagrees."""
    apart = "; ".join(
        f"{_name(group.by, group.name)}: {percent(group.observed)} observed, {percent(group.lower)} to "
        f"{percent(group.upper)} expected"
        for group in check.groups
        if not group.agrees
    )
    return Sentence(f"{check.sentence} Outside: {apart}." if apart else check.sentence)


def _name(by: str, name: str) -> str:
    return f"decided by {name}" if by == "level" else f"predicted {name}"
