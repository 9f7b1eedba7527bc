"""Is a population compared fairly with one model for all and one for each?"""

import numpy as np
import pytest

import lori
from lori.evaluation.people import compare, gain


def test_the_error_of_a_gain_is_that_of_clusters():
    own, other, agent = np.array([1.0, 2.0, 4.0, 5.0]), np.zeros(4), np.array(["a", "a", "b", "b"])
    mean, error = gain(own, other, np.ones(4), agent)
    assert (mean, error) == (3.0, pytest.approx(np.sqrt(3.0**2 + 3.0**2) / 4))


def test_two_kinds_are_foretold_better_than_by_one_model(two_kinds):
    data, _ = two_kinds
    found = compare(lori.Population(classes=2, levels=1, lapse=0, starts=4), data)
    assert (found.choices, found.agents) == (300, 60)
    assert [own.name for own in found.rivals] == ["one model for all", "one model for each"]
    for own in found.rivals:
        assert own.advantage == pytest.approx(found.log_likelihood - own.log_likelihood)
    assert found.rivals[0].advantage > 2 * found.rivals[0].error
