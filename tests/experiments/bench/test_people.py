"""Are false alarms and power counted for the right truths, and is an interval that is missing no success?"""

import numpy as np
import pytest

from lori.experiments import power
from lori.experiments.bench import people
from lori.experiments.power import Run

NAMES = [truth.name for truth in people.TRUTHS]


def test_the_capped_truth_stops_counting():
    model = people.TRUTHS[3].model
    alternatives = np.random.default_rng(0).normal(size=(4000, 2))
    assert np.mean(alternatives @ [6.0, 3.0] > 4.0) == pytest.approx(0.28, abs=0.03)
    above = np.array([[1.0, 0.0], [3.0, 1.0]])
    assert np.ptp(model.rewards(above)) < 1e-6
    assert np.ptp(model.rewards(-above)) > 10


@pytest.mark.parametrize(
    ("interval", "covers"),
    [((0.5, 1.5), True), ((1.1, 2.0), False), ((None, 1.5), True), ((0.5, None), True), (None, False)],
)
def test_what_covers(interval, covers):
    assert people._covers(interval, 1.0) is covers


def test_every_truth_is_judged_by_what_it_should_be(tmp_path, monkeypatch):
    """One level: nothing must be found in more than 5 %. Two: found often, and intervals that cover."""
    calls = []

    def fake(scenario, seeds):
        calls.append((len(scenario.model.levels), scenario.slips, seeds[0]))
        slips = scenario.slips
        return [
            Run(
                "weakly supported" if seed % 2 else "not supported", True, 1.0, (0.5, 1.5),
                slips + 0.01, (slips, slips + 0.1) if seed % 10 else None,
            )
            for seed in seeds
        ]  # fmt: skip

    monkeypatch.setattr(power, "fitted_runs", fake)
    bars = []
    settings = people.PeopleSettings(repeats=40, slips=(0.0, 0.1))
    measured = people.measure(settings, tmp_path, print, lambda done, of: bars.append((done, of)))
    assert bars[-1] == (20, 20)
    assert min(first for _, _, first in calls) == 100
    assert [row.measures.get("false alarms") for row in measured.rows] == [0.5] * 8 + [None] * 2
    two = measured.rows[-1].measures
    assert (two["power"], two["threshold covered"], two["slips covered"]) == (0.5, 1.0, 0.9)
    assert two["mean slips"] == pytest.approx(0.11)
    claims = {claim.text: claim.holds for claim in measured.claims}
    assert len(claims) == 8 + 2 + 1 + 4
    assert not claims[f"people: {NAMES[1]}, 10 % slips: false alarms"]
    assert not claims[f"people: {NAMES[4]}, 0 % slips: power"]
    assert claims[f"people: {NAMES[4]}, 10 % slips: power"]
    assert claims[f"people: {NAMES[4]}, 0 % slips: mean of the estimated slips"]
    assert not claims[f"people: {NAMES[4]}, 10 % slips: coverage of the 95 % interval of the threshold, at most"]
    assert "50 ± 8 %" in measured.table
    again = people.measure(settings, tmp_path, print, lambda done, of: None)
    assert again.table == measured.table
    assert len(calls) == 20


def test_without_estimated_slips_nothing_is_said_of_them():
    runs = [Run("supported", True, 1.0, (0.5, 1.5))] * 4
    outcome = people.Outcome.of(people.TRUTHS[-1], 0.0, runs)
    assert (outcome.slips_covered, outcome.mean_slips) == (None, None)
    assert "slips covered" not in people.table([outcome])
