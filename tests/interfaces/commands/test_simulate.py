"""`lori simulate`: what is written can be fitted, and the same seed writes the same."""

import numpy as np
import pytest

import lori
from lori.applications.cancer import world
from lori.estimators.storage import load_ordered_model
from lori.interfaces.commands.simulate import COURSES, WorldOptions, write_cancer


def test_cancer_writes_courses_and_choices_that_are_read_again(tmp_path):
    said = write_cancer(tmp_path, WorldOptions(pairs=300, seed=3))
    prefs = lori.read_trajectories(tmp_path / "trajectories.csv", tmp_path / "comparisons.csv")
    assert "1,000 treatment courses" in said
    assert "300 choices" in said
    assert prefs.features == ("tumour", "wbc")
    assert prefs.n_comparisons == 300
    assert len((tmp_path / "trajectories.csv").read_text().splitlines()) == 1 + COURSES * 21
    truth = load_ordered_model(tmp_path / "truth.json")
    chance = truth.predict_proba(prefs.left_features, prefs.right_features)
    expected = world.true_model().predict_proba(prefs.left_features, prefs.right_features)
    np.testing.assert_allclose(chance, expected)
    deviation = np.sqrt(np.sum(chance[:, 0] * chance[:, 2])) / len(chance)  # the choices were drawn with these chances
    assert np.mean(np.where(prefs.wins > 0, 1, 0) - chance[:, 0]) == pytest.approx(0.0, abs=4 * deviation)
    first = (tmp_path / "comparisons.csv").read_bytes()
    write_cancer(tmp_path, WorldOptions(pairs=300, seed=3))
    assert (tmp_path / "comparisons.csv").read_bytes() == first


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("age", "--agents", "2"), "expected neither in the world 'age'"),
        (("cancer", "--times", "2"), "expected neither in the world 'cancer'"),
        (("organ", "--times", "2"), "expected neither in the world 'organ'"),
        (("tversky", "--agents", "2"), "expected neither in the world 'tversky'"),
        (("cancer", "--model", "model.json"), "one for the world 'cancer'"),
        (("model",), "--model: expected a saved model for the world 'model', and only there, got none"),
    ],
)
def test_options_of_other_worlds_are_refused_and_nothing_is_written(run, tmp_path, given, said):
    code, out, err = run("simulate", *given, "--out", "out")
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / "out").exists()


def test_simulate_then_fit(run, tmp_path):
    given = ["simulate", "levels", "--levels", "2", "--features", "2", "--pairs", "80", "--agents", "2", "--out", "d"]
    code, out, _ = run(*given)
    assert code == 0
    assert out == "Wrote 80 comparisons of 80 pairs to d/pairs.csv\nWrote the true model to d/truth.json\n"
    assert (tmp_path / "d" / "truth.json").exists()
    first = (tmp_path / "d" / "pairs.csv").read_bytes()
    run(*given)
    assert (tmp_path / "d" / "pairs.csv").read_bytes() == first
    assert run("simulate", "model", "--model", "d/truth.json", "--pairs", "5", "--out", "e")[0] == 0
    code, out, _ = run("fit", "d/pairs.csv", "--by", "agent", "--levels", "2", "--starts", "8", "--save", "agents.json")
    assert code == 0
    assert "2 agents" in out
    truth = lori.load(tmp_path / "d" / "truth.json")
    assert [level.leading for level in truth.summary().levels] == [("benefit",), ("need",)]
    for command in (("predict", "d/truth.json", "d/pairs.csv"), ("explain", "d/truth.json", "d/pairs.csv", "--words")):
        code, out, _ = run(*command)
        assert code == 0
        assert len(out.splitlines()) in (80, 81)
    assert run("plot", "ladder", "d/truth.json", "--out", "ladder.svg")[0] == 0
    quick = ("--levels", "2", "--starts", "8", "--standard-errors", "none")
    code, out, _ = run("fit", "d/pairs.csv", *quick, "--truth", "d/truth.json")
    assert "First in truth: benefit; found: benefit; differences in benefit count from" in out
    assert "percentage points off, on average." in out
    code, out, _ = run("predict", "agents.json", "d/pairs.csv")
    assert (code, len(out.splitlines())) == (0, 81)
    code, _, err = run("explain", "agents.json", "d/pairs.csv")
    assert code == 2
    assert "those of 2 agents" in err
