"""Closed-form derivatives against automatic differentiation of the model's own functions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.model.likelihoods import derivatives
from lori.model.likelihoods.probabilities import TIE_RULES, log_better, log_full_tie
from lori.model.precision import double_precision

N = 400


def dense(result: derivatives.Derivatives, levels: int):
    """Value (n,), gradient (n, 2k) and curvature (n, 2k, 2k) in the order: gaps, then tolerances."""
    value = np.asarray(result.value)
    gradient = np.stack([np.broadcast_to(g[side], value.shape) for side in (0, 1) for g in result.gradient], axis=1)
    curvature = np.full((len(value), 2 * levels, 2 * levels), np.nan)
    for (j, later), (aa, ab, ba, bb) in result.curvature.items():
        for row, column, part in (
            (j, later, aa),
            (j, levels + later, ab),
            (levels + j, later, ba),
            (levels + j, levels + later, bb),
        ):
            curvature[:, row, column] = curvature[:, column, row] = part
    return value, gradient, curvature


@double_precision
def closed(outcome, gap, tolerance, rule="split", how=None):
    """What the module says; `how` names one of its two ways of computing the levels."""
    gap, tolerance = list(gap), list(tolerance)
    if outcome == "tie":
        result = derivatives.tie_derivatives(gap, tolerance)
    elif how is None:
        result = derivatives.better_derivatives(gap, tolerance, rule)
    else:
        result = derivatives._combined(how(gap, tolerance, rule), tolerance)
    return dense(result, len(gap))


@double_precision
def automatic(outcome, gap, tolerance, rule="split"):
    """The same from the log-probabilities of the model; forward over reverse, since rows do not touch each other."""

    def total(gap, tolerance):
        rows = log_full_tie(gap, tolerance) if outcome == "tie" else log_better(gap, tolerance, rule)
        return jnp.sum(rows), rows

    slope = jax.grad(total, argnums=(0, 1), has_aux=True)
    at = [jnp.asarray(row) for row in gap], [jnp.asarray(row) for row in tolerance]
    (by_gap, by_tolerance), value = slope(*at)
    columns = []
    for side in (0, 1):
        for level in range(len(gap)):
            along = tuple([jnp.zeros_like(row) for row in rows] for rows in at)
            along[side][level] = jnp.ones_like(at[side][level])
            _, (gaps, tolerances), _ = jax.jvp(slope, at, along, has_aux=True)
            columns.append(np.stack([*gaps, *tolerances], axis=1))
    return np.asarray(value), np.stack([*by_gap, *by_tolerance], axis=1), np.stack(columns, axis=1)


def same(got, expected, tolerance=1e-9):
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def moderate(levels, seed=0):
    random = np.random.default_rng(seed)
    gap = random.normal(0.0, 3.0, (levels, N))
    tolerance = random.exponential(1.5, (levels, N))
    return gap, np.where(random.uniform(size=(levels, N)) < 0.25, 0.0, tolerance)


def extreme(levels, seed=0):
    random = np.random.default_rng(seed)
    gap = random.uniform(1e3, 1e4, (levels, N)) * random.choice([-1, 1], (levels, N))
    tolerance = 10.0 ** random.uniform(-8.0, 3.5, (levels, N))
    near = random.uniform(size=(levels, N)) < 0.5  # where the level is undecided nonetheless
    gap = np.where(near, np.sign(gap) * tolerance + random.normal(size=(levels, N)), gap)
    return gap, np.where(random.uniform(size=(levels, N)) < 0.1, 0.0, tolerance)


WAYS = (derivatives._levels_by_products, derivatives._levels_by_logarithms)
CASES = [(1, "split"), (2, "split"), (3, "split"), (4, "split"), (2, "observed"), (4, "printed")]


@pytest.mark.parametrize(("levels", "rule"), CASES)
def test_better_agrees_with_automatic_differentiation(levels, rule):
    numbers = moderate(levels)
    expected = automatic("better", *numbers, rule)
    assert np.abs(expected[2]).max() > 0.1
    for how in WAYS:
        same(closed("better", *numbers, rule, how), expected)


@pytest.mark.parametrize(("levels", "rule"), CASES)
def test_better_is_finite_and_right_for_large_numbers(levels, rule):
    numbers = extreme(levels)
    assert np.abs(numbers[0]).max() > derivatives.FAR
    assert numbers[1].max() > derivatives.WIDE
    got = closed("better", *numbers, rule, derivatives._levels_by_logarithms)
    expected = automatic("better", *numbers, rule)
    for part in got:
        assert np.isfinite(part).all()
    assert np.isfinite(expected[0]).all()
    for one, other in zip(got, expected, strict=True):
        known = np.isfinite(other)
        assert known.mean() > 0.9
        np.testing.assert_allclose(one[known], other[known], rtol=1e-8, atol=1e-9)


def test_the_way_is_chosen_by_the_size_of_tolerances():
    """One row of large ones is enough: products would overflow there."""
    small, large = moderate(3), extreme(3)
    mixed = [np.where(np.arange(N) == 5, big, little) for big, little in zip(large, small, strict=True)]
    assert not all(np.isfinite(part).all() for part in closed("better", *large, "split", WAYS[0]))
    for numbers in (small, large, mixed):
        same(closed("better", *numbers, "split"), closed("better", *numbers, "split", WAYS[1]), 1e-10)


@pytest.mark.parametrize("rule", TIE_RULES)
@pytest.mark.parametrize("size", [1.0, 30.0, 1e4])
def test_the_two_ways_agree_whatever_the_gaps(rule, size):
    gap, tolerance = moderate(3, seed=4)
    gap, tolerance = size / 4 * gap, np.minimum(size / 4 * tolerance, derivatives.WIDE)
    assert (np.abs(gap).max() > derivatives.FAR) == (size == 1e4)
    products, logarithms = (closed("better", gap, tolerance, rule, how) for how in WAYS)
    same(products, logarithms, 1e-10)


@pytest.mark.parametrize("rule", TIE_RULES)
def test_products_hold_for_the_widest_tolerances_and_any_gap(rule):
    gap = np.stack(np.meshgrid(*[[-1e4, -551.0, -150.0, 0.0, 90.0, 549.0, 1e4]] * 3)).reshape(3, -1)
    tolerance = np.full(gap.shape, derivatives.WIDE)
    products, logarithms = (closed("better", gap, tolerance, rule, how) for how in WAYS)
    assert all(np.isfinite(part).all() for part in products)
    same(products, logarithms, 1e-10)


@pytest.mark.parametrize("levels", [1, 2, 4])
def test_tie_agrees_with_automatic_differentiation(levels):
    gap, tolerance = moderate(levels)
    tolerance = tolerance + 1e-3
    got, expected = closed("tie", gap, tolerance), automatic("tie", gap, tolerance)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)


def test_tie_is_finite_for_large_gaps_and_any_positive_tolerance():
    gap, tolerance = (part.reshape(1, -1) for part in np.meshgrid([-1e4, -1.0, 0.0, 1e4], np.logspace(-8, 4, N // 4)))
    got = closed("tie", gap, tolerance)
    assert all(np.isfinite(part).all() for part in got)
    value = automatic("tie", gap, tolerance)[0]
    np.testing.assert_allclose(got[0], value, rtol=1e-12, atol=1e-12)


def test_a_tolerance_shared_by_all_rows_is_broadcast():
    gap, _ = moderate(2)
    shared = np.array([[0.7], [0.0]])
    for how in WAYS:
        got = closed("better", gap, shared, "split", how)
        same(got, closed("better", gap, np.broadcast_to(shared, gap.shape), "split", how), 1e-14)
