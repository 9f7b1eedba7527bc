"""Sentence: a text that knows which of its parts are names from somebody's data.

A sentence is a template whose slots are filled with names, numbers and shares. It is plain text, the same for a
terminal, a pipe and JSON; its HTML and Markdown say the same with names marked up. Because names are kept apart and
never searched for, a feature called "a", "level" or "<b>" does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from markupsafe import Markup, escape

from lori.language import names, numbers
from lori.model.quantity import Quantity
from lori.model.rewards import Fact

LONG = 80  # characters of a parameter's name


@dataclass(frozen=True)
class Name:
    """Somebody's name for a feature or a parameter, shown harmlessly and at most so long."""

    text: str
    longest: int = names.LONGEST

    def plain(self) -> str:
        return names.label(self.text, self.longest)

    def capital(self) -> Name:
        """As a sentence begins; what may be a symbol (x2, pH, a) stays as it is."""
        word = self.text.partition(" ")[0]
        ordinary = len(word) > 1 and word.isalpha() and word.islower()
        return Name(self.text[:1].upper() + self.text[1:], self.longest) if ordinary else self


class Share(float):
    """A share of something, written in per cent."""


Part = str | Name


class Sentence(str):
    """Text with its parts: words of ours, and names.

    >>> said = Sentence.of("{feature} decides {share} of the comparisons.", feature=Name("a<b"), share=Share(0.594))
    >>> said
    'a<b decides 59 % of the comparisons.'
    >>> said.html()
    Markup('<bdi>a&lt;b</bdi> decides 59 % of the comparisons.')
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Sentence:
        flat: list[Part] = []
        for part in parts:
            flat += part.parts if isinstance(part, Sentence) else [part]
        kept = tuple(part if isinstance(part, Name) else names.clean_sentence(part) for part in flat if part != "")
        made = super().__new__(cls, "".join(part.plain() if isinstance(part, Name) else part for part in kept))
        made.parts = kept
        return made

    @classmethod
    def of(cls, template: str, /, **slots: Any) -> Sentence:
        """Fill the slots `{name}` of a template and begin with a capital.

        A slot holds a `Name`, a `Quantity` (written with its interval), a `Share`, a number, or a `Sentence` or plain
        words, which are taken over as they are.
        """
        return clause(template, **slots).capital()

    def capital(self) -> Sentence:
        if not self.parts:
            return self
        first, *rest = self.parts
        return Sentence(first.capital() if isinstance(first, Name) else first[:1].upper() + first[1:], *rest)

    def html(self) -> Markup:
        """For a page: each name in an element of its own, so that its direction does not reach the words around it."""
        return Markup("").join(
            names.html_name(part.text, part.longest) if isinstance(part, Name) else escape(part) for part in self.parts
        )

    def markdown(self) -> str:
        return "".join(
            names.markdown_name(part.text, part.longest) if isinstance(part, Name) else names.markdown_words(part)
            for part in self.parts
        )

    def __getnewargs__(self) -> tuple[Part, ...]:  # type: ignore[override]
        return self.parts


def clause(template: str, /, **slots: Any) -> Sentence:
    """As `Sentence.of`, for the middle of a sentence."""
    parts: list[Part] = []
    for words, slot, _, _ in Formatter().parse(template):
        parts.append(words)
        if slot is not None:
            parts.append(_filled(slots[slot]))
    return Sentence(*parts)


def of_fact(fact: Fact) -> Sentence:
    """What a reward says about itself."""
    return clause(fact.clause, **{slot: Name(name) for slot, name in fact.features.items()}, **fact.numbers)


def joined(parts: Sequence[Part], between: str = ", ", last: str | None = None) -> Sentence:
    """Parts of an enumeration; `last` stands before the last one.

    >>> joined(["need", "benefit", "age"], last=" and ")
    'need, benefit and age'
    """
    told: list[Part] = []
    for place, part in enumerate(parts):
        if place:
            told.append(last if last is not None and place == len(parts) - 1 else between)
        told.append(part)
    return Sentence(*told)


def listed(features: Iterable[str], longest: int = names.LONGEST) -> Sentence:
    """Names as in "need, benefit and age"."""
    return joined([Name(feature, longest) for feature in features], last=" and ")


def paragraph(sentences: Iterable[Sentence | str]) -> Sentence:
    """Sentences one after the other."""
    return joined([sentence for sentence in sentences if sentence], between=" ")


def _filled(value: Any) -> Part:
    if isinstance(value, Name | str):
        return value
    if isinstance(value, Quantity):
        return numbers.with_interval(value)
    if isinstance(value, Share):
        return numbers.percent(float(value))
    return f"{value:,}" if isinstance(value, int) else numbers.number(float(value))
