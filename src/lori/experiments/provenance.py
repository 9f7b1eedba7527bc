"""Provenance: where does each setting of each study come from? The page docs/provenance.md, made from the code.

`tools/provenance.py` writes it; a test says when it is out of date.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lori.experiments.study import HERE, SILENT, available, find
from lori.inference.search.paper import PRINTED, SCRIPTED

INTRODUCTION = """# Where each setting comes from

*Made by `python tools/provenance.py` from the settings in `src/lori/experiments/`; a test says when it is out of date.*

Each study of `lori reproduce` has settings. For each: its value here, what the paper prints and what its authors'
public scripts (`alihanhyk/lori` on GitHub) do. "As here" means the same, – that nothing is said about it. Any of them
can be changed: `lori reproduce table3 --set bc_apart=100 --out out`."""

PROCEDURE = {
    "start": "deviation of the free numbers around 0 at the beginning",
    "apart": "steps between the two likelihoods that the stopping rule compares",
    "gain": "it stops when the later one is not better by so much",
    "limit": "passes after which it is cut off (the paper prints none)",
}
ELSEWHERE = """## What no setting changes

- **The cap.** Printed: both levels have one (rows "LORI, both levels capped" and "LORI, as printed"). Scripts: the
  first level alone (rows "LORI" and "LORI, as scripted"), and it is positive there.
- **Differences of rewards** beyond 10 count as 10 in the scripts, and in the row "LORI, as scripted" alone.
- **Full ties** are broken by a fair coin in the scripts' likelihood, as here; equation (5) as printed leaves them out.
- **±** is a sample's standard deviation here, and that of a whole population in the scripts, which is smaller.
- **Policies** are compared over all pairs of their trajectories here, in the scripts over the matched ones.
- **Planning** shifts each reward so that its smallest is 0 before the capped backup; the scripts do not.
- **Survival.** The living are censored here. The scripts leave them out of the model without a transplant, and count
  all the transplanted as dead when they were last seen.
- **Candidates' laboratory values** are those at listing here. The scripts use those of a candidate's own, later
  transplant.
- **Blood groups.** In the scripts a candidate's group is compared with that of the organ they got themselves, not of
  the one that is offered; and the product of hepatitis C with the donor's age is one with the donor's diabetes."""


def page(effects: Mapping[str, Any] | None = None) -> str:
    """The whole page; `effects` is the result of `lori reproduce readings`, where it was run."""
    studies: dict[type, list[str]] = {}
    for name in available():
        studies.setdefault(type(find(name).settings), []).append(name)
    parts = [INTRODUCTION]
    for kind, names in studies.items():
        described = [each for each in fields(kind) if each.metadata]
        if described:
            usual = find(names[0]).settings
            lines = [_line(each.name, getattr(usual, each.name), each.metadata) for each in described]
            parts.append(f"## {', '.join(f'`{name}`' for name in names)}\n\n{_table(SETTINGS, lines)}")
    lines = [
        [f"`{name}`", f"{getattr(PRINTED, name):g}", f"{getattr(SCRIPTED, name):g}", says]
        for name, says in PROCEDURE.items()
    ]
    head = ["procedure", "as printed", "as scripted", "what it is"]
    parts.append(f"## The descents of the rows as printed and as scripted\n\n{_table(head, lines)}")
    return "\n\n".join([*parts, ELSEWHERE, measured_effects(effects)]) + "\n"


SETTINGS = ["setting", "here", "the paper prints", "the scripts", "origin", "what it is"]


def _line(name: str, value: Any, told: Mapping[str, str]) -> list[str]:
    shown = "–" if value == "" else str(value)
    return [f"`{name}`", shown, told["printed"], told["scripts"], origin(told), told["says"]]


def origin(told: Mapping[str, str]) -> str:
    """Printed, the authors' scripts, or ours."""
    same = [name for name in ("printed", "scripts") if told[name] == HERE]
    return " and ".join(same) if same else "ours"


def measured_effects(effects: Mapping[str, Any] | None) -> str:
    """What other readings do to the figures."""
    if effects is None:
        return "## Measured effects\n\n`lori reproduce readings` prints what other readings do to the figures."
    seeds = effects["settings"]["seeds"]
    lines = []
    for row in effects["rows"]:
        reading, _, figure = row["method"].partition(": ")
        lines.append([f"`--set {reading}`", figure, *(_figure(row[part]) for part in ("here", "then"))])
    return (
        f"## Measured effects\n\n`lori reproduce readings --seeds {seeds}`: one setting is changed at a time, mean ± "
        "deviation.\n\n" + _table(["reading", "figure", "here", "read so"], lines)
    )


def _figure(entry: Mapping[str, Any]) -> str:
    spread = entry["std"]
    digits = 1 if entry["mean"] > 1 else 4
    return f"{entry['mean']:.{digits}f}" + (f" ± {spread:.{digits}f}" if spread is not None else "")


def _table(head: list[str], lines: list[list[str]]) -> str:
    told = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cell or SILENT for cell in line) + " |" for line in told)
