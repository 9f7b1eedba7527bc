"""Are intervals that hold the truth counted, with their lengths, and is a rate of zero not judged?"""

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
