"""Is the age at which priorities change found, and is an effect denied where there is none?"""

import numpy as np
import pytest

from lori.applications.cancer import age as clinic
from lori.estimators.lori import LORI
from lori.experiments.age import STUDY, WITH, WITHOUT, Curve, learned_curve, learned_gate, true_curve
from lori.experiments.results import run_study

AGES = np.linspace(20, 60, 41)


def test_the_truth_puts_efficacy_first_for_the_young():
    """A smaller tumour against more white blood cells, both by more than a threshold."""
    left, right = np.array([[10.0, 4.0, 0.0]] * 2), np.array([[12.0, 6.0, 0.0]] * 2)
    left[:, 2] = right[:, 2] = [30.0, 50.0]
    assert clinic.true_model().compare(left, right).tolist() == [1, -1]
    assert clinic.true_model(effect=False).compare(left, right).tolist() == [1, 1]


def test_the_first_reward_is_the_papers():
    x = np.array([[10.0, 4.0, 39.0]])
    gate = 1 / (1 + np.exp(-(40.0 - 39.0)))
    np.testing.assert_allclose(
        clinic.true_model().rewards(x)[0], [gate * -10 + (1 - gate) * 4, (1 - gate) * -10 + gate * 4]
    )


def test_a_band_is_flat_if_a_level_line_fits_into_it():
    middle = np.array([0.4, 0.6])
    assert Curve(middle, middle - 0.2, middle + 0.2).flat
    assert not Curve(middle, middle - 0.05, middle + 0.05).flat


@pytest.mark.slow
def test_the_curve_is_learned():
    seen = clinic.preferences(600, trajectories=300, cells=20, seed=11)
    fitted = LORI(levels=2, reward=clinic.REWARD, starts=8).fit(seen)
    drawn = fitted.posterior(seen, draws=200, seed=0).reported[0].parameters
    curve, gate = learned_curve(fitted, drawn, AGES), learned_gate(fitted, drawn)
    assert gate.threshold[1] == pytest.approx(40.0, abs=1.5)
    assert gate.threshold[0] < 40 < gate.threshold[2]
    assert gate.sensitivity[0] < 1 < gate.sensitivity[2]
    assert np.sqrt(np.mean((curve.middle - true_curve(AGES)) ** 2)) < 0.1
    assert not curve.flat
    assert (curve.low <= curve.high).all()


@pytest.mark.slow
def test_a_smoke_run_is_whole_and_repeats(tmp_path):
    result = run_study(STUDY, tmp_path, seeds=1, smoke=True)
    first = (tmp_path / "age.json").read_bytes()
    run_study(STUDY, tmp_path, seeds=1, smoke=True)
    assert (tmp_path / "age.json").read_bytes() == first
    assert [row["method"] for row in result["rows"]] == [WITH, WITHOUT]
    assert len(result["rows"][0]["curve"][0]) == STUDY.smoke.ages
