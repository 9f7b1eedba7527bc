"""Worlds that are simulated from the command line: what is written can be fitted, and the same seed writes the same."""

import numpy as np
import pytest

import lori
from lori.applications.cancer import world
from lori.errors import InputError
from lori.estimators.storage import load_ordered_model
from lori.interfaces.commands.worlds import COURSES, simulated, write_cancer, write_organ


def test_cancer_writes_courses_and_choices_that_are_read_again(tmp_path):
    said = write_cancer(tmp_path, 300, 1, None, None, seed=3)
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
    write_cancer(tmp_path, 300, 1, None, None, seed=3)
    assert (tmp_path / "comparisons.csv").read_bytes() == first


def test_clinicians_choose_once_and_have_no_names(tmp_path):
    with pytest.raises(InputError, match="expected neither in the world 'age'"):
        simulated("age", 10, 1, 2, 2, 2, None, 0)
    with pytest.raises(InputError, match="expected neither in the world 'cancer'"):
        write_cancer(tmp_path / "out", 10, 2, None, None, 0)
    with pytest.raises(InputError, match="one for the world 'cancer'"):
        write_cancer(tmp_path / "out", 10, 1, None, tmp_path / "model.json", 0)
    assert not (tmp_path / "out").exists()


def test_an_organ_is_given_once_and_by_nobody_in_particular(tmp_path):
    with pytest.raises(InputError, match="neither in the world 'organ'"):
        write_organ(tmp_path, "meld", 100, 50, times=2, agents=None, model=None, seed=0)
