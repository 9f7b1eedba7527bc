"""The command line as a whole: light help, wrong usage in one sentence, defects without a traceback, streams."""

import os
import re
import subprocess
import sys
import time

import pytest

from lori.interfaces.commands import main as command_line

COMMANDS = (
    "fit", "read", "predict", "explain", "plot", "report", "plan", "prefer", "rollout", "winner", "compare",
    "plan-study", "elicit",
    "simulate", "demo", "bench", "reproduce",
)  # fmt: skip


def test_a_defect_shows_no_traceback(run, pairs, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("row 17 of a patient")

    monkeypatch.setattr("lori.data.reading.readers.read", broken)
    code, _, err = run("fit", pairs)
    assert code == 1
    assert "patient" not in err
    assert "RuntimeError" in err


def test_help_is_light():
    """Whatever command it is about, help imports nothing heavy."""
    script = (
        "import sys\n"
        "from lori.interfaces.commands.main import main\n"
        f"for words in (['--help'], *([name, '--help'] for name in {COMMANDS!r})):\n"
        "    sys.argv = ['lori', *words]\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        "print([m for m in ('jax','pandas','sklearn','scipy','numpy','matplotlib','pyarrow') if m in sys.modules])"
    )
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert time.perf_counter() - started < 30  # a hang, not a speed


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(run, name):
    code, out, err = run(name, "--help")
    assert (code, err) == (0, "")
    assert f"Example: lori {name} " in out


def test_no_command_is_forgotten():
    assert tuple(command_line.COMMANDS) == COMMANDS


def test_an_output_never_replaces_an_input_or_another_output(run, pairs, saved, tmp_path):
    before = (tmp_path / "pairs.csv").read_text(), (tmp_path / "model.json").read_text()
    for given in (
        ("fit", pairs, "--save", "pairs.csv"),
        ("fit", pairs, "--save", "both.html", "--report", "both.html"),
        ("predict", saved, pairs, "--out", "pairs.csv"),
        ("explain", saved, pairs, "--out", "model.json"),
        ("report", saved, pairs, "--out", "pairs.csv"),
    ):
        code, _, err = run(*given)
        assert code == 2
        assert "expected a file of its own" in err
    assert before == ((tmp_path / "pairs.csv").read_text(), (tmp_path / "model.json").read_text())
    assert not (tmp_path / "both.html").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("fit",), "Missing argument 'files'"),
        (("fit", "x.csv", "--ties", "foo"), "'foo' is not one of 'auto'"),
        (("nothing",), "No such command 'nothing'"),
        (("fit", "x.csv", "--wrong"), "No such option: --wrong"),
    ],
)
def test_wrong_usage_is_one_sentence(run, given, said):
    code, out, err = run(*given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert err.endswith("--help tells what there is.\n")


# -- standard output ----------------------------------------------------------------------------------------------


def command(line: str) -> subprocess.CompletedProcess:
    """`lori …` as a shell runs it, $LORI being the command."""
    environment = {**os.environ, "LORI": f"{sys.executable} -m lori", "LORI_CACHE": "off"}
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("$LORI simulate tversky --out $PLACE >&-", 2, "standard output: expected an open one"),
        ("$LORI simulate tversky --out $PLACE > /dev/full", 2, "standard output: .*No space left"),
        ("$LORI simulate tversky --out $PLACE 2>&-", 0, ""),
        ("set -o pipefail; $LORI simulate tversky --out $PLACE | true", 1, ""),
    ],
)
def test_nobody_listens(tmp_path, line, code, said):
    done = command(line.replace("$PLACE", str(tmp_path)))
    assert done.returncode == code or (code == 1 and done.returncode == 0)  # a pipe may be quick
    assert "Traceback" not in done.stderr
    assert re.search(said, done.stderr)
    assert done.stderr.count("\n") == bool(said)


