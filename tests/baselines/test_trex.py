"""Is T-REX a logistic regression on differences of features?"""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import approx_fprime
from sklearn.base import clone

import lori
from lori.baselines import trex
from lori.baselines.trex import TREX, NetworkTREX

TRUTH = lori.OrderedModel.linear([[1.0, -0.5]], epsilon=[0.0], features=["wbc", "tumour"])


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(TRUTH, 500, seed=0)


@pytest.fixture(scope="module")
def model(seen):
    return TREX(prior=None, starts=4).fit(seen)


def test_it_is_logistic_regression_without_intercept(model, seen):
    referee = sm.Logit(seen.wins, seen.left_features - seen.right_features).fit(disp=0)
    assert model.levels_[0].weights == pytest.approx(referee.params, abs=1e-4)
    assert model.log_likelihood_ == pytest.approx(referee.llf, abs=1e-6)


def test_there_is_one_level_that_never_ties(model, seen):
    assert len(model.levels_) == 1
    assert model.levels_[0].epsilon == 0
    assert np.all(model.predict_proba(seen)[:, 1] == 0)


def test_it_keeps_the_contract_of_the_estimator(model, seen, tmp_path):
    assert clone(TREX(seed=3)).get_params() == TREX(seed=3).get_params()
    model.save(tmp_path / "model.json")
    again = lori.load(tmp_path / "model.json")
    assert again.predict_proba(seen) == pytest.approx(model.predict_proba(seen))
    assert again.get_params()["levels"] == 1
    with pytest.raises(TypeError, match="levels"):
        TREX(levels=2)


@pytest.fixture(scope="module")
def trajectories():
    """Pairs of 3 to 6 steps; the reward of a step is the square of its first feature."""
    generator = np.random.default_rng(1000)
    steps = generator.uniform(-1, 1, size=(400, 2, 6, 2))
    for pair in steps:
        for side in pair:
            side[generator.integers(3, 7) :] = np.nan
    totals = np.nansum(6 * steps[..., 0] ** 2 - 2, axis=2)
    won = generator.random(400) < 1 / (1 + np.exp(totals[:, 1] - totals[:, 0]))
    return steps, np.where(won, "left", "right")


def test_a_network_learns_the_reward_of_single_steps(trajectories):
    model = NetworkTREX(hidden=8).fit(*trajectories)
    grid = np.linspace(-1, 1, 21)
    found = model.reward(np.column_stack([grid, np.zeros(21)]))
    assert np.corrcoef(found, grid**2)[0, 1] > 0.95
    accuracy = np.mean((model.predict_proba(trajectories[0])[:, 0] > 0.5) == (trajectories[1] == "left"))
    assert accuracy > np.mean(
        (NetworkTREX(hidden=0).fit(*trajectories).predict_proba(trajectories[0])[:, 0] > 0.5)
        == (trajectories[1] == "left")
    )


def test_without_hidden_units_it_is_penalised_logistic_regression(seen):
    model = NetworkTREX(hidden=0, penalty=1e-6).fit(seen)
    referee = sm.Logit(seen.wins, seen.left_features - seen.right_features).fit(disp=0)
    assert model.parameters_ / model.scale_ == pytest.approx(referee.params, abs=1e-3)


def test_slopes_of_the_network_are_those_of_differences():
    generator = np.random.default_rng(0)
    parameters, scaled, slope = (
        generator.normal(size=3 + 4 * 5),
        generator.normal(size=(7, 3)),
        generator.normal(size=7),
    )
    units = trex._rewards(parameters, scaled, 4)[1]
    exact = trex._gradient(parameters, scaled, units, slope, 4)
    numeric = approx_fprime(parameters, lambda own: slope @ trex._rewards(own, scaled, 4)[0], 1e-7)
    assert exact == pytest.approx(numeric, abs=1e-5)


def test_steps_that_begin_with_a_gap_are_refused(trajectories):
    broken = trajectories[0].copy()
    broken[0, 0, 0] = np.nan
    with pytest.raises(lori.DataError, match="after the end"):
        NetworkTREX().fit(broken, trajectories[1])
