"""`lori reproduce`: a table with the paper's figures, three files, and a way on after an interruption."""

import json
import signal
import subprocess
import sys
import time
import types
from dataclasses import dataclass
from importlib.machinery import ModuleSpec

import pytest

from lori.experiments import study as studies
from lori.experiments.study import Study


@dataclass(frozen=True)
class Settings:
    pairs: int = 1000


def fake(name: str) -> Study:
    def cell(settings, seed):
        return {"LORI": {"rmse": (seed + 1) / settings.pairs}}

    def draw(result, path):  # quickly
        path.write_text(result["name"])

    paper = {"LORI": {"rmse": {"mean": 0.103, "std": 0.089}}}
    return Study(name, f"About {name}", Settings(), Settings(pairs=10), cell=cell, paper=paper, draw=draw)


@pytest.fixture
def reproduce(run, monkeypatch):
    """Run `lori reproduce …` in an empty folder where two studies are known."""
    monkeypatch.setattr(studies, "NAMES", ("dice", "coins", "not_written"))
    for name in ("dice", "coins"):
        module = types.ModuleType(f"lori.experiments.{name}")
        module.__spec__ = ModuleSpec(module.__name__, None)
        module.STUDY = fake(name)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return lambda *given: run("reproduce", *given)


def test_table_and_files(reproduce, tmp_path):
    code, out, err = reproduce("dice", "--out", "out")
    assert (code, err) == (0, "")
    assert "About dice" in out
    assert "0.0030 ± 0.0016" in out
    assert "0.103 ± 0.089" in out
    assert "Wrote dice.json, dice.md, dice.png to out" in out
    assert json.loads((tmp_path / "out" / "dice.json").read_text())["settings"] == {"pairs": 1000, "seeds": 5}
    assert (tmp_path / "out" / "dice.png").read_text() == "dice"
    page = (tmp_path / "out" / "dice.md").read_text()
    assert "lori reproduce dice --seeds 5" in page
    assert "smoke" not in page


def test_all_of_those_that_exist_with_other_seeds(reproduce, tmp_path):
    code, out, _ = reproduce("all", "--out", "out", "--seeds", "3", "--jobs", "1")
    assert code == 0
    assert out.index("About dice") < out.index("About coins")
    assert json.loads((tmp_path / "out" / "coins.json").read_text())["settings"]["seeds"] == 3


def test_smoke_is_small_and_says_so(reproduce, tmp_path):
    _, out, _ = reproduce("dice", "--out", "out", "--smoke")
    assert "say nothing" in out
    assert json.loads((tmp_path / "out" / "dice.json").read_text())["settings"] == {"pairs": 10, "seeds": 2}
    assert "--smoke" in (tmp_path / "out" / "dice.md").read_text()


def test_damage_is_one_line_on_standard_error(reproduce, tmp_path):
    reproduce("dice", "--out", "out")
    (tmp_path / "out" / "dice.cells" / "3.json").write_text("{")
    code, _, err = reproduce("dice", "--out", "out")
    assert code == 0
    assert err.count("\n") == 1
    assert "3.json is damaged" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tables", "--out", "out"), "one of dice, coins or all"),
        (("not_written", "--out", "out"), "one of dice, coins or all"),
        (("dice", "--out", "out", "--seeds", "0"), "--seeds"),
        (("dice", "--out", "out", "--jobs", "0"), "--jobs"),
        (("dice", "--out", "file"), "a folder, or a name for one"),
    ],
)
def test_wrong_usage_exits_with_2(reproduce, tmp_path, words, said):
    (tmp_path / "file").write_text("")
    code, out, err = reproduce(*words)
    assert code == 2
    assert out == ""
    assert said in err
    assert not (tmp_path / "out").exists()


SLOW = """
import signal, sys, time
from dataclasses import dataclass
from pathlib import Path
from lori.experiments import study
from lori.experiments.study import Study
from lori.interfaces.commands.reproduce import reproduce

@dataclass(frozen=True)
class Settings:
    pairs: int = 3

def cell(settings, seed):
    time.sleep(600 if seed else 0)
    return {"LORI": {"rmse": 0.5}}

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job would ignore it
study.find = lambda name: Study(name, "Dice", Settings(), Settings(), cell=cell)
reproduce(["dice"], Path(sys.argv[1]), seeds=5, jobs=2)
"""


def test_ctrl_c_stops_at_once_and_says_how_to_go_on(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(tmp_path)], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "dice.cells" / "0.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.count("\n") == 1
    assert "the same command goes on from there" in err
