"""The command line as a whole: help that is light, wrong usage in one sentence, and defects without a traceback."""

import subprocess
import sys
import time

import pytest

from lori.interfaces.commands import main as command_line

COMMANDS = ("fit", "predict", "explain", "plot", "report", "simulate", "demo", "bench", "reproduce")


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
    assert tuple(command.__name__ for command in command_line.EXAMPLES) == COMMANDS


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
