"""Is the page of provenance up to date, and does every setting of a study say where it comes from?"""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from lori.experiments.provenance import origin, page
from lori.experiments.readings import OTHER
from lori.experiments.study import HERE, available, find

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def effects():
    """The last whole run of `lori reproduce readings`, where there is one."""
    kept = ROOT / "tests" / "golden" / "studies" / "readings.json"
    return json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else None


def test_the_page_is_that_of_the_code(effects):
    written = (ROOT / "docs" / "provenance.md").read_text(encoding="utf-8")
    assert written == page(effects), "run: python tools/provenance.py"


@pytest.mark.parametrize("name", available())
def test_every_setting_says_where_it_comes_from(name):
    for each in fields(find(name).settings):
        assert each.metadata.keys() == {"says", "printed", "scripts"}, each.name


def test_every_reading_is_of_a_setting_and_what_was_measured_is_a_reading(effects):
    readings = [f"{name}={value}" for name, value in OTHER]
    for text in readings:
        find("table3").changed(dict([text.split("=")]))  # as on the command line
    measured = [row["method"].partition(": ")[0] for row in (effects or {"rows": []})["rows"]]
    assert measured in ([], readings)


def test_effects_stand_at_the_end_of_the_page():
    entry = {"mean": 0.5, "std": None, "values": [0.5]}
    told = page({"settings": {"seeds": 1}, "rows": [{"method": "bc_apart=100: BC", "here": entry, "then": entry}]})
    assert told.endswith("| `--set bc_apart=100` | BC | 0.5000 | 0.5000 |\n")


def test_origins():
    assert origin({"printed": HERE, "scripts": "0"}) == "printed"
    assert origin({"printed": "–", "scripts": "0"}) == "ours"
