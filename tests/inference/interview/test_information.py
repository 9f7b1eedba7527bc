"""Information: sums by hand."""

import numpy as np

from lori.inference.interview.information import BESIDES, entropy, information


def test_information_is_that_of_the_formula():
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet(np.ones(3), size=(20, 5)).transpose(2, 0, 1)
    weights, orders = generator.dirichlet(np.ones(20)), generator.integers(0, 4, size=20) * 7
    for question in range(5):
        own = probabilities[:, :, question]
        overall = entropy(own @ weights)
        given = sum(
            weights[orders == order].sum()
            * entropy(own[:, orders == order] @ weights[orders == order] / weights[orders == order].sum())
            for order in set(orders)
        )
        exact = overall - given + BESIDES * (overall - weights @ entropy(own))
        assert np.isclose(information(probabilities, weights, orders)[question], exact)


def test_a_question_that_tells_orders_apart_is_worth_more_than_one_that_does_not():
    apart, alike = [0.99, 0.01], [0.5, 0.5]
    left = np.array([apart, alike]).T
    probabilities = np.stack([left, 1 - left])
    value = information(probabilities, np.array([0.5, 0.5]), np.array([0, 1]))
    assert value[0] > 0.9
    assert abs(value[1]) < 1e-9
