"""`lori compare`: methods side by side on a file, as a table and as JSON."""

import json

import pytest

import lori
from lori.evaluation.methods import METHODS, REFERENCE, Method

TRUTH = lori.OrderedModel.linear([[3.0, 1.0]], epsilon=[0.0], features=["price", "time"])


@pytest.fixture
def file(tmp_path, monkeypatch):
    settings = {"levels": 1, "epsilon": 0.0, "lapse": 0.0, "standard_errors": "none"}  # found at once
    monkeypatch.setitem(METHODS, REFERENCE, Method("", lambda seed: lori.LORI(**settings, seed=seed)))
    lori.write_pairs(lori.simulate(TRUTH, 100, seed=1000), tmp_path / "pairs.csv")
    return str(tmp_path / "pairs.csv")


def test_a_table_and_sentences(run, file):
    code, out, _ = run("compare", file, "--methods", "lexicographic order,variable voting", "--folds", "2")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["method", "log-loss", "±", "accuracy", "gain", "on", "LORI", "±", "seconds", "verdict"]
    assert {line.split("  ")[0] for line in lines[2:5]} == {"LORI", "lexicographic order", "variable voting"}
    assert "100 choices, predicted in 2 parts" in out
    assert "A difference is called real beyond" in out


def test_json_has_every_number(run, file):
    code, out, _ = run("compare", file, "--methods", "variable voting", "--json", "--folds", "2")
    assert code == 0
    found = json.loads(out)
    assert found["reference"] == "LORI"
    assert {own["method"] for own in found["scores"]} == {"LORI", "variable voting"}
    assert all(own["log_loss"] > 0 for own in found["scores"])


def test_unknown_methods_are_refused(run, file):
    code, _, err = run("compare", file, "--methods", "T-Rex")
    assert code == 2
    assert "correct the names" in err
