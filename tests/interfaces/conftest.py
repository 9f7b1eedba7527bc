"""A fitted model that need not be fitted again."""

from pathlib import Path

import pytest

import lori


@pytest.fixture(scope="session")
def person():
    return lori.tversky1969().by_agent()["1"]


@pytest.fixture(scope="session")
def model():
    """Two levels fitted to person 1 without a prior, as saved by `lori fit`."""
    return lori.load(Path(__file__).parent / "person1.json")


@pytest.fixture(scope="session")
def draws(model):
    """Stand-ins for posterior draws: thresholds around the fitted one."""
    first, second = model.model_.levels
    return [
        lori.OrderedModel.linear(
            [first.weights, second.weights], epsilon=[first.epsilon * factor, 0.0], features=model.features_
        )
        for factor in (0.9, 1.0, 1.1)
    ]
