"""Surrogate: what it is at its centre, and that few passes over all rows end where many do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.inference.problem import Problem
from lori.inference.search.all_rows import _few_passes
from lori.inference.search.minimising import minimise
from lori.inference.search.search import search
from lori.inference.search.surrogate import Surrogate
from lori.inference.sources.memory import Memory
from lori.model.likelihoods import Pairs
from lori.model.ordered import OrderedModel
from lori.model.priors import Prior
from lori.model.rewards import Linear
from lori.model.specification import Specification

ROWS = 4000


@pytest.fixture(scope="module")
def problem():
    generator = np.random.default_rng(7)
    model = OrderedModel.linear([[1.0, 0.1], [0.2, 3.0]], epsilon=[1.0, 1.5])
    left, right = generator.normal(size=(2, ROWS, 2))
    data = Preferences.from_arrays(left, right, counts=model.sample(left, right, seed=generator))
    specification = Specification((Linear(),) * 2, (None, None), (1.0, 1.0), Pairs("split"), data.features)
    return Problem.of(specification, [data], prior=Prior())


def test_at_its_centre_a_surrogate_is_the_objective(problem):
    sample = problem.on_sample(1500, np.random.default_rng(0))
    centre = np.array([[[0.8, 0.2, 0.1, 2.0, 0.7, 0.4]]])
    there = problem.evaluate(centre)
    surrogate = Surrogate.around(centre, there, sample)
    for ours, theirs in zip(surrogate.evaluate(centre), there, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-9)


def test_beside_its_centre_a_surrogate_has_the_gradient_of_its_value(problem):
    sample = problem.on_sample(1500, np.random.default_rng(0))
    centre = np.array([[[0.8, 0.2, 0.1, 2.0, 0.7, 0.4]]])
    surrogate = Surrogate.around(centre, problem.evaluate(centre), sample)
    beside, step = centre + 0.1, 1e-5 * np.eye(6)
    there = surrogate.evaluate(beside)
    up, down = (surrogate.evaluate(beside + sign * step[None], order=1) for sign in (1, -1))
    np.testing.assert_allclose((up.value - down.value)[0] / 2e-5, there.gradient[0, 0], rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose((up.gradient - down.gradient)[0] / 2e-5, there.curvature[0, 0], rtol=1e-6, atol=1e-4)


def test_few_passes_over_all_rows_end_where_many_do(problem, monkeypatch):
    """Whatever the sample: as a rule three of them for the curvature and two for the gradient alone, one of each in
    double precision."""
    long = search(problem, starts=16, generator=np.random.default_rng(1))
    full, passes, counts, evaluate = Memory(problem.source.observations), [], [], Problem.evaluate

    def counted(objective, vectors, order=2):
        passes.append((objective.source.rows, order, objective.specification.likelihood.single_precision))
        return evaluate(objective, vectors, order)

    monkeypatch.setattr(Problem, "evaluate", counted)
    for seed in range(5):
        sample = replace(problem, source=replace(full).sample(ROWS // 2, np.random.default_rng(seed)))
        nearby = minimise(sample, long.vectors[:, None]).vectors
        assert (problem.evaluate(nearby).value > long.values + 0.1).all()
        passes.clear()
        short = _few_passes(problem, sample, nearby, 1e-12)
        single, double = ([passes.count((ROWS, order, rough)) for order in (2, 1)] for rough in (True, False))
        counts.append((*np.add(single, double), *double))
        assert short.converged.all()
        assert short.values[:, 0] == pytest.approx(long.values, abs=1e-6)
        np.testing.assert_allclose(short.vectors[:, 0], long.vectors, atol=1e-3)
        np.testing.assert_allclose(short.curvature[:, 0], long.curvature, rtol=1e-3, atol=1e-2)
    assert (np.median(counts, axis=0) <= (3, 2, 1, 1)).all()


def test_a_surrogate_that_misleads_leaves_the_optimum_to_newton(problem, monkeypatch):
    """From a centre and with a sample of which nothing is right."""
    far = np.array([[[0.1, 2.0, 3.0, 0.1, 0.2, 3.0]]])
    sample = problem.on_sample(200, np.random.default_rng(3))
    ended = _few_passes(problem, sample, far, 1e-12)
    assert (problem.evaluate(ended.vectors).value <= problem.evaluate(far).value).all()
    if ended.converged.all():
        assert ended.values == pytest.approx(minimise(problem, ended.vectors).values, abs=1e-4)
