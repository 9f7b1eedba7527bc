"""Do the commands `plot` and `report` work, and are slips one sentence?"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from lori.data.writers import write_pairs
from lori.evaluation.cross_validation import HeldOut
from lori.interfaces.commands import main as cli
from lori.interfaces.report import content as reports

MODEL = str(Path(__file__).parents[1] / "person1.json")


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, person):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lori.interfaces.commands.caching.use_cache", lambda: None)
    monkeypatch.setattr(
        reports, "held_out", lambda model, prefs: HeldOut(prefs, np.full((len(prefs), 3), [0.6, 0.0, 0.4]), 5)
    )
    write_pairs(person, tmp_path / "pairs.csv")

    def call(*given: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lori", *given])
        with pytest.raises(SystemExit) as left:
            cli.main()
        output = capsys.readouterr()
        return int(left.value.code or 0), output.out, output.err

    return call


@pytest.mark.parametrize("kind", ["ladder", "regions", "posterior"])
def test_plot_writes_a_figure_and_says_it_in_words(run, tmp_path, kind):
    code, out, _ = run("plot", kind, MODEL, "--out", f"{kind}.svg")
    assert code == 0
    assert "probability" in out
    assert out.endswith(f"Wrote {kind}.svg\n")
    assert (tmp_path / f"{kind}.svg").read_text().startswith("<?xml")


def test_plot_with_data(run, tmp_path):
    assert run("plot", "calibration", MODEL, "pairs.csv", "--out", "c.png")[0] == 0
    (tmp_path / "steps.csv").write_text(
        "trajectory,step,probability,payoff\na,1,0.3,4\na,2,0.4,4\nb,1,0.2,5\n", encoding="utf-8"
    )
    words = ("plot", "trajectories", MODEL, "steps.csv", "--left", "a", "--right", "b", "--out", "t.png")
    code, out, _ = run(*words)
    assert code == 0
    assert out.startswith("Left has 2 steps and right has 1")


@pytest.mark.parametrize(
    "words",
    [
        ("plot", "ladder", MODEL, "--out", "figure.docx"),
        ("plot", "calibration", MODEL),
        ("plot", "regions", MODEL, "--features", "payoff"),
        ("plot", "regions", MODEL, "--features", "payoff,luck"),
        ("plot", "trajectories", MODEL),
        ("plot", "pie", MODEL),
        ("report", MODEL, "pairs.csv", "--out", "no/such/folder/report.html"),
        ("report", MODEL, "absent.csv"),
        ("fit", "pairs.csv", "--by", "agent", "--report", "report.html"),
    ],
)
def test_slips_exit_with_2_and_write_nothing(run, tmp_path, words):
    before = set(tmp_path.iterdir())
    code, out, err = run(*words)
    assert code == 2
    assert out == ""
    assert err.strip()
    assert set(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_report_writes_the_page_and_its_twins(run, tmp_path):
    code, out, _ = run("report", MODEL, "pairs.csv", "--out", "r.html", "--markdown", "r.md", "--json-out", "r.json")
    assert (code, out) == (0, "Wrote r.html, r.md, r.json\n")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "What comes first in pairs?" in page
    assert "lori report" in page
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["answer"][0].startswith("Probability")


def test_fit_writes_a_report_and_counts_what_was_dropped(run, tmp_path, monkeypatch):
    given = {}
    monkeypatch.setattr("lori.interfaces.commands.showing.write_report", lambda *_, **options: given.update(options))
    table = (tmp_path / "pairs.csv").read_text().splitlines()
    first = table[1].split(",")
    (tmp_path / "more.csv").write_text("\n".join([*table, ",".join([*first[:2], *first[:2], *first[4:]])]) + "\n")
    words = ("--levels", "1", "--epsilon", "0", "--starts", "1", "--identical", "drop", "--report", "r.html")
    code, out, _ = run("fit", "more.csv", *words)
    assert code == 0
    assert out.endswith("Wrote the report to r.html\n")
    assert given == {"title": "What comes first in more?", "dropped": 1}
