"""Are decision-makers as noisy as asked for, and what was measured on each pooled?"""

import numpy as np
import pytest

from lori.experiments.bench import srmp
from lori.experiments.bench.contest import Row, Seconds


def test_a_task_for_srmp_has_as_much_noise_as_asked_for():
    generator = np.random.default_rng(0)
    clean = srmp.Task.draw(200, 0.3, 0.0, np.random.default_rng(5))
    noisy = srmp.Task.draw(200, 0.3, 0.1, np.random.default_rng(5))
    assert np.sum(clean.left_won != noisy.left_won) == 20
    gap = clean.left - clean.right
    sure = np.abs(gap[:, 0]) > 0.3
    np.testing.assert_array_equal(clean.left_won, np.where(sure, gap[:, 0] > 0, gap[:, 1] > 0))
    assert generator.uniform() < 1


def test_decision_makers_are_pooled_and_a_missing_rival_stays_named():
    fine = [Row("", "ours", Seconds((t,)), 1.0, "", {"accuracy": a}) for t, a in ((1.0, 0.8), (3.0, 0.9))]
    gone = Row("", "theirs", note="skipped: mcda is not installed")
    outcomes = [type("Outcome", (), {"rows": [row, gone]}) for row in fine]
    ours, theirs = srmp._pooled("20 pairs", outcomes)
    assert ours.seconds.values == (1.0, 3.0)
    assert ours.measures["accuracy"] == pytest.approx(0.85)
    assert (theirs.case, theirs.note) == ("20 pairs", gone.note)
