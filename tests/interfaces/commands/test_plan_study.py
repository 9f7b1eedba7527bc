"""`lori plan-study`: a table, a sentence and a file; wrong words are one sentence; Ctrl-C shows what there is."""

import json
import signal
import subprocess
import sys
import time

import pytest

from lori.estimators.storage import load_ordered_model
from lori.experiments import power
from lori.experiments.power import Run

DESIGN = "left.cost,left.time,right.cost,right.time\n" + "".join(
    f"{i % 7},{i % 5},{(3 * i + 1) % 7},{(2 * i + 1) % 5}\n" for i in range(40)
)


@pytest.fixture
def counted(monkeypatch):
    """Fits are pretended: a level is found in half of the studies of 100 choices and in all larger ones."""
    seen = []

    def fake(scenario, seeds):
        seen.append(scenario)
        two, much = len(scenario.model.levels) == 2, scenario.choices > 100
        found = [two and (much or seed % 2 == 0) for seed in seeds]
        return [Run("supported" if each else "not supported", each, 1.0, (0.5, 1.5)) for each in found]

    monkeypatch.setattr(power, "fitted_runs", fake)
    return seen


def test_a_table_and_a_sentence(run, counted):
    code, out, err = run("plan-study", "--features", "cost,benefit", "--runs", "20", "--choices", "1000,100,1000")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("The truth to be found: cost, then benefit; differences of 0.95")
    assert [line.split()[0] for line in lines[2:5]] == ["choices", "100", "1,000"]
    assert "50 ± 11 %" in lines[3]
    assert lines[-1].startswith("With 5 % slips you need about 400 choices to find the second level")


@pytest.mark.parametrize("name", ["table.csv", "table.json"])
def test_the_table_as_a_file(run, counted, tmp_path, name):
    code, out, _ = run("plan-study", "--runs", "4", "--out", name, "--json")
    assert code == 0
    told = json.loads(out)
    assert [row["choices"] for row in told["rows"]] == [100, 300, 1000]
    text = (tmp_path / name).read_text()
    if name.endswith("json"):
        assert json.loads(text) == told
    else:
        assert text.splitlines()[0].startswith("choices,runs,found,found_error,")
        assert len(text.splitlines()) == 4


def test_the_name_of_the_table_cannot_move_the_cursor(run, counted):
    code, out, _ = run("plan-study", "--runs", "4", "--out", "\x1b[2J.csv")
    assert code == 0
    assert out.endswith("Wrote the table to \\x1b[2J.csv\n")


def test_pairs_of_a_file_are_those_that_are_asked(run, counted, tmp_path):
    (tmp_path / "design.csv").write_text(DESIGN)
    assert run("plan-study", "design.csv", "--runs", "2", "--choices", "60")[0] == 0
    assert counted[0].model.features == ("cost", "time")
    assert counted[0].design.shape[1:] == (2, 2)
    assert run("plan-study", "design.csv", "--features", "time,cost", "--runs", "2", "--choices", "60")[0] == 0
    assert counted[-1].model.features == ("time", "cost")


def test_a_saved_model_is_the_truth(run, saved, counted):
    assert run("plan-study", "--truth", saved, "--runs", "2", "--choices", "60")[0] == 0
    assert len(counted[0].model.levels) == 2
    assert counted[0].model.features == ("a", "b")
    assert len(counted[0].spread) == 2
    assert counted[0].slips == load_ordered_model(saved).lapse > 0
    assert run("plan-study", "--truth", saved, "--slips", "0", "--runs", "2", "--choices", "60")[0] == 0
    assert counted[-1].slips == 0


def test_people_with_choices_each(run, counted):
    code, out, _ = run("plan-study", "--people", "10,50", "--choices-each", "12", "--runs", "2")
    assert code == 0
    assert [(each.people, each.choices) for each in counted[:2]] == [(10, 120), (50, 600)]
    assert "people" in out.splitlines()[2]


def test_a_real_one_is_the_same_each_time(run, tmp_path):
    words = ("plan-study", "--choices", "40", "--runs", "2", "--features", "3", "--jobs", "1")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert "x1, then x2" in out
    assert run(*words)[1] == out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--slips", "1.5"), "--slips: expected a share from 0 to 0.9, got 1.5"),
        (("--power", "0"), "--power: expected a share from 0.01 to 0.99, got 0"),
        (("--choices", "3"), "--choices: expected whole numbers from 10"),
        (("--choices", "many"), "--choices: expected whole numbers from 10"),
        (("--people", "10"), "either the first or the other two"),
        (("--people", "10", "--choices-each", "5", "--choices", "100"), "either the first or the other two"),
        (("--people", "2", "--choices-each", "1"), "at least 10 choices in all"),
        (("--features", "cost"), "--features: expected at least 2, one for each level, got 1"),
        (("--features", "cost,cost"), "different names"),
        (("--features", "3", "--levels", "4"), "at least 4"),
        (("--features", "9" * 30), "--features: expected whole numbers from 1 to 1,000"),
        (("--features", "9" * 5000), "--features: expected whole numbers from 1 to 1,000"),
        (("--choices", "9" * 30), "--choices: expected whole numbers from 10 to 10,000,000"),
        (("--people", "9000000", "--choices-each", "9"), "10,000,000 at most, got 81,000,000; ask for fewer"),
        (("--levels", "99"), "--levels: expected a whole number from 2 to 20, got 99"),
        (("--seed", "9" * 30), "--seed"),
        (("--runs", "9" * 30), "--runs"),
        (("--levels", "1"), "--levels"),
        (("--runs", "1"), "--runs"),
        (("--truth", "nothing.json"), "no such file"),
        (("--truth", "nothing.json", "--levels", "2"), "no --levels and no --features beside it"),
        (("--out", "table.txt2"), "a name that ends in .csv, .tsv or .json"),
        (("--out", "nowhere/table.csv"), "a folder that does not exist"),
        (("nothing.csv",), "nothing.csv"),
    ],
)
def test_wrong_words_are_one_sentence(run, tmp_path, words, said):
    code, out, err = run("plan-study", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_model_with_one_level_has_no_order(run, pairs):
    assert run("fit", pairs, "--levels", "1", "--starts", "4", "--save", "one.json", "--quiet")[0] == 0
    code, _, err = run("plan-study", "--truth", "one.json")
    assert code == 2
    assert "a model with two levels or more" in err


SLOW = """
import signal, sys, time
from pathlib import Path
from lori.experiments import power
from lori.experiments.power import Run
from lori.interfaces.commands import main

def fake(scenario, seeds):
    time.sleep(600 if scenario.choices > 100 else 0)
    return [Run("supported", True, 1.0, (0.5, 1.5)) for seed in seeds]

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job would ignore it
power.fitted_runs = fake
words = "plan-study --choices 100,300 --runs 20 --jobs 2 --out table.csv"
sys.argv = ["lori", *words.split(), *sys.argv[1:]]
main.main()
"""


def test_ctrl_c_shows_what_there_is(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, "--keep", "kept"], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (tmp_path / "kept" / "plan-study.cells" / "2.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "100 ± " in out
    assert "Stopped after 40 simulated studies; the same command goes on from kept." in err
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 2
