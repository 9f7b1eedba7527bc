"""Have the data of the contests the shape that they should, and is a contest judged?"""

import numpy as np

from lori.experiments.bench import sets
from lori.experiments.bench.contest import Outcome, Row, Seconds


def test_shapes():
    trips = sets.swissmetro_like(200)
    assert trips.features == ("train", "car", "hours", "price")
    assert set(trips.sizes.tolist()) == {2, 3}
    assert (trips.outcome_totals > 0).all()
    wide = sets.random_sets(5, 30, 2)
    assert wide.sizes.tolist() == [30] * 5


def test_contests_are_judged(monkeypatch):
    class Fit:
        log_likelihood_ = -10.0

    def hold(case, contestants, repeats):
        seconds = {sets.ONE: 1.0, sets.XLOGIT: 2.0, sets.REGRESSION: 1.0, sets.TWO: 50.0}
        rows = [Row(case, own.name, Seconds((seconds[own.name],))) for own in contestants]
        return Outcome(rows, {sets.ONE: Fit(), sets.TWO: Fit(), sets.XLOGIT: np.float64(-10.0)})

    monkeypatch.setattr(sets, "hold", hold)
    held = {claim.text: claim.holds for claim in sets.measure(sets.SMOKE).claims}
    assert held["sets: one level by xlogit, trips"]
    assert not held["sets: two levels by one, trips"]
    assert held["sets: seconds of two levels, wide sets"]
