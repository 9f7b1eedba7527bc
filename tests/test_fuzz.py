"""The fuzzer itself: is a case the same every time, does it see what it is to see, and is a part of it clean?"""

import random
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1] / "tools"


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import fuzz
    import fuzz_inputs

    return fuzz, fuzz_inputs


def test_a_case_is_the_same_every_time(tools):
    _, inputs = tools
    cases = [inputs.case(number, 0) for number in range(60)]
    again = [inputs.case(number, 0) for number in range(60)]
    assert [(own.command, own.files) for own in cases] == [(own.command, own.files) for own in again]
    assert len({own.door.split()[0] for own in cases}) == 7
    assert [own.command for own in cases] != [inputs.case(number, 1).command for number in range(60)]


def test_it_tries_what_came_last(tools):
    _, inputs = tools
    commands = [inputs.options_door(random.Random(number)).command for number in range(300)]
    assert {"plan-study", "fit", "bench"} <= {words[0] for words in commands}
    assert any("--lapse" in words for words in commands)


def test_nothing_is_written_outside_the_folder_of_a_case(tools):
    _, inputs = tools
    doors = (inputs.options_door, inputs.paths_door)
    commands = [door(random.Random(number)).command for door in doors for number in range(2000)]
    for words in commands:
        if "--keep" in words:
            assert words[words.index("--keep") + 1] not in inputs.OUTSIDE
        if words[0] == "simulate" and "--out" in words:
            assert words[words.index("--out") + 1] not in inputs.OUTSIDE


def test_it_sees_what_it_is_to_see(tools, tmp_path):
    fuzz, inputs = tools
    assert fuzz._odd_ending(0, "") == fuzz._odd_ending(2, "Error: a sentence.\n") == []
    assert fuzz._odd_ending(1, "Error: LORI failed with KeyError; run again.\n") == ["defect"]
    assert fuzz._odd_ending(0, "RuntimeWarning: overflow\n")
    assert fuzz._odd_ending(3, "Error: a sentence.\n")
    assert fuzz._odd_output({}, 0, "a,nan\n", "")
    assert fuzz._odd_output({}, 2, "", f"Error: got {inputs.MARKER}.\n")
    assert fuzz._odd_output({"a.csv": f"1,{inputs.MARKER}\n".encode()}, 2, "", f"Error: got {inputs.MARKER}.\n")
    assert (
        fuzz._odd_output({"a.csv": f"benefit,{inputs.MARKER}\n".encode()}, 2, "", f"Error: got {inputs.MARKER}.\n")
        == []
    )
    wide = f"benefit,{inputs.MARKER}\n".encode("utf-16")
    assert fuzz._odd_output({"a.csv": wide}, 2, "", f"Error: got {inputs.MARKER}.\n") == []
    assert fuzz._odd_output({}, 2, "", "Error: got \x1b[2J.\n")
    assert fuzz._odd_output({}, 0, "a,0.5\n", "") == []
    (tmp_path / ".1a2b.json").write_text("half")
    assert fuzz._odd_files(set(), tmp_path, 0, ()) == ["leftover: .1a2b.json"]


@pytest.mark.slow
def test_damaged_models_are_refused(tmp_path):
    line = [sys.executable, str(TOOLS / "fuzz.py"), "--door", "model", "--inputs", "300", "--out", str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "0 findings" in done.stdout
