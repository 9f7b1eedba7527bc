"""Names from somebody's data: how they are shown without harm in a page, in Markdown, in a figure and in a terminal.

Names may hold markup, quotes, emoji, text that runs from right to left, or 300 characters. What cannot be shown is
taken away, long names are shortened, and their direction does not reach the words around them.
"""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup

LONGEST, TAIL = 40, 8
ISOLATE, END = "\u2068", "\u2069"  # first strong isolate, and its end
# Marks that turn the direction of everything after them; joiners stay, emoji are made with them.
_TURNING = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u200e", "\u200f", "\u061c"}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:@^=])")


def clean(text: str) -> str:
    """One line of what a page may hold: no control characters, no half characters, nothing that turns the text."""
    return clean_sentence(text).strip() or "(no name)"


def clean_sentence(text: str) -> str:
    """As `clean`, keeping spaces at both ends."""
    return "".join("" if _harmful(char) else " " if char.isspace() else char for char in text)


def short(name: str, longest: int = LONGEST) -> str:
    """At most 40 characters, the beginning and the end."""
    whole = clean(name)
    return whole if len(whole) <= longest else f"{whole[: longest - TAIL - 1]}…{whole[-TAIL:]}"


def label(name: str, longest: int = LONGEST) -> str:
    """A name in a figure or a line of text."""
    shown = short(name, longest)
    return f"{ISOLATE}{shown}{END}" if _runs_left(name) else shown


def html_name(name: str, longest: int = LONGEST) -> Markup:
    """A name in a page; the whole of it shows when the mouse rests on a shortened one."""
    shown, whole = short(name, longest), clean(name)
    title = Markup("") if shown == whole else Markup(' title="{}"').format(whole)
    return Markup("<bdi{}>{}</bdi>").format(title, shown)


def markdown_name(name: str, longest: int = LONGEST) -> str:
    escaped = _MARKDOWN.sub(r"\\\1", markdown_words(short(name, longest)))
    return f"{ISOLATE}{escaped}{END}" if _runs_left(name) else escaped


def markdown_words(text: str) -> str:
    """Words of ours hold nothing that Markdown reads as markup but these."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _harmful(char: str) -> bool:
    point = ord(char)
    if char in _TURNING or unicodedata.category(char) == "Cs" or 0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE:
        return True
    return unicodedata.category(char) == "Cc" and char not in "\t\n\r"


def _runs_left(name: str) -> bool:
    return any(unicodedata.bidirectional(char) in ("R", "AL") for char in name)
