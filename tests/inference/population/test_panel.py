"""Whose choices are they?"""

import numpy as np
import pytest

import lori
from lori.inference.population.panel import Panel


def data(agents):
    count = len(agents)
    return lori.Preferences.from_arrays(np.ones((count, 1)), np.zeros((count, 1)), agent=agents)


def test_totals_are_sums_over_each_agent_in_order_of_appearance():
    panel = Panel.of(data(["b", "a", "b", "c", "a"]))
    assert panel.agents == ("b", "a", "c")
    values = np.arange(10.0).reshape(2, 5)
    np.testing.assert_array_equal(panel.totals(values), [[2, 5, 3], [12, 15, 8]])
    assert panel.numbers_of(np.array(["c", "nobody", "b"])).tolist() == [2, -1, 0]


def test_choices_without_agents_and_of_one_agent_are_refused():
    with pytest.raises(lori.DataError, match="who made it"):
        Panel.of(lori.Preferences.from_arrays([[1.0]], [[0.0]]))
    with pytest.raises(lori.DataError, match="at least two agents"):
        Panel.of(data(["a", "a"]))
