"""Information: sums by hand."""

import numpy as np
import pytest

from lori.inference.interview.information import BESIDES, entropy, information


@pytest.mark.parametrize("question", range(5))
def test_information_is_that_of_the_formula(question):
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet(np.ones(3), size=(20, 5)).transpose(2, 0, 1)
    weightings, orders = generator.dirichlet(np.ones(20), size=2), generator.integers(0, 4, size=20) * 7
    weightings[1, orders == 7] = 0.0  # nobody has this order any more
    weightings[1] /= weightings[1].sum()
    own, found = probabilities[:, :, question], information(probabilities, weightings, orders)[:, question]
    for weights, value in zip(weightings, found, strict=True):
        overall = entropy(own @ weights)
        given = sum(
            weights[orders == order].sum()
            * entropy(own[:, orders == order] @ weights[orders == order] / weights[orders == order].sum())
            for order in set(orders[weights > 0])
        )
        assert np.isclose(value, overall - given + BESIDES * (overall - weights @ entropy(own)))


def test_entropy_is_in_bits_and_what_is_impossible_adds_nothing():
    np.testing.assert_allclose(entropy(np.array([[0.5, 1.0], [0.5, 0.0]])), [1.0, 0.0])


def test_a_question_that_tells_orders_apart_is_worth_more_than_one_that_does_not():
    apart, alike = [0.99, 0.01], [0.5, 0.5]
    left = np.array([apart, alike]).T
    probabilities = np.stack([left, 1 - left])
    [value] = information(probabilities, np.array([[0.5, 0.5]]), np.array([0, 1]))
    assert value[0] > 0.9
    assert abs(value[1]) < 1e-9
