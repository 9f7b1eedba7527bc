"""The quasi-Newton method keeps the contract of the Newton method."""

import numpy as np
import pytest

from lori.inference.blocks import Evaluation
from lori.inference.search import newton, quasi_newton

SIZE = 30


def valley(x) -> Evaluation:
    """A chained Rosenbrock function, with gradient."""
    step = x[:, 1:] - x[:, :-1] ** 2
    value = np.sum(100 * step**2 + (1 - x[:, :-1]) ** 2, axis=1)
    gradient = np.zeros_like(x)
    gradient[:, :-1] = -400 * x[:, :-1] * step - 2 * (1 - x[:, :-1])
    gradient[:, 1:] += 200 * step
    return Evaluation(value, gradient)


def bowl(x) -> Evaluation:
    """½ Σ i (x_i − 1)², with curvature for the Newton method."""
    weight = np.arange(1.0, SIZE + 1)
    return Evaluation(
        0.5 * np.sum(weight * (x - 1) ** 2, axis=1),
        weight * (x - 1),
        np.broadcast_to(np.diag(weight), (len(x), SIZE, SIZE)),
    )


@pytest.fixture
def starts():
    return np.random.default_rng(0).uniform(0.0, 2.0, (3, SIZE))


def test_it_finds_a_known_optimum(starts):
    found = quasi_newton.minimise(valley, starts, (np.full(SIZE, -np.inf), np.full(SIZE, np.inf)))
    assert found.converged.all()
    np.testing.assert_allclose(found.values, 0.0, atol=1e-7)
    np.testing.assert_allclose(found.vectors, 1.0, atol=1e-2)


def test_it_agrees_with_the_newton_method_within_bounds(starts):
    lower, upper = np.full(SIZE, -np.inf), np.full(SIZE, np.inf)
    lower[::3], upper[1::3] = 1.4, 0.6
    one = quasi_newton.minimise(bowl, starts, (lower, upper))
    other = newton.minimise(lambda vectors, problems: bowl(vectors), starts, (lower, upper))
    assert one.vectors.shape == other.vectors.shape
    assert one.converged.all()
    np.testing.assert_allclose(one.values, other.values, rtol=1e-8)
    np.testing.assert_allclose(one.vectors, other.vectors, atol=1e-4)
    assert (one.vectors >= lower).all()
    assert (one.vectors <= upper).all()


def test_too_few_iterations_are_not_called_converged(starts):
    found = quasi_newton.minimise(valley, starts, (np.full(SIZE, -np.inf), np.full(SIZE, np.inf)), iterations=2)
    assert not found.converged.any()
    assert (found.values < valley(starts).value).all()
