"""The search for the best optimum: its starts, and a referee that tries hard."""

from dataclasses import replace
from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize

from lori.data.preferences import Preferences
from lori.estimators.lori import LORI
from lori.experiments.bench.features import FeaturesSettings, _beside, _simulated
from lori.inference.problem import Problem
from lori.inference.search import all_rows, minimising
from lori.inference.search import search as module
from lori.inference.search.search import search
from lori.inference.search.solutions import Solutions
from lori.inference.search.starts import insertions, random_starts, reorderings, variations
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision
from lori.model.rewards import Capped, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
STARTS = 8  # as many as candidates that are polished, so that compiled code is shared


def linear(levels: int, epsilon=None, ties="split") -> Specification:
    thresholds = (None,) * levels if epsilon is None else epsilon
    return Specification((Linear(),) * levels, thresholds, (1.0,) * levels, Pairs(ties), FEATURES)


def simulated(model: OrderedModel, n: int, seed: int = 0) -> Preferences:
    random = np.random.default_rng(seed)
    left, right = random.normal(size=(2, n, 2))
    return Preferences.from_arrays(left, right, counts=model.sample(left, right, seed=random), features=FEATURES)


def problem_of(specification: Specification, *groups: Preferences) -> Problem:
    return Problem.of(specification, groups, None, Scaling(np.zeros(2), np.ones(2)))


@pytest.fixture(scope="module")
def two_levels() -> Problem:
    """600 choices of somebody who puts need first, within a threshold."""
    model = OrderedModel.linear([[0.0, 4.0], [3.0, 0.0]], epsilon=[3.0, 0.0])
    return problem_of(linear(2), simulated(model, 600))


@pytest.fixture(scope="module")
def found(two_levels):
    return search(two_levels, starts=STARTS, generator=np.random.default_rng(1))


def test_reorderings_of_two_levels_swap_everything():
    best = np.array([[1.0, 2.0, 3.0, 4.0, 0.5, 0.7], [5.0, 6.0, 7.0, 8.0, 0.1, 0.2]])
    starts = reorderings(linear(2), best)
    np.testing.assert_array_equal(starts, best[:, None, [2, 3, 0, 1, 5, 4]])


def test_reorderings_of_three_levels_are_all_five_others():
    best = np.array([[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 0.1, 0.2, 0.3]])
    starts = reorderings(linear(3), best)
    assert starts.shape == (1, 5, 9)
    orders = {tuple(row[[0, 2, 4]].astype(int)) for row in starts[0]}
    assert orders == set(permutations((1, 2, 3))) - {(1, 2, 3)}
    for row in starts[0]:
        np.testing.assert_allclose(row[6:], row[[0, 2, 4]] / 10)


def test_reorderings_of_many_levels_swap_neighbours():
    specification = linear(4)
    best = np.concatenate([np.repeat([1.0, 2.0, 3.0, 4.0], 2), [1.0, 2.0, 3.0, 4.0]])[None]
    orders = [tuple(row[8:].astype(int)) for row in reorderings(specification, best)[0]]
    assert orders == [(2, 1, 3, 4), (1, 3, 2, 4), (1, 2, 4, 3)]


def test_a_level_that_moves_up_lets_some_decisions_pass():
    best = np.array([[1.0, 2.0, 3.0, 4.0, 0.5, 0.0]])
    assert reorderings(linear(2), best)[0, 0, 4:].tolist() == [1.0, 0.5]


def test_different_rewards_are_not_swapped():
    specification = Specification((Capped(), Linear()), (None, None), (1.0, 1.0), Pairs(), FEATURES)
    assert reorderings(specification, np.ones((1, specification.size))).shape == (1, 0, specification.size)
    assert reorderings(linear(1), np.ones((2, 3))).shape == (2, 0, 3)


