"""Is recovery judged by what hangs on a level, and are random models as asked?"""

import numpy as np

from lori.experiments.bench import recovery
from lori.model.ordered import OrderedModel


def test_what_hangs_on_a_level_is_what_changes_without_it():
    """By hand: twice the same objective decides nothing the second time, and hardly anything the first time."""
    left = np.array([[0.3, 1.0], [0.9, -2.0], [3.0, -1.0], [0.0, 0.1]])
    right = np.zeros((4, 2))
    crossed = OrderedModel.linear([[1.0, 0.0], [0.0, 1.0]], epsilon=[1.0, 0.5])
    assert recovery.hanging(crossed, left, right).tolist() == [1 / 4, 2 / 4]  # pair 3; pairs 1 and 2
    repeated = OrderedModel.linear([[1.0, 0.0], [1.0, 0.0]], epsilon=[1.0, 0.5])
    assert recovery.hanging(repeated, left, right).tolist() == [0.0, 1 / 4]  # nothing; pair 2


def test_levels_are_matched_by_where_their_weights_point():
    truth = OrderedModel.linear([[1.0, 0.0], [0.0, 1.0]], epsilon=[1.0, 0.0])
    near = OrderedModel.linear([[5.0, 1.0], [-0.1, 0.2]], epsilon=[2.0, 0.0])
    swapped = OrderedModel.linear([[0.1, 1.0], [1.0, 0.1]], epsilon=[1.0, 0.0])
    silent = OrderedModel.linear([[1.0, 0.1], [0.0, 0.0]], epsilon=[0.0, 0.0])
    assert [recovery.in_order(truth, fitted) for fitted in (near, swapped, silent)] == [True, False, True]
    three = OrderedModel.linear([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], epsilon=[1.0, 1.0, 0.0])
    assert recovery.in_order(three, near)  # the first and the third
    assert not recovery.in_order(three, swapped)


def test_random_models_are_as_asked():
    model = recovery.random_model(np.random.default_rng(3), 3, 4, speaks=0.1, decides=0.05)
    left, right = np.random.default_rng(4).normal(size=(2, 20_000, 4))
    speaking = model.decisions(left, right)
    error = 3 * np.sqrt(0.1 / recovery.PROBES)  # the shares were judged on so many pairs
    assert (speaking.left + speaking.right).mean(axis=0).min() > 0.1 - error
    assert recovery.hanging(model, left, right).min() > 0.05 - error


def test_recovery_is_told_by_what_hangs_on_the_weakest_level(monkeypatch):
    trials = [
        recovery.Trial(0.001, right=False, fewer=True, stands=True, rmse=0.02),
        recovery.Trial(0.2, right=True, fewer=False, stands=True, rmse=0.01),
        recovery.Trial(0.1, right=True, fewer=True, stands=False, rmse=0.025),
    ]
    monkeypatch.setattr(recovery, "each", lambda function, work, jobs: trials)
    measured = recovery.measure(recovery.SMOKE)
    told = [tuple(row.measures[name] for name in ("right", "fewer", "stands", "close")) for row in measured.rows]
    assert told == [(0, 1, 1, 1), (2, 1, 1, 2)]
    assert [claim.holds for claim in measured.claims] == [True, False, True]
