"""Do networks that saw the same preferences disagree, and the less the more they saw?"""

import numpy as np
import pytest

import lori
from lori.baselines.ensembles import RewardEnsemble

TRUTH = lori.OrderedModel.linear([[2.0, -1.0]], epsilon=[0.0])


@pytest.fixture(scope="module")
def models():
    """After few pairs and after many."""
    return [
        RewardEnsemble(members=4, hidden=4, penalty=0.1).fit(lori.simulate(TRUTH, count, seed=1000))
        for count in (40, 800)
    ]


def test_members_agree_more_after_more_preferences(models):
    pairs = np.random.default_rng(1001).normal(size=(200, 2, 2))
    few, many = (model.disagreement(pairs).mean() for model in models)
    assert many < few / 2
    true = TRUTH.predict_proba(pairs[:, 0], pairs[:, 1])[:, 0]
    assert np.sqrt(np.mean((models[1].predict_proba(pairs)[:, 0] - true) ** 2)) < 0.1


def test_the_prediction_is_the_mean_of_the_members(models):
    pairs = np.random.default_rng(0).normal(size=(10, 2, 2))
    each = models[0].each(pairs)
    assert each.shape == (4, 10, 3)
    assert models[0].predict_proba(pairs) == pytest.approx(each.mean(axis=0))
    assert models[0].disagreement(pairs) == pytest.approx(each[:, :, 0].std(axis=0))
