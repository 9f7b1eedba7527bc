"""Do moves lead from a wrong optimum of classes to a better one?"""

import numpy as np
import pytest

import lori
from lori.inference.population.classes import Mixture
from lori.inference.population.panel import Panel
from lori.inference.population.search import MOVED, led, moves, stepped
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

PEOPLE, EACH = 90, 20
ORDER = lori.OrderedModel.linear([[-3.0, 0.0, 0.0], [0.0, -3.0, 0.0]], epsilon=[3.0, 0.0])
TRADE = lori.OrderedModel.linear([[-1.5, -1.5, 1.5]], epsilon=[0.0])


@pytest.fixture(scope="module")
def orders_and_trades():
    """People with an order and people who trade off, a class for each, and who is who."""
    random, groups = np.random.default_rng(5), []
    trades = np.arange(PEOPLE) % 3 == 0
    for person in range(PEOPLE):
        sides, own = random.normal(size=(2, EACH, 3)), TRADE if trades[person] else ORDER
        counts = own.sample(*sides, seed=random)
        groups.append(lori.Preferences.from_arrays(*sides, counts=counts, agent=[str(person)] * EACH))
    data, problems = lori.Preferences.concatenate(groups), []
    for levels in (2, 1):
        settings = checked_settings(lori.LORI(levels=levels, lapse=0).get_params(deep=False), [data])
        problems.append(Problem.of(settings.specification, [data], settings.prior))
    return Mixture(tuple(problems), Panel.of(data), np.ones((PEOPLE, 1))), trades


def test_classes_with_different_levels_change_their_people(orders_and_trades):
    mixture, trades = orders_and_trades
    two, one = (own.specification for own in mixture.problems)
    trade, other, order = np.array([-1.5, -1.5, 1.5]), np.full(3, 0.1), np.array([-2.0, -0.5, 0.0])
    start = [two.pack([trade, other], np.array([0.5, 0.1]), np.ones(2)), one.pack([order], np.ones(1), np.ones(1))]
    wrong = mixture.joined(start, np.array([1, 2]) / 3)
    end = mixture.polished(wrong[None], tolerance=1e-3, iterations=50)
    (member,), _ = mixture.memberships(end.vectors)
    assert member[0, trades].mean() > 0.6  # who trades off is in the class with two levels
    value, vector = led(mixture, stepped(mixture, moves(mixture, end.vectors[0], np.random.default_rng(0)), 5), MOVED)
    assert value < end.values[0] - 5
    (member,), _ = mixture.memberships(vector[None])
    assert member[1, trades].mean() > 0.7
    assert member[0, ~trades].mean() > 0.7
