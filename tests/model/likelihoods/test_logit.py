"""Multinomial logit in closed form: against its formula, and NumPy against JAX."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from lori.data.choices import Choices
from lori.inference import blocks, plain
from lori.inference import rows as rows_one_by_one
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Sets
from lori.model.likelihoods.logit import Logit
from lori.model.precision import double_precision
from lori.model.rewards import Linear
from lori.model.specification import Specification

FEATURES = ("speed", "price")
SCALING = Scaling(np.zeros(2), np.array([2.0, 0.5]))
STARTS = np.array([[0.3, -1.2], [2.0, 0.7], [40.0, -90.0]])


def drawn(worst: bool, sizes=(2, 3, 12, 40)) -> tuple[Choices, Specification]:
    """Sets of several sizes, weighted; some of them pick the worst."""
    draw = np.random.default_rng(5)
    count = len(sizes) * 6
    there = np.arange(max(sizes)) < np.tile(sizes, 6)[:, None]
    data = Choices.from_arrays(
        draw.normal(size=(count, max(sizes), 2)), draw.integers(2, size=count), available=there, features=FEATURES
    ).weighted(draw.uniform(0.5, 2.0, size=count))  # fmt: skip
    data = replace(data, worst=draw.integers(2, size=count).astype(bool)) if worst else data
    likelihood = Sets.for_data("auto", [data], (0.0,))
    return data, Specification((Linear(),), (0.0,), (1.0,), likelihood, FEATURES, 0.0)


@double_precision
def expected(data: Choices, start: np.ndarray) -> tuple:
    """The negative log-likelihood of a softmax, differentiated automatically."""

    def value(vector):
        total = 0.0
        for place in range(len(data)):
            rows = slice(int(data.offsets[place]), int(data.offsets[place + 1]))
            sign = -1.0 if data.worst is not None and data.worst[place] else 1.0
            logs = jax.nn.log_softmax(sign * data.alternatives[rows] @ (vector / SCALING.scale))
            total -= data.weights[place] * logs[np.flatnonzero(data.chosen[rows])[0]]
        return total

    return value(start), jax.grad(value)(start), jax.hessian(value)(start)


@pytest.mark.parametrize("worst", [False, True])
def test_sums_are_those_of_a_softmax(worst):
    data, specification = drawn(worst)
    assert specification.likelihood.layout(specification) == Logit()
    rows = [specification.likelihood.observed(data)]
    found = blocks.evaluate(specification, SCALING, rows, STARTS[None], 2)
    for place, start in enumerate(STARTS):
        for part, own in zip(expected(data, start), found, strict=True):
            np.testing.assert_allclose(own[0, place], part, rtol=1e-9, atol=1e-9)
    for order in (0, 1):
        for one, other in zip(blocks.evaluate(specification, SCALING, rows, STARTS[None], order), found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12) if one is not None else None


def test_compiled_code_computes_the_same(monkeypatch):
    data, specification = drawn(False)
    rows = [specification.likelihood.observed(data)]
    ours = blocks.evaluate(specification, SCALING, rows, STARTS[None], 2)
    scores = rows_one_by_one.by_rows("scores", specification, SCALING, rows[0], STARTS)
    monkeypatch.setattr(plain, "suffices", lambda *_: False)
    for one, other in zip(ours, blocks.evaluate(specification, SCALING, rows, STARTS[None], 2), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    for kind, other in rows_one_by_one.by_rows("scores", specification, SCALING, rows[0], STARTS).items():
        np.testing.assert_allclose(scores[kind], other, rtol=1e-9, atol=1e-9)


def test_scores_add_up_to_the_gradient():
    data, specification = drawn(True)
    rows = specification.likelihood.observed(data)
    found = blocks.evaluate(specification, SCALING, [rows], STARTS[None], 1)
    scores = rows_one_by_one.by_rows("scores", specification, SCALING, rows, STARTS)
    values = rows_one_by_one.by_rows("values", specification, SCALING, rows, STARTS)
    total = sum(scores[kind] @ own.weight for kind, own in rows.kinds.items())
    np.testing.assert_allclose(total[:, 0], -found.value[0], rtol=1e-12)
    np.testing.assert_allclose(total[:, 1:], -found.gradient[0], rtol=1e-9, atol=1e-9)
    for kind, own in scores.items():
        np.testing.assert_allclose(values[kind], own[:, 0], rtol=1e-12)
