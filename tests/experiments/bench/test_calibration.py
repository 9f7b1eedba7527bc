"""Do all data sets have one prior, so that a batch of them is fitted as each alone?"""

import numpy as np

from lori.experiments.bench.calibration import SMOKE, _drawn


def test_data_sets_share_their_scaling_and_not_their_truth():
    (one, chosen), (other, _) = (_drawn(SMOKE, 50, seed) for seed in (1, 2))
    assert one.settings == other.settings
    for decider in (one, other):
        np.testing.assert_allclose(decider.scaling.location, 0.0, atol=1e-12)
        np.testing.assert_allclose(decider.scaling.scale, 1.0, atol=1e-12)
    assert not np.allclose(one.vector, other.vector)
    again = _drawn(SMOKE, 50, 1)[1]
    assert np.array_equal(chosen.wins, again.wins)
