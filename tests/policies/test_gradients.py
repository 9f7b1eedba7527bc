"""Gradients of policies: advantages against their definition, and that a better action becomes likelier."""

import numpy as np

from lori.policies import gradients


def test_advantages_are_weighted_sums_of_surprises_up_to_the_end():
    generator = np.random.default_rng(0)
    gains, values = generator.normal(size=(2, 4, 1, 2))
    alive = np.array([[True], [True], [True], [False]])
    found = gradients.advantages(gains, values, alive, 0.9)
    surprise = [gains[t] + (0.9 * values[t + 1] if t < 2 else 0.0) - values[t] for t in range(3)]
    for t in range(3):
        expected = sum((0.9 * gradients.LOOK) ** (s - t) * surprise[s] for s in range(t, 3))
        np.testing.assert_allclose(found[t], expected)


def test_rows_are_padded_to_few_sizes():
    rows, weights = gradients.padded(np.ones((700, 3)), np.ones(700))
    assert rows.shape == (1024, 3)
    assert weights.sum() == 700
