"""Choice from few alternatives: positive sums against inclusion and exclusion, simulated noise, pairs and logit."""

from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.model.likelihoods import subsets
from lori.model.likelihoods.derivatives import better_derivatives
from lori.model.likelihoods.probabilities import log_outcomes
from lori.model.precision import double_precision


def by_exclusion(weights: np.ndarray, tolerance: float) -> dict[tuple[int, ...], float]:
    """Pr(survivors = T) by Möbius inversion of Pr(survivors ⊆ A) = W_A / (W_A + e^{αε} W_{S∖A})."""
    total = weights.sum()

    def within(some: tuple[int, ...]) -> float:
        own = weights[list(some)].sum()
        return own / (own + np.exp(tolerance) * (total - own)) if some else 0.0

    everybody = range(len(weights))
    sets = [own for size in range(1, len(weights) + 1) for own in combinations(everybody, size)]
    return {
        own: sum((-1) ** (len(own) - size) * within(some) for size in range(len(own) + 1)
                 for some in combinations(own, size))
        for own in sets
    }  # fmt: skip


def chance(rewards: np.ndarray, tolerance, outcome: tuple[int, ...], members: tuple[int, ...], rule: str) -> float:
    """The same model level by level, straight from its definition."""
    if not len(rewards):
        if rule == "observed":
            return float(members == outcome)
        return 1 / len(members) if len(outcome) == 1 and outcome[0] in members else 0.0
    left = by_exclusion(np.exp(rewards[0][list(members)]), tolerance[0])
    return sum(
        probability * chance(rewards[1:], tolerance[1:], outcome, tuple(members[i] for i in own), rule)
        for own, probability in left.items()
        if set(outcome) <= {members[i] for i in own}
    )


@double_precision
def logs(rewards: np.ndarray, tolerance, rule: str = "split", tied: int = 1, order: int = 0) -> subsets.Moments:
    gap = [jnp.asarray(own[1:] - own[0])[:, None] for own in rewards]
    limits = [None if own is None else jnp.asarray(own) for own in tolerance]
    found = jax.jit(lambda g, t: subsets.log_choice(g, t, rule, tied, order))(gap, limits)
    return jax.tree.map(np.asarray, found)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_survivors_are_those_of_inclusion_and_exclusion(count):
    weights = np.exp(np.random.default_rng(count).normal(size=count))
    expected, found = by_exclusion(weights, 0.8), subsets.survival(weights, 0.8)
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[own] for own in expected], list(expected.values()), atol=1e-13)
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize(("count", "levels"), [(2, 2), (3, 1), (3, 2), (3, 3), (4, 2), (5, 2), (4, 3)])
@pytest.mark.parametrize("rule", ["split", "observed"])
def test_it_is_the_sum_over_all_ways(count, levels, rule):
    random = np.random.default_rng([count, levels])
    rewards, tolerance = random.normal(size=(levels, count)), random.uniform(0.1, 2, levels)
    expected = chance(rewards, tolerance, (0,), tuple(range(count)), rule)
    assert np.exp(logs(rewards, tolerance, rule).value[0]) == pytest.approx(expected, abs=1e-12)


def test_ties_in_a_set():
    random = np.random.default_rng(5)
    rewards, tolerance = random.normal(size=(2, 4)), [1.0, 0.7]
    expected = chance(rewards, tolerance, (0, 1), (0, 1, 2, 3), "observed")
    assert np.exp(logs(rewards, tolerance, "observed", tied=2).value[0]) == pytest.approx(expected, abs=1e-12)


def test_every_outcome_has_its_share():
    random = np.random.default_rng(1)
    rewards, tolerance = random.normal(size=(2, 4)) * 2, [0.8, 0.5]
    turned = [np.roll(rewards, -place, axis=1) for place in range(4)]
    assert sum(np.exp(logs(own, tolerance).value[0]) for own in turned) == pytest.approx(1, abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(20))
def test_against_simulated_noise(case):
    """Within four standard errors, for 2 million choices in each of 20 random cases."""
    random = np.random.default_rng(1000 + case)
    count, levels, draws = int(random.integers(3, 7)), int(random.integers(2, 4)), 2_000_000
    rewards, epsilon = random.normal(size=(levels, count)) * 1.5, random.uniform(0, 2, levels)
    left = np.ones((draws, count), bool)
    for own, threshold in zip(rewards, epsilon, strict=True):
        utility = np.where(left, own + random.gumbel(size=left.shape), -np.inf)
        left &= utility >= utility.max(axis=1, keepdims=True) - threshold
    shares = left / left.sum(axis=1, keepdims=True)
    for place in range(count):
        expected = np.exp(logs(np.roll(rewards, -place, axis=1), epsilon).value[0])
        assert abs(shares[:, place].mean() - expected) <= 4 * shares[:, place].std() / np.sqrt(draws)


