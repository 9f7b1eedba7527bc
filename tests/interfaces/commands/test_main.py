"""The command line: every command works, every bad input is one sentence with exit code 2 and writes nothing."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest

from lori.interfaces.commands import main as cli

HEADER = "left.a,left.b,right.a,right.b,choice\n"


def rows(count: int = 60, seed: int = 0) -> str:
    """Choices that follow a, then b."""
    x = np.random.default_rng(seed).normal(size=(count, 2, 2)).round(3)
    lines = []
    for left, right in x:
        gap = left[0] - right[0]
        better = gap > 0 if abs(gap) > 0.7 else left[1] > right[1]
        lines.append(f"{left[0]},{left[1]},{right[0]},{right[1]},{'left' if better else 'right'}")
    return HEADER + "\n".join(lines) + "\n"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run `lori …` in an empty folder; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lori.interfaces.commands.caching.use_cache", lambda: None)  # it is for a process of its own

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lori", *words])
        with pytest.raises(SystemExit) as left:
            cli.main()
        output = capsys.readouterr()
        return int(left.value.code or 0), output.out, output.err

    return call


@pytest.fixture
def pairs(tmp_path):
    (tmp_path / "pairs.csv").write_text(rows())
    return "pairs.csv"


@pytest.fixture
def model(run, pairs):
    assert run("fit", pairs, "--starts", "8", "--save", "model.json", "--quiet")[0] == 0
    return "model.json"


def test_fit_prints_the_answer_in_words(run, tmp_path):
    (tmp_path / "many.csv").write_text(rows(200))
    code, out, err = run("fit", "many.csv", "--starts", "8")
    assert code == 0
    assert err == ""
    assert "a (more is better) comes first" in out
    assert "log-likelihood" in out


def test_fit_as_json_and_quiet(run, pairs):
    code, out, _ = run("fit", pairs, "--starts", "8", "--json")
    assert code == 0
    assert [level["leading"] for level in json.loads(out)["levels"]] == [["a"], ["b"]]
    assert run("fit", pairs, "--starts", "8", "--quiet")[1] == ""


def test_predict_and_explain(run, model, pairs, tmp_path):
    code, out, _ = run("predict", model, pairs)
    assert code == 0
    assert out.splitlines()[0] == "pair,left,tie,right"
    assert len(out.splitlines()) == 61
    (tmp_path / "new.csv").write_text(
        "left.b,left.a,right.b,right.a,note\n0,3,0,0,x\n"
    )  # order and extras do not matter
    code, out, _ = run("predict", model, "new.csv", "--json")
    assert json.loads(out)[0]["left"] > 0.9
    assert json.loads(out)[0]["pair"] == 1
    assert run("predict", model, "new.csv", "--out", "p.csv")[0] == 0
    assert (tmp_path / "p.csv").read_text().startswith("pair,left,tie,right")
    code, out, _ = run("explain", model, "new.csv", "--words")
    assert code == 0
    assert "Left is preferred" in out
    assert "level 1 decides" in out
    assert run("explain", model, "new.csv")[1].splitlines()[0].startswith("pair,left,tie,right,level,level_1")


def test_simulate_then_fit(run, tmp_path):
    words = ["simulate", "levels", "--levels", "2", "--features", "2", "--pairs", "80", "--agents", "2", "--out", "d"]
    assert run(*words)[0] == 0
    assert (tmp_path / "d" / "truth.json").exists()
    first = (tmp_path / "d" / "pairs.csv").read_bytes()
    run(*words)
    assert (tmp_path / "d" / "pairs.csv").read_bytes() == first
    assert run("simulate", "model", "--model", "d/truth.json", "--pairs", "5", "--out", "e")[0] == 0
    code, out, _ = run("fit", "d/pairs.csv", "--by", "agent", "--starts", "8", "--save", "agents.json")
    assert code == 0
    assert "2 agents" in out
    code, _, err = run("predict", "agents.json", "d/pairs.csv")
    assert code == 2
    assert "many agents" in err


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
    code, out, err = run("fit", "bad.csv", "--save", "model.json")
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
    "words",
    [
        ("--levels", "0"),
        ("--levels", "two"),
        ("--levels", "2", "--epsilon", "0,0,0"),
        ("--epsilon", "small"),
        ("--increasing", "zzz"),
        ("--by", "person"),
        ("--by", "agent"),
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
def test_bad_options_exit_with_2(run, pairs, tmp_path, words):
    code, out, err = run("fit", pairs, *words)
    assert code == 2
    assert out == ""
    assert err.strip()
    assert not list(tmp_path.glob("*.json"))


def test_files_that_fit_and_say_so(run, tmp_path):
    all_left = rows().replace("right\n", "left\n")
    (tmp_path / "one_sided.csv").write_text(all_left)
    assert "Every choice is 'left'" in run("fit", "one_sided.csv", "--starts", "8")[1]
    lines = rows().splitlines()
    constant = ["left.c,right.c," + lines[0], *("5,5," + line for line in lines[1:])]
    (tmp_path / "constant.csv").write_text("\n".join(constant))
    assert "c is the same on both sides of every pair" in run("fit", "constant.csv", "--starts", "8")[1]
    double = ["left.c,right.c," + lines[0]]
    double += [f"{line.split(',')[0]},{line.split(',')[2]},{line}" for line in lines[1:]]
    (tmp_path / "double.csv").write_text("\n".join(double))
    assert "c and a move together in every pair" in run("fit", "double.csv", "--starts", "8")[1]


def test_bad_model_files(run, model, pairs, tmp_path):
    text = (tmp_path / model).read_text()
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
    code, _, err = run("predict", model, "less.csv")
    assert code == 2
    assert "b" in err


def test_a_defect_shows_no_traceback(run, pairs, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("row 17 of a patient")

    monkeypatch.setattr("lori.data.reading.readers.read", broken)
    code, _, err = run("fit", pairs)
    assert code == 1
    assert "patient" not in err
    assert "RuntimeError" in err


def test_help_is_light():
    """`lori --help` imports nothing heavy, and every command has an example."""
    script = (
        "import sys; sys.argv=['lori','--help']\n"
        "from lori.interfaces import cli\n"
        "try: cli.main()\nexcept SystemExit: pass\n"
        "print([m for m in ('jax','pandas','sklearn','scipy','numpy','matplotlib') if m in sys.modules])"
    )
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert time.perf_counter() - started < 30  # a hang, not a speed
    for command in ("fit", "predict", "explain", "plot", "report", "simulate", "demo"):
        shown = subprocess.run(
            [sys.executable, "-m", "lori.interfaces.commands.main", command, "--help"], capture_output=True, text=True
        )
        assert "Example: lori" in shown.stdout


def test_an_output_never_replaces_an_input_or_another_output(run, pairs, model, tmp_path):
    before = (tmp_path / "pairs.csv").read_text(), (tmp_path / "model.json").read_text()
    for words in (
        ("fit", pairs, "--save", "pairs.csv"),
        ("fit", pairs, "--save", "both.html", "--report", "both.html"),
        ("predict", model, pairs, "--out", "pairs.csv"),
        ("explain", model, pairs, "--out", "model.json"),
        ("report", model, pairs, "--out", "pairs.csv"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert "expected a file of its own" in err
    assert before == ((tmp_path / "pairs.csv").read_text(), (tmp_path / "model.json").read_text())
    assert not (tmp_path / "both.html").exists()


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
    import lori

    prefs = lori.read_trajectories(*files, pooling="mean")
    with pytest.raises(lori.InputError, match="expected the pooling that was fitted, last"):
        lori.load("model.json").predict_proba(prefs)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fit",), "Missing argument 'files'"),
        (("fit", "x.csv", "--reward", "foo"), "'foo' is not one of 'linear'"),
        (("nothing",), "No such command 'nothing'"),
        (("fit", "x.csv", "--wrong"), "No such option: --wrong"),
    ],
)
def test_wrong_usage_is_one_sentence(run, words, said):
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert err.endswith("--help tells what there is.\n")


def test_sentences_are_not_a_table(run, pairs, model):
    code, _, err = run("explain", model, pairs, "--words", "--json")
    assert code == 2
    assert "neither --json nor --out" in err
