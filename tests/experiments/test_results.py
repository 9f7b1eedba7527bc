"""Studies go on where they stopped, notice damage, and say the same however often they are interrupted."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace

import pytest

from lori.errors import FitError, InputError
from lori.experiments.results import run_study, table, versions
from lori.experiments.study import Study, measured


@dataclass(frozen=True)
class Settings:
    pairs: int = 3


class Counted:
    """A cell that notes which seeds it was asked for."""

    def __init__(self):
        self.seeds = []

    def __call__(self, settings, seed):
        self.seeds.append(seed)
        return {"LORI": {"rmse": (seed + 1) / settings.pairs, "accuracy": 0.9}, "BIRL": {"rmse": 1 / (seed + 3)}}

    def new(self):
        found, self.seeds = sorted(self.seeds), []
        return found


@pytest.fixture
def cell():
    return Counted()


@pytest.fixture
def study(cell):
    paper = {"LORI": {"rmse": {"mean": 0.323, "std": 0.005}}}

    def draw(result, path):  # quickly
        path.write_text(json.dumps(result["rows"]))

    return Study("dice", "Throwing dice", Settings(), Settings(pairs=2), cell=cell, paper=paper, draw=draw)


def timeless(out):
    return {name: value for name, value in json.loads((out / "dice.json").read_text()).items() if name != "seconds"}


def test_result_has_every_value_and_what_made_it(study, tmp_path):
    result = run_study(replace(study, draw=None), tmp_path, seeds=4)
    assert result == json.loads((tmp_path / "dice.json").read_text())
    assert list(result) == ["name", "settings", "rows", "paper", "seconds", "versions"]
    assert result["settings"] == {"pairs": 3, "seeds": 4}
    assert set(result["versions"]) == {"python", "lori", "jax", "numpy", "scipy"}
    first = result["rows"][0]
    assert first["method"] == "LORI"
    values = [1 / 3, 2 / 3, 1.0, 4 / 3]
    assert first["rmse"]["values"] == values
    assert first["rmse"]["mean"] == pytest.approx(5 / 6)
    assert first["rmse"]["std"] == pytest.approx((sum((v - 5 / 6) ** 2 for v in values) / 3) ** 0.5)
    assert (tmp_path / "dice.png").read_bytes()[:4] == b"\x89PNG"
    assert result["seconds"] == pytest.approx(
        sum(json.loads((tmp_path / "dice.cells" / f"{seed}.json").read_text())["seconds"] for seed in range(4))
    )


def test_one_seed_has_no_spread(study, tmp_path):
    result = run_study(study, tmp_path, seeds=1)
    assert result["rows"][0]["rmse"]["std"] is None
    assert "NaN" not in (tmp_path / "dice.json").read_text()


def test_the_table_has_the_paper_beside_ours(study, tmp_path):
    result = run_study(study, tmp_path, seeds=2)
    cells = [[part.strip() for part in line.strip("|").split("|")] for line in table(result).splitlines()]
    assert cells[0] == ["method", "rmse", "paper", "accuracy"]
    assert cells[2] == ["LORI", "0.50 ± 0.24", "0.323 ± 0.005", "0.9"]
    assert cells[3] == ["BIRL", "0.292 ± 0.059", "–", "–"]
    assert table(result) in (tmp_path / "dice.md").read_text()


def test_running_again_computes_nothing_and_writes_the_same_bytes(study, cell, tmp_path):
    run_study(study, tmp_path, seeds=3)
    before = {name: (tmp_path / name).read_bytes() for name in ("dice.json", "dice.md", "dice.png")}
    assert cell.new() == [0, 1, 2]
    run_study(study, tmp_path, seeds=3, jobs=1)
    assert cell.new() == []
    assert before == {name: (tmp_path / name).read_bytes() for name in before}


def test_more_seeds_keep_those_that_are_there(study, cell, tmp_path):
    run_study(study, tmp_path, seeds=5)
    cell.new()
    more = run_study(study, tmp_path, seeds=20)
    assert cell.new() == list(range(5, 20))
    assert len(more["rows"][0]["rmse"]["values"]) == 20
    fewer = run_study(study, tmp_path, seeds=2)
    assert cell.new() == []
    assert fewer["rows"][0]["rmse"]["values"] == [1 / 3, 2 / 3]


def test_cells_of_other_settings_or_versions_are_not_used(study, cell, tmp_path, monkeypatch):
    said = []
    run_study(study, tmp_path, seeds=2)
    cell.new()
    for other in (
        lambda: run_study(study, tmp_path, seeds=2, smoke=True, say=said.append),
        lambda: run_study(replace(study, settings=Settings(pairs=7)), tmp_path, seeds=2, say=said.append),
        lambda: run_study(replace(study, version=2), tmp_path, seeds=2, say=said.append),
    ):
        other()
        assert cell.new() == [0, 1]
        assert "other settings" in said.pop()
        assert said == []
    monkeypatch.setattr("lori.experiments.results.versions", lambda: {**versions(), "jax": "99"})
    run_study(replace(study, version=2), tmp_path, seeds=2, say=said.append)
    assert cell.new() == [0, 1]


DAMAGES = {
    "cut": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "altered": lambda text: text.replace('"accuracy": 0.9', '"accuracy": 0.8'),
    "time altered": lambda text: re.sub(r'"seconds": .*,', '"seconds": 0.0,', text),
    "foreign": lambda text: '["something else"]',
    "no checksum": lambda text: '{"study": "dice", "seed": 1}',
    "binary": lambda text: "\x00\ufffd",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_damage_is_noticed_and_mended(study, cell, tmp_path, damage):
    run_study(study, tmp_path, seeds=3)
    whole, said = timeless(tmp_path), []
    cell.new()
    file = tmp_path / "dice.cells" / "1.json"
    assert damage(file.read_text()) != file.read_text()
    file.write_text(damage(file.read_text()))
    run_study(study, tmp_path, seeds=3, say=said.append)
    assert cell.new() == [1]
    assert len(said) == 1
    assert "1.json is damaged" in said[0]
    assert timeless(tmp_path) == whole


def test_another_seeds_file_is_not_taken_for_ones_own(study, cell, tmp_path):
    run_study(study, tmp_path, seeds=2)
    cell.new()
    folder = tmp_path / "dice.cells"
    (folder / "1.json").write_text((folder / "0.json").read_text())
    run_study(study, tmp_path, seeds=2, say=lambda sentence: None)
    assert cell.new() == [1]


SLOW = """
import sys, time
from dataclasses import dataclass
from pathlib import Path
from lori.experiments.results import run_study
from lori.experiments.study import Study

