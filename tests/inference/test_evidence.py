"""Is the evidence the integral of the posterior, and does it tell a level that is there from one that fits noise?"""

import numpy as np
import pytest
from scipy import integrate, special

import lori
from lori.inference.evidence import log_evidence
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

THREE = lori.OrderedModel.linear(np.eye(3), epsilon=[1.2, 1.2, 0.0], alpha=[7.0, 7.0, 7.0])


def problem_of(data, **settings):
    estimator = lori.LORI(lapse=0, **settings)
    found = checked_settings(estimator.get_params(), [data])
    return Problem.of(found.specification, [data], found.prior)


def test_it_is_the_integral_of_likelihood_and_prior():
    data = lori.simulate(lori.OrderedModel.linear([[1.5]], epsilon=[0.0]), 200, seed=0)
    problem = problem_of(data, levels=1, epsilon=0.0)
    found = problem.solve(starts=1)
    gap = (data.left_features - data.right_features)[:, 0] / problem.scaling.scale[0]
    sign = np.where(data.wins > 0, 1.0, -1.0)

    def density(weight):  # Student-t with three degrees of freedom and scale 2.5, restated
        prior = 2 / (np.pi * np.sqrt(3) * 2.5 * (1 + (weight / 2.5) ** 2 / 3) ** 2)
        return prior * np.exp(special.log_expit(weight * sign * gap).sum() + found.values[0])

    total = integrate.quad(density, -10, 20, points=[found.vectors[0, 0]], limit=200)[0]
    assert log_evidence(problem, found)[0] == pytest.approx(np.log(total) - found.values[0], abs=0.02)


def test_there_is_none_without_a_prior():
    data = lori.simulate(lori.OrderedModel.linear([[1.5]], epsilon=[0.0]), 50, seed=0)
    problem = problem_of(data, levels=1, epsilon=0.0, prior=None)
    assert log_evidence(problem, problem.solve(starts=1)) is None


def test_a_third_level_that_is_there_speaks():
    data = lori.simulate(THREE, 400, seed=1)
    model = lori.LORI(levels=3, lapse=0, starts=4, standard_errors="none").fit(data)
    assert all(level.epsilon > 0.5 for level in model.levels_[:2])


def test_a_level_that_fits_noise_is_silent_unless_all_may_speak():
    """A single level with five features, fitted with three: without the evidence, the third explains some noise."""
    weights = np.random.default_rng(0).normal(size=(1, 5))
    data = lori.simulate(lori.OrderedModel.linear(weights, epsilon=[0.0]), 300, seed=2)
    common = {"levels": 3, "lapse": 0, "starts": 4, "standard_errors": "none"}
    weighed = lori.LORI(**common).fit(data)
    allowed = lori.LORI(**common, prior=lori.Prior(price=0.0)).fit(data)
    assert weighed.levels_[1].epsilon < 0.05
    assert allowed.log_likelihood_ > weighed.log_likelihood_ + 1
