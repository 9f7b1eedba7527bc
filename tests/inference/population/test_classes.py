"""Are the likelihood of classes and its derivatives right?"""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp

import lori
from lori.inference.fitting import solve_nested
from lori.inference.population import sums
from lori.inference.population.classes import Mixture
from lori.inference.population.panel import Panel
from lori.inference.population.search import find_classes
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings


def problem_of(data, **settings):
    checked = checked_settings(lori.LORI(**settings).get_params(deep=False), [data])
    return Problem.of(checked.specification, [data], checked.prior)


@pytest.fixture(scope="module")
def mixture(two_kinds):
    data, _ = two_kinds
    panel = Panel.of(data)
    design = np.column_stack([np.ones(len(panel)), np.random.default_rng(3).normal(size=len(panel))])
    return Mixture((problem_of(data, levels=2),) * 2, panel, design)


def test_the_value_is_that_of_the_formula(mixture):
    vector = np.random.default_rng(0).uniform(0.1, 0.9, mixture.size)
    parts, odds = mixture.parts(vector)
    logs = np.stack([mixture.problems[c].row_log_likelihood(parts[c])[0] for c in range(2)])
    by_agent = np.stack([np.bincount(mixture.panel.agent, own) for own in logs])
    shares = np.exp(mixture.design @ odds.T)
    shares /= shares.sum(axis=1, keepdims=True)
    expected = -sum(np.log(shares[a] @ np.exp(by_agent[:, a])) for a in range(len(mixture.panel)))
    expected += sum(own.penalty(part, order=0).value for own, part in zip(mixture.problems, parts, strict=True))
    assert mixture.evaluate(vector[None]).value[0] == pytest.approx(expected, rel=1e-12)


def test_gradient_and_curvature_are_those_of_differences(mixture):
    vector = np.random.default_rng(1).uniform(0.1, 0.9, mixture.size)
    found, step = mixture.evaluate(vector[None]).mapped(lambda part: part[0]), 1e-5
    for place in range(0, mixture.size, 3):
        shift = step * np.eye(mixture.size)[place]
        near = mixture.evaluate(np.stack([vector + shift, vector - shift]))
        expected = (near.value[0] - near.value[1]) / (2 * step)
        assert found.gradient[place] == pytest.approx(expected, rel=1e-6, abs=1e-5)
        slope = (near.gradient[0] - near.gradient[1]) / (2 * step)
        np.testing.assert_allclose(found.curvature[place], slope, rtol=1e-5, atol=1e-4)


def test_a_start_without_derivatives_stays_where_it_is(mixture, monkeypatch):
    weighted, random = sums.weighted, np.random.default_rng(2)

    def broken(*given):
        found = weighted(*given).mapped(np.array)
        found.gradient[0], found.curvature[0] = np.nan, np.inf
        return found

    monkeypatch.setattr(sums, "weighted", broken)
    parts = [random.uniform(0.1, 0.9, (3, mixture.slots[0].stop)) for _ in range(2)]
    moved, _ = mixture.stepped(parts, np.full((3, 2), 0.5))
    np.testing.assert_array_equal(moved[0][0], parts[0][0])
    assert np.isfinite(moved).all()
    assert (moved[0][1:] != parts[0][1:]).any(axis=1).all()


def test_one_level_without_thresholds_is_the_latent_class_logit(two_kinds):
    """Against an independent optimiser of an independent likelihood, from several starts."""
    data, _ = two_kinds
    panel = Panel.of(data)
    problem = problem_of(data, levels=1, epsilon=0.0, lapse=0, prior=None)
    ((_, pooled),) = solve_nested(problem, starts=4, seed=0)
    mixture = Mixture((problem,) * 2, panel, np.ones((len(panel), 1)))
    found = find_classes(mixture, [pooled] * 2, starts=8, generator=np.random.default_rng(0))
    signed = data.differences * np.where(data.wins > 0, 1.0, -1.0)[:, None]

    def negative(vector):
        logs = np.stack(
            [np.bincount(panel.agent, log_expit(signed @ vector[:3])) for vector in (vector[:3], vector[3:6])]
        )
        share = expit(vector[6])
        return -logsumexp(logs, axis=0, b=np.array([[share], [1 - share]])).sum()

    random = np.random.default_rng(0)
    best = min(minimize(negative, random.normal(size=7), method="BFGS").fun for _ in range(8))
    assert found.log_likelihood >= -best - 1e-4
    assert found.log_likelihood == pytest.approx(-best, abs=1e-4)
    assert found.converged


def test_ordered_classes_are_the_same_ones_with_the_largest_first(mixture):
    vector = np.random.default_rng(2).uniform(0.1, 0.9, mixture.size)
    _, shares = mixture.divided(vector)
    assert shares[0] < shares[1]
    moved = mixture.ordered(vector)
    np.testing.assert_allclose(mixture.divided(moved)[1], shares[::-1])
    (before, after), totals = mixture.memberships(np.stack([vector, moved]))
    np.testing.assert_allclose(before, after[::-1], rtol=1e-9)
    np.testing.assert_allclose(*totals, rtol=1e-12)
    np.testing.assert_array_equal(mixture.ordered(moved), moved)
