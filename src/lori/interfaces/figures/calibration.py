"""Calibration and predictive check: what was observed, beside what the model predicts.

Do things happen as often as the model says, and could it have produced these data?
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.checks import Check
from lori.evaluation.metrics import Reliability
from lori.interfaces.figures.style import COLOURS, QUIET, SMALL, described, new_figure, style
from lori.language.numbers import counted, percent, share_of
from lori.language.sentence import Sentence


def calibration(found: Reliability, *, held_out: bool = False) -> Figure:
    """Observed shares with intervals against predicted ones, and of how many choices; the diagonal is perfect."""
    with style():
        drawn, (axes,) = new_figure(3.6)
        low = min(0.45, float(found.predicted.min()), float(found.lower.min()))
        axes.plot([low, 1], [low, 1], color="#999999", linestyle="--", linewidth=1, label="as often as predicted")
        spread = np.abs(np.stack([found.lower, found.upper]) - found.observed)
        axes.errorbar(
            found.predicted, found.observed, yerr=spread, fmt="o", color=COLOURS[0], capsize=3, markersize=5,
            label="observed, 95 % interval, choices",
        )  # fmt: skip
        for place, top, n in zip(found.predicted, found.upper, found.comparisons, strict=True):
            axes.annotate(
                f"{n:,.0f}", (place, top), (0, 3), textcoords="offset points", ha="center", fontsize=SMALL, color=QUIET
            )
        axes.set_xlim(low, 1.02)
        axes.set_ylim(low, 1.06)
        axes.set_xlabel(f"predicted probability of what the model favours{', held out' if held_out else ''}")
        axes.set_ylabel("share of choices that it won")
        drawn.legend(loc="outside upper left", ncols=2)
    return described(drawn, calibration_caption(found))


def check(found: Check) -> Figure:
    """What was seen of each group beside the interval of replications; groups that disagree are squares."""
    groups = found.groups
    places = np.arange(len(groups))[::-1]
    with style():
        drawn, (axes,) = new_figure(1.2 + 0.28 * len(groups))
        axes.hlines(
            places, [group.lower for group in groups], [group.upper for group in groups], color=COLOURS[4], linewidth=7,
            label=f"{percent(found.probability)} of replications",
        )  # fmt: skip
        for agrees, marker, label in ((True, "o", "observed"), (False, "s", "observed, outside")):
            own = [i for i, group in enumerate(groups) if group.agrees is agrees]
            axes.plot(
                [groups[i].observed for i in own], places[own], marker, color="black" if agrees else COLOURS[5],
                markersize=5, label=label if own else None,
            )  # fmt: skip
        axes.set_yticks(places, [_group(group.by, group.name) for group in groups])
        axes.set_xlabel("share of choices won by what the model favours")
        drawn.legend(loc="outside upper left", ncols=3)
    return described(drawn, check_caption(found))


def calibration_caption(found: Reliability) -> Sentence:
    """Each point, and how many agree."""
    points = "; ".join(
        f"{percent(predicted)} predicted, {percent(observed)} observed ({percent(low)} to {percent(high)}, "
        f"{counted(n, 'choice')})"
        for predicted, observed, low, high, n in zip(*found, strict=True)
    )
    return Sentence(
        f"The 95 % interval of the observed share contains the predicted one in "
        f"{share_of(found.agreeing, len(found.predicted), 'group')} of choices. By group: {points}."
    )


def check_caption(found: Check) -> Sentence:
    """The verdict, and each group that disagrees."""
    apart = "; ".join(
        f"{_group(group.by, group.name)} ({percent(group.observed)} observed, {percent(group.lower)} to "
        f"{percent(group.upper)} expected)"
        for group in found.groups
        if not group.agrees
    )
    return Sentence(f"{found.sentence} Outside: {apart}." if apart else found.sentence)


def _group(by: str, name: str) -> str:
    return f"decided by {name}" if by == "level" else f"predicted {name}"
