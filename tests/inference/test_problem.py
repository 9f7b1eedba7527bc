"""Problem: what sources add up, the prior and a ridge; the same row by row, traced, and with other weights."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lori
from lori.data.preferences import Preferences
from lori.inference import arrangement, plain
from lori.inference.estimates import Units
from lori.inference.fitting import fit_groups
from lori.inference.problem import RIDGE, Problem
from lori.inference.settings import checked_settings
from lori.inference.sources.memory import Memory
from lori.inference.statistics import Moments, Scaling
from lori.model.likelihoods import Pairs
from lori.model.likelihoods.pairs import PairRows
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.rewards import Capped, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
LINEAR = Specification((Linear(), Linear()), (None, 0.0), (1.0, 2.0), Pairs(), FEATURES)
TIED = Specification((Linear(), Linear()), (None, None), (1.0, 1.0), Pairs("observed"), FEATURES)
CAPPED = Specification((Capped(sharpness=2.0), Linear()), (None, None), (1.0, 1.0), Pairs("observed"), FEATURES)
SCALING = Scaling(np.array([7.0, -0.3]), np.array([2.0, 0.5]))


def preferences(n=100, seed=0, ties=False) -> Preferences:
    """Pairs with wins, losses and perhaps ties, some of them several times, and weights of their own."""
    random = np.random.default_rng(seed)
    left, right = SCALING.location + SCALING.scale * random.normal(size=(2, n, 2))
    counts = random.integers(0, 3, size=(n, 3)) * [1, ties, 1]
    counts[:, 0] += counts.sum(axis=1) == 0
    weight = random.uniform(0.5, 3.0, n)
    weight *= counts.sum() / (counts.sum(axis=1) @ weight)  # weights are relative
    return Preferences.from_arrays(left, right, counts=counts, weight=weight, features=FEATURES)


def problem_of(*groups: Preferences, specification=LINEAR, prior=None) -> Problem:
    return Problem.of(specification, groups, prior, SCALING)


def as_weighted(*groups: Preferences, specification=LINEAR, prior=None) -> Problem:
    """With the weights as they are, not relative to their average."""
    return Problem(specification, Memory(tuple(map(specification.likelihood.observed, groups))), SCALING, prior)


def vectors(specification=LINEAR, starts=3, groups=1) -> np.ndarray:
    random = np.random.default_rng(5)
    drawn = random.normal(size=(groups, starts, specification.size))
    thresholds = list(specification.epsilon_slots.values())
    drawn[..., thresholds] = random.uniform(0.3, 1.5, (groups, starts, len(thresholds)))
    return drawn


def assert_same(one, other, tolerance) -> None:
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)


def test_the_prior_and_the_ridge_are_added_to_the_likelihood():
    problem = problem_of(preferences(), prior=Prior(weights=1.0, epsilon=0.5, degrees=3.0))
    at = vectors()
    bare, full = problem.negative_log_likelihood(at), problem.evaluate(at)
    v, square = at[0, 0], 3 * np.array([1.0, 1.0, 1.0, 1.0, 0.5]) ** 2  # minus log-prior: 2 Σ log(1 + v² / 3 scale²)
    added = (
        2 * np.sum(np.log(1 + v**2 / square)) + 50 * RIDGE * np.sum(np.log(1 + v**2 / 100)),
        4 * v / (square + v**2) + RIDGE * v / (1 + v**2 / 100),
        np.diag(4 * (square - v**2) / (square + v**2) ** 2 + RIDGE * (1 - v**2 / 100) / (1 + v**2 / 100) ** 2),
    )
    for whole, part, penalty, extra in zip(full, bare, problem.penalty(at), added, strict=True):
        np.testing.assert_allclose((whole - part)[0, 0], extra, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(penalty[0, 0], extra, rtol=1e-13, atol=1e-15)
    without = replace(problem, prior=None)
    np.testing.assert_array_equal(without.negative_log_likelihood(at).value, bare.value)
    np.testing.assert_allclose(without.evaluate(at).value, bare.value, rtol=1e-5)
    assert (full.value > bare.value).all()


@pytest.mark.parametrize("order", [0, 1])
def test_lower_orders_are_the_same_numbers(order):
    problem, at = problem_of(preferences(), prior=Prior()), vectors()
    full, lower = problem.evaluate(at), problem.evaluate(at, order=order)
    np.testing.assert_allclose(lower.value, full.value, rtol=1e-13)
    assert lower.curvature is None
    if order == 1:
        np.testing.assert_allclose(lower.gradient, full.gradient, rtol=1e-11, atol=1e-11)
    else:
        assert lower.gradient is None


def test_the_problem_of_one_group_is_its_own_row():
    groups = tuple(preferences(n, seed=n) for n in (100, 70, 128))
    problem, at = problem_of(*groups, prior=Prior()), vectors(groups=3)
    together = problem.evaluate(at)
    for g in range(3):
        for one, two in zip(together, problem.of_group(g).evaluate(at[g : g + 1]), strict=True):
            np.testing.assert_allclose(one[g], two[0], rtol=1e-11, atol=1e-11)
    alone = problem_of(groups[0])
    assert alone.of_group(0) is alone


def test_a_sample_stands_for_all_rows():
    """Its expectation is the likelihood of all rows: the mean of many samples comes near."""
    problem, at = problem_of(preferences(), prior=Prior()), vectors()
    rows = problem.source.rows
    assert problem.on_sample(rows, np.random.default_rng(0)) is problem
    generator = np.random.default_rng(0)
    values = np.array([problem.on_sample(60, generator).evaluate(at, order=0).value[0] for _ in range(100)])
    error = values.std(axis=0) / 10
    assert (np.abs(values.mean(axis=0) - problem.evaluate(at, order=0).value[0]) < 4 * error).all()
    assert (error > 0).all()
    small = problem.on_sample(60, generator)
    assert small.source.rows == 60 < rows
    assert (small.prior, small.scaling) == (problem.prior, problem.scaling)


# -- other weights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("specification", [TIED, CAPPED], ids=["differences", "alternatives"])
def test_a_reweighted_problem_is_that_of_data_with_these_weights(specification):
    data, at = preferences(ties=True), vectors(specification)
    problem = problem_of(data, specification=specification, prior=Prior())
    factor = np.random.default_rng(2).uniform(0.0, 2.0, len(data)) * (np.arange(len(data)) % 5 > 0)
    fresh = as_weighted(data.weighted(data.weights * factor), specification=specification, prior=Prior())
    before = problem.evaluate(at)
    assert_same(problem.reweighted(factor).evaluate(at), fresh.evaluate(at), 1e-10)
    assert_same(problem.evaluate(at), before, 0)  # which stays what it was
    assert not np.allclose(before.value, fresh.evaluate(at).value, rtol=0.01)


def test_weights_are_relative_over_all_groups():
    groups = [preferences(n, seed=n) for n in (100, 128)]
    heavy = [own.weighted(10 * own.weights) for own in groups]
    at = vectors(groups=2)
    assert_same(problem_of(*heavy).evaluate(at), problem_of(*groups).evaluate(at), 1e-12)
    one, other = groups[0], groups[1].weighted(3 * groups[1].weights)
    total = [(own.comparisons @ own.weights, own.n_comparisons) for own in (one, other)]
    factor = sum(count for _, count in total) / sum(weight for weight, _ in total)
    bare = as_weighted(*groups).evaluate(at, 0).value
    np.testing.assert_allclose(
        problem_of(one, other).negative_log_likelihood(at, 0).value, bare * factor * np.array([[1.0], [3.0]]), rtol=1e-5
    )


def test_each_of_many_groups_has_its_own_weights():
    groups, at = [preferences(n, seed=n) for n in (100, 128)], vectors(groups=2)
    random = np.random.default_rng(2)
    factors = [random.uniform(0.0, 2.0, len(own)) for own in groups]
    fresh = [own.weighted(own.weights * factor) for own, factor in zip(groups, factors, strict=True)]
    assert_same(problem_of(*groups).reweighted(factors).evaluate(at), as_weighted(*fresh).evaluate(at), 1e-10)


@pytest.mark.parametrize("specification", [TIED, CAPPED], ids=["differences", "alternatives"])
def test_new_weights_do_not_lay_rows_out_again(specification, monkeypatch):
    """As every step of an EM algorithm asks: rows are read once, whatever their weights become."""
    monkeypatch.setattr(plain, "MOST_ROWS", 0)
    data, at = preferences(ties=True), vectors(specification)
    problem = problem_of(data, specification=specification)
    read, laid = [], []
    for name in ("contrasts", "alternatives"):
        original = getattr(PairRows, name)
        monkeypatch.setattr(
            PairRows, name, lambda self, *part, original=original: (read.append(self), original(self, *part))[1]
        )
    layout = arrangement._blocks
    monkeypatch.setattr(arrangement, "_blocks", lambda *arguments: (laid.append(arguments), layout(*arguments))[1])
    problem.evaluate(at)
    assert read
    assert laid
    read.clear()
    laid.clear()
    values = [problem.reweighted(np.full(len(data), factor)).evaluate(at, 0).value for factor in (0.5, 1.5)]
    again = problem.reweighted(np.full(len(data), 0.5)).reweighted(np.full(len(data), 3.0)).evaluate(at, 0).value
    assert (read, laid) == ([], [])
    likelihood = problem.negative_log_likelihood(at, 0).value
    ridge = problem.penalty(at, 0).value
    for factor, value in zip((0.5, 1.5, 1.5), (*values, again), strict=True):
        np.testing.assert_allclose(value, factor * likelihood + ridge, rtol=1e-10)


# -- row by row ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("specification", [TIED, CAPPED], ids=["linear", "capped"])
def test_the_log_likelihood_of_each_observation(specification):
    """It sums to that of all, and is what the model in the user's units predicts, times weights and counts."""
    data, at = preferences(ties=True), vectors(specification)
    problem = problem_of(data, specification=specification, prior=Prior())
    rows = problem.row_log_likelihood(at[0])
    assert rows.shape == (3, len(data))
    np.testing.assert_allclose(rows.sum(axis=1), -problem.negative_log_likelihood(at, 0).value[0], rtol=1e-11)
    units = Units(specification, SCALING, (1.0, 1.0))
    for own, vector in zip(rows, at[0], strict=True):
        logs = units.model(vector, data.alternatives).predict_log_proba(data.left_features, data.right_features)
        by_hand = data.weight * (data.wins * logs[:, 0] + data.ties * logs[:, 1] + data.losses * logs[:, 2])
        np.testing.assert_allclose(own, by_hand, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(problem.row_log_likelihood(at[0, 1]), rows[1:2], rtol=1e-14)  # one vector or three


def test_observations_that_were_never_compared_have_a_row():
    data = preferences()
    compared = np.arange(len(data)) < len(data) - 2
    idle = replace(data, wins=data.wins * compared, losses=data.losses * compared)
    rows = problem_of(idle).row_log_likelihood(vectors()[0])
    assert rows.shape == (3, len(data))
    assert (rows[:, -2:] == 0).all()
    assert (rows[:, :-2] < 0).all()


@pytest.mark.parametrize("specification", [TIED, CAPPED], ids=["linear", "capped"])
def test_scores_are_the_slopes_of_each_row(specification):
    data, at = preferences(ties=True), vectors(specification)[0, 0]
    problem = problem_of(data, specification=specification, prior=Prior())
    scores, weight, origin = problem.scores(at)
    assert scores.shape == (len(weight), specification.size) == (len(origin), specification.size)
    summed = np.zeros((len(data), specification.size))
    np.add.at(summed, origin, scores * weight[:, None])
    step = 1e-5 * np.eye(specification.size)
    up, down = problem.row_log_likelihood(at + step), problem.row_log_likelihood(at - step)
    np.testing.assert_allclose(summed, ((up - down) / 2e-5).T, rtol=1e-6, atol=1e-7)
    gradient = problem.negative_log_likelihood(at[None, None], 1).gradient[0, 0]
    np.testing.assert_allclose(scores.T @ weight, -gradient, rtol=1e-9, atol=1e-9)


# -- a given scaling -------------------------------------------------------------------------------------


def test_a_given_scaling_is_kept_and_one_that_is_not_given_comes_from_the_data():
    groups = [preferences(n, seed=n) for n in (100, 70)]
    assert Problem.of(LINEAR, groups, None, SCALING).scaling is SCALING
    own = Problem.of(LINEAR, groups, None).scaling
    names = ("left_features", "right_features", "comparisons")
    left, right, counts = (np.concatenate([getattr(group, name) for group in groups]) for name in names)
    np.testing.assert_allclose(own.location, np.average(left + right, axis=0, weights=counts) / 2)
    np.testing.assert_allclose(own.scale, np.sqrt(np.average((left - right) ** 2, axis=0, weights=counts) / 2))


def test_a_fit_keeps_a_given_scaling_and_finds_the_same_model_without_prior():
    truth = lori.OrderedModel.linear([[1.0, -2.0]], epsilon=[0.0], features=FEATURES)
    seen = lori.simulate(truth, 300, spread=[1.0, 3.0], seed=1)
    settings = checked_settings(lori.LORI(levels=1, epsilon=0.0, lapse=0, prior=None).get_params(deep=False), [seen])
    given = Scaling(np.array([0.5, -1.0]), np.array([2.0, 0.7]))
    fit, usual = fit_groups(settings, [seen], scaling=given)[0], fit_groups(settings, [seen])[0]
    assert fit.optimum.units.scaling is given
    expected = Scaling.of(Moments.of(seen), standardised=True)
    np.testing.assert_allclose(usual.optimum.units.scaling.scale, expected.scale)
    np.testing.assert_allclose(fit.model.levels[0].weights, usual.model.levels[0].weights, rtol=1e-5)
    assert not np.allclose(fit.optimum.vector, usual.optimum.vector, rtol=0.05)


# -- traced, for samplers --------------------------------------------------------------------------------


@pytest.mark.parametrize("specification", [TIED, CAPPED], ids=["linear", "capped"])
@double_precision
def test_the_traced_density_is_the_log_posterior_but_for_the_ridge(specification):
    problem = problem_of(preferences(ties=True), specification=specification, prior=Prior())
    at = vectors(specification)[0]
    density, data = problem.density(len(at))

    @jax.jit
    def total(vector):
        return density.log_prior(vector) + density.log_likelihood(vector, data)

    ridge = replace(problem, prior=None).penalty(at, order=1)
    expected = problem.log_posterior(at[None])[0] + ridge.value
    np.testing.assert_allclose(jax.vmap(total)(jnp.asarray(at)), expected, rtol=1e-12)
    np.testing.assert_allclose([total(one) for one in jnp.asarray(at)], expected, rtol=1e-12)
    gradient = problem.evaluate(at[None], order=1).gradient[0]
    slopes = jax.vmap(jax.grad(total))(jnp.asarray(at))
    np.testing.assert_allclose(slopes, ridge.gradient - gradient, rtol=1e-9, atol=1e-9)


def test_the_log_posterior_is_impossible_outside_the_bounds():
    problem, at = problem_of(preferences(), prior=Prior()), vectors()[0]
    at[1, 4] = -0.1
    values = problem.log_posterior(at[None])[0]
    assert np.isneginf(values[1])
    assert np.isfinite(values[[0, 2]]).all()
    constant = problem.prior.log_constant(LINEAR)
    np.testing.assert_allclose(values[0], constant - problem.evaluate(at[None], 0).value[0, 0], rtol=1e-13)
    np.testing.assert_allclose(problem.log_posterior(at[None], roughly=True)[0], values, rtol=1e-6)
    without = replace(problem, prior=None).density(1)[0]
    assert without.log_prior(jnp.asarray(at[0])) == 0.0
