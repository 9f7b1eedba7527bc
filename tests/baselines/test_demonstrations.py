"""Are demonstrations that cannot be learned from refused in one plain sentence?"""

import numpy as np
import pytest

from lori.baselines.demonstrations import decisions
from lori.errors import DataError
from lori.policies.rollouts import Rollouts

STATES = np.arange(12.0).reshape(2, 3, 2)
ACTIONS = np.array([[0, 1], [1, 0]])


def test_the_last_state_has_no_decision():
    states, actions = decisions(Rollouts(STATES, ACTIONS, ("a", "b")), 2)
    assert states.tolist() == [[0, 1], [2, 3], [6, 7], [8, 9]]
    assert actions.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("states", "actions", "message"),
    [
        (STATES[:, :1], ACTIONS[:, :0], "at least one decision"),
        (STATES[:0], ACTIONS[:0], "at least one decision"),
        (STATES, ACTIONS + 1, "whole numbers from 0 to 1"),
        (STATES, ACTIONS - 1, "whole numbers from 0 to 1"),
        (STATES, ACTIONS + 0.5, "whole numbers from 0 to 1"),
        (np.where(STATES == 3, np.nan, STATES), ACTIONS, "finite numbers"),
        (STATES[:, :2], ACTIONS, "decisions \\+ 1"),
        (STATES, ACTIONS[0], "decisions \\+ 1"),
        ([["many"]], ACTIONS, "an array of numbers"),
    ],
)
def test_what_is_refused(states, actions, message):
    with pytest.raises(DataError, match=message) as problem:
        decisions(Rollouts(states, actions, ("a", "b")), 2)
    assert str(problem.value).count("\n") == 0
