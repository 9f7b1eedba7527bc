"""Does the study of expressiveness show the paper's circle, and find levels where they suffice?"""

import numpy as np
import pytest

import lori
from lori.experiments.expressive import STUDY, TRIPLE, best_fits, chances, circles
from lori.experiments.results import run_study


def test_the_triple_is_the_papers_circle():
    ahead = chances(TRIPLE.T, np.ones(2))  # 1 ≻ 2, 1 ≻ 3, 2 ≻ 3
    model = lori.OrderedModel.linear(np.eye(2), epsilon=[1.0, 1.0])
    np.testing.assert_allclose(ahead, model.predict_proba(TRIPLE[[0, 0, 1]], TRIPLE[[1, 2, 2]])[:, 0])
    assert ahead[0] > 0.5
    assert ahead[1] < 0.5
    assert ahead[2] > 0.5


def test_one_level_stays_away_from_the_circle_and_two_reach_it():
    true = chances(TRIPLE.T, np.ones(2))
    one, two = (best_fits(true, levels, 8, np.random.default_rng(0))[0] for levels in (1, 2))
    assert np.abs(one.fun).max() > 0.03
    assert np.abs(two.fun).max() < 1e-6


def test_one_level_is_always_transitive_and_two_are_not():
    generator = np.random.default_rng(0)
    assert circles(1, 50_000, generator) == 0
    assert circles(2, 50_000, generator) > 0


@pytest.mark.slow
def test_a_smoke_run_is_whole(tmp_path):
    result = run_study(STUDY, tmp_path, seeds=1, smoke=True)
    assert len(result["rows"]) == 6
    assert (tmp_path / "expressive.png").exists()
