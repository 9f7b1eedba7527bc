"""The batched Newton method against SciPy and known optima."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from lori.inference.blocks import Evaluation
from lori.inference.search import newton
from lori.inference.search.solutions import Solutions

FREE = (np.full(2, -np.inf), np.full(2, np.inf))


def minimise(function, starts, bounds, **options) -> Solutions:
    """Of a function that is the same for all problems."""
    return newton.minimise(lambda vectors, problems: function(vectors), starts, bounds, **options)


def rosenbrock(x) -> Evaluation:
    a, b = x.T
    value = (1 - a) ** 2 + 100 * (b - a**2) ** 2
    gradient = np.stack([-2 * (1 - a) - 400 * a * (b - a**2), 200 * (b - a**2)], axis=1)
    curvature = np.empty((len(x), 2, 2))
    curvature[:, 0, 0] = 2 - 400 * (b - 3 * a**2)
    curvature[:, 0, 1] = curvature[:, 1, 0] = -400 * a
    curvature[:, 1, 1] = 200.0
    return Evaluation(value, gradient, curvature)


def valleys(x) -> Evaluation:
    """(a² − 1)² + b²: minima at a = ±1, a saddle at 0."""
    a, b = x.T
    curvature = np.zeros((len(x), 2, 2))
    curvature[:, 0, 0], curvature[:, 1, 1] = 12 * a**2 - 4, 2.0
    return Evaluation((a**2 - 1) ** 2 + b**2, np.stack([4 * a * (a**2 - 1), 2 * b], axis=1), curvature)


def quadratic(matrix, target):
    """½ |matrix x − target|² for a batch of x."""
    hessian = matrix.T @ matrix

    def evaluate(x):
        residual = x @ matrix.T - target
        return Evaluation(
            0.5 * np.sum(residual**2, axis=1), residual @ matrix, np.broadcast_to(hessian, (len(x), *hessian.shape))
        )

    return evaluate


STARTS = np.array([[-1.2, 1.0], [3.0, -2.0], [0.0, 0.0], [-5.0, 20.0]])


@pytest.mark.parametrize("seed", range(12))
def test_bounded_quadratics_end_where_scipy_says(seed):
    random = np.random.default_rng(seed)
    size = 2 + seed % 5
    matrix = random.normal(size=(size + 3, size)) * 10.0 ** random.uniform(-1, 1, size)
    target = random.normal(0.0, 3.0, size + 3)
    centre = np.linalg.lstsq(matrix, target, rcond=None)[0]
    lower = np.where(random.uniform(size=size) < 0.5, centre + random.normal(0.0, 0.5, size), -np.inf)
    upper = np.where(random.uniform(size=size) < 0.5, np.maximum(lower, centre) + random.uniform(0.1, 1, size), np.inf)
    starts = random.normal(0.0, 5.0, (3, size))
    found = minimise(quadratic(matrix, target), starts, (lower, upper))
    expected = lsq_linear(matrix, target, (lower, upper), method="bvls", tol=1e-14)
    assert found.converged.all()
    np.testing.assert_allclose(found.values, expected.cost, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.vectors, np.tile(expected.x, (3, 1)), rtol=1e-4, atol=1e-4)
    assert (found.vectors >= lower).all()
    assert (found.vectors <= upper).all()


def promised_gain(x) -> np.ndarray:
    """½ |gᵀH⁻¹g|: what an undamped Newton step on Rosenbrock's function promises at x."""
    there = rosenbrock(x)
    return 0.5 * np.abs(np.einsum("bi,bij,bj->b", there.gradient, np.linalg.inv(there.curvature), there.gradient))


def test_rosenbrock_from_several_starts():
    found = minimise(rosenbrock, STARTS, FREE)
    assert found.converged.all()
    np.testing.assert_allclose(found.vectors, 1.0, atol=1e-4)
    assert (found.values < 1e-8).all()
    assert (promised_gain(found.vectors) <= 1e-9).all()
    np.testing.assert_allclose(found.curvature, rosenbrock(found.vectors).curvature, rtol=1e-4)  # one small step before


