"""People who differ, for whoever asks about them."""

import numpy as np
import pytest

import lori
from lori.inference.population.hierarchy import by_agent
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

PEOPLE, EACH = 120, 12


@pytest.fixture(scope="package")
def people():
    """One level, weights normal between people: (problem with a group for each, pooled one)."""
    random = np.random.default_rng(11)
    weights = np.array([2.0, -1.0]) + np.array([1.2, 0.4]) * random.normal(size=(PEOPLE, 2))
    groups = []
    for own in weights:
        x = random.normal(size=(EACH, 2))
        won = random.uniform(size=EACH) < 1 / (1 + np.exp(-x @ own))
        groups.append(lori.Preferences.from_arrays(x, np.zeros_like(x), wins=won * 1.0, losses=1.0 - won))
    data = lori.Preferences.concatenate(groups)
    settings = checked_settings(lori.LORI(levels=1, epsilon=0.0, lapse=0, prior=None).get_params(deep=False), [data])
    problem = Problem.of(settings.specification, [data], None)
    return by_agent(problem, groups), problem
