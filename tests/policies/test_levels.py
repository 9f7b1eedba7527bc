"""Levels of an episode: what counts adds up over steps, and only what must be remembered is."""

import numpy as np
import pytest

from lori import InputError
from lori.policies.levels import EpisodeLevels


def test_what_counts_of_an_episode_is_the_discounted_sum_of_what_its_steps_were_worth():
    levels = EpisodeLevels.of(2, [1, 0], [-2.5, None], 0.9)
    rewards = np.array([[0.0, -1.0], [0.0, -1.0], [7.0, -1.0], [0.0, -1.0]])
    totals = np.concatenate([[[0.0, 0.0]], np.cumsum(0.9 ** np.arange(4)[:, None] * rewards, axis=0)])
    gains = [levels.gained(totals[t], totals[t + 1], t) for t in range(4)]
    worth = sum(0.9**t * gain for t, gain in enumerate(gains))
    np.testing.assert_allclose(worth, levels.counted(totals[-1]) - levels.counted(totals[0]))
    assert levels.memory == (1,)
    assert levels.clock
    assert not EpisodeLevels.of(2, None, None, 0.9).clock


@pytest.mark.parametrize("wrong", [([0, 0], None, 1.0), ([0, 2], None, 1.0), (None, [1.0], 1.0), (None, None, 0.0)])
def test_what_is_wrong_is_said(wrong):
    with pytest.raises(InputError):
        EpisodeLevels.of(2, *wrong)
