"""`lori fit`: the answer in words and for machines; bad files and options are one sentence and write nothing."""

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

import lori
from lori.data.writing import write_pairs
from lori.errors import InputError
from lori.evaluation.selection import select_levels
from lori.interfaces.commands.fit import ModelOptions
from lori.interfaces.commands.main import application

HEADER = "left.a,left.b,right.a,right.b,choice\n"
TWO = lori.OrderedModel.linear([[4.0, 0.0], [0.0, 4.0]], epsilon=[4.0, 0.0], features=["cost", "time"])


def test_the_answer_in_words(run, rows, tmp_path):
    (tmp_path / "many.csv").write_text(rows(200))
    code, out, err = run("fit", "many.csv", "--levels", "2", "--starts", "8")
    assert code == 0
    assert err == ""
    assert "a (more is better) comes first" in out
    assert "log-likelihood" in out


def test_as_json_and_quiet(run, pairs):
    code, out, _ = run("fit", pairs, "--levels", "2", "--starts", "8", "--json")
    assert code == 0
    assert [level["leading"] for level in json.loads(out)["levels"]] == [["a"], ["b"]]
    assert run("fit", pairs, "--levels", "2", "--starts", "8", "--quiet")[1] == ""


def test_options_say_what_to_learn():
    given = ModelOptions(levels="3", reward="capped", increasing="a, b", epsilon="learned,0.5,0", seed=7)
    estimator = given.estimator()
    assert estimator.get_params(deep=False) == {
        **lori.LORI(levels=3, epsilon=[None, 0.5, 0.0], seed=7).get_params(deep=False), "reward": estimator.reward,
    }  # fmt: skip
    assert isinstance(estimator.reward, lori.Capped)
    assert estimator.reward.increasing == ("a", "b")


def test_defaults_are_the_librarys_own():
    estimator = ModelOptions().estimator()
    assert {**estimator.get_params(deep=False), "reward": None} == lori.LORI().get_params(deep=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"context": "a"}, r"--context: expected a reward that has it \(gated\), got 'linear'"),
        ({"reward": "gated"}, "expected a context, got 'gated' alone; .*--context"),
        ({"reward": "network", "decreasing": "a"}, r"--decreasing: .*\(linear or capped or gated\), got 'network'"),
        ({"reward": "foo"}, "--reward: expected linear or capped or network or gated or steps, got 'foo'"),
        ({"levels": "many"}, "--levels: expected a whole number from 1"),
        ({"alpha": "big"}, "--alpha: expected 'learned' or a number"),
    ],
)
def test_options_that_do_not_go_together(given, said):
    with pytest.raises(InputError, match=said):
        ModelOptions(**given).estimator()


