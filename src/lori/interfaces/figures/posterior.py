"""Posterior: how precisely are weights and thresholds known?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.overview import Known
from lori.interfaces.figures.style import COLOURS, QUIET, SMALL, WIDTH, described, style, wrapped
from lori.language.numbers import rounded, with_interval
from lori.language.sentence import Name, Sentence, clause, joined

GRID = 120  # places at which a density is drawn
EACH = 0.78  # inches for each number
LINE, DEEP = 72, 0.16  # characters of a line above what is drawn, and inches of each further line
UNKNOWN = Sentence("Intervals could not be computed for this model, so none are shown.")


def figure(numbers: Sequence[Known], values: Sequence[np.ndarray]) -> Figure:
    """The density of each number in its own units, from `values` of draws, with its estimate and 95 % interval."""
    titles = [wrapped(str(_told(known)), LINE) for known in numbers]
    further = sum(title.count("\n") for title in titles)
    with style():
        drawn = Figure(figsize=(WIDTH, max(1.6, EACH * len(numbers) + DEEP * further)), layout="constrained")
        rows = drawn.subplots(max(len(numbers), 1), 1, squeeze=False)[:, 0]
        for axes, known, own, title in zip(rows, numbers, values, titles, strict=False):
            colour = COLOURS[5] if known.kind == "threshold" else COLOURS[0]
            low, high = known.interval or (known.value, known.value)
            length = (high - low) or abs(known.value) or 1.0
            grid = np.linspace(low - 0.4 * length, high + 0.4 * length, GRID)
            if len(own) > 1 and np.ptp(own) > 0:
                axes.fill_between(grid, density(own, grid), color=colour, alpha=0.25, linewidth=0)
            axes.plot([low, high], [0, 0], color=colour, linewidth=3, solid_capstyle="butt", clip_on=False)
            axes.plot(known.value, 0, "D" if known.kind == "threshold" else "o", color=colour, clip_on=False)
            if grid[0] < 0 < grid[-1]:
                axes.axvline(0, color="black", linewidth=0.8, linestyle=":")
            axes.set_title(title, fontsize=SMALL, fontweight="normal", color=QUIET, pad=3)
            axes.set_xlim(grid[0], grid[-1])
            axes.set_ylim(bottom=0)
            axes.set_yticks([])
            axes.locator_params(axis="x", nbins=5)
            axes.tick_params(axis="x", labelsize=SMALL)
            axes.spines["left"].set_visible(False)
    return described(drawn, caption(numbers))


def density(values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Of draws, by Gaussian kernels as wide as Silverman's rule has it."""
    width = 1.06 * min(values.std(), np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.34 or values.std())
    away = (grid[:, None] - values) / (width * len(values) ** -0.2)
    return np.exp(-0.5 * away**2).mean(axis=1)


def caption(numbers: Sequence[Known]) -> Sentence:
    """Every number with its interval."""
    if not any(known.interval for known in numbers):
        return UNKNOWN
    return Sentence.of("95 % intervals: {numbers}.", numbers=joined([_told(known) for known in numbers], "; "))


def _told(known: Known) -> Sentence:
    value = with_interval(known.quantity) if known.interval else f"{rounded(known.value)} (no interval)"
    slots = {"level": known.level, "kind": known.kind, "name": Name(known.feature), "value": value}
    return clause("level {level}, {kind} of {name}: {value}", **slots)
