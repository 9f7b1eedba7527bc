"""How is a report written: as a page that opens offline, as Markdown, or as JSON? All from the same content."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from lori.data.writing import writing
from lori.interfaces.report.content import Report
from lori.language import names as naming
from lori.language.answer import number, threshold


def write_html(report: Report, path: Path) -> None:
    _write(path, html(report))


def write_markdown(report: Report, path: Path) -> None:
    _write(path, markdown(report))


def write_json(report: Report, path: Path) -> None:
    _write(path, json.dumps(_finite(content(report)), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def html(report: Report) -> str:
    """One page with its style and figures inside: it asks for nothing from outside and needs no scripts."""
    named = partial(naming.html_text, names=report.features)
    return _templates(True).get_template("report.html").render(report=report, named=named, name=naming.html_name)


def markdown(report: Report) -> str:
    named = partial(naming.markdown_text, names=report.features)
    return _templates(False).get_template("report.md").render(report=report, named=named, name=naming.markdown_name)


def content(report: Report) -> dict[str, Any]:
    """The report as plain values: names are whole here, and figures are their words."""
    fields = {name: value for name, value in asdict(report).items() if name != "pictures"}
    fields["surprises"] = [
        {**asdict(each), "chosen": each.chosen, "probability": each.probability} for each in report.surprises
    ]
    return fields | {"pictures": {key: picture.words for key, picture in report.pictures.items()}}


def _threshold(level: dict[str, Any], feature: str) -> dict[str, Any]:
    """Of a feature on a level; a threshold next to nothing is zero."""
    quantity = level["thresholds"][feature]
    counts = quantity["value"] is None or threshold(level)
    return quantity if counts else {**quantity, "value": 0.0}


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
        loader=PackageLoader("lori.interfaces.report"), autoescape=escaped, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    templates.filters |= {
        "number": lambda value: "–" if value is None else number(value),
        "percent": lambda value: "–" if value is None else f"{value:.0%}",
        "count": lambda value, noun: f"{value:,} {noun}{'' if value == 1 else 's'}",
        "interval": lambda bounds: "–" if bounds is None else f"{number(bounds[0])} to {number(bounds[1])}",
        "threshold": _threshold,
        "chance": lambda value: "less than 0.1%" if value < 5e-4 else f"{value:.1%}",
        "line": naming.clean_sentence,
    }
    return templates


def _write(path: Path, text: str) -> None:
    with writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
