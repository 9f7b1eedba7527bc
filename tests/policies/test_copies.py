"""Copies of an environment: episodes side by side are those one by one, and chance can be repeated."""

import numpy as np
import pytest

from lori import InputError
from lori.policies.copies import Copies
from lori.policies.environments import make_environment

pytest.importorskip("mo_gymnasium", reason="needs lori[rl]")


def test_episodes_side_by_side_are_those_one_by_one():
    seeds = [3, 4, 5]

    def upwards(observed, step, totals):
        return np.zeros(len(observed), int), np.zeros(len(observed), int)

    def ran(count, own):
        copies = Copies(make_environment("resource-gathering-v0"), count)
        return copies.run(upwards, own, objectives=3, discount=0.9, horizon=6)

    together = ran(3, seeds)
    assert len(Copies(make_environment("resource-gathering-v0"), 2)) == 2
    for place, seed in enumerate(seeds):
        alone = ran(1, [seed])
        steps = int(alone.lengths[0])
        assert together.lengths[place] == steps
        np.testing.assert_array_equal(alone.observed[:, 0], together.observed[:steps, place])
        np.testing.assert_array_equal(alone.totals[-1, 0], together.totals[-1, place])
        np.testing.assert_array_equal(alone.last[0], together.last[place])
        assert alone.ended[0] == together.ended[place]


def test_what_cannot_be_copied_is_said():
    class Window:
        def __deepcopy__(self, memo):
            raise TypeError("a window")

    env = Window()
    with pytest.raises(InputError, match="can be copied"):
        Copies(env, 2)
    with pytest.raises(InputError, match="environments"):
        Copies(env, 0)
