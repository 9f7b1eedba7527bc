"""`lori predict` and `lori explain`: a row for each pair by a saved model; other files are refused plainly."""

import json

import numpy as np
import pytest

import lori


@pytest.fixture
def new(tmp_path):
    """Neither the order of columns nor further ones matter."""
    (tmp_path / "new.csv").write_text("left.b,left.a,right.b,right.a,note\n0,3,0,0,x\n")
    return "new.csv"


def test_predictions_are_printed_or_written(run, saved, pairs, new, tmp_path):
    code, out, _ = run("predict", saved, pairs)
    assert code == 0
    assert out.splitlines()[0] == "pair,left,tie,right"
    assert len(out.splitlines()) == 61
    code, out, _ = run("predict", saved, new, "--json")
    assert json.loads(out)[0]["left"] > 0.9
    assert json.loads(out)[0]["pair"] == 1
    assert run("predict", saved, new, "--out", "p.csv")[0] == 0
    assert (tmp_path / "p.csv").read_text().startswith("pair,left,tie,right")


SURVEY = "Person,A_cost,B_cost,A_form,B_form,Picked\n" + "".join(
    f"p{row % 3},{row},{9 - row},{'pill' if row % 2 else 'drops'},drops,{'A' if row < 5 else 'B'}\n"
    for row in range(10)
)


def test_a_model_remembers_the_columns_and_words_of_its_file(run, tmp_path):
    """A new file needs no options, need not say what was chosen, and keeps what it says of its rows."""
    (tmp_path / "survey.csv").write_text(SURVEY)
    quick = ("--levels", "1", "--starts", "4", "--standard-errors", "none")
    assert run("fit", "survey.csv", *quick, "--save", "m.json", "--quiet")[0] == 0
    new = "Shop,B_form,A_form,A_cost,B_cost\nnorth,drops,pill,1,8\nsouth,pill,pill,8,1\n"
    (tmp_path / "new.csv").write_text(new)
    code, out, err = run("predict", "m.json", "new.csv")
    assert (code, err) == (0, "")
    head, first, second = (line.split(",") for line in out.splitlines())
    assert head == ["pair", "A", "tie", "B", "Shop"]
    assert float(first[1]) > 0.5 > float(second[1])
    assert (first[-1], second[-1]) == ("north", "south")
    code, out, _ = run("explain", "m.json", "new.csv")
    assert out.splitlines()[0].startswith("pair,A,tie,B,level,")
    assert out.splitlines()[0].endswith(",Shop")
    code, out, _ = run("explain", "m.json", "new.csv", "--words")
    assert code == 0
    assert out.startswith("1: A is preferred (A ")
    assert "left" not in out
    (tmp_path / "new.csv").write_text(new.replace("north,drops", "north,"))
    code, out, err = run("predict", "m.json", "new.csv")
    assert (code, err) == (0, "Note: 1 row with an empty cell was left out.\n")
    assert out.splitlines()[1].startswith("2,")  # the row of the file
    assert out.endswith(",south\n")
    assert run("explain", "m.json", "new.csv", "--words")[1].startswith("2: B is preferred")
    code, _, err = run("predict", "m.json", "new.csv", "--missing", "error")
    assert code == 2
    assert "row 1 below the header" in err
    (tmp_path / "new.csv").write_text(SURVEY.replace(",A\n", ",\n"))  # some answers are known, the others wanted
    code, out, err = run("predict", "m.json", "new.csv", "--where", "Person=p1,p2")
    assert (code, err) == (0, "")
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["2", "3", "5", "6", "8", "9"]
    assert [line.split(",")[-1] for line in out.splitlines()[1:]] == ["p1", "p2"] * 3
    (tmp_path / "new.csv").write_text(new.replace("pill", "patch"))
    code, _, err = run("predict", "m.json", "new.csv")
    assert code == 2
    assert "one of drops, pill, as the model knows them" in err


def test_predictions_for_sets_have_a_column_for_each_alternative(run, tmp_path):
    x = np.random.default_rng(1000).normal(size=(80, 3, 1)).round(3)
    sets = lori.Choices.from_arrays(x, x[:, :, 0].argmax(axis=1), features=["a"], alternatives=["bus", "set", "car"])
    lori.LORI(levels=1, starts=4, standard_errors="none").fit(sets.with_constants("car")).save(tmp_path / "model.json")
    (tmp_path / "new.csv").write_text("set,alternative,a\n07,bus,0\n07,car,3\n12,set,1\n12,car,0\n")
    code, out, _ = run("predict", "model.json", "new.csv", "--json")
    assert code == 0
    first, second = json.loads(out)
    assert list(first) == ["row", "bus", "car", "set"]
    assert first["set"] == second["bus"] == 0
    assert (first.pop("row"), second["row"]) == ("07", "12")  # as the file calls its sets
    assert sum(first.values()) == pytest.approx(1)
    assert first["car"] > 0.8


