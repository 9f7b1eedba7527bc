"""`lori report`: the page and its twins; slips are one sentence and write nothing."""

import json
from pathlib import Path

import numpy as np
import pytest

from lori.data.writing import write_pairs
from lori.evaluation.metrics import HeldOut
from lori.interfaces.report import content as reports

MODEL = str(Path(__file__).parents[1] / "person1.json")


@pytest.fixture
def pairs(person, tmp_path):
    write_pairs(person, tmp_path / "pairs.csv")
    return "pairs.csv"


@pytest.mark.slow
def test_the_page_and_its_twins(run, pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(
        reports, "held_out", lambda model, prefs: HeldOut(prefs, np.full((len(prefs), 3), [0.6, 0.0, 0.4]), 5)
    )
    code, out, _ = run("report", MODEL, pairs, "--out", "r.html", "--markdown", "r.md", "--json-out", "r.json")
    assert (code, out) == (0, "Wrote r.html, r.md, r.json\n")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "pairs: what comes first?" in page
    assert "lori report" in page
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["answer"][0].startswith("Probability")


@pytest.mark.parametrize("given", [("pairs.csv", "--out", "no/such/folder/report.html"), ("absent.csv",)])
def test_slips_exit_with_2_and_write_nothing(run, pairs, tmp_path, given):
    code, out, err = run("report", MODEL, *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert [path.name for path in tmp_path.iterdir()] == [pairs]
