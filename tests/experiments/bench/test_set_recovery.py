"""Are deciders and intervals counted as the claims say?"""

from dataclasses import asdict

import numpy as np
import pytest

from lori.data.choices import Choices
from lori.estimators.lori import LORI
from lori.experiments.bench import set_recovery
from lori.experiments.bench.set_recovery import READINGS, SetCoverageSettings, SetRecoverySettings, Trial, correlated
from lori.model.decisions import simulated
from lori.model.ordered import OrderedModel
from lori.model.quantity import Quantity


def test_attributes_are_correlated_with_their_neighbours():
    drawn = correlated(np.random.default_rng(0), (20_000, 3), -0.5)
    assert np.corrcoef(drawn.T)[0] == pytest.approx([1, -0.5, 0.25], abs=0.04)


def test_only_those_whose_levels_decide_are_judged(monkeypatch, tmp_path):
    trials = [
        Trial(0.3, 0.2, True, True, 0.0, 0.98),
        Trial(0.05, 0.2, True, False, -0.1, 0.99),
        Trial(0.3, 0.05, True, False, 0.7, 0.55),
    ]
    monkeypatch.setattr(set_recovery, "_trials", lambda work: {"trials": [asdict(own) for own in trials]})
    settings = SetRecoverySettings(deciders=3, correlations=(0.5,))
    measured = set_recovery.measure(settings, tmp_path, print, lambda done, of: None)
    assert measured.rows[0].measures["right"] == 1
    assert measured.rows[0].measures["of"] == 2
    assert measured.rows[0].measures["least that a wrong order is ahead"] == 0.7
    assert "ahead of the optimum next to the truth by 0.70 to 0.70" in measured.rows[0].note
    assert [claim.value for claim in measured.claims] == [1.0, 0.5, 1.0, 1.0]
    posterior = measured.rows[1].measures
    assert (posterior["likeliest is right"], posterior["sure and right"], posterior["sure"]) == (1, 1, 1)
    assert posterior["expected"] == pytest.approx(1.53)
    assert "to a wrong order it gives 0.55 to 0.55" in measured.rows[1].note


def test_the_posterior_tells_how_probable_the_order_is():
    """A thousand choices of somebody with two clear levels leave no doubt; of twenty, hardly anything is known."""
    generator = np.random.default_rng(1000)
    truth = OrderedModel.linear([[2.0, 0.2, 0.0], [0.0, 0.3, 2.0]], epsilon=[1.5, 0.0])
    table = correlated(generator, (1000, 3, 3), 0.0)
    seen = simulated(truth, Choices.from_arrays(table, np.zeros(1000, int)), generator)
    told = []
    for own in (seen, seen[:20]):
        fit = LORI(levels=2, standard_errors="none").fit(own)
        told.append(set_recovery._probability(own, fit, 100))
    assert told[0] > 0.99
    assert told[1] < 0.9


def test_what_was_found_is_held_against_the_optimum_next_to_the_truth():
    """Where the order is right, both are the same."""
    generator = np.random.default_rng(1000)
    truth = OrderedModel.linear([[2.0, 0.2, 0.0], [0.0, 0.3, 2.0]], epsilon=[1.5, 0.0])
    table = correlated(generator, (300, 3, 3), 0.0)
    seen = simulated(truth, Choices.from_arrays(table, np.zeros(300, int)), generator)
    fit = LORI(levels=2, standard_errors="none").fit(seen)
    assert set_recovery._ahead(truth, seen, fit) == pytest.approx(0.0, abs=1e-6)


def test_intervals_are_counted_by_reading_and_kept(monkeypatch, tmp_path):
    wide, narrow = (Quantity(1.1, 0.1, own) for own in ((0.9, 1.3), (1.05, 1.2)))
    found = [{reading: own.to_dict() for reading, own in zip(READINGS, (wide, narrow, wide), strict=True)}] * 4
    done = []

    def intervals(work):
        done.append(work)
        return {"thresholds": found}

    monkeypatch.setattr(set_recovery, "_intervals", intervals)
    settings = SetCoverageSettings(data_sets=4)
    for _ in range(2):
        measured = set_recovery.measure_coverage(settings, tmp_path, print, lambda done, of: None)
    assert len(done) == 1  # the second time it was there
    assert [row.measures["coverage"] for row in measured.rows] == [1.0, 0.0, 1.0]
    assert [claim.holds for claim in measured.claims] == [True, False]
