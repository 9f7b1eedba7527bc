"""Are the simulated kinds of people what they are said to be, and comparisons with them fair?"""

import numpy as np
import pytest

from lori.experiments.bench.population_classes import (
    KINDS,
    SHARES,
    Recovered,
    answers,
    calibration,
    true_memberships,
)


def recovered(predicted, belongs):
    return Recovered(0.0, True, (), predicted, belongs, known=predicted)


def test_answers_are_those_of_the_kinds_with_their_shares():
    data, kind = answers(KINDS, SHARES, people=2000, choices=3, seed=0)
    assert len(data) == 6000
    np.testing.assert_allclose(np.bincount(kind) / 2000, SHARES, atol=0.04)
    first = data.subset(np.repeat(kind == 0, 3))
    far = np.abs(first.differences[:, 0]) > 2.5  # far beyond the threshold of cost
    cheaper_won = (first.wins > 0) == (first.differences[:, 0] < 0)
    assert cheaper_won[far].mean() > 0.95


def test_calibration_is_that_of_the_bins():
    predicted, belongs = np.full(100, 0.25), np.arange(100) < 25
    (alone,) = calibration([recovered(predicted, belongs)])
    assert (alone.predicted, alone.seen, alone.count, alone.apart) == (0.25, 0.25, 100, 0.0)
    (off,) = calibration([recovered(predicted, ~belongs)])
    assert off.apart == off.naive > 2


def test_errors_of_bins_are_told_from_how_much_data_sets_differ():
    """Twenty data sets in which all people err together tell no more than twenty people."""
    predicted, together = np.full(50, 0.25), np.arange(20) < 8
    found = [recovered(predicted, np.full(50, own)) for own in together]
    (own,) = calibration(found)
    assert own.apart == pytest.approx((0.4 - 0.25) / together.std(ddof=1) * np.sqrt(20))
    assert own.naive > 5 * own.apart


def test_who_knows_the_truth_tells_members_by_the_rule_of_bayes():
    data, _ = answers(KINDS, SHARES, people=4, choices=3, seed=1)
    asked = data.subset(np.array(data.agent) == "2")
    weights = [
        share * np.prod([one.predict_proba(left[None], right[None])[0, 0 if won else 2] for left, right, won in rows])
        for one, share in zip(KINDS, SHARES, strict=True)
        for rows in [list(zip(asked.left_features, asked.right_features, asked.wins, strict=True))]
    ]
    (found,) = true_memberships(KINDS, SHARES, data, ["2"])
    np.testing.assert_allclose(found, np.array(weights) / np.sum(weights), rtol=1e-9)


def test_true_memberships_come_true():
    """The mean over 1 000 people, in units of its standard error."""
    data, kind = answers(KINDS, SHARES, people=1000, choices=5, seed=2)
    known = true_memberships(KINDS, SHARES, data, [str(own) for own in range(1000)])
    belongs = kind[:, None] == np.arange(3)
    apart = (belongs - known).sum(axis=0) / np.sqrt((known * (1 - known)).sum(axis=0))
    assert np.abs(apart).max() < 3
