"""Do the figures of populations show everybody, and say it in words?"""

import numpy as np
import pytest

from lori.interfaces.figures import populations


@pytest.mark.parametrize("agents", [3, 1000])
def test_members_stand_beside_those_who_are_like_them(agents):
    shares = np.random.default_rng(0).dirichlet([0.2, 0.2, 0.001], agents)
    figure = populations.members(shares, ["cost", "time", "comfort"], spread=True)
    (axes,) = figure.axes
    assert axes.get_xlim() == (0, agents)
    tops = [patch.get_data().values for patch in axes.patches]
    assert all(len(own) == min(agents, populations.COLUMNS) for own in tops)
    np.testing.assert_allclose(tops[-1], 1.0, atol=0.011)
    assert f"Of {agents:,} agents, what comes first is known" in figure.get_label()
