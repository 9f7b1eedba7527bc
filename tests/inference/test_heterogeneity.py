"""Is the likelihood of people who differ integrated rightly, whatever the rows, and are their deviations found?"""

import numpy as np
import pytest
from scipy.special import expit, roots_hermitenorm

import lori
from lori.experiments.bench.populations import Design, one_level
from lori.inference import heterogeneity
from lori.inference.heterogeneity import MixedProblem, normal_draws
from lori.inference.problem import Problem
from lori.inference.settings import checked_settings

TRUTH = lori.OrderedModel.linear([[1.0, 2.0], [3.0, -1.0]], epsilon=[1.0, 0.3], ties="observed")


def mixed(data, levels=1, draws=64, **settings) -> MixedProblem:
    checked = checked_settings(lori.LORI(levels=levels, **settings).get_params(deep=False), [data])
    agent = np.unique(data.agent, return_inverse=True)[1]
    return MixedProblem(Problem.of(checked.specification, [data], checked.prior), agent, draws)


def start(problem: MixedProblem, deviation: float) -> np.ndarray:
    mean = np.linspace(0.4, 1.2, problem.specification.size)
    if getattr(problem.specification, "lapse_slot", None) is not None:
        mean[problem.specification.lapse_slot] = 0.03
    return np.append(mean, np.full(len(problem.varying), deviation))


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("reward", ["linear", "capped"])
def test_people_who_do_not_differ_are_the_pooled_model(levels, reward):
    data = lori.simulate(TRUTH, 90, agents=7, seed=1)
    assert data.has_ties
    problem = mixed(data, levels, reward=reward)
    vector = start(problem, 0.0)
    pooled = problem.problem.row_log_likelihood(vector[: problem.specification.size])[0]
    assert problem.by_agent(vector) == pytest.approx(np.bincount(problem.agent, pooled), abs=1e-9)


def test_the_integral_is_that_of_quadrature():
    """One feature, one level without a threshold: a mixed logit that Gauss and Hermite integrate, too."""
    data = one_level(Design(20, 12, 1), 1000)
    problem = mixed(data, epsilon=0.0, draws=1024)
    vector = start(problem, 0.9)
    nodes, masses = roots_hermitenorm(80)
    gap = data.differences[:, 0] / problem.problem.scaling.scale * np.where(data.wins > 0, 1, -1)
    weights = vector[0] + vector[-1] * nodes
    chances = expit(gap[:, None] * weights)
    if getattr(problem.specification, "lapse_slot", None) is not None:
        lapse = vector[problem.specification.lapse_slot]
        chances = (1 - lapse) * chances + lapse / 2
    logs = np.log(chances)
    by_agent = np.stack([logs[problem.agent == agent].sum(axis=0) for agent in range(20)])
    expected = np.log(np.exp(by_agent) @ masses / masses.sum())
    assert problem.by_agent(vector) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("levels", "settings"), [(1, {}), (2, {}), (1, {"reward": lori.Linear(increasing="all")})])
def test_the_gradient_is_that_of_differences(levels, settings):
    problem = mixed(lori.simulate(TRUTH, 60, agents=6, seed=2), levels, **settings)
    vector = start(problem, 0.5)
    gradient = problem.evaluate(vector).gradient
    for place, step in enumerate(1e-5 * np.eye(len(vector))):
        high, low = problem.evaluate(vector + step).value, problem.evaluate(vector - step).value
        assert gradient[place] == pytest.approx((high - low) / 2e-5, abs=2e-5 * max(1, abs(gradient[place])))


def test_rows_in_any_order_and_counts_or_single_rows():
    data = one_level(Design(15, 20, 2, values=2), 1001)
    problem = mixed(data)
    vector = start(problem, 0.5)
    for other in (data.subset(np.random.default_rng(0).permutation(len(data))), data.aggregate()):
        again = MixedProblem(
            Problem.of(problem.specification, [other], problem.problem.prior, problem.problem.scaling),
            np.unique(other.agent, return_inverse=True)[1],
            problem.draws,
        )
        assert again.by_agent(vector) == pytest.approx(problem.by_agent(vector), abs=1e-9)


def test_deviations_are_found():
    """Weights with mean 1 and deviation 1 among 300 people, whose own mean has a standard error of 0.06."""
    data = one_level(Design(300, 15, 2), 1002)
    problem = mixed(data, epsilon=0.0, prior=None)
    pooled = problem.problem.solve(starts=4).vectors[0]
    found = problem.solve(pooled)
    assert found.converged
    scale = np.tile(problem.problem.scaling.scale, 2)
    weights = np.concatenate([found.vector[:2], found.vector[-2:]]) / scale
    assert np.abs(weights - 1) == pytest.approx(0, abs=0.4)
    assert np.all(problem.problem.row_log_likelihood(pooled).sum() + 50 < found.log_likelihood)


def test_every_agent_has_even_draws_of_their_own():
    draws = normal_draws(5, 64, 3)
    assert draws.shape == (5, 64, 3)
    assert np.abs(draws.mean(axis=1)).max() < 0.1
    assert np.abs(draws.std(axis=1) - 1).max() < 0.1
    assert not np.allclose(draws[0], draws[1])
    assert np.array_equal(draws, normal_draws(5, 64, 3))


def test_populations_of_similar_size_share_compiled_code():
    first, second = (mixed(one_level(Design(agents, 7, 2), 1003)) for agents in (40, 50))
    first.evaluate(start(first, 0.5))
    known = heterogeneity._evaluate._cache_size()
    second.evaluate(start(second, 0.5))
    assert heterogeneity._evaluate._cache_size() == known
