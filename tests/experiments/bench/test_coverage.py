"""Are intervals that hold the truth counted, with their lengths, and is a rate of zero not judged?"""

import numpy as np
import pytest

from lori.experiments.bench import coverage
from lori.experiments.bench.coverage import CoverageSettings, Interval, Trial


def trial(*, wide: bool) -> Trial:
    """ε of the first level is held by the wide interval alone."""
    first = Interval(0.0, 4.0, 3.0) if wide else Interval(0.0, 1.0, 3.0)
    slips = Interval(0.0, 0.05, 0.0) if wide else None
    return Trial({"level 1: ε": first, "rate of slips": slips}, slips=0.01 * wide, predicted=0.9)


def test_intervals_are_counted_with_their_lengths_and_kept(monkeypatch, tmp_path):
    asked = []

    def answer(work):
        *_, seeds = work
        asked.append(list(seeds))
        return [trial(wide=seed != 9) for seed in seeds]

    monkeypatch.setattr(coverage, "_trials", answer)
    settings = CoverageSettings(data_sets=4, batch=2, lapses=(0.0,), first_seed=7, jobs=1)
    measured, again = (coverage.measure(settings, tmp_path, lambda text: None, lambda done, of: None) for _ in range(2))
    assert asked == [[7, 8], [9, 10]]
    assert again.rows == measured.rows
    rows = {row.contestant: row.measures for row in measured.rows}
    assert rows["level 1: ε"] == {"coverage": 0.75, "intervals": 4.0, "median length": 4.0}
    assert rows["rate of slips"] == {"coverage": 1.0, "intervals": 3.0, "median length": 0.05}
    assert rows["estimated rate of slips"]["mean"] == pytest.approx(0.0075)
    held = {claim.text.removeprefix("coverage: "): claim.holds for claim in measured.claims}
    assert not held["least of the 95 % intervals, 0% slips"]  # 75 %
    assert held["most of the 95 % intervals, 0% slips"]  # without the rate of slips, which is zero
    assert held["mean of the estimated slips, 0% slips"]


def test_truths_are_one_or_drawn_for_each_data_set():
    settings, generator = CoverageSettings(pairs=50), np.random.default_rng(0)
    sides = generator.normal(size=(2, 50, 2))
    one = coverage._truth(settings, 0.1, sides, generator)
    assert one.lapse == 0.1
    np.testing.assert_array_equal([level.weights for level in one.levels], [[3, 0], [0, 3]])
    drawn, other = (coverage._truth(settings, None, sides, generator) for _ in range(2))
    assert [len(own.levels) for own in (drawn, other)] == [2, 2]
    assert 0 < drawn.lapse < 1
    assert not np.array_equal(drawn.levels[0].weights, other.levels[0].weights)
