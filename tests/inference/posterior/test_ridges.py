"""Points along ridges: are they on the likelihood's ridge, and do draws reach as far as the posterior does?"""

import numpy as np
import pytest

from lori import LORI
from lori.inference.posterior.ridges import MULTIPLES, THRESHOLDS, along_ridges
from lori.inference.problem import Problem
from lori.model.ordered import OrderedModel
from lori.model.simulation import simulate

TRUTH = OrderedModel.linear([[2.0, 0.3], [0.5, 8.0]], epsilon=[2.0, 3.0], features=["need", "benefit"])


@pytest.fixture(scope="module")
def fitted():
    data = simulate(TRUTH, 400, seed=1000)
    model = LORI(levels=2).fit(data)
    optimum = model.optimum_
    return data, model, Problem.of(optimum.units.specification, [data], optimum.prior, optimum.units.scaling)


def test_one_number_is_held_and_all_else_is_best(fitted):
    """Moved by a little in any other coordinate, a point gets worse; of slips, the logarithm is looked at."""
    _, model, problem = fitted
    best, specification = model.optimum_.vector, problem.specification
    lower, upper = specification.bounds
    slip = specification.lapse_slot

    def minus_log_density(vector):
        return problem.evaluate(vector[None, None], 0).value[0, 0] - np.log(vector[slip])

    largest = [int(slots[np.abs(best[slots]).argmax()]) for slots in specification.reward_slots]
    multiples = {place: np.multiply(best[place], MULTIPLES) for place in largest}
    multiples |= {
        place: np.multiply(max(best[place], 1.0), THRESHOLDS) for place in specification.epsilon_slots.values()
    }
    first, *points = along_ridges(problem, [model.optimum_])[0]
    held_at = [
        [place for place, own in multiples.items() if np.isclose(point.vector[place], own).any()] for point in points
    ]
    assert all(held_at)
    assert set(np.concatenate(held_at)) == set(multiples)  # every ridge has points that are not out of the question
    for point, held in zip([first, *points], [[], *held_at], strict=True):
        at, around = minus_log_density(point.vector), []
        for place in set(range(specification.size)) - set(held):
            for step in (-0.01, 0.01) if place == slip else (-0.3, 0.3):
                moved = point.vector.copy()
                moved[place] = np.clip(moved[place] + step, max(lower[place], 1e-9), upper[place])
                around.append(minus_log_density(moved))
        assert at < min(around) + 0.1
        assert at <= minus_log_density(first.vector) + 12


def test_a_closed_threshold_is_opened():
    """At zero its slope vanishes, so that it would stay there."""
    data = simulate(OrderedModel.linear([[2.0, 0.3], [0.5, 2.0]], epsilon=[2.0, 0.0]), 400, seed=1001)
    model = LORI(levels=2).fit(data)
    optimum = model.optimum_
    last = optimum.units.specification.epsilon_slots[1]
    assert optimum.vector[last] == 0
    problem = Problem.of(optimum.units.specification, [data], optimum.prior, optimum.units.scaling)
    assert max(point.vector[last] for point in along_ridges(problem, [optimum])[0]) > 1


def test_points_of_several_groups_are_those_of_each_alone(fitted):
    data, model, problem = fitted
    other = simulate(TRUTH, 300, seed=1002)
    both = Problem.of(problem.specification, [data, other], problem.prior, problem.scaling)
    optima = [model.optimum_, LORI(levels=2).fit(other).optimum_]
    for group, own in enumerate(along_ridges(both, optima)):
        (alone,) = along_ridges(both.of_group(group), [optima[group]])
        assert len(own) == len(alone) > 3
        for point, same in zip(own, alone, strict=True):
            np.testing.assert_allclose(point.vector, same.vector, rtol=1e-6, atol=1e-6)
            assert point.value == pytest.approx(same.value, abs=1e-6)


def test_draws_reach_along_the_ridge(fitted):
    """Weights of a level that decides sharply have a long tail."""
    pytest.importorskip("blackjax", reason="blackjax is not installed (pip install 'lori[bayes]')")
    data, model, _ = fitted
    ours = model.posterior(data, draws=2000, seed=0)
    smc = model.posterior(data, method="smc", draws=1000, seed=0)
    place = int(np.abs(model.optimum_.vector[2:4]).argmax()) + 2
    reach, theirs = (float(np.quantile(np.abs(own.draws[:, place]), 0.95)) for own in (ours, smc))
    assert reach == pytest.approx(theirs, rel=0.25)
    assert ours.log_evidence == pytest.approx(smc.log_evidence, abs=0.6)
