"""Is what comes out of a bench complete: settings, rows, claims and versions, shown and written?"""

import json
import subprocess
import sys
from dataclasses import fields, is_dataclass

import pytest

from lori.errors import InputError
from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.experiments.bench.run import CASES, Case, run, text_table, versions
from lori.experiments.bench.scaling import ScalingSettings
from lori.experiments.bench.scaling import measure as measure_scaling


def test_the_table_lines_up():
    rows = [Row("a case", "one", Seconds((0.5, 0.25, 1.5)), 1.0), Row("a case", "the other", note="a remark")]
    lines = text_table(rows).splitlines()
    assert len({line.index("one") for line in lines[2:3]} | {line.index("the other") for line in lines[3:4]}) == 1
    assert lines[2].split() == ["a", "case", "one", "500", "ms", "250", "ms", "–", "1.5", "s", "1"]
    assert lines[4] == "    a remark"


def test_every_setting_has_a_sentence_and_a_smoke_size():
    for name, case in CASES.items():
        assert is_dataclass(case.full), name
        assert type(case.full) is type(case.smoke)
        assert type(case.full).__dataclass_params__.frozen
        assert case.settings(smoke=True, repeats=None, long=False) == case.smoke
        known = {field.name for field in fields(case.full)}
        if "repeats" in known:
            assert case.settings(smoke=False, repeats=9, long=False).repeats == 9
    assert CASES["organ"].settings(smoke=False, repeats=None, long=True).paper_to_the_end


def test_a_run_is_shown_and_written(tmp_path, monkeypatch):
    """The cheapest real case beside a fake one: the form of the JSON file, whole after each case."""
    small = ScalingSettings((200, 400), (1, 2), (1, 2), 200, (2, 3), 10, (1, 2), 5, 1)
    written = []

    def fake(settings):
        written.append(json.loads((tmp_path / "new" / "bench.json").read_text())["rows"])
        return Measured([Row("fake", "nobody", note="nothing")])

    monkeypatch.setitem(CASES, "scaling", Case("cost", measure_scaling, small, small))
    monkeypatch.setitem(CASES, "agents", Case("fake", fake, small, small))
    said = []
    result = run(["scaling", "agents"], tmp_path / "new", smoke=True, repeats=2, say=said.append)
    assert json.loads((tmp_path / "new" / "bench.json").read_text()) == json.loads(json.dumps(result))
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["bench.json"]
    assert {"name", "settings", "rows", "seconds", "versions"} <= set(result)
    assert len(written[0]) == 16  # after the first case: 5 × (2 sizes and an exponent) and the steepest step
    first = result["rows"][0]
    assert (first["case"], first["contestant"], first["ratio"]) == ("a pass against pairs", "200 pairs", 1.0)
    assert len(first["seconds"]["values"]) == 2
    assert first["seconds"]["min"] <= first["seconds"]["median"] <= first["seconds"]["max"]
    assert result["settings"]["scaling"]["pairs"] == (200, 400)
    assert all(claim["holds"] is None for claim in result["claims"])
    text = "\n".join(said)
    assert "200 pairs" in text
    assert "time ∝ levels^" in text
    assert str(tmp_path / "new" / "bench.json") in text


def test_one_case_has_a_file_of_its_own(tmp_path, monkeypatch):
    small = ScalingSettings()
    monkeypatch.setitem(CASES, "agents", Case("fake", lambda settings: Measured([Row("fake", "x")]), small, small))
    run(["agents", "agents"], tmp_path, say=lambda text: None)
    assert json.loads((tmp_path / "agents.json").read_text())["name"] == "agents"


@pytest.mark.parametrize(("names", "repeats"), [(["speed"], None), (["organ"], 0)])
def test_wrong_usage_is_one_sentence(tmp_path, names, repeats):
    with pytest.raises(InputError):
        run(names, tmp_path / "out", repeats=repeats)
    assert not (tmp_path / "out").exists()


def test_versions_name_what_was_compared():
    found = versions()
    assert {"python", "machine", "lori", "jax", "numpy"} <= set(found)


@pytest.mark.slow
def test_a_smoke_run_of_all_cases_ends_well(tmp_path):
    """As a command, in processes of its own; a minute on two free cores, which nobody asserts here."""
    command = [sys.executable, "-m", "lori", "bench", "--smoke", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "bench.json").read_text())
    assert list(result["settings"]) == [name for name, case in CASES.items() if not case.by_name]
    assert {row["group"] for row in result["rows"]} == set(result["settings"])
    assert not [row for row in result["rows"] if row["note"].startswith("failed")]
    assert [file.name for file in tmp_path.iterdir()] == ["bench.json"]
