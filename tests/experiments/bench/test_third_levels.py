"""Are truths as asked, and is the default prior compared with the others?"""

import numpy as np

from lori.experiments.bench import third_levels
from lori.experiments.bench.third_levels import SMOKE, DataSet
from lori.model.priors import Prior


def test_data_are_those_of_their_seed():
    one, again, other = (DataSet.drawn(50, 0.2, seed) for seed in (3, 3, 4))
    assert len(one.preferences) == 50
    np.testing.assert_array_equal(one.probabilities, again.probabilities)
    assert not np.array_equal(one.probabilities, other.probabilities)


def test_medians_are_compared_with_those_of_the_best_prior(monkeypatch):
    three = {0.0: [0.04, 0.06], Prior().price: [0.05, 0.08]}

    def errors(settings, pairs, prior: Prior) -> np.ndarray:
        return np.array([[0.1, 0.1], [0.07, 0.07], three.get(prior.price, [0.09, 0.09])])

    monkeypatch.setattr(third_levels, "errors", errors)
    measured = third_levels.measure(SMOKE)
    near, below = measured.claims
    assert (round(near.value, 6), near.holds) == (1.3, False)
    assert (below.value, below.holds) == (0.5, False)
    assert [row.measures["below"] for row in measured.rows][:2] == [1, 2]
