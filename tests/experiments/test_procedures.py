"""Are the paper's procedures run as printed, and as its authors' scripts have them?"""

import jax.numpy as jnp
import numpy as np
import pytest

import lori
from lori.experiments.procedures import FURTHEST, FurthestCapped, FurthestLinear, as_printed, as_scripted
from lori.inference.search.paper import PRINTED, SCRIPTED
from lori.model.rewards import Capped, Linear

SIGNS = {"increasing": ("wbc",), "decreasing": ("tumour",)}
TRUTH = lori.OrderedModel.linear([[0.0, 3.0], [-3.0, 0.0]], epsilon=[1.0, 1.0], features=["tumour", "wbc"])


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(TRUTH, 150, seed=0)


def test_as_printed_both_levels_have_a_cap_and_start_at_zero(seen):
    model, run = as_printed(seen, SIGNS, passes=5)
    assert [type(level.reward) for level in model.levels] == [Capped, Capped]
    assert run.passes == 5
    assert not run.stopped
    weights = np.abs([level.weights for level in model.levels])
    assert np.abs(np.log(weights)).max() < 0.02  # five steps of 0.001, the first ones longer, from log 1


def test_as_scripted_the_first_level_alone_has_one(seen):
    model, _ = as_scripted(seen, SIGNS, passes=5)
    assert [type(level.reward) for level in model.levels] == [Capped, Linear]
    assert model.levels[0].cap > 0


def test_differences_end_where_the_scripts_say():
    far, near = jnp.array([0.0, 100.0]), jnp.array([0.0, 1.0])
    weights = jnp.array([-1.0, 1.0])
    assert FurthestLinear(**SIGNS).gap(weights, far, near) == FURTHEST
    assert FurthestCapped(**SIGNS).gap(jnp.append(weights, 500.0), far, near) == FURTHEST


def test_the_rules_differ_as_the_page_of_provenance_says():
    assert (PRINTED.start, PRINTED.apart, PRINTED.gain) == (0.0, 10, 0.0)
    assert (SCRIPTED.start, SCRIPTED.apart, SCRIPTED.gain, SCRIPTED.limit) == (0.001, 9, 1e-6, 25_000)