BAD_FILES = {
    "missing column": "left.a,left.b,right.a,choice\n1,2,3,left\n",
    "no choice": "left.a,right.a\n1,2\n2,1\n",
    "unknown choice": HEADER + "1,2,3,4,left\n1,2,3,4,maybe\n",
    "text": HEADER + "1,2,3,4,left\n1,two,3,4,left\n",
    "nan": HEADER + "1,2,3,4,left\n1,,3,4,left\n",
    "infinity": HEADER + "1,2,3,4,left\n1,inf,3,4,left\n",
    "negative count": "left.a,right.a,left_wins,right_wins\n1,2,3,-1\n2,1,1,1\n",
    "fractional count": "left.a,right.a,left_wins,right_wins\n1,2,3,0.5\n2,1,1,1\n",
    "itself": HEADER + "1,2,1,2,left\n3,4,5,6,right\n",
    "empty": "",
    "header only": HEADER,
    "single pair": HEADER + "1,2,3,4,left\n",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_one_sentence_and_write_nothing(run, tmp_path, name):
    (tmp_path / "bad.csv").write_text(BAD_FILES[name])
    code, out, err = run("fit", "bad.csv", "--missing", "error", "--save", "model.json")
    assert code == 2
    assert out == ""
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert "expected" in err
    assert not (tmp_path / "model.json").exists()


def test_unknown_ids(run, tmp_path):
    (tmp_path / "items.csv").write_text("id,a\nx,1\ny,2\n")
    (tmp_path / "compared.csv").write_text("winner,loser\nx,y\nx,secret-name\n")
    code, _, err = run("fit", "items.csv", "compared.csv")
    assert code == 2
    assert "secret-name" not in err


@pytest.mark.parametrize(
    "given",
    [
        ("--levels", "0"),
        ("--levels", "two"),
        ("--levels", "2", "--epsilon", "0,0,0"),
        ("--epsilon", "small"),
        ("--increasing", "zzz"),
        ("--by", "person"),
        ("--by", "agent"),
        ("--by", "agent", "--engine", "stream"),
        ("--levels", "evidence", "--engine", "stream"),
        ("--report", "page.html", "--engine", "stream"),
        ("--report", "page.html", "--by", "agent"),
        ("--standard-errors", "clustered"),
        ("--columns", "left.a"),
        ("--columns", "left.a=nothing"),
        ("--features", "zzz"),
        ("--reward", "magic"),
        ("--reward", "network", "--increasing", "a"),
        ("--seed", "-1"),
        ("--starts", "0"),
        ("--save", "no/such/folder/model.json"),
    ],
)
def test_bad_options_exit_with_2_and_write_nothing(run, pairs, tmp_path, given):
    code, out, err = run("fit", pairs, *given)
    assert code == 2
    assert out == ""
    assert err.strip()
    assert os.listdir(tmp_path) == [pairs]


def test_files_that_fit_and_say_so(run, rows, tmp_path):
    all_left = rows().replace("right\n", "left\n")
    (tmp_path / "one_sided.csv").write_text(all_left)
    assert "Every choice is 'left'" in run("fit", "one_sided.csv", "--levels", "2", "--starts", "8")[1]
    lines = rows().splitlines()
    constant = ["left.c,right.c," + lines[0], *("5,5," + line for line in lines[1:])]
    (tmp_path / "constant.csv").write_text("\n".join(constant))
    assert (
        "c is the same on both sides of every pair" in run("fit", "constant.csv", "--levels", "2", "--starts", "8")[1]
    )
    double = ["left.c,right.c," + lines[0]]
    double += [f"{line.split(',')[0]},{line.split(',')[2]},{line}" for line in lines[1:]]
    (tmp_path / "double.csv").write_text("\n".join(double))
    assert "c and a move together in every pair" in run("fit", "double.csv", "--levels", "2", "--starts", "8")[1]


def test_a_report_counts_what_was_dropped(run, person, tmp_path, monkeypatch):
    given = {}
    monkeypatch.setattr("lori.interfaces.commands.fit.write_report", lambda *_, **options: given.update(options))
    write_pairs(person, tmp_path / "pairs.csv")
    table = (tmp_path / "pairs.csv").read_text().splitlines()
    first = table[1].split(",")
    (tmp_path / "more.csv").write_text("\n".join([*table, ",".join([*first[:2], *first[:2], *first[4:]])]) + "\n")
    options = ("--levels", "1", "--epsilon", "0", "--starts", "1", "--identical", "drop", "--report", "r.html")
    code, out, _ = run("fit", "more.csv", *options)
    assert code == 0
    assert out.endswith("Wrote the report to r.html\n")
    assert given == {"title": "more: what comes first?", "dropped": 1, "pairs": True, "currency": None}


@pytest.fixture
def file(tmp_path):
    lori.write_pairs(lori.simulate(TWO, 300, agents=2, seed=0), tmp_path / "pairs.csv")
    return tmp_path / "pairs.csv"


def test_a_folder_is_not_searched_silently(run, tmp_path):
    (tmp_path / "parts").mkdir()
    lori.write_pairs(lori.simulate(TWO, 60, seed=0), tmp_path / "parts" / "one.parquet")
    code, _, err = run("fit", "parts", "--levels", "1", "--starts", "4", "--standard-errors", "none")
    assert code == 0
    assert "The folder holds 1 Parquet file with 60 pairs; all of them are read." in err


def test_the_model_that_is_supported_is_the_one_that_is_shown_and_saved(run, tmp_path):
    """The default: a second level only where choices call for it; everything after shows the same model."""
    one = lori.OrderedModel.linear([[2.0, 1.0]], epsilon=[0.0], features=["cost", "time"])
    lori.write_pairs(lori.simulate(one, 150, seed=1000), tmp_path / "one.csv")
    options = ("--starts", "8", "--standard-errors", "none")
    code, out, _ = run("fit", "one.csv", *options, "--save", "one.json")
    assert code == 0
    assert "LORI: 1 level," in out
    assert "One level is shown: the choices do not support a second one (log-likelihood" in out
    assert lori.load(tmp_path / "one.json").levels == 1
    lori.write_pairs(lori.simulate(TWO, 300, seed=1000), tmp_path / "two.csv")
    code, out, _ = run("fit", "two.csv", *options, "--json")
    found = json.loads(out)
    assert len(found["levels"]) == 2
    assert (found["selection"]["level"], found["selection"]["recommended"]) == (3, 2)


def test_levels_that_were_recommended_are_fitted_and_the_reason_is_shown(file, monkeypatch):
    def quick(preferences, **options):
        return select_levels(preferences, 2, estimator=options["estimator"], method="laplace", draws=100)

    monkeypatch.setattr("lori.evaluation.selection.select_levels", quick)
    shown = CliRunner().invoke(application(), ["fit", str(file), "--levels", "evidence", "--increasing", "all"])
    assert shown.exit_code == 0, shown.output
    assert "LORI: 2 levels" in shown.output
    assert "Two levels are recommended: the odds against one level are" in shown.output


@pytest.mark.slow
def test_each_agent_gets_a_verdict(file):
    command = ["fit", str(file), "--by", "agent", "--levels", "evidence", "--increasing", "all"]
    shown = CliRunner().invoke(application(), command)
    assert "Is each agent lexicographic at all?" in shown.output
    assert "Of 2 agents: one level" in shown.output
    found = json.loads(CliRunner().invoke(application(), [*command, "--json"]).output)
    assert set(found["agents"]) == {"1", "2"}
    assert sum(found["shares"].values()) == pytest.approx(1.0)


SETS = {
    "nothing chosen": ("set,chosen,x\n1,0,2\n1,0,3\n", [], "exactly one chosen alternative in every set, got none"),
    "two chosen": (
        "set,chosen,x\n1,1,2\n1,1,3\n1,0,4\n",
        [],
        "exactly one chosen alternative in every set, got several",
    ),
    "one alternative": ("set,chosen,x\n1,1,2\n2,1,2\n2,0,3\n", [], "at least two alternatives in every set"),
    "not available": ("set,chosen,available,x\n1,1,0,2\n1,0,1,3\n1,0,1,3\n", [], "that was available"),
    "ragged": ("set,chosen,x\n1,1,2\n1,0,\n", ["--missing", "error"], "empty cells in row 2"),
    "rank gap": ("set,rank,x\n1,1,2\n1,3,3\n1,,4\n", [], "got a gap"),
    "repeated rank": ("set,rank,x\n1,1,2\n1,1,3\n1,2,4\n", [], "every rank once"),
    "baseline": ("set,alternative,chosen,x\n1,a,1,2\n1,b,0,3\n", ["--baseline", "c"], "baseline: expected the name"),
    "code": ("p_a,p_b,choice\n1,2,a\n1,2,secret\n", ["--columns", "price=p_*"], "got another word in row 2"),
    "no sets": (
        "left.a,right.a,choice\n1,2,left\n",
        ["--constants"],
        "constants: expected a file of choices from sets",
    ),
}


@pytest.mark.parametrize(("text", "options", "said"), SETS.values(), ids=SETS)
def test_bad_sets_are_one_sentence(text, options, said, run, tmp_path):
    (tmp_path / "sets.csv").write_text(text)
    code, out, err = run("fit", "sets.csv", *options, "--save", "model.json")
    assert code == 2
    assert out == ""
    assert said in err
    assert "secret" not in err
    assert len(err.splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["sets.csv"]


def test_sets_can_be_read_as_pairs(run, tmp_path):
    x = np.random.default_rng(1000).normal(size=(60, 3, 2)).round(3)
    lori.write_choices(
        lori.Choices.from_arrays(x, x[:, :, 0].argmax(axis=1), features=["a", "b"]), tmp_path / "sets.csv"
    )
    code, out, _ = run("fit", "sets.csv", "--as-pairs", "--levels", "1", "--starts", "4")
    assert code == 0
    assert "120" in out
