"""Who is left, and what is chosen where features change, against the model itself."""

import numpy as np

import lori
from lori.evaluation.set_landscapes import set_landscape, survival
from lori.model.decisions import simulated

MODEL = lori.OrderedModel.linear([[3.0, 0.0], [0.0, 2.0]], epsilon=[3.0, 0.0], features=["a", "b"])


def test_who_is_left_and_what_is_chosen():
    table = np.random.default_rng(0).normal(np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]), size=(300, 3, 2))
    asked = lori.Choices.from_arrays(table, np.zeros(300, int), features=["a", "b"], alternatives=["x", "y", "z"])
    sets = simulated(MODEL, asked)
    found = survival(MODEL, sets)
    assert found.names == ("x", "y", "z")
    assert found.size == 3
    assert (found.left[1] <= found.left[0]).all()
    np.testing.assert_allclose(found.count, found.left.sum(axis=1))
    np.testing.assert_allclose(found.left[1], found.chosen, atol=0.1)  # the last level leaves one
    assert found.left[0, 0] > found.left[0, 2]
    land = set_landscape(MODEL, sets, "a", "b", points=5)
    assert land.moved == "x"
    np.testing.assert_allclose(sum(land.chances), 1)
    assert land.chances[0][2, -1] > land.chances[0][2, 0]  # the more of a, the likelier
