"""What does a study leave behind? `NAME.json` for machines, `NAME.md` and `NAME.png` for people.

All of it follows from the settings, the seeds and the versions, but for `seconds` in the JSON: that is the sum of the
seconds that each cell took when it was computed (more than the time on the clock, as cells run side by side). They
are kept with the cells, so that running again in the same folder writes the same bytes; an interrupted run and an
undisturbed one agree in everything else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lori.data.writing import writing
from lori.errors import InputError
from lori.experiments.cells import completed, versions
from lori.experiments.figures import draw_rows
from lori.experiments.study import Study, metrics


def run_study(
    study: Study,
    out: Path,
    *,
    seeds: int = 5,
    smoke: bool = False,
    jobs: int = 2,
    say: Callable[[str], None] = print,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> dict[str, Any]:
    """Carry out a study, or what is left of it, and write its result into `out`; returns the content of NAME.json."""
    for what, number in (("seeds", seeds), ("jobs", jobs)):
        if number < 1:
            raise InputError(
                what, expected="a whole number from 1", got=str(number), fix=f"ask for {what} of 1 or more"
            )
    settings = study.smoke if smoke else study.settings
    count = seeds if study.random else 1
    cells = completed(study, settings, count, out, jobs=jobs, say=say, progress=progress)
    result = {
        "name": study.name,
        "settings": {**asdict(settings), "seeds": count},
        "rows": study.rows(settings, [cell["result"] for cell in cells]),
        "paper": study.paper,
        "seconds": math.fsum(cell["seconds"] for cell in cells),
        "versions": versions(),
    }
    text = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    result = json.loads(text)
    with writing(out / f"{study.name}.json") as temporary:
        temporary.write_text(text, encoding="utf-8")
    with writing(out / f"{study.name}.md") as temporary:
        temporary.write_text(_page(study, result, smoke), encoding="utf-8")
    with writing(out / f"{study.name}.png") as temporary:
        (study.draw or draw_rows)(result, temporary)
    return result


def table(result: dict[str, Any]) -> str:
    """A line for each method; beside each of our figures, where there is one, the paper's."""
    rows, paper = result["rows"], result["paper"]
    columns = [["method", *(row["method"] for row in rows)]]
    for metric in metrics(rows):
        columns.append([metric, *(_rounded(row.get(metric)) for row in rows)])
        printed = [paper.get(row["method"], {}).get(metric) for row in rows]
        if any(printed):
            columns.append(["paper", *map(_as_printed, printed)])
    widths = [max(3, *map(len, column)) for column in columns]
    lines = [list(line) for line in zip(*columns, strict=True)]
    lines.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return "\n".join(_aligned(line, widths) for line in lines)


def words(result: dict[str, Any]) -> list[str]:
    """What the rows say in plain words, in paragraphs."""
    return [paragraph for row in result["rows"] for paragraph in row.get("words", [])]


def _rounded(entry: dict[str, Any] | None) -> str:
    """Mean ± standard deviation, with as many decimals as the first two digits of the latter need.

    >>> _rounded({"mean": 0.10321, "std": 0.08912}), _rounded({"mean": 62.03, "std": 16.2})
    ('0.103 ± 0.089', '62 ± 16')
    """
    if entry is None:
        return "–"
    mean, spread = entry["mean"], entry["std"]
    if not spread:
        return f"{mean:.4g}"
    decimals = max(0, 1 - math.floor(math.log10(spread)))
    return f"{mean:.{decimals}f} ± {spread:.{decimals}f}"


def _as_printed(entry: dict[str, Any] | None) -> str:
    """No digit that the paper does not give."""
    if entry is None:
        return "–"
    return f"{entry['mean']:g}" + (f" ± {entry['std']:g}" if entry.get("std") is not None else "")


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    return "| " + " | ".join([first, *map(str.rjust, cells[1:], widths[1:])]) + " |"


def _page(study: Study, result: dict[str, Any], smoke: bool) -> str:
    seeds = result["settings"]["seeds"]
    command = f"lori reproduce {study.name} --seeds {seeds}{' --smoke' if smoke else ''}"
    spread = "a standard deviation over seeds" if seeds > 1 else "not known from one seed"
    parts = [
        f"# {study.title}",
        *(["A smoke run: its sizes are tiny, so its figures say nothing."] if smoke else []),
        table(result),
        *words(result),
        f"![{study.title}]({study.name}.png)",
        f"Made by `{command}`; ± is {spread}.",
        "Settings: " + ", ".join(f"{name} {value}" for name, value in result["settings"].items()) + ".",
        "Versions: " + ", ".join(f"{name} {value}" for name, value in result["versions"].items()) + ".",
    ]
    return "\n\n".join(parts) + "\n"
