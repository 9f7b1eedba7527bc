"""Sums that are written out are those over subsets, with all derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.model.engines import compiled
from lori.model.likelihoods import expanded, subsets
from lori.model.precision import double_precision


@pytest.mark.parametrize(
    ("count", "levels", "rule", "sharp"),
    [
        (3, 2, "split", True),
        pytest.param(3, 2, "split", False, marks=pytest.mark.slow),  # to compile
        (2, 3, "observed", False),
    ],
)
@double_precision
def test_written_out_or_not_sums_are_the_same(count, levels, rule, sharp):
    generator = np.random.default_rng(levels + sharp)
    gap = [3 * generator.normal(size=(count - 1, 1, 6)) for _ in range(levels)]
    gap[0][0, 0, 0], gap[-1][0, 0, 1], gap[0][-1, 0, 2] = 50.0, -700.0, -1e9  # out of reach, or not there
    limits = [*generator.uniform(0.1, 3, size=levels - sharp), *[None] * sharp]
    given = [jnp.asarray(own) for own in gap]

    def both(given):
        wanted = subsets.log_choice(given, limits, rule, 1, 2)
        return wanted, *(expanded.log_choice(given, limits, rule, order) for order in (2, 1, 0))

    expected, found, first, (value, *_) = compiled(both, static=0)(given)
    for one, other in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-13)
    for one, other in zip(expected.gradient, first.gradient, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-13)
    assert first.curvature == {}
    np.testing.assert_allclose(value, expected.value, rtol=1e-13)
