"""Organs as sets: what changes when each organ is one choice among all who waited, instead of many pairs?

Recipients of made-up registries are drawn from the set model itself, so that the truth is known: need first, with a
threshold, then benefit. The same organs are read in three ways: as sets, as pairs that share their winner and are taken
for independent, and as pairs with errors clustered by organ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lori.applications.organ.preferences import choices_by_organ
from lori.applications.organ.registry import read_registry
from lori.applications.organ.survival import estimate
from lori.applications.organ.synthetic import SyntheticSettings, write_registry
from lori.data.choices import Choices
from lori.estimators.lori import LORI
from lori.experiments.study import Cell, Row, Study, measured, setting
from lori.model.ordered import OrderedModel
from lori.model.rewards import Linear

NONE = "no such study"
TRUTH = OrderedModel.linear([[0.0, 0.03], [0.01, 0.0]], epsilon=[1.8, 0.0], features=["benefit", "need"])
"""Need first: of those within about 60 days of the neediest, benefit decides."""
READINGS = ("sets", "pairs", "pairs, clustered by organ")
THRESHOLD = TRUTH.levels[0].epsilon / TRUTH.levels[0].weights[1]  # in days of need


@dataclass(frozen=True)
class OrganSetsSettings:
    """A made-up registry, and how many of its organs are fitted."""

    patients: int = setting(1_500, "of the year", printed=NONE, scripts=NONE)
    organs: int = setting(1_350, "of the year", printed=NONE, scripts=NONE)
    history: int = setting(8_000, "patients of the eight years before", printed=NONE, scripts=NONE)
    sets: int = setting(300, "organs that are fitted, drawn at random", printed=NONE, scripts=NONE)
    starts: int = setting(8, "of each fit", printed=NONE, scripts=NONE)


def cell(settings: OrganSetsSettings, seed: int) -> Cell:
    """Three readings of one registry."""
    made = SyntheticSettings(
        policy="sets", patients=settings.patients, organs=settings.organs, history=settings.history, others=0, seed=seed
    )  # fmt: skip
    with TemporaryDirectory() as folder:
        file = Path(folder) / "registry.csv"
        write_registry(file, made, model=TRUTH)
        registry = read_registry(file, year=made.year, history=10)
    choices = choices_by_organ(registry, estimate(registry), most=settings.sets, seed=seed)
    return {
        "alternatives": float(choices.sizes.mean()),
        **{reading: _read(reading, choices, settings.starts, seed) for reading in READINGS},
    }


def _read(reading: str, choices: Choices, starts: int, seed: int) -> dict[str, Any]:
    """What one reading says."""
    rewards = Linear(increasing="all")
    estimator = LORI(levels=2, reward=rewards, epsilon=(None, 0.0), lapse=0, starts=starts, seed=seed)
    if reading == "sets":
        fitted = estimator.fit(choices)
    elif reading == "pairs":
        fitted = estimator.fit(choices.as_pairs())
    else:
        fitted = estimator.fit(choices.as_pairs(), clusters=np.repeat(np.arange(len(choices)), choices.sizes - 1))
    first = fitted.summary().levels[0]
    threshold = first.thresholds["need"]
    return {
        "first": " and ".join(first.leading),
        "threshold": threshold.value,
        "interval": None if threshold.interval is None else list(threshold.interval),
        "decides": first.decides,
        "log-likelihood of the choice": float(fitted.model_.log_likelihood(choices).sum() / len(choices)),
    }


def rows(settings: OrganSetsSettings, cells: Sequence[Cell]) -> list[Row]:
    """A row for each reading, over the registries."""
    table: list[Row] = []
    for reading in READINGS:
        own = [cell[reading] for cell in cells]
        known = [one for one in own if one["first"] == "need" and one["interval"]]
        row: Row = {
            "method": reading,
            "need first %": measured([100.0 * (one["first"] == "need") for one in own]),
            "first level decides %": measured([100.0 * one["decides"] for one in own]),
            "log-likelihood of a choice": measured([one["log-likelihood of the choice"] for one in own]),
            "alternatives": measured([cell["alternatives"] for cell in cells]),
        }
        if known:
            row["days of need"] = measured([one["threshold"] for one in known])
            row["width of the interval"] = measured([one["interval"][1] - one["interval"][0] for one in known])
            held = [one["interval"][0] <= THRESHOLD <= one["interval"][1] for one in known]
            row[f"holds the truth ({THRESHOLD:.0f} days) %"] = measured([100.0 * own for own in held])
        table.append(row)
    return table


STUDY = Study(
    "organ_sets",
    "Organs as choices from sets, beside the reading as pairs (made-up registries)",
    OrganSetsSettings(),
    OrganSetsSettings(patients=120, organs=90, history=1_000, sets=12, starts=2),
    cell=cell,
    rows=rows,
)
