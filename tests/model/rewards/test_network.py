"""Network rewards: layers of tanh units."""

import numpy as np
import pytest

from lori.model.rewards import Network

NAMES = ("cost", "benefit", "need")


def test_a_network_is_its_layers_written_out(random, values):
    reward = Network(hidden=(4, 3))
    parts = [random.normal(size=shape) for shape in [(3, 4), (4,), (4, 3), (3,), (3,)]]
    x = random.normal(size=(6, 3))
    expected = np.tanh(np.tanh(x @ parts[0] + parts[1]) @ parts[2] + parts[3]) @ parts[4]
    flat = np.concatenate([part.ravel() for part in parts])
    assert len(flat) == reward.size(NAMES)
    np.testing.assert_allclose(values(reward, flat, x), expected, rtol=1e-12)


@pytest.mark.parametrize("hidden", [(), (0,), (4, -1)])
def test_a_network_without_units_is_refused(hidden, refused):
    assert refused(Network, hidden=hidden).startswith("hidden: ")