def test_a_name_cannot_move_the_cursor(run, pairs):
    code, _, err = run("fit", "\x1b[2Jred\u202e.csv")
    assert code == 2
    assert "\x1b" not in err
    assert "\\x1b[2Jred\\u202e.csv" in err
    code, out, _ = run("fit", pairs, "--starts", "2", "--levels", "1", "--save", "\x1b[2J.json")
    assert code == 0
    assert "Saved to \\x1b[2J.json" in out


# -- what is there already ----------------------------------------------------------------------------------------


def test_a_model_is_replaced_only_if_asked(run, pairs, saved, tmp_path):
    before = (tmp_path / saved).read_text()
    os.link(tmp_path / saved, tmp_path / "link.json")
    for given in (
        ("fit", pairs, "--save", saved),
        ("fit", pairs, "--report", saved),
        ("fit", pairs, "--by", "agent", "--save", "link.json"),
        ("plot", "ladder", saved, "--out", "link.svg"),
        ("simulate", "model", "--model", saved, "--out", "."),
        ("predict", saved, pairs, "--out", "link.json"),
    ):
        (tmp_path / "truth.json").unlink(missing_ok=True)
        if given[0] in ("plot", "simulate"):
            os.link(tmp_path / saved, tmp_path / ("link.svg" if given[0] == "plot" else "truth.json"))
        code, _, err = run(*given)
        assert (code, err.count("\n")) == (2, 1), given
        assert "a model that was saved before" in err or "a file that is read" in err
    assert (tmp_path / saved).read_text() == before
    assert run("fit", pairs, "--starts", "2", "--levels", "1", "--save", saved, "--overwrite")[0] == 0
    assert (tmp_path / saved).read_text() != before


def test_a_name_is_refused_before_the_fit(run, pairs, monkeypatch):
    monkeypatch.setattr("lori.estimators.lori.LORI.fit", None)  # never reached
    for name in ("m" * 252 + ".json", "ä" * 150 + ".json"):
        code, _, err = run("fit", pairs, "--save", name)
        assert code == 2
        assert "at most 255 bytes" in err or "File name too long" in err


def test_the_longest_name_is_written(run, pairs, tmp_path):
    name = "m" * 250 + ".json"
    assert run("fit", pairs, "--starts", "2", "--levels", "1", "--save", name, "--quiet")[0] == 0
    assert (tmp_path / name).is_file()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--alpha", "1e-320"), "alpha: expected .*between 1e-30 and 1e.30"),
        (("--alpha", "nan"), "alpha: expected"),
        (("--epsilon", "1e308"), "epsilon: expected"),
        (("--epsilon", "inf,0"), "epsilon: expected"),
        (("--levels", "1000000000"), "levels: expected a whole number from 1 to 20"),
        (("--levels", "-1"), "levels: expected"),
        (("--starts", "-1"), "starts: expected a whole number from 1"),
        (("--starts", "1000000000"), "starts: expected .*give 10000 or less"),
        (("--seed", str(2**64)), "--seed"),
        (("--seed", "9" * 5000), "--seed"),
    ],
)
def test_absurd_settings_are_refused_at_once(run, pairs, monkeypatch, given, said):
    monkeypatch.setattr("lori.inference.fitting.fit_groups", None)  # never reached
    code, out, err = run("fit", pairs, *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert re.search(said, err)
    assert len(err) < 500


@pytest.mark.parametrize(
    "given",
    [
        ("simulate", "levels", "--pairs", str(10**12), "--out", "."),
        ("simulate", "levels", "--levels", "300", "--out", "."),
        ("simulate", "levels", "--features", str(10**9), "--out", "."),
        ("simulate", "organ", "--patients", str(10**12), "--out", "."),
        ("simulate", "levels", "--seed", str(2**64), "--out", "."),
        ("reproduce", "table2", "--jobs", "0", "--out", "."),
        ("reproduce", "table2", "--seeds", str(10**12), "--out", "."),
        ("bench", "logit", "--repeats", "-1", "--out", "."),
    ],
)
def test_absurd_sizes_are_refused_at_once(run, given, tmp_path):
    code, out, err = run(*given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert not list(tmp_path.iterdir())
