"""Is the density of the proposal that of its draws, and is the part of the posterior found that Gaussians miss?"""

import numpy as np
import pytest

import lori
from lori.inference.fitting import fit_groups
from lori.inference.posterior.idle import Idle, _others, _own
from lori.inference.posterior.importance import weigh, with_rivals
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

ONE = lori.OrderedModel.linear([[1.5]], epsilon=[0.0])


def problem_of(data, **settings):
    made = checked_settings(lori.LORI(levels=2, **settings).get_params(deep=False), [data])
    fit = fit_groups(made, [data])[0]
    return Problem.of(made.specification, [data], made.prior, fit.optimum.units.scaling), fit


@pytest.fixture(scope="module")
def fitted():
    return problem_of(lori.simulate(ONE, 60, seed=0), lapse=0.0)


def test_every_number_stands_once(fitted):
    known = fitted[0].specification
    for place in range(2):
        together = np.concatenate([_own(known, place), _others(known, place)])
        assert sorted(together) == list(range(known.size))
    assert [known.names[i] for i in _others(known, 0)] == ["level 2: weight of x1", "level 2: threshold"]


def test_the_density_is_that_of_the_draws(fitted):
    """By importance: the mean of another density by this one is its integral, one."""
    problem, fit = fitted
    (idle,) = Idle.of(problem, [fit.optimum])
    draws = idle.draw(40_000, np.random.default_rng(0))
    lower, upper = problem.specification.bounds
    assert ((lower <= draws) & (draws <= upper)).all()
    middle = np.array([1.0, 1.0, 1.0, 0.3])  # weights normal, thresholds exponential
    log_other = (
        -0.5 * np.sum((draws[:, :2] - middle[:2]) ** 2, axis=1) - np.log(2 * np.pi) - draws[:, 2] - draws[:, 3] / 0.3
    ) - np.log(0.3)
    ratio = np.exp(log_other - idle.log_density(draws))
    assert ratio.mean() == pytest.approx(1.0, abs=4 * ratio.std() / np.sqrt(len(ratio)))


def test_a_level_behind_a_threshold_that_nothing_reaches_is_found(fitted):
    """The evidence, by quadrature over the prior: with one level in truth, most of it has an idle level."""
    problem, fit = fitted
    (optima,) = with_rivals(problem, [fit.optimum], [fit.rivals])
    (found,) = weigh(problem, [optima], 1 << 13, np.random.default_rng(0), everywhere=True)
    drawn = problem.prior.draw(problem.specification, 60_000, np.random.default_rng(1))
    likelihood = np.exp(-problem.negative_log_likelihood(drawn[None], order=0).value[0])
    share, error = likelihood.mean(), likelihood.std() / np.sqrt(len(drawn))
    off = np.hypot(found.error, error / share)
    assert found.log_evidence == pytest.approx(np.log(share), abs=4 * off)
    far = drawn[:, 2] > 8.0
    expected = likelihood[far].sum() / likelihood.sum()
    assert expected > 0.02
    assert found.shares[found.draws[:, 2] > 8.0].sum() == pytest.approx(expected, rel=0.3)


def test_levels_that_differ_have_no_proposal():
    data = lori.simulate(ONE, 60, seed=0)
    for settings in ({"prior": None}, {"epsilon": (None, 0.0)}):
        problem, fit = problem_of(data, **settings)
        assert Idle.of(problem, [fit.optimum]) == [None]
    one = lori.LORI(levels=1).fit(data)
    problem = Problem.of(one.settings_.specification, [data], one.settings_.prior, one.optimum_.units.scaling)
    assert Idle.of(problem, [one.optimum_]) == [None]
