"""Figures of sets: who is left after each level, and how choices move with two features of one alternative."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from lori.evaluation.set_landscapes import SetLandscape, Survival
from lori.interfaces.figures.style import ACROSS, COLOURS, HATCHES, TICK, UP, described, new_figure, style, wrapped
from lori.language.names import label
from lori.language.numbers import number, percent
from lori.language.sentence import Name, Sentence, Share, clause, joined

DIGITS = 3
BAR = 0.8  # width of what belongs to one level


def survivors(found: Survival) -> Figure:
    """For each alternative how often it is left after each level, and how often it was chosen."""
    names, levels = found.names, len(found.left)
    series = [
        *((f"left after level {place + 1}", own) for place, own in enumerate(found.left)),
        ("chosen", found.chosen),
    ]
    thick, places = BAR / len(series), np.arange(len(names))[::-1]
    with style():
        drawn, (axes,) = new_figure(1.3 + 0.16 * len(names) * len(series))
        for place, (what, values) in enumerate(series):
            axes.barh(
                places + thick * ((len(series) - 1) / 2 - place), values, thick * 0.92, label=what,
                color="#444444" if place == levels else COLOURS[place % len(COLOURS)],
                hatch="" if place == levels else HATCHES[place % len(HATCHES)], edgecolor="white", linewidth=0,
            )  # fmt: skip
        axes.set_yticks(places, [wrapped(label(name), TICK) for name in names])
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of the sets that have the alternative")
        drawn.legend(loc="outside upper left", ncols=2)
    return described(drawn, survivors_caption(found))


def chances(land: SetLandscape) -> Figure:
    """A panel for each of three alternatives: the probability that it is chosen, as one moves in two features."""
    with style():
        drawn, axes = new_figure(2.7, columns=len(land.names), sharey=True)
        for own, name, values in zip(axes, land.names, land.chances, strict=True):
            image = own.pcolormesh(
                land.x, land.y, values, vmin=0, vmax=1, cmap="cividis", shading="gouraud", rasterized=True
            )
            lines = own.contour(land.x, land.y, values, levels=[0.25, 0.5, 0.75], colors="white", linewidths=0.8)
            own.clabel(lines, fmt=lambda share: f"{share:.0%}", fontsize=6)
            own.plot(*land.here, marker="+", color="white", markersize=8)
            own.set_title(wrapped(label(name), TICK // 2), fontsize=9)
        axes[len(axes) // 2].set_xlabel(wrapped(f"{label(land.across)} of {label(land.moved)}", ACROSS))
        axes[0].set_ylabel(wrapped(f"{label(land.up)} of {label(land.moved)}", UP), fontsize=9)
        drawn.colorbar(image, ax=axes, label="probability", shrink=0.9)
    return described(drawn, chances_caption(land))


def survivors_caption(found: Survival) -> Sentence:
    """Of each alternative all shares, and how many are left."""
    told = []
    for row, name in enumerate(found.names):
        levels = [f"level {place + 1} in {percent(own[row])}" for place, own in enumerate(found.left)]
        text = f"{{name}} is left after {joined(levels, last=' and ')} of its sets and was chosen in {{chosen}}"
        told.append(clause(text, name=Name(name), chosen=Share(found.chosen[row])))
    first, *later = (f"after level {place + 1}" for place in range(len(found.count)))
    counts = [number(own, DIGITS) for own in found.count]
    told_counts = [
        f"{counts[0]} are left {first}",
        *(f"{own} {when}" for own, when in zip(counts[1:], later, strict=True)),
    ]
    return Sentence.of(
        "Of {size} alternatives, on average {left}. By alternative: {told}.",
        size=number(found.size, DIGITS), left=joined(told_counts, last=" and "), told=joined(told, "; "),
    )  # fmt: skip


def chances_caption(land: SetLandscape) -> Sentence:
    """Where it stands now, and at two corners."""
    at = int(np.argmin(np.abs(land.y - land.here[1]))), int(np.argmin(np.abs(land.x - land.here[0])))

    def shares(place: tuple[int, int]) -> Sentence:
        each = [
            clause("{name} {share}", name=Name(name), share=Share(own[place]))
            for name, own in zip(land.names, land.chances, strict=True)
        ]
        return joined(each, ", ")

    return Sentence.of(
        "A typical set, in which {across} and {up} of {moved} change. As it is: {now}. Where {across} of {moved} is "
        "{low} and its {up} {down}: {first}. Where they are {high} and {top}: {last}.",
        across=Name(land.across), up=Name(land.up), moved=Name(land.moved), now=shares(at), first=shares((0, 0)),
        last=shares((-1, -1)), low=number(land.x[0], DIGITS), down=number(land.y[0], DIGITS),
        high=number(land.x[-1], DIGITS), top=number(land.y[-1], DIGITS),
    )  # fmt: skip
