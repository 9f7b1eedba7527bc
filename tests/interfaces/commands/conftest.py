"""The command line in an empty folder, and a file of choices to try it on."""

import sys

import numpy as np
import pytest

from lori.interfaces.commands import main as command_line

HEADER = "left.a,left.b,right.a,right.b,choice\n"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run `lori …` in an empty folder; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lori.interfaces.commands.main.use_cache", lambda: None)  # it is for a process of its own

    def call(*given: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lori", *given])
        with pytest.raises(SystemExit) as left:
            command_line.main()
        output = capsys.readouterr()
        return int(left.value.code or 0), output.out, output.err

    return call


@pytest.fixture
def rows():
    """A file's text: choices that follow a, then b."""

    def text(count: int = 60, seed: int = 0) -> str:
        x = np.random.default_rng(seed).normal(size=(count, 2, 2)).round(3)
        lines = []
        for left, right in x:
            gap = left[0] - right[0]
            better = gap > 0 if abs(gap) > 0.7 else left[1] > right[1]
            lines.append(f"{left[0]},{left[1]},{right[0]},{right[1]},{'left' if better else 'right'}")
        return HEADER + "\n".join(lines) + "\n"

    return text


@pytest.fixture
def pairs(rows, tmp_path):
    (tmp_path / "pairs.csv").write_text(rows())
    return "pairs.csv"


@pytest.fixture
def saved(run, pairs):
    """The name of a model that was fitted to `pairs`."""
    assert run("fit", pairs, "--levels", "2", "--starts", "8", "--save", "model.json", "--quiet")[0] == 0
    return "model.json"
