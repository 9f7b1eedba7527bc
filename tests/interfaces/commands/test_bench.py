"""`lori bench`: a statistical case is measured when it is named, kept in files, and shown in words."""

import json
import re

from lori.experiments import power
from lori.experiments.bench.run import CASES
from lori.experiments.power import Run


def test_people_are_shown_in_words_and_kept(run, tmp_path, monkeypatch):
    asked = []

    def fake(scenario, seeds):
        asked.append(scenario.slips)
        return [Run("not supported", False, 1.0, (0.5, 1.5), 0.01, (0.0, 0.2)) for _ in seeds]

    monkeypatch.setattr(power, "fitted_runs", fake)
    words = ("bench", "people", "--smoke", "--repeats", "3", "--jobs", "1", "--out", "out")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert "one level, weights 6 and 3" in out
    assert "a false alarm" in out
    told = json.loads((tmp_path / "out" / "people.json").read_text())
    assert told["settings"]["people"]["repeats"] == 3
    assert told["rows"][0]["measures"]["false alarms"] == 0
    count = len(asked)
    assert count == 5 * 2
    assert run(*words)[0] == 0
    assert len(asked) == count


def test_jobs_below_one_are_refused(run, tmp_path):
    code, _, err = run("bench", "people", "--jobs", "0")
    assert code == 2
    assert "--jobs" in err
    assert list(tmp_path.iterdir()) == []


def test_help_names_every_case(run):
    code, out, _ = run("bench", "--help")
    told = set(re.findall(r"[a-z]+(?:-[a-z]+)*|-[a-z]+", out))
    assert code == 0
    assert [name for name in CASES if name not in told and name.removeprefix("population") not in told] == []