def test_explanations_are_a_table_or_sentences(run, saved, new):
    code, out, _ = run("explain", saved, new, "--words")
    assert code == 0
    assert "Left is preferred" in out
    assert "level 1 decides" in out
    assert run("explain", saved, new)[1].splitlines()[0].startswith("pair,left,tie,right,level,level_1")
    code, _, err = run("explain", saved, new, "--words", "--json")
    assert code == 2
    assert "neither --json nor --out" in err


def test_bad_model_files(run, saved, pairs, tmp_path):
    text = (tmp_path / saved).read_text()
    cases = {
        "cut.json": text[: len(text) // 2],
        "foreign.json": '{"hello": 1}',
        "list.json": "[1, 2]",
        "newer.json": text.replace('"version": 1', '"version": 99'),
        "holes.json": text.replace('"features"', '"gone"'),
        "binary.json": "\x00\x01",
    }
    for name, content in cases.items():
        (tmp_path / name).write_text(content)
        code, _, err = run("predict", name, pairs)
        assert code == 2, name
        assert err.count("\n") == 1
    assert "upgrade" in (run("predict", "newer.json", pairs)[2])
    assert run("predict", "absent.json", pairs)[0] == 2
    (tmp_path / "less.csv").write_text("left.a,right.a\n1,2\n")
    code, _, err = run("predict", saved, "less.csv")
    assert code == 2
    assert "b" in err


def test_a_model_of_trajectories_remembers_how_they_were_pooled(run, tmp_path):
    assert run("simulate", "cancer", "--pairs", "60", "--out", ".")[0] == 0
    files = ("trajectories.csv", "comparisons.csv")
    learned = run("fit", *files, "--pooling", "last", "--levels", "1", "--save", "model.json", "-q")
    assert learned[0] == 0
    as_fitted, asked = run("predict", "model.json", *files), run("predict", "model.json", *files, "--pooling", "last")
    assert as_fitted == asked
    code, _, err = run("predict", "model.json", *files, "--pooling", "mean")
    assert code == 2
    assert "--pooling: expected last, as the model was fitted, got mean" in err
    prefs = lori.read_trajectories(*files, pooling="mean")
    with pytest.raises(lori.InputError, match="expected the pooling that was fitted, last"):
        lori.load("model.json").predict_proba(prefs)


def test_a_model_for_each_person_predicts_their_own_rows(run, tmp_path):
    rows = [
        f"p{row % 2},{row % 7},{3 * row % 5},{'A' if (row % 7 > 3 * row % 5) == (row % 2 == 0) else 'B'}"
        for row in range(40)
    ]
    (tmp_path / "survey.csv").write_text("\n".join(["Person,A_cost,B_cost,Picked", *rows]) + "\n")
    quick = ("--levels", "1", "--starts", "2", "--standard-errors", "none", "--identical", "drop", "--quiet")
    assert run("fit", "survey.csv", "--by", "agent", *quick, "--save", "people.json") == (0, "", "")
    (tmp_path / "new.csv").write_text("Person,A_cost,B_cost\np1,6,1\np0,6,1\np1,1,6\n")
    code, out, err = run("predict", "people.json", "new.csv")
    assert (code, err) == (0, "")
    first, second, third = (float(line.split(",")[1]) for line in out.splitlines()[1:])
    assert max(first, 1 - second, 1 - third) < 0.5  # one likes what costs more, the other one what costs less
    alone = run("predict", "people.json", "new.csv", "--agent", "p0")[1].splitlines()
    assert alone[2] == out.splitlines()[2]
    assert run("explain", "people.json", "new.csv", "--agent", "p0")[0] == 0
    assert run("plot", "ladder", "people.json", "--agent", "p1", "--out", "ladder.svg")[0] == 0
    for given, says in (
        (("explain", "people.json", "new.csv"), "those of 2 agents; say whose with --agent NAME"),
        (("predict", "people.json", "new.csv", "--agent", "p7"), "one of the 2 agents in the file"),
    ):
        code, _, err = run(*given)
        assert (code, says in err) == (2, True)
    (tmp_path / "new.csv").write_text("Person,A_cost,B_cost\np9,6,1\n")
    code, _, err = run("predict", "people.json", "new.csv")
    assert code == 2
    assert "p9" not in err
