"""Posterior: how precisely are weights and thresholds known?"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from lori.evaluation.overview import Known
from lori.interfaces.figures.style import COLOURS, QUIET, SMALL, described, new_figure, style
from lori.language.names import LONGEST
from lori.language.numbers import rounded, with_interval
from lori.language.sentence import Name, Sentence, clause, joined

LOWEST, HIGHEST = -1.0, 3.0
NAME = 18  # characters of a name beside what is drawn
UNKNOWN = Sentence("Intervals could not be computed for this model, so none are shown.")


def figure(numbers: Sequence[Known]) -> Figure:
    """Intervals relative to their estimates, so that numbers in different units share an axis."""
    with style():
        drawn, (axes,) = new_figure(1.0 + 0.42 * len(numbers))
        axes.axvline(1, color="#bbbbbb", linewidth=0.8, zorder=0)
        axes.axvline(0, color="black", linewidth=0.8, linestyle=":", zorder=0)
        for row, known in enumerate(numbers):
            marker, colour = ("D", COLOURS[5]) if known.kind == "threshold" else ("o", COLOURS[0])
            if known.interval is not None and known.value:
                ends = sorted(bound / known.value for bound in known.interval)
                low, high = max(ends[0], LOWEST), min(ends[1], HIGHEST)
                axes.plot([low, high], [row, row], color=colour, linewidth=2)
                for end, bound, sign in ((low, ends[0], "<"), (high, ends[1], ">")):
                    if end != bound:
                        axes.plot(end, row, sign, color=colour, markersize=6)
            axes.plot(1 if known.value else 0, row, marker, color=colour, markersize=5)
            behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            axes.text(LOWEST, row - 0.18, _told(known, NAME), fontsize=SMALL, va="bottom", color=QUIET, bbox=behind)
        axes.set_yticks([])
        axes.set_ylim(len(numbers) - 0.5, -0.9)
        axes.set_xlim(LOWEST - 0.05, HIGHEST + 0.05)
        axes.set_xlabel("95 % interval as a multiple of the estimate (dotted: zero)")
        axes.spines["left"].set_visible(False)
    return described(drawn, caption(numbers))


def caption(numbers: Sequence[Known]) -> Sentence:
    """Every number with its interval."""
    if not any(known.interval for known in numbers):
        return UNKNOWN
    return Sentence.of("95 % intervals: {numbers}.", numbers=joined([_told(known) for known in numbers], "; "))


def _told(known: Known, longest: int = LONGEST) -> Sentence:
    value = with_interval(known.quantity) if known.interval else f"{rounded(known.value)} (no interval)"
    slots = {"level": known.level, "kind": known.kind, "name": Name(known.feature, longest), "value": value}
    return clause("level {level}, {kind} of {name}: {value}", **slots)
