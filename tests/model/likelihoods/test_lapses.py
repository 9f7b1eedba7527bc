"""Slips against the formula in plain NumPy, and their derivatives against automatic ones."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.inference.blocks import evaluate
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision
from lori.model.rewards import Capped, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")


def specified(rule="observed", lapse=None, reward=None, epsilon=(None, None)) -> Specification:
    return Specification((reward or Linear(), Linear()), epsilon, (1.0, 1.0), Pairs(rule), FEATURES, lapse)


@pytest.mark.parametrize("rule", ["split", "observed", "printed"])
def test_an_answer_at_random_is_one_of_those_that_the_question_offers(rule):
    sure = OrderedModel.linear([[2.0, 0.0], [0.0, 3.0]], epsilon=[1.0, 0.5], ties=rule)
    slips = OrderedModel.linear([[2.0, 0.0], [0.0, 3.0]], epsilon=[1.0, 0.5], ties=rule, lapse=0.2)
    left, right = np.random.default_rng(0).normal(size=(2, 50, 2))
    meant, answered = sure.predict_proba(left, right), slips.predict_proba(left, right)
    chance = np.array([1 / 3] * 3 if rule == "observed" else [0.5, 0.0, 0.5])
    np.testing.assert_allclose(answered, 0.8 * meant + 0.2 * chance, rtol=1e-12)
    for plain, with_slips in zip(sure.decisions(left, right), slips.decisions(left, right), strict=True):
        np.testing.assert_array_equal(plain, with_slips)  # which level decides is told of answers that are meant
    np.testing.assert_array_equal(sure.preference(left, right), slips.preference(left, right))


@pytest.mark.parametrize(
    ("lapse", "capped"), [(None, False), (None, True), (0.07, False), pytest.param(0.07, True, marks=pytest.mark.slow)]
)
@double_precision
def test_derivatives_are_those_of_the_log_probability(lapse, capped):
    specification = specified(lapse=lapse, reward=Capped(sharpness=2.0) if capped else None)
    random = np.random.default_rng(1)
    pairs, weight = random.normal(size=(40, 2, 2)), random.uniform(0.5, 2.0, 40)
    tied = np.arange(40) % 4 == 0
    vector = random.uniform(0.3, 1.2, specification.size)
    if lapse is None:
        vector[specification.lapse_slot] = 0.13
    data = Preferences.from_arrays(pairs[:, 0], pairs[:, 1], wins=~tied, ties=tied, weight=weight)
    rows = specification.likelihood.observed(data)
    found = evaluate(specification, Scaling(np.zeros(2), np.ones(2)), [rows], vector[None, None], order=2)

    @jax.jit
    @jax.value_and_grad
    def negative(own):
        total = 0.0
        for kind, some in (("decided", ~tied), ("tied", tied)):
            one = jax.vmap(lambda pair, kind=kind: specification.log_probability(kind, own, pair))
            total -= jnp.sum(weight[some] * one(jnp.asarray(pairs[some])))
        return total

    value, gradient = negative(vector)
    np.testing.assert_allclose(found.value[0, 0], value, rtol=1e-12)
    np.testing.assert_allclose(found.gradient[0, 0], gradient, rtol=1e-9, atol=1e-9)
    steps = 1e-6 * np.eye(specification.size)
    curvature = [(negative(vector + one)[1] - negative(vector - one)[1]) / 2e-6 for one in steps]
    np.testing.assert_allclose(found.curvature[0, 0], np.stack(curvature), rtol=1e-5, atol=1e-5)


@double_precision
def test_a_tie_without_a_threshold_is_a_slip_and_nothing_is_infinite():
    """At ε = 0 nobody means a tie; one that was seen costs log(3 / λ), and every derivative is finite."""
    specification = specified()
    vector = specification.pack([np.array([1.0, 0.5]), np.array([0.2, 1.0])], [0.5, 0.0], [1.0, 1.0], 0.03)
    data = Preferences.from_arrays([[1.0, 2.0]], [[0.5, 1.0]], ties=[1], wins=[0])
    rows = specification.likelihood.observed(data)
    found = evaluate(specification, Scaling(np.zeros(2), np.ones(2)), [rows], vector[None, None], order=2)
    assert found.value[0, 0] == pytest.approx(np.log(3 / 0.03), abs=1e-6)
    assert all(np.isfinite(part).all() for part in found)
    opened = vector.copy()
    opened[specification.epsilon_slots[1]] = 1e-4
    more = evaluate(specification, Scaling(np.zeros(2), np.ones(2)), [rows], opened[None, None], order=0)
    slope = (more.value[0, 0] - found.value[0, 0]) / 1e-4
    assert found.gradient[0, 0, specification.epsilon_slots[1]] == pytest.approx(slope, rel=0.01)


@double_precision
def test_a_choice_that_cannot_be_meant_costs_no_more_than_a_slip():
    specification = specified("split")
    vector = specification.pack([np.array([900.0, 0.0]), np.array([0.0, 900.0])], [1.0, 0.0], [1.0, 1.0], 0.02)
    data = Preferences.from_arrays([[-5.0, 0.0]], [[5.0, 0.0]])
    rows = specification.likelihood.observed(data)
    found = evaluate(specification, Scaling(np.zeros(2), np.ones(2)), [rows], vector[None, None], order=2)
    assert found.value[0, 0] == pytest.approx(np.log(2 / 0.02))
    assert all(np.isfinite(part).all() for part in found)


@pytest.mark.parametrize("lapse", [-0.1, 1.0, float("nan")])
def test_a_rate_of_slips_is_a_probability(lapse):
    with pytest.raises(Exception, match="lapse: expected a rate from 0 to below 1"):
        OrderedModel.linear([[1.0, 2.0]], epsilon=[0.0], lapse=lapse)
