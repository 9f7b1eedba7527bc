"""The lexicographic log-probabilities against the paper's equations, properties and limits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lori.model.likelihoods.probabilities import (
    TIE_RULES,
    decisions,
    lexicographic_order,
    log_better,
    log_full_tie,
    log_outcomes,
)
from lori.model.precision import double_precision

TRIPLE = np.array([[-0.6, 2.0], [0.0, 0.0], [0.6, -2.0]])
gaps = st.one_of(st.floats(-1e4, 1e4), st.floats(-5.0, 5.0), st.just(0.0))
tolerances = st.one_of(st.floats(1e-8, 1e2), st.floats(1e-3, 5.0), st.just(0.0))


ROOM = 400
"""Nothing is compiled as a whole here: single operations on rows of equal length serve all levels and rules."""


def rows(table) -> list[np.ndarray]:
    """One row for each level, filled up to a common length."""
    table = np.asarray(table, float)
    return list(np.pad(table, [(0, 0), (0, max(0, ROOM - table.shape[1]))]))


@double_precision
def outcomes(gap, tolerance, rule) -> np.ndarray:
    """Log-probabilities of left, tie and right in rows; gap and tolerance are (levels, pairs)."""
    parts = log_outcomes(rows(gap), rows(tolerance), rule)
    return np.stack([np.asarray(part) for part in parts])[:, : len(gap[0])]


@double_precision
def slopes(gap, tolerance, rule) -> np.ndarray:
    """∂ log Pr(left) by gap and by tolerance, (2, levels, pairs)."""

    def total(gap, tolerance):
        return jnp.sum(log_better(gap, tolerance, rule))

    return np.array(jax.grad(total, argnums=(0, 1))(list(gap), list(tolerance)))


@double_precision
def deciding(gap, tolerance) -> list[np.ndarray]:
    return [np.asarray(part)[..., : len(gap[0])] for part in decisions(rows(gap), rows(tolerance))]


def chance(difference, epsilon, rule="split", alpha=1.0) -> float:
    """Pr(left ≻ right) of one pair."""
    gap, tolerance = np.atleast_1d(difference) * alpha, np.atleast_1d(epsilon) * alpha
    return float(np.exp(outcomes(gap[:, None], tolerance[:, None], rule)[0, 0]))


@st.composite
def pairs(draw, n=8):
    """Gap and tolerance of `n` pairs under one to four levels, shape (levels, n)."""
    size = n * draw(st.integers(1, 4))
    return tuple(
        np.array(draw(st.lists(values, min_size=size, max_size=size))).reshape(-1, n) for values in (gaps, tolerances)
    )


@pytest.mark.parametrize("rule", TIE_RULES)
@pytest.mark.parametrize("levels", [1, 2, 3, 4, 5])
def test_agrees_with_the_equations(levels, rule, naive):
    random = np.random.default_rng(levels)
    n = 40
    alpha = random.uniform(0.2, 3.0, (levels, n))
    difference = random.normal(0.0, 3.0, (levels, n))
    epsilon = random.uniform(0.0, 4.0, (levels, n)) * (random.uniform(size=(levels, n)) > 0.1)
    got = outcomes(alpha * difference, alpha * epsilon, rule)
    for i in range(n):
        expected = naive(alpha[:, i], difference[:, i], epsilon[:, i], rule)
        for value, probability in zip(got[:, i], expected[1:], strict=True):
            assert np.exp(value) == pytest.approx(float(probability), rel=1e-10, abs=1e-70)
            if probability > 1e-70:
                assert value == pytest.approx(float(probability.ln()), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("rule", TIE_RULES)
def test_agrees_with_the_equations_far_out_in_the_tails(rule, naive):
    """Probabilities down to 1e-300, where subtraction needs hundreds of digits and logarithms none."""
    random = np.random.default_rng(9)
    levels, n = 3, 40
    gap = random.uniform(-250.0, 250.0, (levels, n))
    tolerance = 10.0 ** random.uniform(-8.0, 2.0, (levels, n))
    got = outcomes(gap, tolerance, rule)
    for i in range(n):
        expected = naive(np.ones(levels), gap[:, i], tolerance[:, i], rule, digits=500)
        for value, probability in zip(got[:, i], expected[1:], strict=True):
            if rule != "split" or probability > 0:
                assert value == pytest.approx(float(probability.ln()), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("rule", TIE_RULES)
@pytest.mark.parametrize("scale", [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3])
def test_gradient_agrees_with_central_differences_across_scales(scale, rule):
    random = np.random.default_rng(3)
    levels, n = 3, ROOM
    gap = scale * random.normal(size=(levels, n))
    tolerance = scale * random.uniform(0.0, 1.0, (levels, n))
    tolerance[:, ::7] = 0.0
    got = slopes(gap, tolerance, rule)
    step = 1e-4  # the log-probability bends over one unit of gap, whatever the scale

    def value(gap, tolerance):
        return outcomes(gap, tolerance, rule)[0]

    for level in range(levels):
        h = step * (np.arange(levels) == level)[:, None]
        by_gap = (value(gap + h, tolerance) - value(gap - h, tolerance)) / (2 * step)
        by_tolerance = (value(gap, tolerance + h) - value(gap, tolerance - h)) / (2 * step)
        np.testing.assert_allclose(got[0, level], by_gap, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(got[1, level], by_tolerance, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("rule", TIE_RULES)
@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_neither_value_nor_gradient_breaks_for_extreme_numbers(levels, rule):
    random = np.random.default_rng(levels)
    n = ROOM
    size = random.choice([0.0, 1e-8, 1e-3, 1.0, 30.0, 400.0, 1e3, 1e4], (levels, n))
    gap = size * random.choice([-1.0, 1.0], (levels, n))
    tolerance = random.choice([0.0, 1e-8, 1e-5, 1e-2, 1.0, 10.0, 1e2, 1e4], (levels, n))
    at_edge = random.uniform(size=(levels, n)) < 0.2
    gap = np.where(at_edge, np.sign(gap) * tolerance, gap)
    left, tie, right = outcomes(gap, tolerance, rule)
    assert np.isfinite(left).all()
    assert np.isfinite(right).all()
    assert (np.stack([left, tie, right]) <= 0).all()
    possible = (tolerance > 0).all(axis=0) & (rule != "split")
    assert np.isfinite(tie[possible]).all()
    assert (tie[~possible] == -np.inf).all()
    gradient = slopes(gap, tolerance, rule)
    assert np.isfinite(gradient).all()
    # each ∂ log Pr/∂gap is 1 − s − ω(1 − t) with 0 ≤ s, ω, t ≤ 1 times a probability
    assert (np.abs(gradient[0]) <= 1 + 1e-12).all()


@double_precision
def test_the_gradient_of_a_full_tie_is_finite_for_any_positive_tolerance():
    gap, tolerance = (part.ravel() for part in np.meshgrid([-1e4, -1.0, 0.0, 1e4], np.logspace(-8, 2, ROOM // 4)))
    slope = jax.grad(lambda a, b: jnp.sum(log_full_tie([a], [b])), argnums=(0, 1))(gap, tolerance)
    assert np.isfinite(slope).all()


@given(pairs(), st.sampled_from(TIE_RULES))
@settings(max_examples=60, deadline=None)
def test_left_tie_and_right_sum_to_one(pair, rule):
    np.testing.assert_allclose(np.exp(outcomes(*pair, rule)).sum(axis=0), 1.0, rtol=0, atol=1e-12)


@given(pairs(), st.sampled_from(TIE_RULES))
@settings(max_examples=30, deadline=None)
def test_swapping_the_alternatives_swaps_the_outcomes(pair, rule):
    gap, tolerance = pair
    swapped = outcomes(-gap, tolerance, rule)
    np.testing.assert_allclose(swapped, outcomes(gap, tolerance, rule)[::-1], rtol=1e-12, atol=1e-12)


@given(pairs())
@settings(max_examples=60, deadline=None)
def test_decisions_sum_to_one_and_add_up_to_the_outcomes(pair):
    left, right, nobody = deciding(*pair)
    added = np.stack([left.sum(axis=0), nobody, right.sum(axis=0)])
    np.testing.assert_allclose(added.sum(axis=0), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(added, np.exp(outcomes(*pair, "observed")), rtol=0, atol=1e-12)


@pytest.mark.parametrize("levels", [1, 3])
def test_decisions_agree_with_enumeration(levels, naive):
    """Every word that every level could say, by its probability: the first that is not "equal" decides."""
    random = np.random.default_rng(1)
    gap, tolerance = random.normal(0.0, 2.0, (levels, 8)), random.uniform(0.0, 2.0, (levels, 8))
    left, right, nobody = deciding(gap, tolerance)
    for i in range(8):
        says = np.array(naive(np.ones(levels), gap[:, i], tolerance[:, i], "observed").says, float)
        expected = {"left": np.zeros(levels), "right": np.zeros(levels), "nobody": 0.0}
        for words in np.ndindex(*(3,) * levels):
            probability = np.prod(says[np.arange(levels), words])
            spoken = [(level, word) for level, word in enumerate(words) if word != 1]
            if not spoken:
                expected["nobody"] += probability
            else:
                expected["left" if spoken[0][1] == 0 else "right"][spoken[0][0]] += probability
        np.testing.assert_allclose(left[:, i], expected["left"], rtol=1e-10)
        np.testing.assert_allclose(right[:, i], expected["right"], rtol=1e-10)
        np.testing.assert_allclose(nobody[i], expected["nobody"], rtol=1e-10)


def test_a_level_without_tolerance_ends_the_matter():
    first = chance([0.3], [0.0])
    assert chance([0.3, 7.0], [0.0, 1.0]) == pytest.approx(first, rel=1e-14)
    assert chance([0.3, -7.0], [0.0, 0.0], "printed") == pytest.approx(first, rel=1e-14)


def test_the_papers_triple_is_intransitive_when_full_ties_are_split():
    x, y, z = TRIPLE
    epsilon = [1.0, 1.0]
    assert chance(x - y, epsilon) == pytest.approx(0.531, abs=5e-4)
    assert chance(y - z, epsilon) == pytest.approx(0.531, abs=5e-4)
    assert chance(z - x, epsilon) > 0.5


def test_the_papers_triple_is_not_intransitive_as_printed():
    x, y, _ = TRIPLE
    assert chance(x - y, [1.0, 1.0], "printed") == pytest.approx(0.483, abs=5e-4)


@given(
    st.lists(st.floats(-20, 20), min_size=3, max_size=3),
    st.floats(0, 30),
    st.floats(0.01, 10),
    st.sampled_from(TIE_RULES),
)
@settings(max_examples=60, deadline=None)
def test_one_level_is_never_intransitive(rewards, epsilon, alpha, rule):
    x, y, z = rewards
    gap = alpha * np.array([[x - y, y - z, x - z]])
    left = np.exp(outcomes(gap, np.full_like(gap, alpha * epsilon), rule)[0])
    noise = 1e-9  # rounding is no preference
    if left[0] > 0.5 + noise and left[1] > 0.5 + noise:
        assert left[2] > 0.5 + noise


@pytest.mark.parametrize("rule", TIE_RULES)
def test_property_one_a_single_level_without_threshold_is_logistic(rule):
    gap = np.linspace(-30.0, 30.0, 37)[None]
    left, tie, right = np.exp(outcomes(gap, np.zeros_like(gap), rule))
    np.testing.assert_allclose(left, 1 / (1 + np.exp(-gap[0])), rtol=1e-13)
    np.testing.assert_allclose(right, 1 / (1 + np.exp(gap[0])), rtol=1e-13)
    assert (tie == 0).all()


def test_property_two_the_limit_without_noise_is_the_lexicographic_order():
    """α → ∞, ε → 0 and αε → ∞; differences of −1, 0 and 1 on three levels, in all 27 combinations."""
    difference = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3)).reshape(3, -1)
    order = [next((d for d in column if d != 0), 0.0) for column in difference.T]
    np.testing.assert_array_equal(lexicographic_order(difference, np.zeros((3, 27)), np.zeros(3)), order)
    np.testing.assert_array_equal(lexicographic_order(difference, np.zeros((3, 27)), np.full(3, 0.999)), order)
    errors = []
    for alpha in (1e1, 1e2, 1e3, 1e4):
        tolerance = np.full_like(difference, alpha * alpha**-0.5)
        split = np.exp(outcomes(alpha * difference, tolerance, "split")[0])
        seen = np.exp(outcomes(alpha * difference, tolerance, "observed"))
        errors.append(
            max(
                np.abs(split - (1 + np.array(order)) / 2).max(),
                np.abs(seen - np.array([np.equal(order, said) for said in (1, 0, -1)])).max(),
            )
        )
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 1e-3
    assert errors[-1] < 1e-12


def test_lexicographic_order_needs_a_difference_above_the_threshold():
    left = np.array([[1.0, 1.5, -2.0, 1.0], [3.0, -3.0, 3.0, -0.5]])
    assert lexicographic_order(left, np.zeros((2, 4)), [1.0, 0.5]).tolist() == [1, 1, -1, 0]


@given(st.floats(-50, 50), st.floats(0, 50), st.floats(0.01, 10))
@settings(max_examples=60, deadline=None)
def test_property_three_a_level_leans_to_better_iff_the_difference_exceeds_epsilon(difference, epsilon, alpha):
    assume(abs(difference - epsilon) > 1e-9)
    says_better = deciding(np.array([[alpha * difference]]), np.array([[alpha * epsilon]]))[0][0, 0]
    assert (says_better > 0.5) == (difference > epsilon)
