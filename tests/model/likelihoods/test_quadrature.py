"""Choice from many alternatives: quadrature against exact sums, pairs, logit, and derivatives against differences."""

from functools import cache, partial
from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.model.likelihoods.probabilities import log_better
from lori.model.likelihoods.quadrature import log_choice
from lori.model.likelihoods.subsets import survival
from lori.model.precision import double_precision

KINDS = [("split", "learned"), ("split", "zero"), ("observed", "learned")]  # tie rule, the last ε


def exact(gap, tolerance, rule: str) -> float:
    """The same probability, from the last level upwards over all sets that may be left."""
    count = len(gap[0]) + 1
    sets = [(0, *some) for size in range(count) for some in combinations(range(1, count), size)]
    value = {own: 1 / len(own) if rule == "split" else float(len(own) == 1) for own in sets}
    for own_gap, limit in reversed(list(zip(gap, tolerance, strict=True))):
        weights = np.exp(np.append(0.0, own_gap))
        after, value = value, {}
        for own in sets:
            if limit is None:
                value[own] = after[0,] / weights[list(own)].sum()
            else:
                left = survival([weights[y] for y in own], limit)
                value[own] = sum(p * after[tuple(own[i] for i in some)] for some, p in left.items() if 0 in some)
    return value[sets[-1]]


@cache
def compiled(rule: str, order: int):
    return jax.jit(partial(log_choice, rule=rule, order=order))


@double_precision
def logs(gap, tolerance, rule="split", present=None, jacobian=None, weight=None, order=0):
    gap = [jnp.asarray(own, float) for own in gap]
    there = jnp.ones(gap[0].shape, bool) if present is None else jnp.asarray(present)
    limits = [None if own is None else jnp.asarray(own, float) for own in tolerance]
    found = compiled(rule, order)(gap, limits, present=there, jacobian=jacobian, weight=weight)
    return np.asarray(found.value) if order == 0 else jax.tree.map(np.asarray, found)


def drawn(seed: int, levels: int, others: int, rows: int, last: str):
    draw = np.random.default_rng(seed)
    gap = draw.normal(size=(levels, others, rows)) * draw.uniform(0, 3)
    tolerance = [*draw.uniform(0, 4, size=levels)]
    if last == "zero":
        tolerance[-1] = None
    return gap, tolerance


@pytest.mark.parametrize(("rule", "last"), KINDS)
@pytest.mark.parametrize("levels", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_probabilities_are_those_of_exact_sums(levels, rule, last):
    sizes = np.array([2, 5, 7 if levels == 3 else 8])
    present = np.arange(1, 8)[:, None] < sizes
    for seed in range(3):
        gap, tolerance = drawn(seed, levels, 7, 3, last)
        expected = [exact(gap[:, : size - 1, row], tolerance, rule) for row, size in enumerate(sizes)]
        found = np.exp(logs(gap, tolerance, rule, present))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("rule", "last"), KINDS)
