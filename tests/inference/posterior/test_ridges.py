"""Points along ridges: are they on the likelihood's ridge, and do draws reach as far as the posterior does?"""

import numpy as np
import pytest

from lori import LORI
from lori.inference.posterior.ridges import MULTIPLES, along_ridges
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


def test_one_weight_is_held_and_all_else_is_best(fitted):
    """Moved by a little in any other coordinate, a point gets worse."""
    _, model, problem = fitted
    optimum, specification = model.optimum_, problem.specification
    points = along_ridges(problem, optimum)
    assert points
    lower, upper = specification.bounds
    for point in points:
        ratios = [
            point.vector[slots[np.abs(optimum.vector[slots]).argmax()]] / np.abs(optimum.vector[slots]).max()
            for slots in specification.reward_slots
        ]
        (held,) = [level for level, own in enumerate(ratios) if np.isclose(np.abs(own), MULTIPLES).any()]
        slots = specification.reward_slots[held]
        largest = slots[np.abs(optimum.vector[slots]).argmax()]
        at, around = problem.evaluate(point.vector[None, None], 0).value[0, 0], []
        for place in set(range(specification.size)) - {largest}:
            for step in (-0.3, 0.3):
                moved = point.vector.copy()
                moved[place] = np.clip(moved[place] + step, lower[place], upper[place])
                around.append(problem.evaluate(moved[None, None], 0).value[0, 0])
        assert at < min(around) + 0.1
        assert at <= optimum.value + 12


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
