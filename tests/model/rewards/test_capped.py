"""Capped rewards: the soft minimum of a weighted sum and a cap."""

import numpy as np

from lori.model.rewards import Capped, Linear


def test_a_capped_reward_is_the_soft_minimum(random, values):
    weights, cap, x = random.normal(size=3), 0.4, random.normal(size=(50, 3))
    plain = x @ weights
    expected = -np.log(np.exp(-3 * cap) + np.exp(-3 * plain)) / 3
    np.testing.assert_allclose(values(Capped(sharpness=3.0), [*weights, cap], x), expected, rtol=1e-12)


def test_a_capped_reward_approaches_the_minimum_as_it_sharpens(random, values):
    weights, cap, x = random.normal(size=3), 0.4, random.normal(size=(50, 3))
    hard = np.minimum(cap, x @ weights)
    for sharpness in (1.0, 10.0, 1e3, 1e6):
        below = hard - values(Capped(sharpness=sharpness), [*weights, cap], x)
        assert (below >= -1e-12).all()
        assert below.max() <= np.log(2) / sharpness + 1e-12  # the most that softmin can lack


def test_only_a_capped_reward_has_a_cap():
    assert Capped().cap(np.array([1.0, 2.0, 3.0, 9.0])) == 9.0
    assert Linear().cap(np.ones(3)) is None