@dataclass(frozen=True)
class Settings:
    pairs: int = 3

def cell(settings, seed):
    time.sleep(float(sys.argv[2]) if seed >= 2 else 0)
    sys.stdout.write(f"cell {seed}\\n")
    sys.stdout.flush()
    return {"LORI": {"rmse": seed / settings.pairs}}

run_study(Study("dice", "Dice", Settings(), Settings(), cell=cell), Path(sys.argv[1]), seeds=4)
"""


def test_killed_in_the_middle_it_goes_on_and_says_the_same(tmp_path):
    def start(out, pause):
        command = [sys.executable, "-c", SLOW, str(tmp_path / out), str(pause)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    killed = start("killed", 600)
    cells = tmp_path / "killed" / "dice.cells"
    deadline = time.monotonic() + 60
    while not ((cells / "0.json").exists() and (cells / "1.json").exists()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed" / "dice.json").exists()
    again, _ = start("killed", 0).communicate(timeout=60)
    assert sorted(again.splitlines()) == ["cell 2", "cell 3"]
    undisturbed, _ = start("undisturbed", 0).communicate(timeout=60)
    assert len(undisturbed.splitlines()) == 4
    assert timeless(tmp_path / "killed") == timeless(tmp_path / "undisturbed")
    for name in ("dice.md", "dice.png"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()


def test_when_one_cell_fails_the_others_are_kept(study, cell, tmp_path):
    started = threading.Event()

    def failing(settings, seed):
        if seed == 1:
            started.wait(30)
            raise FitError("no")
        started.set()
        time.sleep(0.2)
        return cell(settings, seed)

    with pytest.raises(FitError, match="no"):
        run_study(replace(study, cell=failing), tmp_path, seeds=8)
    assert (tmp_path / "dice.cells" / "0.json").exists()
    assert not (tmp_path / "dice.cells" / "7.json").exists()
    assert not (tmp_path / "dice.json").exists()
    cell.new()
    run_study(study, tmp_path, seeds=2)
    assert cell.new() == [1]


def test_jobs_run_side_by_side_and_progress_is_told(study, tmp_path):
    meeting, told = threading.Barrier(2, timeout=30), []

    def together(settings, seed):
        meeting.wait()  # fails unless two cells are under way at once
        return {"LORI": {"rmse": float(seed)}}

    run_study(replace(study, cell=together), tmp_path, seeds=4, jobs=2, progress=lambda *at: told.append(at))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_where_nothing_is_random_there_is_one_cell(study, cell, tmp_path):
    assert run_study(replace(study, random=False), tmp_path, seeds=5)["settings"]["seeds"] == 1
    assert cell.new() == [0]


def test_own_rows_and_figure(study, tmp_path):
    def rows(settings, cells):
        rmse = [found["LORI"]["rmse"] for found in cells]
        return [{"method": "LORI", "worst": measured([max(rmse)]), "curve": [1, 2, settings.pairs]}]

    def draw(result, path):
        path.write_text(str(result["rows"][0]["curve"]))

    result = run_study(replace(study, rows=rows, draw=draw), tmp_path, seeds=2)
    assert (tmp_path / "dice.png").read_text() == "[1, 2, 3]"
    assert "curve" not in table(result)


@pytest.mark.parametrize("answer", [{"LORI": {"rmse": float("nan")}}, {"LORI": {"rmse": object()}}])
def test_an_answer_that_is_no_json_is_refused(study, tmp_path, answer):
    with pytest.raises(FitError, match="dice: the answer of seed 0 cannot be written"):
        run_study(replace(study, cell=lambda settings, seed: answer), tmp_path, seeds=1)
    assert not list(tmp_path.iterdir())


def test_bad_input_is_one_sentence(study, tmp_path):
    for wrong in ({"seeds": 0}, {"jobs": 0}):
        with pytest.raises(InputError, match="whole number from 1"):
            run_study(study, tmp_path, **wrong)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a folder, or a name for one"):
        run_study(study, tmp_path / "file")
