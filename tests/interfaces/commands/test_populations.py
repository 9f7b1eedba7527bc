"""`lori fit --classes` and `--spread`: kinds of people in words, for machines and as a table of members."""

import csv
import json

import html5lib
import pytest

from lori.data.writing import write_pairs
from lori.evaluation.people import Foretold, Rival
from lori.interfaces.report import populations


@pytest.fixture
def people(two_kinds, tmp_path):
    data, _ = two_kinds
    write_pairs(data, tmp_path / "people.csv")
    return "people.csv"


def test_classes_in_words_as_members_saved_and_reported(run, people, tmp_path, monkeypatch):
    rivals = (Rival("one model for all", -0.5, 0.1, 0.03), Rival("one model for each", -0.6, 0.2, 0.03))
    monkeypatch.setattr(populations, "compare", lambda own, data: Foretold(300, 60, -0.4, rivals))  # has its own tests
    asked = ("fit", people, "--classes", "2", "--levels", "1", "--lapse", "0")
    code, out, err = run(*asked, "--members", "members.csv", "--save", "people.json", "--report", "people.html")
    assert (code, err) == (0, "")
    assert "Class 1: " in out
    assert "of the people trade off, and cost matters most." in out
    rows = list(csv.DictReader((tmp_path / "members.csv").read_text().splitlines()))
    assert len(rows) == 60
    assert {row["first"] for row in rows} == {"cost", "comfort"}
    assert "Saved to people.json" in out
    page = (tmp_path / "people.html").read_text(encoding="utf-8")
    html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)  # any error is an exception
    assert page.count("<svg") == 3  # two ladders, and a map of the people
    for said in ("Classes side by side", "one model for each", "of the people trade off"):
        assert said in page
    code, out, _ = run("predict", "people.json", people)
    assert out.splitlines()[0] == "pair,left,tie,right,agent"
    assert len(out.splitlines()) == 1201
    for kind in ("classes", "members"):
        assert run("plot", kind, "people.json", "--out", f"{kind}.svg")[0] == 0
    assert "got a population" in run("explain", "people.json", people)[2]


def test_classes_for_machines_from_memory_and_from_a_stream(run, people, two_kinds, tmp_path):
    asked = ("--classes", "2", "--levels", "1", "--lapse", "0", "--json")
    content = json.loads(run("fit", people, *asked)[1])
    assert sum(own["share"] for own in content["classes"]) == pytest.approx(1.0)
    assert "of the people trade off, and cost matters most." in content["sentences"][0]
    write_pairs(two_kinds[0], tmp_path / "people.parquet")
    code, out, _ = run("fit", "people.parquet", *asked, "--engine", "stream", "--checkpoint", "kept")
    assert code == 0
    assert json.loads(out)["sentences"] == content["sentences"]
    assert [file.suffix for file in (tmp_path / "kept").iterdir()] == [".npz"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--members", "m.csv"), "--members: expected --classes or --spread"),
        (("--checkpoint", "kept"), "--checkpoint: expected --classes or --spread"),
        (("--classes", "auto", "--engine", "stream"), "--classes: expected a number of classes"),
        (("--classes", "2", "--by", "agent"), "--by: expected none beside"),
        (("--classes", "auto", "--spread"), "--classes: expected a number or none beside --spread"),
        (("--classes", "many"), "--classes: expected a whole number"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(run, people, options, message, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = run("fit", people, *options)
    assert (code, out) == (2, "")
    assert message in err.replace("\n", " ")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