def test_insertions_keep_the_smaller_model_and_add_a_level_at_each_place():
    small = np.array([[1.0, 2.0, 0.4], [3.0, 4.0, 0.6]])
    starts = insertions(linear(2), small, np.random.default_rng(0))
    assert starts.shape == (2, 4, 6)
    for group, own in enumerate(small):
        for i, row in enumerate(starts[group]):
            old = slice(2, 4) if i < 2 else slice(0, 2)
            np.testing.assert_array_equal(row[old], own[:2])
            assert own[2] in row[4:]
            assert np.abs(row[:4]).min() > 0
    specification = Specification((Capped(), Linear()), (None, None), (1.0, 1.0), Pairs(), FEATURES)
    starts = insertions(specification, np.array([[1.0, 2.0, 3.0, 0.4]]), np.random.default_rng(0))
    assert starts.shape == (1, 2, 7)
    np.testing.assert_array_equal(starts[0, :, :3], [[1.0, 2.0, 3.0]] * 2)


def test_random_starts_are_within_bounds_and_the_first_of_many():
    starts = random_starts(linear(2), 50, np.random.default_rng(0), tied=False)
    assert starts.shape == (50, 6)
    assert (starts >= linear(2).bounds[0]).all()
    assert len(np.unique(starts[:, 0])) == 50
    assert 0 < np.mean(starts[:, 5] == 0) < 1
    np.testing.assert_array_equal(starts[:20], random_starts(linear(2), 20, np.random.default_rng(0), tied=False))
    assert random_starts(linear(2), 50, np.random.default_rng(0), tied=True)[:, 4:].min() > 0


def test_random_starts_follow_the_names_of_features():
    one, other = (Specification((Linear(),), (None,), (1.0,), Pairs(), names) for names in ("ab", "ba"))
    drawn, exchanged = (random_starts(own, 5, np.random.default_rng(3), tied=False) for own in (one, other))
    np.testing.assert_allclose(drawn, exchanged[:, [1, 0, 2]], rtol=1e-12)


def test_variations_are_within_bounds_and_keep_most_of_the_best():
    best = np.array([[1.0, 2.0, 3.0, 4.0, 0.5, 0.7], [5.0, 6.0, 7.0, 8.0, 0.1, 0.2]])
    varied = variations(linear(2), best, 8, np.random.default_rng(0))
    assert varied.shape == (2, 8, 6)
    assert (varied >= linear(2).bounds[0]).all()
    assert (varied != best[:, None]).any(axis=2).all()
    kept = (varied[:, ::3] == best[:, None]).sum(axis=2)
    assert (kept == 3).all()  # one of two levels is drawn anew: two weights and a threshold


@double_precision
def referee(problem: Problem, starts: int) -> float:
    """The best of many runs of SciPy's L-BFGS-B on the plainly written negative log-likelihood."""
    rows = jnp.asarray(problem.source.observations[0].kinds["decided"].contrasts())

    @jax.jit
    @jax.value_and_grad
    def total(v):
        p = 0.5
        for w, e in ((v[2:4], v[5]), (v[0:2], v[4])):
            gap = rows @ w
            better, worse = 1 / (1 + jnp.exp(e - gap)), 1 / (1 + jnp.exp(e + gap))
            p = better + (1 - better - worse) * p
        return -jnp.sum(jnp.log(p))

    random = np.random.default_rng(3)
    ends = [
        minimize(
            lambda v: [np.asarray(part, float) for part in total(v)], jac=True, method="L-BFGS-B",
            x0=np.concatenate([random.normal(0.0, 3.0, 4), random.uniform(0.0, 4.0, 2)]),
            bounds=[(None, None)] * 4 + [(0.0, 30.0)] * 2,
        ).fun
        for _ in range(starts)
    ]  # fmt: skip
    return float(np.nanmin(ends))


def test_the_search_is_not_beaten_by_thirty_runs_of_scipy(two_levels, found):
    assert found.converged.all()
    value = two_levels.negative_log_likelihood(found.vectors[:, None]).value[0, 0]
    assert value <= referee(two_levels, 30) + 1e-3
    assert found.values[0] == pytest.approx(value, abs=1e-3)


def test_the_right_level_comes_first(found):
    first, second = np.abs(found.vectors[0, :2]), np.abs(found.vectors[0, 2:4])
    assert first[1] > 5 * first[0]
    assert second[0] > 2 * second[1]
    assert 0 < found.share_at_best[0] <= 1


def test_the_same_seed_finds_the_same(two_levels, found):
    again = search(two_levels, starts=STARTS, generator=np.random.default_rng(1))
    np.testing.assert_array_equal(again.vectors, found.vectors)
    assert again.share_at_best == found.share_at_best


