"""Are repeats drawn as they should be?"""

import numpy as np

import lori
from lori.experiments.bench.population_tversky import some_repeats


def test_some_repeats_of_each_pair_are_kept():
    data = lori.tversky1969()
    few, all_of_them = some_repeats(data, 4, seed=0), some_repeats(data, 20, seed=0)
    assert (few.comparisons == 4).all()
    assert (few.outcome_counts <= data.outcome_counts).all()
    np.testing.assert_array_equal(all_of_them.outcome_counts, data.outcome_counts)
    assert few.agent.tolist() == data.agent.tolist()
