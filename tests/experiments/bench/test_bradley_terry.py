"""Are comparisons of items counted alike for every contestant?"""

import numpy as np

from lori.experiments.bench import bradley_terry


def test_comparisons_are_counted_by_pair_of_items():
    seen = bradley_terry.Comparisons(
        np.array([0, 1, 2, 0, 1]), np.array([1, 0, 0, 2, 0]), np.array([1, 1, 0, -1, -1]), items=3
    )
    assert seen.beaten().tolist() == [[0, 2, 0], [1, 0, 0], [1, 0, 0]]
    prefs = seen.preferences()
    assert (prefs.left.tolist(), prefs.right.tolist()) == ([0, 0], [1, 2])  # 1 and 2 never met
    assert prefs.outcome_counts.tolist() == [[2, 0, 1], [0, 1, 1]]
    assert len(seen.decided().left) == 4
