"""Is anybody lexicographic?"""

from types import SimpleNamespace

import numpy as np
import pytest

import lori
from lori.evaluation.lexicographic import PER_PARAMETER, LexicographicPeople
from lori.experiments.bench.population_hierarchy import halves
from lori.experiments.bench.populations import Design, one_level, two_levels


@pytest.mark.parametrize(("gain", "holds"), [(8.9, False), (9.1, True)])
def test_each_further_parameter_must_gain_some_log_likelihood(gain, holds):
    one = SimpleNamespace(log_likelihood_=-100.0, n_parameters_=8)
    classes = tuple(SimpleNamespace(levels_=(0,) * levels) for levels in (2, 1))
    some = SimpleNamespace(log_likelihood_=gain - 100, n_parameters_=23, classes_=classes, shares_=np.array([0.6, 0.4]))
    found = LexicographicPeople(one, some)
    assert found.needed == PER_PARAMETER * 15
    assert found.holds is holds
    assert found.share == 0.6
    assert ("60 %" in str(found)) is holds


def test_what_is_given_level_by_level_is_that_of_one_level_too():
    data = one_level(Design(6, 4, 2), 0)
    found = lori.lexicographic_people(data, lori.Population(epsilon=(None, 0.0)))
    assert found.one.classes_[0].levels_[0].epsilon == 0.0
    assert found.some.n_parameters_ - found.one.n_parameters_ == 2 * (4 + 1 + 1) + 1


@pytest.mark.slow
def test_half_of_the_people_are_found_and_nobody_where_all_trade_off():
    design = Design(60, 20, 2)
    trading = one_level(design, 2, weight=2.5)
    assert not lori.lexicographic_people(trading).holds
    found = lori.lexicographic_people(halves(two_levels(design, 1, spread=0.3), trading))
    assert found.holds
    assert abs(found.share - 0.5) < 0.2
    true = np.array([int(agent) < 30 for agent in found.some.agents_])
    ordered = [place for place, own in enumerate(found.some.classes_) if len(own.levels_) > 1]
    assert np.mean((found.some.members_[:, ordered[0]] > 0.5) == true) > 0.75
