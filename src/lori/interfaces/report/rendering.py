"""Rendering of a report: as a page that opens offline, as Markdown, or as JSON, all from the same content."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from lori.data.writing import writing
from lori.interfaces.report import sentences
from lori.interfaces.report.content import Report
from lori.interfaces.report.populations import PopulationReport
from lori.language import answer, names, numbers, populations
from lori.language.sentence import Sentence

Page = Report | PopulationReport


def write_html(report: Page, path: Path) -> None:
    _write(path, html(report))


def write_markdown(report: Page, path: Path) -> None:
    _write(path, markdown(report))


def write_json(report: Page, path: Path) -> None:
    _write(path, json.dumps(_finite(content(report)), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def html(report: Page) -> str:
    """One page with its style and figures inside: it asks for nothing from outside and needs no scripts."""
    page = _rendered(f"{report.template}.html", report, Sentence.html, names.html_name, escaped=True)
    return re.sub(r"(?<=\d) %", "\u00a0%", page)  # a number and its sign stay on one line


def markdown(report: Page) -> str:
    return _rendered(f"{report.template}.md", report, Sentence.markdown, names.markdown_name, escaped=False)


def content(report: Page) -> dict[str, Any]:
    """The report as plain values: names are whole in its numbers, and figures are their captions."""
    plain = {field.name: getattr(report, field.name) for field in fields(report)}
    plain["summary"] = report.summary.to_dict()
    for name in {"description", "quality", "rare"} & set(plain):
        plain[name] = None if plain[name] is None else asdict(plain[name])
    plain["description"]["ties"] = plain["description"].pop("n_ties")  # as it has always been called there
    plain["pictures"] = {key: picture.caption for key, picture in report.pictures.items()}
    if isinstance(report, PopulationReport):
        return {**plain, "classes": [picture.caption for picture in report.classes]}
    plain["surprises"] = [
        {**asdict(each), "chosen": each.chosen, "probability": each.probability} for each in report.surprises
    ]
    return plain


def _rendered(
    template: str, report: Page, say: Callable[[Sentence], str], name: Callable[[str], str], *, escaped: bool
) -> str:
    """`say` shows a sentence and `name` a feature."""
    page = _templates(escaped).get_template(template)
    said = {"sentences": sentences, "people": populations}
    return page.render(report=report, **said, say=say, name=name, level_count=numbers.level_count)


def _finite(value: Any) -> Any:
    """JSON has no infinity, which a log-likelihood may be."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@lru_cache
def _templates(escaped: bool) -> Environment:
    templates = Environment(
        loader=PackageLoader("lori.interfaces.report"), autoescape=escaped, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    templates.filters |= {
        "number": numbers.number,
        "percent": numbers.percent,
        "estimate": numbers.estimate,
        "interval": numbers.interval,
        "threshold": answer.threshold_text,
        "threshold_interval": answer.threshold_interval,
        "line": names.clean_sentence,
    }
    return templates


def _write(path: Path, text: str) -> None:
    with writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
