"""Importance sampling against quadrature: evidence and quantiles of posteriors that are no Gaussians."""

import numpy as np
import pytest

import lori
import lori.inference.fitting
from lori.inference.intervals import quantiles
from lori.inference.posterior.importance import CORRECTED, gaussian, weigh, with_rivals
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

ONE = lori.OrderedModel.linear([[2.0]], epsilon=[0.7])


def one_level(count, seeds):
    """A problem of several groups with one weight and a threshold at or near zero, and its optima."""
    groups = [lori.simulate(ONE, count, seed=seed) for seed in seeds]
    settings = checked_settings(lori.LORI(levels=1, lapse=0.0).get_params(deep=False), groups)
    problem = Problem.of(settings.specification, groups, settings.prior)
    fits = [lori.inference.fitting.fit_groups(settings, [group], problem.scaling)[0] for group in groups]
    return problem, with_rivals(problem, [own.optimum for own in fits], [own.rivals for own in fits])


@pytest.fixture(scope="module")
def groups():
    return one_level(80, (0, 1, 2))


def test_evidence_and_quantiles_are_those_of_the_posterior(groups):
    problem, optima = groups
    found = weigh(problem, optima, 1 << 14, np.random.default_rng(0))
    weights, thresholds = np.linspace(-12, 12, 401), np.linspace(0, 12, 301)
    grid = np.stack(np.meshgrid(weights, thresholds, indexing="ij"), axis=-1).reshape(-1, 2)
    cell = (weights[1] - weights[0]) * (thresholds[1] - thresholds[0])
    exact = np.exp(problem.log_posterior(np.broadcast_to(grid, (3, *grid.shape))))
    inner = np.where(np.isin(grid[:, 1], thresholds[[0, -1]]), 0.5, 1.0)  # of the trapezoidal rule
    for own, density in zip(found, exact * inner, strict=True):
        assert own.log_evidence == pytest.approx(np.log(density.sum() * cell), abs=max(4 * own.error, 0.02))
        for place in range(2):
            order = np.argsort(grid[:, place], kind="stable")
            reached = np.cumsum(density[order]) / density.sum()
            expected = np.interp([0.025, 0.5, 0.975], reached, grid[order, place])
            close = 0.25 * (expected[2] - expected[0]) * np.array([0.25, 0.15, 0.25])
            assert np.all(
                np.abs(quantiles(own.draws[:, place], [0.025, 0.5, 0.975], own.shares) - expected) < close + 0.05
            )


def test_many_rows_are_not_asked(groups, monkeypatch):
    problem, optima = groups
    monkeypatch.setattr("lori.inference.posterior.importance.CORRECTED", 100)
    assert CORRECTED > 1e6
    found = weigh(problem, optima, 512, np.random.default_rng(0))
    assert not any(own.corrected for own in found)
    alone = gaussian(optima[0], 512, np.random.default_rng(0))
    np.testing.assert_allclose(alone.draws, found[0].draws)
