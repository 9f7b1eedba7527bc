"""Do moves lead from a wrong optimum of classes to a better one, and is the end the best for all people?"""

import numpy as np
import pytest

import lori
from lori.inference.population import fitting, search
from lori.inference.population.classes import Mixture
from lori.inference.population.panel import Panel
from lori.inference.population.search import MOVED, find_classes, led, moves, stepped
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

PEOPLE, EACH = 90, 20
ORDER = lori.OrderedModel.linear([[-3.0, 0.0, 0.0], [0.0, -3.0, 0.0]], epsilon=[3.0, 0.0])
TRADE = lori.OrderedModel.linear([[-1.5, -1.5, 1.5]], epsilon=[0.0])


@pytest.fixture(scope="module")
def panel():
    """People with an order and people who trade off, and who is who."""
    random, groups = np.random.default_rng(5), []
    trades = np.arange(PEOPLE) % 3 == 0
    for person in range(PEOPLE):
        sides, own = random.normal(size=(2, EACH, 3)), TRADE if trades[person] else ORDER
        counts = own.sample(*sides, seed=random)
        groups.append(lori.Preferences.from_arrays(*sides, counts=counts, agent=[str(person)] * EACH))
    return lori.Preferences.concatenate(groups), trades


@pytest.fixture(scope="module")
def settings(panel):
    """Of a class with two levels, and of one with one."""
    models = [lori.LORI(levels=levels, lapse=0) for levels in (2, 1)]
    return [checked_settings(own.get_params(deep=False), [panel[0]]) for own in models]


@pytest.fixture(scope="module")
def mixture(panel, settings):
    problems = [Problem.of(own.specification, [panel[0]], own.prior) for own in settings]
    return Mixture(tuple(problems), Panel.of(panel[0]), np.ones((PEOPLE, 1)))


def joined(mixture, levels, one_level, shares):
    """Classes with these weights, and thresholds for the first two levels."""
    (weights, thresholds), (two, one) = levels, (own.specification for own in mixture.problems)
    parts = [two.pack(weights, thresholds, np.ones(2)), one.pack([one_level], np.ones(1), np.ones(1))]
    return mixture.joined(parts, np.array(shares))


@pytest.fixture(scope="module")
def wrong(mixture):
    """Who trades off is in the class with two levels."""
    levels = ([np.array([-1.5, -1.5, 1.5]), np.full(3, 0.1)], np.array([0.5, 0.1]))
    return joined(mixture, levels, np.array([-2.0, -0.5, 0.0]), [1 / 3, 2 / 3])


def test_classes_with_different_levels_change_their_people(panel, mixture, wrong):
    trades = panel[1]
    end = mixture.polished(wrong[None], tolerance=1e-3, iterations=50)
    (member,), _ = mixture.memberships(end.vectors)
    assert member[0, trades].mean() > 0.6  # who trades off is in the class with two levels
    value, vector = led(mixture, stepped(mixture, moves(mixture, end.vectors[0], np.random.default_rng(0)), 5), MOVED)
    assert value < end.values[0] - 5
    (member,), _ = mixture.memberships(vector[None])
    assert member[1, trades].mean() > 0.7
    assert member[0, ~trades].mean() > 0.7


@pytest.mark.parametrize("worse_last", [True, False])
def test_what_only_some_of_the_people_speak_for_is_not_the_end(mixture, wrong, monkeypatch, worse_last):
    """A search on some of the agents ends with what explains these best; what it passed may be better for all."""
    levels = ([np.array([-3.0, 0.0, 0.0]), np.array([0.0, -3.0, 0.0])], np.array([3.0, 0.1]))
    right = joined(mixture, levels, np.array([-1.5, -1.5, 1.5]), [2 / 3, 1 / 3])
    passed = [right, wrong] if worse_last else [wrong, right]
    monkeypatch.setattr(search, "searched", lambda *_: passed)
    found = find_classes(mixture, [], starts=1, generator=np.random.default_rng(0), sample=mixture)
    ends = mixture.polished(np.stack([right, wrong]), tolerance=1e-8, iterations=200).values
    assert ends[0] < ends[1] - 5
    assert found.value == pytest.approx(ends[0], abs=1e-6)


def test_a_sample_is_at_most_half_of_the_choices(panel, settings, mixture, monkeypatch):
    """What most of the agents say is nearly as dear as what all say, and may mislead."""
    assert len(panel[0]) == PEOPLE * EACH == 1800

    def sampled(searched):
        monkeypatch.setattr(fitting, "SEARCHED", searched)
        monkeypatch.setattr(fitting, "most_of", lambda _, most: most)
        return fitting._sample(mixture, panel[0], settings)

    assert sampled(450) is None  # for each of two classes
    few = sampled(400)
    assert few is not None
    assert few.panel.agent.size <= 900