def test_more_levels_are_never_worse():
    """Data of one level, where a second has nothing to add."""
    data = simulated(OrderedModel.linear([[1.0, 2.0]], epsilon=[0.0]), 600, seed=4)
    one = search(problem_of(linear(1), data), starts=STARTS, generator=np.random.default_rng(0))
    two = search(problem_of(linear(2), data), starts=STARTS, generator=np.random.default_rng(0), fewer=one)
    assert two.values[0] <= one.values[0] + 1e-3


def test_observed_ties_are_searched_without_a_hitch():
    """A threshold of zero makes a tie impossible: no start may begin there."""
    model = OrderedModel.linear([[0.0, 4.0], [3.0, 0.0]], epsilon=[3.0, 1.5], ties="observed")
    data = simulated(model, 600, seed=6)
    assert data.n_ties > 20
    problem = problem_of(linear(2, ties="observed"), data)
    starts = random_starts(problem.specification, STARTS, np.random.default_rng(1), tied=True)
    assert np.isfinite(problem.evaluate(starts[None]).value).all()
    result = search(problem, starts=STARTS, generator=np.random.default_rng(1))
    truth = problem.negative_log_likelihood(np.array([[[0.0, 4.0, 3.0, 0.0, 3.0, 1.5]]])).value[0, 0]
    assert result.converged.all()
    assert truth - 15 < result.values[0] < truth  # six parameters gain about three units


def test_many_parameters_go_to_the_quasi_newton_method(two_levels, found, monkeypatch):
    monkeypatch.setattr(minimising, "SECOND_ORDER_SIZE", 3)
    result = search(two_levels, starts=STARTS, generator=np.random.default_rng(1))
    assert result.values[0] == pytest.approx(found.values[0], abs=0.01)


def test_the_curvature_is_that_of_the_problem_at_the_end(two_levels, found):
    there = two_levels.evaluate(found.vectors[:, None])
    np.testing.assert_allclose(found.curvature, there.curvature[:, 0], rtol=1e-6, atol=1e-6)


def test_a_search_on_samples_ends_on_all_rows(two_levels, found, monkeypatch):
    monkeypatch.setattr(minimising, "WHOLE", 0)
    monkeypatch.setattr(module, "SEARCH_ROWS", 300)
    monkeypatch.setattr(module, "POLISH_ROWS", 450)
    monkeypatch.setattr(module, "ROWS_EACH", 50)
    result = search(two_levels, starts=STARTS, generator=np.random.default_rng(1))
    assert result.converged.all()
    assert result.values[0] == pytest.approx(found.values[0], abs=1e-6)
    assert result.values[0] == pytest.approx(two_levels.evaluate(result.vectors[:, None]).value[0, 0], rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "features"), [(100, 6), (101, 10), (102, 14), (103, 20), (104, 30)])
def test_many_features_of_many_choices_are_searched_on_samples_that_are_large_enough(seed, features):
    """Samples with too few rows for their parameters lead to optima hundreds of units below that beside the truth."""
    random = np.random.default_rng(seed)
    model = OrderedModel.linear(random.normal(size=(2, features)) * 2 / np.sqrt(features), epsilon=[1.5, 0.0])
    left, right = random.normal(size=(2, 100_000, features))
    data = Preferences.from_arrays(left, right, counts=model.sample(left, right, seed=random))
    specification = Specification((Linear(),) * 2, (None, None), (1.0, 1.0), Pairs("split"), data.features)
    problem = Problem.of(specification, [data], prior=None)
    weights = [own.weights * problem.scaling.scale for own in model.levels]
    truth = specification.pack(weights, np.array([1.5, 0.5]), np.ones(2), 0.0)
    fewer = search(problem.nested()[0], starts=24, generator=np.random.default_rng(0))
    found = search(problem, starts=48, generator=np.random.default_rng(0), fewer=fewer)
    assert found.values[0] <= problem.solve_from(truth[None, None], tolerance=1e-4).values.min() + 1e-2


