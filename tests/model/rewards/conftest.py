"""What the tests of rewards share."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.model.precision import double_precision


@double_precision
def values_of(reward, parameters, x) -> np.ndarray:
    return np.asarray(jax.vmap(reward, (None, 0))(jnp.asarray(parameters), jnp.asarray(x)))


@pytest.fixture
def values():
    """The reward of each of many alternatives."""
    return values_of


@pytest.fixture
def random():
    return np.random.default_rng(7)
