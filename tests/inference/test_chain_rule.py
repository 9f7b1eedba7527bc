"""Derivatives level by level against those of the whole log-probability, for kinds that test_likelihood leaves out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from lori.model.likelihoods.observations import Observations

from lori.inference.blocks import evaluate
from lori.inference.statistics import Scaling
from lori.model.precision import double_precision
from lori.model.rewards import Capped, Function, Gated, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
PLAIN = Function(lambda p, x: x[0] * x[1])  # nothing to learn
BENT = Function(lambda p, x: jnp.sin(p[0] * x[0]) + p[1] * x[1], start=(1.0, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rewards", "epsilon", "alpha"),
    [
        ((PLAIN, BENT), (0.4, None), (2.0, None)),
        ((Capped(sharpness=2.0), PLAIN, Linear()), (None, None, 0.0), (1.0, None, 1.0)),
        ((Gated(context="need").among(FEATURES), Linear()), (None, None), (1.0, 1.0)),
    ],
)
@double_precision
def test_levels_of_different_kinds(rewards, epsilon, alpha):
    specification = Specification(rewards, epsilon, alpha, "split", FEATURES)
    random = np.random.default_rng(0)
    pairs, weight = random.normal(size=(60, 2, 2)), random.uniform(0.5, 2.0, 60)
    vector = random.uniform(0.3, 1.2, specification.size)
    rows = Observations(pairs, weight, pairs[:0], weight[:0])
    found = evaluate(specification, Scaling(np.zeros(2), np.ones(2)), [rows], vector[None, None], order=2)

    @jax.jit
    @jax.value_and_grad
    def negative(vector):
        return -jnp.sum(weight * jax.vmap(lambda pair: specification.log_better(vector, pair))(jnp.asarray(pairs)))

    value, gradient = negative(vector)
    np.testing.assert_allclose(found.value[0, 0], value, rtol=1e-12)
    np.testing.assert_allclose(found.gradient[0, 0], gradient, rtol=1e-9, atol=1e-9)
    step = 1e-5 * np.eye(specification.size)
    curvature = [(negative(vector + one)[1] - negative(vector - one)[1]) / 2e-5 for one in step]
    np.testing.assert_allclose(found.curvature[0, 0], np.stack(curvature), rtol=1e-6, atol=1e-6)
