"""Pages: how does a study look to those who answer and those who run it? Templates escape whatever a study contains."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lori.inference.interview.interview import Question
from lori.inference.interview.study import Study
from lori.interfaces.web.storage import Turn
from lori.language.interview import ADMIN, TEXTS, result_sentence

HERE = Path(__file__).parent
MARKS = 10  # of a bar that shows where a value lies between the worst and the best


@dataclass(frozen=True)
class Cell:
    """One attribute on one card."""

    title: str
    shown: str
    share: int  # from 0 to 10: where the value lies in the attribute's range
    differs: bool


@dataclass(frozen=True)
class Card:
    """One alternative, as it is shown."""

    side: str
    name: str
    text: str
    picture: str
    cells: tuple[Cell, ...]


class Pages:
    """The study's texts in the study's templates."""

    def __init__(self, study: Study) -> None:
        self.study = study
        own = study.page.get("texts", {})
        assert isinstance(own, dict)
        self.own_texts: dict[str, str] = own
        self.texts = {**TEXTS, **own}
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True, auto_reload=False,
        )  # fmt: skip

    @cached_property
    def _always(self) -> dict[str, Any]:
        page = self.study.page
        return {
            "texts": self.texts, "admin": ADMIN, "title": page.get("title", "Interview"),
            "language": page.get("language", "en"), "explanation": page.get("explanation", ""),
            "consent": page.get("consent", ""), "ask_name": page.get("ask_name", False),
            "ties": self.study.allows_ties, "most": self.study.questions,
        }  # fmt: skip

    def page(self, template: str, **values: Any) -> str:
        return self._templates.get_template(template).render(**self._always, **values)

    def cards(self, question: Question) -> tuple[Card, Card]:
        return self._card(question, "left"), self._card(question, "right")

    def _card(self, question: Question, side: str) -> Card:
        own, other = (question.left, question.right) if side == "left" else (question.right, question.left)
        cells = []
        for attribute, value, beside in zip(self.study.attributes, own, other, strict=True):
            low, high = min(attribute.values), max(attribute.values)
            share = round(MARKS * (value - low) / (high - low)) if high > low else 0
            cells.append(Cell(attribute.title, attribute.shown(value), share, value != beside))
        item = next((item for item in self.study.items if item.values == own), None)
        return Card(
            side, item.name if item else "", item.text if item else "", item.picture if item else "", tuple(cells)
        )

    def ask(self, turn: Turn, csrf: str, *, whole: bool = True) -> str:
        """The page of a question, or the part of it that changes."""
        number = turn.question.number
        progress = self.texts["progress"].format_map({"number": number, "most": self.study.questions})
        return self.page(
            "question.html" if whole else "question_part.html", cards=self.cards(turn.question), number=number,
            mark=turn.mark, csrf=csrf, progress=progress, whole=whole,
        )  # fmt: skip

    def thanks(self, result: str, csrf: str, answered: int, *, whole: bool = True) -> str:
        sentence = None
        if result and self.study.page.get("show_result", True):
            told = json.loads(result)
            titles = {own.name: own.title for own in self.study.attributes}
            order = [titles[name] for name in told["order"]]
            sentence = result_sentence(order, told["probability"], self.own_texts).html()
        thanks = self.study.page.get("thanks") or self.texts["thanks"]
        return self.page(
            "thanks.html" if whole else "thanks_part.html", sentence=sentence, csrf=csrf, thanks=thanks,
            answered=answered, whole=whole,
        )  # fmt: skip

    def message(self, text: str) -> str:
        return self.page("message.html", message=self.texts[text])
