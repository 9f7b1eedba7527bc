"""`lori plot`: a figure in a file and in words; slips are one sentence."""

from pathlib import Path

import pytest

from lori.data.writing import write_pairs

MODEL = str(Path(__file__).parents[1] / "person1.json")


@pytest.mark.parametrize("kind", ["ladder", "regions", "posterior"])
def test_a_figure_in_a_file_and_in_words(run, tmp_path, kind):
    code, out, _ = run("plot", kind, MODEL, "--out", f"{kind}.svg")
    assert code == 0
    assert "probability" in out
    assert out.endswith(f"Wrote {kind}.svg\n")
    assert (tmp_path / f"{kind}.svg").read_text().startswith("<?xml")


def test_figures_of_data(run, person, tmp_path):
    write_pairs(person, tmp_path / "pairs.csv")
    assert run("plot", "calibration", MODEL, "pairs.csv", "--out", "c.png")[0] == 0
    (tmp_path / "steps.csv").write_text(
        "trajectory,step,probability,payoff\na,1,0.3,4\na,2,0.4,4\nb,1,0.2,5\n", encoding="utf-8"
    )
    given = ("plot", "trajectories", MODEL, "steps.csv", "--left", "a", "--right", "b", "--out", "t.png")
    code, out, _ = run(*given)
    assert code == 0
    assert out.startswith("Left has 2 steps and right has 1")


@pytest.mark.parametrize(
    "given",
    [
        ("plot", "ladder", MODEL, "--out", "figure.docx"),
        ("plot", "calibration", MODEL),
        ("plot", "regions", MODEL, "--features", "payoff"),
        ("plot", "regions", MODEL, "--features", "payoff,luck"),
        ("plot", "trajectories", MODEL),
        ("plot", "pie", MODEL),
    ],
)
def test_slips_exit_with_2_and_write_nothing(run, tmp_path, given):
    code, out, err = run(*given)
    assert code == 2
    assert out == ""
    assert err.strip()
    assert not list(tmp_path.iterdir())
