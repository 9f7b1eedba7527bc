"""Sums over rows of sets: value, gradient and curvature against the rows' own log-probabilities."""

import jax
import numpy as np
import pytest

import lori
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings
from lori.model.precision import double_precision


def choices(generator: np.random.Generator, worst: bool = False, ties: bool = False) -> lori.Choices:
    """Sets of two to four alternatives with three features, chosen at random."""
    table, there = generator.normal(size=(60, 4, 3)), np.ones((60, 4), bool)
    there[:20, 3], there[:8, 2] = False, False
    chosen = np.zeros((60, 4), bool)
    chosen[np.arange(60), generator.integers(0, 2, 60)] = True
    if ties:
        chosen[30:40, :2] = True
    made = lori.Choices.from_arrays(table, chosen, available=there, features=["a", "b", "c"])
    return made._derived(worst=generator.uniform(size=60) < 0.3) if worst else made


CASES = {
    "two levels": {"levels": 2},
    "no slips": {"levels": 2, "lapse": 0},
    "last threshold zero": {"levels": 2, "epsilon": (None, 0.0)},
    "logit": {"levels": 1, "epsilon": 0.0, "lapse": 0},
    "three levels": {"levels": 3, "lapse": 0.1},
    "capped": {"levels": 2, "reward": [lori.Capped(), lori.Linear()]},
    "network": {"levels": 1, "reward": lori.Network(hidden=(3,))},
}


QUICK = ("last threshold zero", "logit")  # to compile, with three alternatives


@pytest.mark.parametrize("case", [own if own in QUICK else pytest.param(own, marks=pytest.mark.slow) for own in CASES])
@double_precision
def test_sums_are_those_of_rows(case):
    generator = np.random.default_rng(0)
    data = choices(generator, worst=True)
    if case in QUICK:
        data = data[:20]
    settings = checked_settings(lori.LORI(**CASES[case]).get_params(), [data])
    problem = Problem.of(settings.specification, [data], None)
    lower, upper = settings.specification.bounds
    vector = np.clip(generator.normal(size=settings.specification.size) * 0.7 + 0.1, lower + 0.05, upper - 0.05)
    found = problem.negative_log_likelihood(vector[None, None])
    rows = problem.row_log_likelihood(vector)[0]
    assert found.value[0, 0] == pytest.approx(-rows.sum(), rel=1e-12)
    scores, weight, _ = problem.scores(vector)
    np.testing.assert_allclose(found.gradient[0, 0], -weight @ scores, rtol=1e-9, atol=1e-9)
    step = 1e-5
    moved = vector + step * np.concatenate([np.eye(len(vector)), -np.eye(len(vector))])
    slopes = problem.negative_log_likelihood(moved[None], order=1).gradient[0]
    expected = (slopes[: len(vector)] - slopes[len(vector) :]) / (2 * step)
    np.testing.assert_allclose(found.curvature[0, 0], expected, rtol=2e-5, atol=2e-5)


@pytest.mark.slow
@double_precision
def test_ties_in_sets_are_summed_as_rows():
    generator = np.random.default_rng(1)
    data = choices(generator, ties=True)
    settings = checked_settings(lori.LORI(levels=2).get_params(), [data])
    assert settings.specification.likelihood.rule == "observed"
    problem = Problem.of(settings.specification, [data], None)
    vector = np.abs(generator.normal(size=settings.specification.size)) * 0.5 + 0.1
    vector[-1] = 0.1
    assert problem.evaluate(vector[None, None]).value[0, 0] == pytest.approx(
        -problem.row_log_likelihood(vector).sum(), rel=1e-6
    )


@double_precision
def test_two_alternatives_are_pairs():
    generator = np.random.default_rng(2)
    table = generator.normal(size=(200, 2, 3))
    sets = lori.Choices.from_arrays(table, np.zeros(200, int))
    pairs = lori.Preferences.from_arrays(table[:, 0], table[:, 1])
    found = []
    for data in (sets, pairs):
        settings = checked_settings(lori.LORI(levels=2).get_params(), [data])
        problem = Problem.of(settings.specification, [data], None)
        vector = np.abs(np.random.default_rng(3).normal(size=settings.specification.size)) * 0.3 + 0.1
        found.append(problem.evaluate(vector[None, None]))
        np.testing.assert_allclose(problem.scaling.scale, np.sqrt(np.mean((table[:, 0] - table[:, 1]) ** 2, 0) / 2))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


def test_a_traced_density_has_the_same_value():
    data = choices(np.random.default_rng(4))
    settings = checked_settings(lori.LORI(levels=2).get_params(), [data])
    problem = Problem.of(settings.specification, [data], settings.prior)
    vector = np.full(settings.specification.size, 0.3)

    @double_precision
    def traced():
        density, rows = problem.density(4)
        return float(jax.jit(density.log_likelihood)(vector, rows))

    assert traced() == pytest.approx(-problem.negative_log_likelihood(vector[None, None], 0).value[0, 0])