@pytest.mark.parametrize("rule", ["split", "observed"])
@double_precision
def test_two_alternatives_are_the_pair_model(rule):
    random = np.random.default_rng(2)
    gaps, tolerance = random.normal(size=(3, 50)) * 3, random.uniform(0.05, 3, 3)
    limits = list(jnp.asarray(tolerance))
    found = jax.jit(lambda *own: subsets.log_choice(*own, rule, 1, 2))([-own[None] for own in gaps], limits)
    expected = log_outcomes(list(gaps), [np.full(50, own) for own in tolerance], rule)[0]
    np.testing.assert_allclose(found.value, expected, rtol=0, atol=1e-10)
    referee = better_derivatives(list(gaps), [jnp.full(50, own) for own in tolerance], rule)
    sign = np.array([-1.0, 1.0])[:, None]  # gaps are seen from the other side
    for level, expected in enumerate(referee.gradient):
        np.testing.assert_allclose(sign * found.gradient[level], expected, rtol=0, atol=1e-10)
    for at, parts in referee.curvature.items():
        own = (sign[:, None] * sign * found.curvature[at]).reshape(4, -1)
        np.testing.assert_allclose(own, parts, rtol=0, atol=1e-10)


@pytest.mark.parametrize("tolerance", [None, 0.0])
def test_without_threshold_it_is_multinomial_logit(tolerance):
    rewards = np.random.default_rng(3).normal(size=(1, 5)) * 4
    shares = np.exp(rewards[0]) / np.exp(rewards[0]).sum()
    found = logs(rewards, [tolerance], order=2)
    assert found.value[0] == pytest.approx(np.log(shares[0]), abs=1e-10)
    np.testing.assert_allclose(found.gradient[0][:4, 0], -shares[1:], rtol=0, atol=1e-10)
    expected = -(np.diag(shares) - np.outer(shares, shares))[1:, 1:]
    np.testing.assert_allclose(found.curvature[0, 0][:4, :4, 0], expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("count", "tolerance"),
    [(3, (0.6, None)), *(pytest.param(*own, marks=pytest.mark.slow) for own in [
        (3, (0.6, 0.9)), (4, (1.5, 0.2)), (3, (8.0, 1e-8)), (3, (0.0, 0.0)), (5, (1.2, None))])],
)  # fmt: skip
@double_precision
def test_derivatives_are_those_of_automatic_differentiation(count, tolerance):
    random = np.random.default_rng(4)
    rewards, size = random.normal(size=(2, count)) * 2, count - 1
    known = [own for own in tolerance if own is not None]
    point = jnp.asarray([*(rewards[0, 1:] - rewards[0, 0]), *(rewards[1, 1:] - rewards[1, 0]), *known])

    def value(point: jax.Array) -> jax.Array:
        limits = [None if own is None else point[2 * size + place] for place, own in enumerate(tolerance)]
        return subsets.log_choice([point[:size], point[size : 2 * size]], limits, "split", 1, 0).value

    order = [*range(size), 2 * size, *range(size, 2 * size), 2 * size + 1][: 2 * size + len(known)]
    gradient, curvature = (
        np.asarray(own) for own in jax.jit(lambda p: (jax.grad(value)(p), jax.hessian(value)(p)))(point)
    )
    found = logs(rewards, tolerance, order=2)
    np.testing.assert_allclose(np.concatenate(found.gradient)[:, 0], gradient[order], rtol=0, atol=1e-10)
    (first, both), (_, last) = [[found.curvature[min(i, j), max(i, j)][..., 0] for j in (0, 1)] for i in (0, 1)]
    whole = np.block([[first, both], [both.T, last]])
    np.testing.assert_allclose(whole, curvature[np.ix_(order, order)], rtol=0, atol=1e-10)


@double_precision
def test_derivatives_of_three_levels_are_those_of_differences():
    """Of four alternatives; the middle level passes on the slopes of the last one, set by set."""
    count, step, random = 4, 1e-5, np.random.default_rng(6)
    centre = np.concatenate([np.append(2 * random.normal(size=count - 1), limit) for limit in (0.6, 1.1, 0.3)])
    moves = step * np.eye(len(centre))
    levels = jnp.asarray(np.vstack([centre, centre + moves, centre - moves]).T).reshape(3, count, -1)
    gap, tolerance = [own[:-1] for own in levels], [own[-1] for own in levels]
    found = jax.jit(lambda *own: subsets.log_choice(*own, "split", 1, 2))(gap, tolerance)
    gradient = np.concatenate(found.gradient)
    (up, down), (steeper, flatter) = (np.split(np.asarray(own)[..., 1:], 2, axis=-1) for own in (found.value, gradient))
    np.testing.assert_allclose(gradient[:, 0], (up - down) / (2 * step), rtol=0, atol=1e-8)
    blocks = [
        [found.curvature[i, j] if i <= j else found.curvature[j, i].swapaxes(0, 1) for j in range(3)] for i in range(3)
    ]
    np.testing.assert_allclose(np.block([[own[..., 0] for own in row] for row in blocks]),
                               (steeper - flatter) / (2 * step), rtol=0, atol=1e-8)  # fmt: skip


def test_extreme_rewards_stay_finite():
    for size in (50.0, 300.0, 5000.0):
        found = logs(np.array([[0.0, size, 1.0], [0.0, -size, size]]), [1.0, 2.0], order=2)
        numbers = [found.value, *found.gradient, *found.curvature.values()]
        assert all(np.isfinite(own).all() for own in numbers)
