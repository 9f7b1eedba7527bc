"""A study file is read whole, or each of its faults is told in a sentence."""

import pytest

from lori.errors import InputError
from lori.inference.interview.study_file import checked_study, read_study, study_from

PLAIN = {
    "title": "Two medicines",
    "attributes": [
        {"name": "efficacy", "range": [40, 90], "step": 10, "better": "more", "unit": "of 100"},
        {"name": "effects", "values": ["none", "mild", "strong"], "better": "less"},
        {"name": "wait", "values": [1, 3, 9]},
    ],
}


def test_a_study_is_read():
    study, faults = study_from({**PLAIN, "questions": 12, "forbidden": [{"efficacy": 90, "effects": "none"}]})
    assert faults == []
    assert study.features == ("efficacy", "effects", "wait")
    assert study.attributes[0].values == (40, 50, 60, 70, 80, 90)
    assert study.attributes[1].shown(2.0) == "strong"
    assert study.attributes[0].shown(50.0) == "50 of 100"
    assert study.forbidden == ({"efficacy": 90.0, "effects": 0.0},)
    assert (study.questions, study.levels, study.allows_ties, study.sure) == (12, 2, True, 0.95)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"title": ""}, "title"),
        ({"title": 3}, "title"),
        ({"colour": "red"}, "colour"),
        ({"questions": 0}, "questions"),
        ({"questions": True}, "questions"),
        ({"sure": 0.2}, "sure"),
        ({"levels": 4}, "levels"),
        ({"ties": "yes"}, "ties"),
        ({"attributes": PLAIN["attributes"][:1]}, "attributes"),
        ({"attributes": [PLAIN["attributes"][0]] * 2}, "attributes"),
        ({"attributes": "efficacy"}, "attributes"),
        ({"attributes": [{"name": "a.b", "values": [1, 2]}, PLAIN["attributes"][0]]}, "number 1, name"),
        ({"attributes": [{"name": "a", "values": [1]}, PLAIN["attributes"][0]]}, "number 1, values"),
        ({"attributes": [{"name": "a", "values": [1, "b"]}, PLAIN["attributes"][0]]}, "number 1, values"),
        ({"attributes": [{"name": "a"}, PLAIN["attributes"][0]]}, "number 1"),
        ({"attributes": [{"name": "a", "range": [2, 1]}, PLAIN["attributes"][0]]}, "number 1, range"),
        ({"attributes": [{"name": "a", "range": [1, 2], "step": 0}, PLAIN["attributes"][0]]}, "number 1, step"),
        ({"attributes": [{"name": "a", "range": [0, float("nan")]}, PLAIN["attributes"][0]]}, "number 1"),
        ({"attributes": [{"name": "a", "values": [1, 2], "better": "up"}, PLAIN["attributes"][0]]}, "better"),
        ({"forbidden": [{"cost": 1}]}, "forbidden, number 1"),
        ({"forbidden": [{"effects": "awful"}]}, "forbidden, number 1"),
        ({"prior": {"strength": -1}}, "prior"),
        ({"prior": {"size": 1}}, "prior"),
        ({"texts": {"hello": "Hi"}}, "texts.hello"),
        ({"texts": {"begin": 3}}, "texts.begin"),
        ({"texts": {"begin": "{number}"}}, "texts.begin"),
        ({"texts": {"progress": "{number.__class__}"}}, "texts.progress"),
        ({"texts": {"progress": "{"}}, "texts.progress"),
        ({"items": {"file": "nothing.csv"}}, "nothing.csv"),
    ],
)
def test_each_fault_is_one_sentence(change, named):
    study, faults = study_from({**PLAIN, **change})
    assert study is None
    assert len(faults) == 1, faults
    assert named in faults[0].what
    assert str(faults[0]).endswith(".")
    assert "\n" not in str(faults[0])


def test_all_faults_are_told():
    assert len(study_from({**PLAIN, "title": "", "questions": 0, "sure": 7})[1]) == 3


@pytest.mark.parametrize("text", ["title = ", "\x00", 'title = "a"\ntitle = "b"', "[" * 5000])
def test_a_file_that_is_no_toml_is_refused(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(InputError, match="a study in TOML"):
        read_study(path)
    assert len(checked_study(path)[1]) == 1


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="a study file"):
        read_study(tmp_path / "none.toml")


def test_items_are_the_alternatives(tmp_path):
    (tmp_path / "items.csv").write_text("name,text,efficacy,effects,wait\nA,First,40,0,1\nB,Second,60,1,2\nC,,80,2,9\n")
    entries = [{"name": own["name"]} for own in PLAIN["attributes"]]
    study, faults = study_from({**PLAIN, "attributes": entries, "items": {"file": "items.csv"}}, tmp_path)
    assert faults == []
    assert [item.name for item in study.items] == ["A", "B", "C"]
    assert study.items[0].values == (40.0, 0.0, 1.0)
    assert study.attributes[2].values == (1.0, 2.0, 9.0)
