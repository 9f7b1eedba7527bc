"""Figure of calibration: do things happen as often as the model says?"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.calibration import Reliability
from lori.interfaces.figures.style import COLOURS, new_figure, style
from lori.language.numbers import counted, percent
from lori.language.sentence import Sentence


def figure(found: Reliability) -> Figure:
    """Observed shares with intervals against predicted ones; the diagonal is perfect."""
    with style():
        drawn, (axes,) = new_figure(3.6)
        low = min(0.45, float(found.predicted.min()), float(found.lower.min()))
        axes.plot([low, 1], [low, 1], color="#999999", linestyle="--", linewidth=1, label="as often as predicted")
        spread = np.abs(np.stack([found.lower, found.upper]) - found.observed)
        axes.errorbar(
            found.predicted, found.observed, yerr=spread, fmt="o", color=COLOURS[0], capsize=3, markersize=5,
            label="observed, with 95 % interval",
        )  # fmt: skip
        axes.set_xlim(low, 1.01)
        axes.set_ylim(low, 1.01)
        axes.set_xlabel("predicted probability of the favoured side")
        axes.set_ylabel("share of comparisons that it won")
        drawn.legend(loc="outside upper left", ncols=2)
    return drawn


def caption(found: Reliability) -> Sentence:
    """Each point, and how many agree."""
    points = "; ".join(
        f"{percent(predicted)} predicted, {percent(observed)} observed ({percent(low)} to {percent(high)}, "
        f"{counted(n, 'comparison')})"
        for predicted, observed, low, high, n in zip(*found, strict=True)
    )
    return Sentence(
        f"In {found.agreeing} of {counted(len(found.predicted), 'group')} of comparisons, the 95 % interval of the "
        f"observed share contains the predicted one: {points}."
    )
