"""How are names from somebody's data shown without harm: in a page, in Markdown and in a figure?

Names may hold markup, quotes, emoji, text that runs from right to left, or 300 characters. What cannot be shown is
taken away, long names are shortened, and their direction does not reach the words around them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from markupsafe import Markup, escape

LONGEST, TAIL = 40, 8
ISOLATE, END = "\u2068", "\u2069"  # first strong isolate, and its end
# Marks that turn the direction of everything after them; joiners stay, emoji are made with them.
_TURNING = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u200e", "\u200f", "\u061c"}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:@^=])")


def clean(text: str) -> str:
    """One line of what a page may hold: no control characters, no half characters, nothing that turns the text."""
    kept = ("" if _harmful(char) else " " if char.isspace() else char for char in text)
    return "".join(kept).strip() or "(no name)"


def short(name: str, longest: int = LONGEST) -> str:
    """At most 40 characters, the beginning and the end."""
    whole = clean(name)
    return whole if len(whole) <= longest else f"{whole[: longest - TAIL - 1]}…{whole[-TAIL:]}"


def label(name: str, longest: int = LONGEST) -> str:
    """A name in a figure or a line of text."""
    shown = short(name, longest)
    return f"{ISOLATE}{shown}{END}" if _runs_left(name) else shown


def html_name(name: str) -> Markup:
    """A name in a page; the whole of it shows when the mouse rests on a shortened one."""
    shown, whole = short(name), clean(name)
    title = Markup("") if shown == whole else Markup(' title="{}"').format(whole)
    return Markup("<bdi{}>{}</bdi>").format(title, shown)


def markdown_name(name: str) -> str:
    escaped = _MARKDOWN.sub(r"\\\1", short(name)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"{ISOLATE}{escaped}{END}" if _runs_left(name) else escaped


def html_text(text: str, names: Iterable[str]) -> Markup:
    """A sentence of ours that mentions names."""
    return Markup("").join(_mapped(text, names, html_name, lambda words: escape(clean_sentence(words))))


def markdown_text(text: str, names: Iterable[str]) -> str:
    return "".join(_mapped(text, names, markdown_name, clean_sentence))


def plain_text(text: str, names: Iterable[str]) -> str:
    return "".join(_mapped(text, names, label, clean_sentence))


def clean_sentence(text: str) -> str:
    """As `clean`, keeping spaces at both ends."""
    return "".join("" if _harmful(char) else " " if char.isspace() else char for char in text)


def _mapped(text: str, names: Iterable[str], name_of: Callable, words_of: Callable) -> list:
    """The parts of a sentence: names as they are to be shown, and the words between them.

    A sentence may begin with a name, whose first letter is then a capital.
    """
    forms = {form: name for name in names for form in (name[:1].upper() + name[1:], name) if form}
    if not forms:
        return [words_of(text)]
    longest_first = sorted(forms, key=len, reverse=True)
    pattern = re.compile(
        "|".join(f"{_edge(form[0], '<')}{re.escape(form)}{_edge(form[-1], '')}" for form in longest_first)
    )
    parts, done = [], 0
    for found in pattern.finditer(text):
        parts += [words_of(text[done : found.start()]), name_of(found.group())]
        done = found.end()
    return [*parts, words_of(text[done:])]


def _edge(char: str, side: str) -> str:
    """A name that begins or ends with a letter does not begin or end inside a word."""
    return rf"(?{side}!\w)" if re.match(r"\w", char) else ""


def _harmful(char: str) -> bool:
    point = ord(char)
    if char in _TURNING or unicodedata.category(char) == "Cs" or 0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE:
        return True
    return unicodedata.category(char) == "Cc" and char not in "\t\n\r"


def _runs_left(name: str) -> bool:
    return any(unicodedata.bidirectional(char) in ("R", "AL") for char in name)
