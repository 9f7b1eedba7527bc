"""Particles against exact sums, and moves that leave the prior alone."""

import numpy as np
import pytest

from lori.inference.interview.particles import Particles, _evolved, _exchanged, probabilities_of
from lori.inference.interview.priorities import Priorities
from lori.inference.interview.study import Attribute, Study
from lori.model.ordered import OrderedModel

VALUES = tuple(float(value) for value in range(11))


def study(ties: bool = True, levels: int = 2, better: str = "more") -> Study:
    return Study(tuple(Attribute(name, VALUES, better=better) for name in "abc"), allows_ties=ties, levels=levels)


@pytest.mark.parametrize("ties", [True, False])
def test_probabilities_are_those_of_the_model(ties):
    known, generator = study(ties).specification, np.random.default_rng(0)
    vector = Priorities().draw(known, 1, generator)[0]
    differences = generator.normal(size=(50, 3))
    parameters = known.unpack(vector)
    model = OrderedModel.linear(
        parameters.rewards, epsilon=parameters.epsilon, features="abc", ties="observed" if ties else "split",
        lapse=float(parameters.lapse),
    )  # fmt: skip
    exact = model.predict_proba(differences, np.zeros_like(differences))
    found = probabilities_of(known, vector[None], differences)[:, 0].T
    np.testing.assert_allclose(found, exact if ties else exact[:, [0, 2]], atol=1e-5)


def test_weights_are_those_of_bayes_rule():
    own, generator = study(), np.random.default_rng(1)
    before = Particles.of(own.prior, own.specification, 2000, generator)
    question = np.array([[0.3, -0.2, 0.1]])
    after = before.told(own.prior, question, np.array([0]), generator)
    exact = before.weights * before.probabilities(question)[0, :, 0]
    np.testing.assert_allclose(after.weights, exact / exact.sum(), rtol=1e-4)


@pytest.mark.parametrize("move", [_evolved, _exchanged])
@pytest.mark.parametrize("better", ["more", ""])
def test_moves_leave_the_prior_as_it_is(move, better):
    """Accepted as Metropolis asks, draws of the prior stay draws of the prior: within five standard errors."""
    known, generator, prior = study(better=better).specification, np.random.default_rng(2), Priorities()
    start = prior.draw(known, 4000, generator)
    vectors, height = start.copy(), prior.log_density(start, known)
    for _ in range(20):
        proposed = move(vectors, known, generator)
        new = prior.log_density(proposed, known)
        accepted = np.log(generator.uniform(size=len(vectors))) < new - height
        vectors[accepted], height[accepted] = proposed[accepted], new[accepted]
    assert (vectors != start).any(axis=1).mean() > 0.5
    for number in (np.log(np.abs(vectors) + 1e-6), np.abs(vectors)):
        old = np.log(np.abs(start) + 1e-6) if number.min() < 0 else np.abs(start)
        error = np.sqrt((old.var(axis=0) + number.var(axis=0)) / len(start))
        assert np.all(np.abs(number.mean(axis=0) - old.mean(axis=0)) < 5 * error)


def test_orders_are_equally_likely_before_the_first_answer():
    own = study()
    particles = Particles.of(own.prior, own.specification, 6000, np.random.default_rng(3))
    chances = particles.order_probabilities().reshape(3, 3)
    assert np.diag(chances).sum() == 0
    np.testing.assert_allclose(chances[~np.eye(3, dtype=bool)], 1 / 6, atol=5 * np.sqrt(1 / 6 * 5 / 6 / 6000))


def test_earlier_respondents_make_orders_likelier():
    own = study()
    prior = own.prior.learned_from([(("a", "b"), 1.0)] * 6 + [(("c", "a"), 0.6)], own.features, 2)
    shares = np.array(prior.shares).reshape(3, 3)
    assert np.isclose(shares.sum(), 1)
    assert np.isclose(shares[0, 1], (1 + 6 + 0.08) / 13)
    assert np.isclose(shares[2, 0], 1.6 / 13)
    particles = Particles.of(prior, own.specification, 6000, np.random.default_rng(4))
    np.testing.assert_allclose(particles.order_probabilities().reshape(3, 3), shares, atol=0.04)
    flat = own.prior.log_density(particles.vectors, own.specification)
    apart = prior.log_density(particles.vectors, own.specification) - flat
    np.testing.assert_allclose(apart, np.log(np.array(prior.shares)[particles.orders()]))
