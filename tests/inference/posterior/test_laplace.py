"""Gaussians around optima against closed forms: masses, draws within bounds, densities."""

import numpy as np
import pytest
from scipy import integrate, stats

from lori.inference.estimates import Optimum, Units
from lori.inference.posterior.laplace import Gaussian, Kernels, Mixture, _half_power, systematic
from lori.inference.posterior.sobol import spread_points
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.priors import Prior
from lori.model.rewards import Linear
from lori.model.specification import Specification

CURVATURE = np.array([[4.0, 1.0], [1.0, 2.0]])


def optimum(*, increasing=(), vector=(1.0, 2.0), gradient=(0.0, 0.0), value=3.0, curvature=CURVATURE, prior=None):
    specification = Specification((Linear(increasing=increasing),), (0.0,), (1.0,), Pairs(), ("a", "b"))
    units = Units(specification, Scaling(np.zeros(2), np.ones(2)), (1.0,))
    return Optimum(units, prior, np.array(vector), value, np.array(gradient), curvature)


def drawn(found, count):
    """Draws of a Gaussian within its bounds, and the weights that make them so."""
    draws, log_weights = found.draw(spread_points(count, len(found.mean)))
    return draws, np.exp(log_weights) / np.exp(log_weights).sum()


def test_without_bounds_it_is_the_textbook_gaussian():
    found = Gaussian.around(optimum())
    covariance = np.linalg.inv(CURVATURE)
    expected = -3.0 + np.log(2 * np.pi) - 0.5 * np.log(np.linalg.det(CURVATURE))
    assert found.log_mass == pytest.approx(expected, abs=1e-12)
    draws, shares = drawn(found, 4096)
    np.testing.assert_allclose(shares, 1 / 4096)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.01)  # the points are spread evenly
    points = np.array([[0.5, 2.5], [1.0, 2.0]])
    exact = stats.multivariate_normal([1.0, 2.0], covariance).logpdf(points)
    np.testing.assert_allclose(found.log_density(points), exact)


@pytest.mark.parametrize("gradient", [0.0, 2.0])
def test_a_bound_cuts_the_mass_and_the_draws(gradient):
    """θ₁ sits at its bound 0; the mass is the integral of exp(−value − g θ₁ − ½ θᵀHθ) over θ₁ ≥ 0."""
    found = Gaussian.around(optimum(increasing=["a"], vector=(0.0, 0.5), gradient=(gradient, 0.0)))

    def density(b, a):
        away = np.array([a, b - 0.5])
        return np.exp(-3.0 - gradient * a - 0.5 * away @ CURVATURE @ away)

    mass, _ = integrate.dblquad(density, 0, 8, -8, 9)
    mean, _ = integrate.dblquad(lambda b, a: a * density(b, a), 0, 8, -8, 9)
    draws, shares = drawn(found, 4096)
    assert found.log_mass == pytest.approx(np.log(mass), abs=0.01)
    assert draws[:, 0].min() >= 0
    assert shares @ draws[:, 0] == pytest.approx(mean / mass, rel=0.01)


def test_draws_within_two_bounds_come_from_the_density_that_is_told():
    """The mean of any density ratio under the draws is one."""
    found = Gaussian.around(optimum(increasing=["a", "b"], vector=(0.0, 0.3), gradient=(1.0, 0.0)), 2.0)
    draws, _ = found.draw(spread_points(4096, 2))
    other = stats.expon(scale=0.5).logpdf(draws).sum(axis=1)
    assert np.exp(other - found.log_density(draws)).mean() == pytest.approx(1.0, abs=0.02)


def test_a_flat_direction_is_as_wide_as_the_prior_allows_and_said_to_be():
    found = Gaussian.around(optimum(curvature=np.diag([4.0, 0.0]), prior=Prior()))
    assert found.flat
    assert 3.0 < drawn(found, 2048)[0][:, 1].std() < 7.0


def test_a_mixture_has_the_shares_of_its_optima_and_a_density_that_integrates_to_one():
    optima = [optimum(), optimum(vector=(-4.0, 0.0), value=3.0 + np.log(3))]
    made = Mixture.of(optima, 4000, np.random.default_rng(0), {1.0: 0.5, 2.0: 0.5})
    weights = np.exp(made.log_weights)
    assert np.average(made.draws[:, 0] < -1.5, weights=weights) == pytest.approx(0.25, abs=0.05)
    grid = np.linspace(-12, 8, 161)
    points = np.stack(np.meshgrid(grid, grid + 2), axis=-1).reshape(-1, 2)
    assert np.exp(made.log_density(points)).sum() * (20 / 160) ** 2 == pytest.approx(1.0, abs=1e-3)


def test_several_beside_each_other_are_what_each_is_alone():
    bounds = [{"increasing": ["a"], "vector": (at, 0.5), "gradient": (at, 0.0)} for at in (0.0, 0.4, 2.0)]
    alone = [Gaussian.around(optimum(**own), width) for own, width in zip(bounds, (1.0, 2.0, 4.0), strict=True)]
    together, which, points = Gaussian.beside(alone), np.array([0, 2, 1, 2, 0]), spread_points(5, 2)
    draws, log_weights = together.draw(points, which)
    for place, own in enumerate(which):
        (draw,), (log_weight,) = alone[own].draw(points[[place]])
        np.testing.assert_allclose(draws[place], draw, atol=1e-12)
        assert log_weights[place] == pytest.approx(log_weight, abs=1e-12)
    each = [own.log_density(draws) for own in alone]
    np.testing.assert_allclose(together.log_density(draws), each, atol=1e-12)


def test_kernels_draw_from_their_own_density():
    generator = np.random.default_rng(0)
    draws = generator.normal(size=(500, 2)) @ np.array([[1.0, 0.5], [0.0, 0.3]])
    kernels = Kernels.of(draws, np.full(500, 1 / 500), generator)
    again = kernels.draw(20_000, generator)
    # the mean of any density ratio under the kernels is one
    other = stats.multivariate_normal([0.0, 0.0], 0.04 * np.eye(2))
    ratio = np.exp(other.logpdf(again) - kernels.log_density(again))
    assert ratio.mean() == pytest.approx(1.0, abs=4 * ratio.std() / np.sqrt(len(ratio)))


@pytest.mark.parametrize("count", range(1, 20))
def test_half_powers(count):
    x = np.array([1e-9, 0.3, 1.0])
    np.testing.assert_allclose(_half_power(x, count), x ** (count / 2), rtol=1e-13)


def test_a_density_with_one_bound_far_in_the_tail():
    found = Gaussian(np.array([-40.0]), np.eye(1), np.zeros(1), np.full(1, np.inf), 0.0, False)
    exact = stats.truncnorm(40.0, np.inf, loc=-40.0).logpdf([0.001, 0.1])
    np.testing.assert_allclose(found.log_density(np.array([[0.001], [0.1]])), exact, rtol=1e-9)


def test_systematic_resampling_takes_each_as_often_as_its_share_says():
    counts = np.bincount(systematic(np.array([0.5, 0.25, 0.25]), 8, np.random.default_rng(0)))
    assert counts.tolist() == [4, 2, 2]


@pytest.mark.parametrize("each", [2, 8, 16])
def test_some_of_the_points_that_are_spread_evenly_are_still_spread(each):
    """Every eighth point of such a sequence, taken in its own order, lies in one part of the cube."""
    points = spread_points(each * 512, 6)
    some = points[systematic(np.full(len(points), 1 / len(points)), 512, np.random.default_rng(0))]
    for coordinate in some.T:
        assert stats.kstest(coordinate, "uniform").pvalue > 0.001
