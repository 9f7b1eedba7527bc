"""Are the simulated kinds of people what they are said to be, and comparisons with them fair?"""

import numpy as np

from lori.experiments.bench.population_classes import KINDS, SHARES, Recovered, answers, calibration


def test_answers_are_those_of_the_kinds_with_their_shares():
    data, kind = answers(KINDS, SHARES, people=2000, choices=3, seed=0)
    assert len(data) == 6000
    np.testing.assert_allclose(np.bincount(kind) / 2000, SHARES, atol=0.04)
    first = data.subset(np.repeat(kind == 0, 3))
    far = np.abs(first.differences[:, 0]) > 2.5  # far beyond the threshold of cost
    cheaper_won = (first.wins > 0) == (first.differences[:, 0] < 0)
    assert cheaper_won[far].mean() > 0.95


def test_calibration_is_that_of_the_bins():
    predicted, belongs = np.full(100, 0.25), np.arange(100) < 25
    worst, texts = calibration([Recovered(0.0, True, (), predicted, belongs)])
    assert (worst, len(texts)) == (0.0, 1)
    assert calibration([Recovered(0.0, True, (), predicted, ~belongs)])[0] > 2
