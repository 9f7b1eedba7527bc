"""Is T-REX a logistic regression on differences of features?"""

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.base import clone

import lori
from lori.baselines.trex import TREX

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