@pytest.mark.parametrize(("seed", "features", "start"), [(1007, 3, 2), (1001, 5, 1)])
def test_without_a_prior_samples_are_not_explained_by_steps(seed, features, start):
    """Steep levels explained the noise of a sample: these two searches ended 329 and 164 units short."""
    data, truth = _simulated(FeaturesSettings(pairs=120_000, features=features, seed=seed))
    model = LORI(levels=2, lapse=0, prior=None, seed=start, standard_errors="none").fit(data)
    assert model.log_likelihood_ > _beside(truth, data, model) - 0.5


def test_a_last_threshold_that_a_sample_closed_is_opened_on_all_rows(monkeypatch):
    """At zero the gradient vanishes and the curvature is negative: a saddle, where Newton's method stays."""
    truth = OrderedModel.linear([[0.0, 4.0], [3.0, 0.0]], epsilon=[3.0, 2.0])
    problem, generator = problem_of(linear(2), simulated(truth, 600)), np.random.default_rng(1)
    shut = search(problem_of(linear(2, (None, 0.0)), simulated(truth, 600)), starts=STARTS, generator=generator)
    vectors = np.append(shut.vectors[0], 0.0)[None, None]
    at = problem.evaluate(vectors)
    assert at.gradient[0, 0, -1] == pytest.approx(0.0, abs=1e-6)
    assert at.curvature[0, 0, -1, -1] < 0
    stuck = Solutions(vectors, at.value, np.ones((1, 1), bool), at.curvature, at.gradient)
    monkeypatch.setattr(all_rows, "_polished", lambda *_: stuck)
    won = all_rows.on_all_rows((problem,) * 3, stuck, 1e-9)
    best = search(problem, starts=STARTS, generator=generator)
    assert won.values[0, 0] < at.value[0, 0] - 1
    assert won.values[0, 0] == pytest.approx(best.values[0], abs=1e-6)


def test_groups_are_found_as_each_alone(monkeypatch):
    """Also where one group is searched on all its rows beside a sample of another's."""
    monkeypatch.setattr(minimising, "WHOLE", 0)
    monkeypatch.setattr(module, "SEARCH_ROWS", 500)
    monkeypatch.setattr(module, "ROWS_EACH", 50)
    model = OrderedModel.linear([[1.0, 2.0]], epsilon=[0.0])
    groups = [simulated(model, n, seed=n) for n in (300, 600)]
    together = search(problem_of(linear(1), *groups), starts=STARTS, generator=np.random.default_rng(1))
    assert together.converged.all()
    for value, own in zip(together.values, groups, strict=True):
        alone = search(problem_of(linear(1), own), starts=STARTS, generator=np.random.default_rng(1))
        assert value == pytest.approx(alone.values[0], abs=1e-4)


@pytest.mark.parametrize(
    ("levels", "ties", "inner", "settled"),
    [
        (4, "split", [0.0, 0.01], True),
        (4, "split", [0.0, 0.5], False),  # a third level speaks in one of two groups
        (4, "observed", [0.0, 0.01], False),  # there a level is silent behind a large threshold
        (3, "split", None, False),  # two levels have no inner threshold
    ],
)
def test_a_silent_level_ends_the_search_for_more(levels, ties, inner, settled):
    fewer = linear(levels - 1, ties=ties)
    vectors = np.ones((2, fewer.size))
    if inner is not None:
        vectors[:, fewer.epsilon_slots[1]] = inner
    nothing = np.zeros(2)
    found = module.Found(vectors, nothing, nothing, None, None, 1, nothing, ())
    assert module._settled(linear(levels, ties=ties), found) is settled


def test_a_last_threshold_that_is_all_but_zero_is_zero(two_levels):
    """Only where the likelihood is even in it: else so small a number is one like others."""
    vectors = np.array([[[0.1, 4.0, 3.0, 0.1, 3.0, 3e-7]]])
    near = Solutions(vectors, np.zeros((1, 1)), np.ones((1, 1), bool))
    assert all_rows._shut(two_levels.specification, near).vectors[0, 0].tolist() == [0.1, 4.0, 3.0, 0.1, 3.0, 0.0]
    observed = replace(two_levels.specification, likelihood=Pairs("observed"))
    assert all_rows._shut(observed, near).vectors[0, 0, -1] == 3e-7
