"""Are distributions between people learned, one for all or one for each class, and who is of which?"""

import numpy as np
import pytest

from lori.inference.population.checkpoint import Checkpoint
from lori.inference.population.hierarchy import Distribution, Hierarchy, start_of
from lori.inference.population.spread import Kind, learn, with_another


@pytest.fixture(scope="module")
def kept():
    return Checkpoint()


@pytest.fixture(scope="module")
def learned(people, kept):
    problem, pooled = people
    return learn([(Kind.around(Hierarchy(problem), start_of(pooled, np.array([0.5, -0.5]))),)], kept)


def test_the_distribution_is_learned(people, learned):
    _, pooled = people
    assert learned.converged
    in_units, (kind,) = pooled.scaling.scale, learned.kinds
    found, count = kind.distribution, kind.hierarchy.agents
    np.testing.assert_allclose(found.mean / in_units, [2.0, -1.0], atol=4 * 1.2 / np.sqrt(count) + 0.15)
    np.testing.assert_allclose(found.deviation / in_units, [1.2, 0.4], atol=0.5)
    mean_error, deviation_error = learned.errors()
    off = np.abs(found.mean / in_units - [2.0, -1.0]) * in_units / mean_error
    assert off.max() < 4
    assert np.abs(np.log(found.deviation / in_units / [1.2, 0.4]) / deviation_error).max() < 4
    assert learned.people[0].effective(found).min() > 50
    draws = learned.posterior(64)
    assert draws.shape == (count, 64, 2)
    assert draws.std(axis=1).mean() < found.deviation.mean()  # choices tell something


def test_a_class_more_never_explains_less_and_members_add_up_to_one(people, learned):
    problem, pooled = people
    around = [start_of(pooled, np.array(own)) for own in ([-0.5, -0.5], [3.0, -1.0])]
    two = learn(with_another(learned, Hierarchy(problem), around))
    assert two.log_likelihood > learned.log_likelihood - 1  # draws are not the same
    assert two.parameters == 2 * learned.parameters + 1
    np.testing.assert_allclose(two.members.sum(axis=0), 1.0)
    assert sum(own.share for own in two.kinds) == pytest.approx(1.0)
    np.testing.assert_allclose(two.members.mean(axis=1), [own.share for own in two.kinds], atol=0.02)


def test_what_was_learned_is_recalled(people, learned, kept):
    elsewhere = Kind.around(Hierarchy(people[0]), Distribution(np.zeros(2), np.ones(2)))
    (again,), (before,) = learn([(elsewhere,)], kept).kinds, learned.kinds
    np.testing.assert_array_equal(again.distribution.mean, before.distribution.mean)
    np.testing.assert_array_equal(again.best, before.best)
    assert again.share == before.share
