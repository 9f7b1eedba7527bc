"""The command line as a whole: light help, wrong usage in one sentence, defects without a traceback, cached code."""

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

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


# -- the cache of compiled code -----------------------------------------------------------------------------------


@pytest.fixture
def no_cache_chosen(monkeypatch):
    """Nothing in the environment says where compiled code is kept."""
    for name in ("LORI_CACHE", "XDG_CACHE_HOME", "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)


@pytest.mark.usefixtures("no_cache_chosen")
def test_where_the_cache_lies(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert command_line.cache_folder() == tmp_path / "lori"
    monkeypatch.setenv("LORI_CACHE", "/elsewhere")
    assert command_line.cache_folder() == Path("/elsewhere")
    monkeypatch.setenv("LORI_CACHE", "off")
    assert command_line.cache_folder() is None


@pytest.mark.usefixtures("no_cache_chosen")
def test_a_cache_that_is_off_leaves_jax_alone(monkeypatch):
    monkeypatch.setenv("LORI_CACHE", "off")
    command_line.use_cache()
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ


@pytest.mark.usefixtures("no_cache_chosen")
def test_a_cache_that_cannot_be_made_is_one_sentence(monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LORI_CACHE", str(tmp_path / "file" / "cache"))
    command_line.use_cache()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "going on without it" in said
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ


@pytest.mark.usefixtures("no_cache_chosen")
def test_a_full_disk_is_said_once_and_other_warnings_never(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("LORI_CACHE", str(tmp_path))
    command_line.use_cache()
    for _ in range(2):
        warnings.warn("Error writing persistent compilation cache entry: No space left on device", stacklevel=1)
        warnings.warn("something else", stacklevel=1)
    assert capsys.readouterr().err.count("Note: ") == 1
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
