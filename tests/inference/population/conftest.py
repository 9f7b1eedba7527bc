"""People of two kinds, drawn once."""

import numpy as np
import pytest

import lori

FEATURES = ("cost", "time", "comfort")
KINDS = (
    lori.OrderedModel.linear([[-3.0, 0.0, 0.0], [0.0, -3.0, 0.5]], epsilon=[3.0, 0.0], features=FEATURES),
    lori.OrderedModel.linear([[0.0, -0.5, 3.0], [-3.0, 0.0, 0.0]], epsilon=[2.0, 0.0], features=FEATURES),
)


@pytest.fixture(scope="session")
def two_kinds():
    """60 people with 20 choices each, two thirds of the first kind; and who is of which."""
    random = np.random.default_rng(7)
    kind = np.repeat([0, 1], [40, 20])
    parts = []
    for number, own in enumerate(kind):
        left, right = random.normal(size=(2, 20, 3))
        counts = KINDS[own].sample(left, right, seed=random)
        parts.append(
            lori.Preferences.from_arrays(left, right, counts=counts, features=FEATURES, agent=[f"p{number}"] * 20)
        )
    return lori.Preferences.concatenate(parts), kind
