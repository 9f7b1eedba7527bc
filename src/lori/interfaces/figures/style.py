"""Style of the figures: how do they look, and how do they reach a file or a page?"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lori.data.writing import check_target, writing
from lori.errors import InputError
from lori.language.sentence import Sentence

# Okabe and Ito's palette, told apart by the colour-blind; hatches tell it apart in grey print.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "+++", "ooo")
QUIET = "#555555"
ACROSS, UP, TICK = 46, 38, 24  # characters of a line below an axis, beside it, and at one of its ticks
SMALL = 9  # points, beside what is drawn
WIDTH = 4.7  # inches: readable on a telephone without zooming, and two abreast on a page
FORMATS = (".png", ".svg", ".pdf")
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",  # letters stay letters: small files, and any script is shown as the reader's fonts have it
    "svg.hashsalt": "lori",  # the same figure gives the same file
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}


@contextmanager
def style() -> Iterator[None]:
    """Draw and save within this: the same look whatever the user's own settings are."""
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # the reader's fonts may have it
        yield


def new_figure(height: float, columns: int = 1, **options) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, list(figure.subplots(1, columns, squeeze=False, **options).flat)


def wrapped(text: str, width: int) -> str:
    """The text in lines of at most so many characters, so that long names are read whole.

    >>> wrapped("difference in nausea (days per month), left − right", 24)
    'difference in nausea\\n(days per month), left −\\nright'
    """
    return "\n".join(textwrap.wrap(text, width))


def check_figure_file(path: Path) -> None:
    """Could a figure of this name be written? Asked before long work."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            "--out", expected="a file that ends in .svg, .png or .pdf", got=path.name, fix="write --out figure.svg"
        )
    check_target(path)


def described(figure: Figure, caption: Sentence) -> Figure:
    """The figure with its text alternative, which `figure.get_label()` tells and files carry along."""
    figure.set_label(caption)
    figure.caption = caption  # type: ignore[attr-defined]
    return figure


def caption_of(figure: Figure) -> Sentence:
    """The text alternative, which still knows its names."""
    return figure.caption  # type: ignore[attr-defined]


def save(figure: Figure, path: Path) -> None:
    """Write a figure as its ending says, whole or not at all."""
    told = str(figure.get_label())
    carried = {
        ".svg": {"Date": None, "Description": told},
        ".png": {"Description": told},
        ".pdf": {"Subject": told},
    }[path.suffix.lower()]
    with writing(path) as temporary, style():
        figure.savefig(temporary, dpi=160, bbox_inches="tight", metadata=carried)


def inline(figure: Figure, key: str) -> Markup:
    """A figure with its caption as part of a page; `key` keeps its ids apart from those of other figures."""
    buffer = io.StringIO()
    with style():
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    drawing = buffer.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r"<metadata>.*?</metadata>\s*", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r'(<style type="text/css">)\*', rf"\1#{key} *", drawing)
    drawing = re.sub(r'(\sid="|href="#|url\(#)', rf"\g<1>{key}-", drawing)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing)
    assert size is not None
    opening = (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg" id="{key}" role="img" '
        f'aria-label="{escape(str(caption_of(figure)))}" {size.group()}>'
    )
    return Markup(opening + drawing[drawing.index(">") + 1 :])  # matplotlib escapes the texts in it