@pytest.mark.parametrize("levels", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_probabilities_are_exact_however_steep_levels_are(levels, rule, last):
    present = np.arange(1, 8)[:, None] < np.array([2, 5, 7 if levels == 3 else 8])
    draw = np.random.default_rng(10)
    gap, tolerance = draw.normal(size=(levels, 7, 3)) * 10, [*draw.uniform(4, 8, size=levels)]
    if last == "zero":
        tolerance[-1] = None
    expected = [exact(gap[:, : own.sum(), row], tolerance, rule) for row, own in enumerate(present.T)]
    found = logs(gap, tolerance, rule, present)
    np.testing.assert_allclose(np.exp(found), expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found, np.log(expected), rtol=0, atol=1e-6)


@pytest.mark.parametrize("rule", ["split", "observed"])
def test_two_alternatives_are_a_pair(rule):
    gap, tolerance = drawn(5, 2, 1, 50, "learned")
    expected = double_precision(jax.jit(log_better, static_argnums=2))([-own[0] for own in gap], tolerance, rule)
    np.testing.assert_allclose(logs(gap, tolerance, rule), expected, rtol=0, atol=1e-7)


def test_one_level_without_threshold_is_logit():
    gap = np.random.default_rng(6).normal(size=(1, 150, 40)) * 3
    expected = -np.log1p(np.exp(gap[0]).sum(axis=0))
    np.testing.assert_allclose(logs(gap, [None]), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(logs(gap, [0.0]), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("last", ["learned", "zero"])
@pytest.mark.parametrize("count", [20, 100])
def test_somebody_is_chosen(count, last):
    """Probabilities of all alternatives sum to one; each row has another one first."""
    rewards = np.random.default_rng(7).normal(size=(1 if last == "learned" else 2, count)) * 1.5
    turned = [np.stack([np.delete(own, x) - own[x] for x in range(count)], axis=1) for own in rewards]
    found = logs(turned, [1.5] if last == "learned" else [1.5, None])
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-7)


@double_precision
def linear(seed: int, levels: int, others: int, rule: str, last: str, scale: float):
    """Parameters, and the log-probability as a function of them, its order being the second argument."""
    draw = np.random.default_rng(seed)
    rows, size = 3, 2
    jacobian = [jnp.asarray(draw.normal(size=(others, size, rows))) for _ in range(levels)]
    weight = jnp.asarray(draw.uniform(0.5, 2, size=rows))
    present = np.ones((others, rows), bool)
    present[-2:, 0] = False
    learned = [last == "learned" or level < levels - 1 for level in range(levels)]
    start = np.concatenate([
        np.append(draw.normal(size=size) * scale, draw.uniform(0.2, 3, size=int(own))) for own in learned
    ])  # fmt: skip

    def at(parameters, order):
        gap, tolerance, place = [], [], 0
        for level, own in enumerate(jacobian):
            gap.append(jnp.einsum("ypr,p->yr", own, parameters[place : place + size]))
            tolerance.append(parameters[place + size] if learned[level] else None)
            place += size + learned[level]
        return log_choice(gap, tolerance, present, rule, jacobian, weight, order)

    return start, weight, jax.jit(at, static_argnums=1)


@pytest.mark.parametrize(
    ("levels", "rule", "last", "scale"),
    [
        (1, "split", "learned", 1.0),
        (2, "split", "zero", 0.1),
        pytest.param(2, "split", "zero", 2.0, marks=pytest.mark.slow),
        (2, "observed", "learned", 1.0),
        pytest.param(2, "split", "learned", 1.0, marks=pytest.mark.slow),
    ],
)
@double_precision
def test_derivatives_are_those_of_differences(levels, rule, last, scale):
    start, weight, at = linear(8, levels, 6, rule, last, scale)
    _, scores, curvature = at(start, 2)
    step = 1e-5 * np.eye(len(start))
    up, down = [at(start + own, 2) for own in step], [at(start - own, 2) for own in step]
    slopes = np.stack([(a[0] - b[0]) / 2e-5 for a, b in zip(up, down, strict=True)], axis=1)
    bends = np.stack([weight @ (a[1] - b[1]) / 2e-5 for a, b in zip(up, down, strict=True)])
    np.testing.assert_allclose(scores, slopes, rtol=0, atol=1e-7)
    np.testing.assert_allclose(curvature, bends, rtol=0, atol=1e-6)


@double_precision
def test_lower_orders_and_automatic_differentiation_agree():
    start, weight, at = linear(9, 2, 6, "split", "zero", 1.0)
    value, scores, _ = at(start, 2)
    np.testing.assert_allclose(at(start, 0).value, value, atol=1e-12)
    slopes = jax.jacfwd(lambda p: weight @ at(p, 0).value)(start)
    np.testing.assert_allclose(slopes, weight @ scores, rtol=0, atol=1e-8)


@double_precision
def test_several_parameter_vectors_at_once():
    start, _, at = linear(9, 2, 6, "split", "zero", 1.0)
    both = jnp.stack([start, start / 2])
    value, scores, _ = jax.vmap(lambda p: at(p, 1))(both)
    for place, own in enumerate(both):
        alone = at(own, 1)
        np.testing.assert_allclose(value[place], alone[0], atol=1e-10)
        np.testing.assert_allclose(scores[place], alone[1], atol=1e-10)


def test_absent_alternatives_change_nothing():
    gap, tolerance = drawn(10, 2, 9, 4, "learned")
    wider = np.concatenate([gap, np.full((2, 5, 4), 7.0)], axis=1)
    present = np.arange(14)[:, None] < np.full(4, 9)
    np.testing.assert_allclose(logs(wider, tolerance, present=present), logs(gap, tolerance), rtol=0, atol=1e-9)


def test_levels_after_one_without_threshold_do_not_matter():
    gap, _ = drawn(11, 3, 5, 4, "learned")
    jacobian = [np.ones((5, 2, 4))] * 3
    value, scores, curvature = logs(gap, [1.0, None, 0.5], jacobian=jacobian, weight=np.ones(4), order=2)
    np.testing.assert_allclose(value, logs(gap[:2], [1.0, None]), atol=1e-12)
    assert scores.shape == (4, 8)
    for own in (scores[:, 5:], curvature[5:], curvature[:, 5:]):
        assert not own.any()


@pytest.mark.parametrize(("rule", "last", "order"), [("split", "learned", 1), ("split", "zero", 2)])
@pytest.mark.parametrize("size", [30.0, 200.0, 1000.0])
def test_extreme_gaps_have_finite_values_and_derivatives(size, rule, last, order):
    gap = np.array([[[size, -size, size, 0.0]] * 6, [[size, size, -size, -size]] * 6])
    jacobian = [np.ones((6, 1, 4))] * 2
    for limit in (0.0, 1.0, size):
        tolerance = [limit, None if last == "zero" else limit]
        found = logs(gap, tolerance, rule, jacobian=jacobian, weight=np.ones(4), order=order)
        assert all(np.isfinite(own).all() for own in found if own is not None)


@pytest.mark.parametrize("steepness", [1.0, 10.0, 30.0])
def test_many_alternatives_have_as_many_nodes_as_steep_levels_ask_for(steepness):
    """Most of them are not there, so that sums are still short enough."""
    draw = np.random.default_rng(3)
    gap = np.zeros((2, 19, 4))
    gap[:, :6] = draw.normal(size=(2, 6, 4)) * steepness
    present = np.broadcast_to(np.arange(19)[:, None] < 6, (19, 4))
    expected = [exact(gap[:, :6, row], [2.0, None], "split") for row in range(4)]
    np.testing.assert_allclose(np.exp(logs(gap, [2.0, None], "split", present)), expected, rtol=0, atol=1e-9)


@double_precision
def test_rough_probabilities_are_good_enough_for_a_search():
    draw = np.random.default_rng(4)
    gap, there = [jnp.asarray(own) for own in 3 * draw.normal(size=(2, 19, 4))], jnp.ones((19, 4), bool)
    roughly, exactly = (log_choice(gap, [2.0, None], there, "split", None, None, 0, rough) for rough in (True, False))
    np.testing.assert_allclose(roughly.value, exactly.value, rtol=0, atol=1e-3)
    assert not np.array_equal(roughly.value, exactly.value)
