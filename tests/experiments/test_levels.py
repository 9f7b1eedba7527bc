"""Is the study of the number of levels what the paper describes, and do more levels fit better?"""

import numpy as np
import pytest

from lori.estimators.lori import LORI
from lori.experiments.levels import STUDY, LevelsSettings, cell
from lori.experiments.results import run_study
from lori.model.simulation import random_ordered_model, simulate


def test_the_settings_are_the_papers():
    settings = LevelsSettings()
    assert (settings.true_levels, settings.features, settings.pairs, settings.most) == (10, 10, 10_000, 10)
    truth = random_ordered_model(settings.true_levels, settings.features, seed=0)
    np.testing.assert_allclose([level.weights.sum() for level in truth.levels], 1.0)
    np.testing.assert_allclose([level.alpha for level in truth.levels], 5 * np.log(4))


@pytest.mark.slow
def test_each_step_of_the_chain_explains_no_less():
    """Up to the prior, which costs a new level some units."""
    truth = random_ordered_model(2, 3, seed=3)
    preferences = simulate(truth, 800, seed=4)
    found = LORI(levels=3, starts=4).fit(preferences).nested_
    assert [len(model.levels) for model in found] == [1, 2, 3]
    sides = preferences.left_features, preferences.right_features
    chosen = preferences.outcome_counts[:, [0, 2]]
    explained = [float(np.sum(chosen * np.log(model.predict_proba(*sides)[:, [0, 2]]))) for model in found]
    assert explained[1] > explained[0]
    assert explained[2] > explained[1] - 10


@pytest.mark.slow
def test_a_cell_depends_on_its_arguments_alone():
    assert cell(STUDY.smoke, 1) == cell(STUDY.smoke, 1) != cell(STUDY.smoke, 2)


@pytest.mark.slow
def test_a_smoke_run_is_whole(tmp_path):
    result = run_study(STUDY, tmp_path, seeds=2, smoke=True)
    *fitted, truth = result["rows"]
    assert [row["method"] for row in fitted] == ["1 level", "2 levels", "3 levels"]
    assert [len(row["decides"]) for row in fitted] == [1, 2, 3]
    assert len(truth["decides"]) == 3
    assert all(len(row["RMSE"]["values"]) == 2 for row in fitted)
    assert (tmp_path / "levels.png").exists()
