"""Do all data sets have one prior, so that a batch of them is fitted as each alone, and do stopped runs go on?"""

from dataclasses import replace

import numpy as np

from lori.experiments.bench import calibration
from lori.experiments.bench.calibration import SMOKE, Trial, _drawn


def test_data_sets_share_their_scaling_and_not_their_truth():
    (one, chosen), (other, _) = (_drawn(SMOKE, 50, seed) for seed in (1, 2))
    assert one.settings == other.settings
    for decider in (one, other):
        np.testing.assert_allclose(decider.scaling.location, 0.0, atol=1e-12)
        np.testing.assert_allclose(decider.scaling.scale, 1.0, atol=1e-12)
    assert not np.allclose(one.vector, other.vector)
    again = _drawn(SMOKE, 50, 1)[1]
    assert np.array_equal(chosen.wins, again.wins)


def test_batches_are_kept(tmp_path, monkeypatch):
    done = []

    def trials(work):
        _, method, _, seeds = work
        done.append((method, *seeds))
        return [Trial({"weight": seed / 20, "log-likelihood": 0.5}, {"weight": seed > 0}, True) for seed in seeds]

    monkeypatch.setattr(calibration, "_trials", trials)
    settings = replace(SMOKE, data_sets=12, laplace_data_sets=15)
    first, again = (calibration.measure(settings, tmp_path, lambda text: None, lambda done, of: None) for _ in range(2))
    ends = {"smc": 12, "laplace": 15}
    assert done == [(method, *seeds) for method, end in ends.items() for seeds in (range(10), range(10, end))]
    assert again.rows == first.rows
    assert first.rows[0].measures["coverage"] == 11 / 12
