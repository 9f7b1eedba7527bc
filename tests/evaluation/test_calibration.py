"""Are Wilson's intervals those of statsmodels, and do they hold the truth as often as they say?"""

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from lori import OrderedModel, simulate
from lori.evaluation.calibration import reliability

MODEL = OrderedModel.linear([[1.0, 0.5]], epsilon=[0.0])


def test_intervals_are_those_of_wilson():
    found = reliability(MODEL, simulate(MODEL, 400, seed=3), bins=10)
    wins = np.rint(found.observed * found.comparisons)
    low, high = proportion_confint(wins, found.comparisons, method="wilson")
    np.testing.assert_allclose(found.lower, low, atol=1e-12)
    np.testing.assert_allclose(found.upper, high, atol=1e-12)


def test_the_true_model_agrees_and_a_bold_one_does_not():
    bold = OrderedModel.linear([[10.0, 5.0]], epsilon=[0.0])
    prefs = simulate(MODEL, 4000, seed=1)
    honest, too_sure = reliability(MODEL, prefs, bins=10), reliability(bold, prefs, bins=10)
    assert honest.agreeing >= len(honest.predicted) - 1  # 95 % of five
    assert too_sure.agreeing <= len(too_sure.predicted) / 2
