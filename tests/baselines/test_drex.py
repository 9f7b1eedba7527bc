"""Does D-REX learn what noise spoils?"""

import numpy as np
import pytest

from lori.baselines.drex import DREX, cloned, follow
from lori.baselines.soft import Demonstrations
from lori.errors import InputError


@pytest.fixture(scope="module")
def shown(histories, drawn):
    """People who like to go east and do not care about rows."""
    return drawn(np.exp(1.5 * histories.states[:, :, 0].sum(axis=1)), 60)


def test_the_reward_is_what_noise_spoils(grid_world, shown, histories):
    model = DREX(trajectories=60, pairs=500).fit(shown, grid_world)
    assert np.all(np.diff(model.returns_) < 0)  # more noise, less reward
    change = model.reward_.reward([[0, 2], [1, 2], [0, 3]])
    assert change[1] - change[0] > 5 * abs(change[2] - change[0])
    left, right = histories.states[:30], histories.states[-30:]
    whole, means = model.predict_proba(left, right), model.predict_proba(left.mean(axis=1), right.mean(axis=1))
    assert means == pytest.approx(whole)  # a linear reward sees no difference


def test_cloned_actions_have_the_demonstrated_frequencies(grid_world, shown):
    given = Demonstrations.of(shown, grid_world)
    policy = cloned(given, grid_world)
    here = (given.cells[:, :-1] == [0, 2]).all(axis=2)
    seen = np.bincount(given.actions[here], minlength=4)
    assert policy[:, 0, 2] == pytest.approx((seen + 0.5) / (seen.sum() + 2))
    paths = follow(grid_world, policy, given, 500, np.random.default_rng(1000))
    first = np.mean((paths[:, 1] == [1, 2]).all(axis=1))
    assert first == pytest.approx(policy[0, 0, 2], abs=4 * np.sqrt(0.25 / 500))


def test_noise_must_be_shares(grid_world, shown):
    with pytest.raises(InputError, match="shares from 0 to 1"):
        DREX(noise=(0.0, 2.0)).fit(shown, grid_world)
