"""Mechanisms of allocation: which way of giving organs away makes which order? Several registries of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lori.experiments import organ
from lori.experiments.organ_results import best_of, covering, explained, need_thresholds, order_of, ranked
from lori.experiments.study import Cell, Row, Study, measured, setting

ORDERS = {
    "meld": ("need", "benefit"),
    "strict": ("need",),
    "veto": ("benefit", "need"),
    "benefit": ("benefit",),
    "waiting": (),
    "model": ("need", "benefit"),
}
"""What weighs most in each level under each mechanism, as docs/organ.md says."""
NONE = "no such study"


@dataclass(frozen=True)
class MechanismsSettings:
    """Registries of a third of the paper's size, so that ten of each mechanism take minutes."""

    patients: int = setting(1_500, "of the year", printed=NONE, scripts=NONE)
    organs: int = setting(1_350, "of the year", printed=NONE, scripts=NONE)
    history: int = setting(8_000, "patients of the eight years before", printed=NONE, scripts=NONE)
    expected: bool = setting(
        True,
        "organs go by the days that the survival models expect; False: by the true ones, which nobody knows",
        printed=NONE,
        scripts=NONE,
    )
    starts: int = setting(8, "of each fit", printed=NONE, scripts=NONE)


def cell(settings: MechanismsSettings, seed: int) -> Cell:
    """A registry of each mechanism, and what its fits say."""
    usual = organ.OrganSettings(
        patients=settings.patients,
        organs=settings.organs,
        history=settings.history,
        others=0,
        expected=settings.expected,
        levels=2,
        starts=settings.starts,
    )
    return {policy: _short(organ.cell(replace(usual, policy=policy), seed)) for policy in ORDERS}


def _short(found: Cell) -> Cell:
    """What the rows need of a registry."""
    levels = need_thresholds([found])
    best = found["fits"][best_of(found["fits"])]["summary"]
    return {
        "order": ranked(found),
        "alone": order_of(found) != "neither",
        "explained %": 100 * explained(best),
        "threshold": levels[0]["value"] if levels else None,
        "interval": levels[0]["interval"] if levels else None,
        "correlation": found["correlation"],
    }


def rows(settings: MechanismsSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each mechanism."""
    table: list[Row] = []
    for policy, claimed in ORDERS.items():
        own = [cell[policy] for cell in cells]
        row: Row = {
            "method": f"{policy}: {', then '.join(claimed) or 'neither'}",
            "as claimed %": measured([100.0 * (tuple(one["order"]) == claimed) for one in own]),
            "first alone %": measured([100.0 * one["alone"] for one in own]),
            "explained %": measured([one["explained %"] for one in own]),
            "correlation of benefit and need": measured([one["correlation"] for one in own]),
            "orders": [", then ".join(one["order"]) or "neither" for one in own],
        }
        known: list[dict[str, Any]] = [
            {"value": one["threshold"], "interval": one["interval"]} for one in own if one["interval"]
        ]
        if claimed[:1] == ("need",) and len(known) > 1:
            row["days of need"] = measured([one["value"] for one in known])
            row["interval holds the others' mean %"] = measured([100.0 * each for each in covering(known)])
            row["intervals"] = [one["interval"] for one in known]
        table.append(row)
    return table


STUDY = Study(
    "mechanisms",
    "What comes first under each mechanism of allocation (made-up registries)",
    MechanismsSettings(),
    MechanismsSettings(patients=300, organs=250, history=1_500, starts=2),
    cell=cell,
    rows=rows,
)
