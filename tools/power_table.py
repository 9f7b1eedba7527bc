"""Power table of docs/plan-study.md: `python tools/power_table.py out/power2.json out/power4.json out/power8.json`.

Each file is what `lori plan-study --out FILE.json` wrote. Printed is a table in Markdown with a row for each number of
choices and a column for each file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def table(plans: list[dict]) -> str:
    """Power with its standard error, and false alarms in brackets; the last row is what is needed."""
    columns = [f"{len(plan['truth']['features'])} features" for plan in plans]
    lines = [["choices", *columns], ["---"] * (1 + len(plans))]
    rows = [{row["choices"]: row for row in plan["rows"]} for plan in plans]
    for choices in sorted(set().union(*rows)):
        lines.append([f"{choices:,}", *(_cell(own.get(choices)) for own in rows)])
    probability = plans[0]["probability"]
    lines.append([f"needed for {probability:.0%}".replace("%", " %"), *(_needed(plan["needed"]) for plan in plans)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(row: dict | None) -> str:
    if row is None:
        return "–"
    return f"{100 * row['found']:.0f} ± {100 * row['found_error']:.0f} % ({100 * row['false_alarms']:.0f} %)"


def _needed(needed: dict) -> str:
    low, high = (None if bound is None else f"{float(f'{bound:.2g}'):,.0f}" for bound in needed["interval"])
    if needed["choices"] is None:
        return "not among these"
    about = float(f"{needed['choices']:.2g}")
    return f"{about:,.0f} ({low or 'fewer'} to {high or 'more'})"


if __name__ == "__main__":
    print(table([json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]))