@pytest.mark.parametrize("bounds", [([-2.0, -2.0], [0.3, 5.0]), ([1.7, 0.1], [4.0, 9.0]), ([-3.0, 1.3], [3.0, 9.0])])
def test_rosenbrock_within_bounds(bounds):
    lower, upper = np.array(bounds)
    seen = []

    def watched(x):
        seen.append(x.copy())
        return rosenbrock(x)

    found = minimise(watched, STARTS, (lower, upper))
    visited = np.concatenate(seen)
    assert (visited >= lower).all()
    assert (visited <= upper).all()
    assert found.converged.all()
    for vector, value in zip(found.vectors, found.values, strict=True):  # SciPy finds nothing better from there
        referee = minimize(
            lambda x: rosenbrock(x[None]).value[0], vector, method="L-BFGS-B",
            jac=lambda x: rosenbrock(x[None]).gradient[0], bounds=list(zip(lower, upper, strict=True)),
            options={"ftol": 1e-14, "gtol": 1e-9},
        )  # fmt: skip
        assert value == pytest.approx(referee.fun, abs=1e-7)
        np.testing.assert_allclose(vector, referee.x, atol=1e-3)


def test_no_bound_is_crossed_by_rounding():
    """0.3 + (0.1 − 0.3) is below 0.1."""
    starts = np.random.default_rng(0).uniform(0.1, 0.7, (200, 2))
    found = minimise(quadratic(np.eye(2), np.array([-1.0, 2.0])), starts, (np.full(2, 0.1), np.full(2, 0.7)))
    assert found.converged.all()
    assert (found.vectors == [0.1, 0.7]).all()


def test_a_valley_that_runs_into_a_bound_takes_few_steps():
    """The valley a = b leads beyond a = 0; a step that is cut off there must stay in the valley."""
    evaluate = quadratic(np.array([[30.0, -30.0], [0.0, 0.03]]), np.array([0.0, -0.3]))
    starts = np.array([[5.0, 5.0], [8.0, 7.0], [1.0, 1.0], [3.0, 9.0]])
    found = minimise(evaluate, starts, (np.array([0.0, -np.inf]), np.full(2, np.inf)), iterations=15)
    assert found.converged.all()
    np.testing.assert_allclose(found.vectors, 0.0, atol=1e-4)


def test_a_saddle_is_left_behind():
    found = minimise(valleys, np.array([[1e-4, 0.5], [-1e-4, -0.5]]), FREE)
    assert found.converged.all()
    np.testing.assert_allclose(found.vectors[:, 0], [1.0, -1.0], atol=1e-4)
    np.testing.assert_allclose(found.values, 0.0, atol=1e-8)


def test_too_few_iterations_are_not_called_converged():
    found = minimise(rosenbrock, STARTS, FREE, iterations=2)
    assert not found.converged.any()
    assert (promised_gain(found.vectors) > 1e-9).all()
    np.testing.assert_array_equal(found.curvature, rosenbrock(found.vectors).curvature)
    assert (found.values <= rosenbrock(STARTS).value).all()


def test_a_batch_is_each_problem_alone():
    together = minimise(rosenbrock, STARTS, FREE)
    for i, start in enumerate(STARTS):
        alone = minimise(rosenbrock, start[None], FREE)
        np.testing.assert_allclose(together.vectors[i], alone.vectors[0], rtol=1e-12)
        assert together.values[i] == pytest.approx(alone.values[0], rel=1e-9, abs=1e-20)
        assert together.converged[i] == alone.converged[0]


