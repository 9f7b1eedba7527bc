"""`lori fit --classes` and `--spread`: kinds of people in words, for machines and as a table of members."""

import csv
import json

import pytest

from lori.data.writing import write_pairs


@pytest.fixture
def people(two_kinds, tmp_path):
    data, _ = two_kinds
    write_pairs(data, tmp_path / "people.csv")
    return "people.csv"


def test_classes_in_words_for_machines_and_as_members(run, people, tmp_path):
    asked = ("fit", people, "--classes", "2", "--levels", "1", "--lapse", "0")
    code, out, err = run(*asked, "--members", "members.csv")
    assert (code, err) == (0, "")
    assert "Class 1: " in out
    assert "of the people trade off, and cost matters most." in out
    rows = list(csv.DictReader((tmp_path / "members.csv").read_text().splitlines()))
    assert len(rows) == 60
    assert {row["first"] for row in rows} == {"cost", "comfort"}
    content = json.loads(run(*asked, "--json")[1])
    assert sum(own["share"] for own in content["classes"]) == pytest.approx(1.0)
    assert content["sentences"][0] in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--members", "m.csv"), "--members: expected --classes or --spread"),
        (("--classes", "2", "--by", "agent"), "--by: expected none beside"),
        (("--classes", "2", "--save", "m.json"), "--save: expected none beside"),
        (("--classes", "2", "--spread"), "--classes: expected 1 or none beside --spread"),
        (("--classes", "many"), "--classes: expected a whole number"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(run, people, options, message, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = run("fit", people, *options)
    assert (code, out) == (2, "")
    assert message in err.replace("\n", " ")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
