"""Layouts: derivatives level by level against those of the whole log-probability.

Rewards that test_blocks leaves out: without parameters, gated, and levels that share parameters.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.inference.blocks import evaluate
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.likelihoods.layouts import Alternatives, Differences
from lori.model.precision import double_precision
from lori.model.rewards import Capped, Function, Gated, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
PLAIN = Function(lambda p, x: x[0] * x[1])  # nothing to learn
BENT = Function(lambda p, x: jnp.sin(p[0] * x[0]) + p[1] * x[1], start=(1.0, 1.0))
GATE = Gated(context="need", share="gate").among(FEATURES)
JOINT = Function.joint(
    lambda p, x: jnp.stack([p[0] * x[0] * x[1], jnp.sin(p[1] * x[0]) + p[0] * x[1]]), (1.0, 1.0), levels=2
)
CASES = {
    "functions": ((PLAIN, BENT), (0.4, None), (2.0, None)),
    "capped": ((Capped(sharpness=2.0), PLAIN, Linear()), (None, None, 0.0), (1.0, None, 1.0)),
    "gated": ((Gated(context="need").among(FEATURES), Linear()), (None, None), (1.0, 1.0)),
    "one gate for two levels": ((GATE, GATE), (None, None), (1.0, 1.0)),
    "one gate around another level": ((GATE, Linear(), GATE), (None, 0.2, None), (1.0, 1.0, 1.0)),
    "one function for two levels": (tuple(JOINT), (None, 0.3), (None, 2.0)),
}
QUICK = {"one function for two levels"}  # whose levels share parameters


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]
)
@double_precision
def test_derivatives_are_those_of_the_whole_log_probability(name):
    rewards, epsilon, alpha = CASES[name]
    possible = 0.0 not in epsilon  # without a threshold there are no ties
    specification = Specification(rewards, epsilon, alpha, Pairs("observed" if possible else "split"), FEATURES)
    random = np.random.default_rng(0)
    pairs, weight = random.normal(size=(60, 2, 2)), random.uniform(0.5, 2.0, 60)
    tied = (np.arange(60) % 5 == 0) & possible
    vector = random.uniform(0.3, 1.2, specification.size)
    data = Preferences.from_arrays(pairs[:, 0], pairs[:, 1], wins=~tied, ties=tied, weight=weight)
    rows = specification.likelihood.observed(data)
    found = evaluate(specification, Scaling(np.zeros(2), np.ones(2)), [rows], vector[None, None], order=2)

    @jax.jit
    @jax.value_and_grad
    def negative(vector):
        total = 0.0
        for kind, some in (("decided", ~tied), ("tied", tied))[: 1 + possible]:
            one = jax.vmap(lambda pair, kind=kind: specification.log_probability(kind, vector, pair))
            total -= jnp.sum(weight[some] * one(jnp.asarray(pairs[some])))
        return total

    value, gradient = negative(vector)
    np.testing.assert_allclose(found.value[0, 0], value, rtol=1e-12)
    np.testing.assert_allclose(found.gradient[0, 0], gradient, rtol=1e-9, atol=1e-9)
    step = 1e-5 * np.eye(specification.size)
    curvature = [(negative(vector + one)[1] - negative(vector - one)[1]) / 2e-5 for one in step]
    np.testing.assert_allclose(found.curvature[0, 0], np.stack(curvature), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("layout", [Differences(), Alternatives()])
def test_a_layout_puts_rows_in_turn(layout):
    """Two blocks of three rows each, of which the rows 1 to 6 are laid out."""
    random = np.random.default_rng(1)
    left, right = random.normal(size=(2, 8, 2))
    rows = Pairs().observed(Preferences.from_arrays(left, right)).kinds["decided"]
    blocks = np.zeros((2, *layout.shape(rows, 4)))
    layout.put(blocks, rows, slice(1, 7), 3)
    if layout == Differences():
        own = blocks.transpose(0, 2, 1)  # features come before rows
        expected = left - right
    else:
        own, expected = blocks, np.stack([left, right], axis=1)
    np.testing.assert_array_equal(own[:, :3].reshape(6, *expected.shape[1:]), expected[1:7])
    assert (own[:, 3:] == 0).all()


def test_the_typical_gap_is_a_quantile_of_reward_differences():
    """Of n draws, the share below a quantile q has deviation √(q(1 − q)/n)."""
    n, weights = 10_000, np.array([0.7, -0.2])
    left, right = np.random.default_rng(1).normal(size=(2, n, 2))
    below = np.abs((left - right) @ weights) < Differences().typical_gap(weights, 0.3)
    assert below.mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.3 * 0.7 / n))
    assert Differences().typical_gap(1e6 * weights, 0.9) == 20.0  # where a level would never speak