@pytest.mark.parametrize("groups", [1, 2])
def test_problems_take_turns_and_end_as_if_alone(groups):
    """Only so many of a group at a time, and none that has ended."""
    asked = []

    def watched(vectors, problems):
        asked.append(problems)
        return rosenbrock(vectors)

    starts = np.concatenate([STARTS, STARTS[::-1] + 0.1])
    found = newton.minimise(watched, starts, FREE, groups=groups, together=2)
    alone = minimise(rosenbrock, starts, FREE)
    np.testing.assert_array_equal(found.vectors, alone.vectors)
    np.testing.assert_array_equal(found.values, alone.values)
    assert max(np.bincount(now // (8 // groups)).max() for now in asked) == 2
    last = {int(problem): turn for turn, now in enumerate(asked) for problem in now}
    assert len(set(last.values())) > 4  # they ended one by one


def test_the_last_ones_get_as_many_steps_as_the_others_took():
    steps = np.zeros(4, int)

    def watched(vectors, problems):
        steps[problems] += 1
        return rosenbrock(vectors)

    starts = np.array([[1.0, 1.0], [1.01, 1.0], [0.99, 1.0], [-5.0, 20.0]])
    found = newton.minimise(watched, starts, FREE, enough=0.75, together=1)
    assert found.converged.tolist() == [True, True, True, False]
    assert steps[3] == steps[:3].max()


def test_one_that_is_far_behind_and_promises_little_is_given_up():
    """exp(−a) falls for ever, by ever less: nothing will make up for the hundred that it stands above."""

    def slope_and_bowl(vectors, problems):
        a, b = vectors.T
        behind = problems == 1
        value = np.where(behind, 100 + np.exp(-a), a**2) + b**2
        gradient = np.stack([np.where(behind, -np.exp(-a), 2 * a), 2 * b], axis=1)
        curvature = np.zeros((len(vectors), 2, 2))
        curvature[:, 0, 0], curvature[:, 1, 1] = np.where(behind, np.exp(-a), 2.0), 2.0
        steps.append(behind.sum())
        return Evaluation(value, gradient, curvature)

    starts, counted = np.array([[3.0, 1.0], [0.0, 1.0]]), []
    for options in ({}, {"beyond": 50.0}, {"beyond": 200.0}, {"beyond": 50.0, "hope": 2}):
        steps: list[int] = []
        found = newton.minimise(slope_and_bowl, starts, FREE, **options)
        assert found.converged.tolist() == [True, options.get("beyond") != 50.0]
        counted.append(sum(steps))
    patient, hasty, far, hastier = counted
    assert hasty == newton.HOPE + 1
    assert hastier == 3
    assert hasty < patient == far


def test_starts_outside_the_bounds_are_brought_inside():
    lower, upper = np.array([2.0, -1.0]), np.array([3.0, 10.0])
    found = minimise(rosenbrock, STARTS, (lower, upper), iterations=1)
    assert (found.vectors >= lower).all()
    assert (found.vectors <= upper).all()


def walled(x) -> Evaluation:
    """b − log b in the second coordinate: infinite, with infinite derivatives, at b = 0."""
    a, b = x.T
    with np.errstate(divide="ignore"):
        curvature = np.zeros((len(x), 2, 2))
        curvature[:, 0, 0], curvature[:, 1, 1] = 2.0, 1 / b**2
        return Evaluation(a**2 + b - np.log(b), np.stack([2 * a, 1 - 1 / b], axis=1), curvature)


def test_a_start_where_the_objective_is_infinite_harms_no_other():
    starts = np.array([[1.0, 0.0], [1.0, 0.01], [-2.0, 30.0]])
    found = minimise(walled, starts, (np.array([-np.inf, 0.0]), np.full(2, np.inf)))
    assert found.converged.tolist() == [False, True, True]
    assert np.isposinf(found.values[0])
    np.testing.assert_allclose(found.vectors[1:], [[0.0, 1.0]] * 2, atol=1e-4)


@pytest.mark.parametrize("lowest", [0.5, -0.5, 0.0])
def test_with_many_parameters_the_step_is_that_of_the_eigenvalues(lowest):
    """Where the curvature is positive definite they are not computed, and nobody sees the difference."""
    generator, size = np.random.default_rng(0), newton.MANY + 1
    basis = np.linalg.qr(generator.normal(size=(size, size)))[0]
    curvature = (basis * np.linspace(lowest, 3.0, size)) @ basis.T
    gradient, damping = generator.normal(size=(1, size)), np.array([0.1])
    held = np.arange(size)[None] == 3
    found = newton._solve(gradient, curvature[None], damping, held)
    free = np.flatnonzero(~held[0])
    few = [newton._solve(gradient[:, free], curvature[None][:, free][:, :, free], damping, held[:, free])]
    expected = np.zeros((1, size))
    expected[:, free] = few[0][0]
    np.testing.assert_allclose(found[0], expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[1], few[0][1], rtol=1e-7)
    assert found[0][0, 3] == 0.0


def test_where_values_are_rounded_steps_are_trusted_as_far_as_that_goes():
    """Around an optimum that is known to eight digits, steps that seem to lose are none that lead astray."""

    def rounded(x) -> Evaluation:
        there, noise = rosenbrock(x), 1e-8 * np.random.default_rng(abs(int(1e9 * x[0, 0]))).normal(size=len(x))
        return there._replace(value=1.0 + there.value + noise)

    found = minimise(rounded, np.array([[-1.2, 1.0]]), FREE, noise=1e-7)
    assert found.converged.all()
    np.testing.assert_allclose(found.vectors, 1.0, atol=1e-3)


@pytest.mark.parametrize("size", [3, newton.MANY + 1])
@pytest.mark.parametrize("count", [1, 5])
def test_matrices_are_decomposed_whoever_does_it(size, count):
    drawn = np.random.default_rng(0).normal(size=(count, size, size))
    matrices = drawn + drawn.swapaxes(1, 2)
    values, vectors = newton._decomposed(matrices)
    np.testing.assert_allclose((vectors * values[:, None]) @ vectors.swapaxes(1, 2), matrices, atol=1e-12)
