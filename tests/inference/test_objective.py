"""The objective against a plainly written total log-likelihood and its automatic derivatives."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.inference import objective as module
from lori.inference.objective import RIDGE, Objective
from lori.inference.observations import Observations
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.rewards import Capped, Function, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
N, TIED = 100, 20  # all tests stay within blocks of 128 and 32 rows, so that compiled code is shared
CURVED = Function(lambda p, x: jnp.tanh(p[0] * x[0]) + x[1], start=(1.0,))

SPECIFICATIONS = {
    "linear": Specification((Linear(), Linear()), (None, 0.0), (1.0, 2.0), "split", FEATURES),
    "tied": Specification((Linear(), Linear()), (None, None), (1.0, 1.0), "observed", FEATURES),
    "capped": Specification((Capped(sharpness=2.0), Linear()), (None, None), (1.0, 1.0), "split", FEATURES),
    "function": Specification((CURVED, Linear()), (None, 0.3), (None, 1.0), "printed", FEATURES),
}


def observations(specification, n=N, tied=0, seed=0) -> Observations:
    random = np.random.default_rng(seed)
    shape = (2,) if specification.linear else (2, 2)
    return Observations(
        random.normal(0.0, 1.2, (n, *shape)), random.uniform(0.5, 3.0, n), np.arange(n),
        random.normal(0.0, 0.6, (tied, *shape)), random.uniform(0.5, 3.0, tied), np.arange(tied),
    )  # fmt: skip


def vectors(specification, starts=3, groups=1, seed=5) -> np.ndarray:
    """Within the bounds, moderate, so that plain subtraction is exact enough."""
    random = np.random.default_rng(seed)
    drawn = random.normal(size=(groups, starts, specification.size))
    thresholds = [*specification.epsilon_slots.values(), *specification.alpha_slots.values()]
    drawn[..., thresholds] = random.uniform(0.3, 1.5, (groups, starts, len(thresholds)))
    return drawn


def rewards(specification, x, v):
    """Each specification above, written out: (r_1, …), ε, α of a vector v."""
    name = next(key for key, value in SPECIFICATIONS.items() if value == specification)
    if name == "linear":
        return [x @ v[0:2], x @ v[2:4]], [v[4], 0.0], [1.0, 2.0]
    if name == "tied":
        return [x @ v[0:2], x @ v[2:4]], [v[4], v[5]], [1.0, 1.0]
    if name == "capped":
        soft = -jnp.log(jnp.exp(-2 * v[2]) + jnp.exp(-2 * (x @ v[0:2]))) / 2
        return [soft, x @ v[3:5]], [v[5], v[6]], [1.0, 1.0]
    return [jnp.tanh(v[0] * x[:, 0]) + x[:, 1], x @ v[1:3]], [v[3], 0.3], [v[4], 1.0]


def plain_total(specification, data: Observations, v):
    """Σ weight · log Pr of equations (4) and (5), with 1 − s − t subtracted as printed."""

    def outcomes(pairs):
        if specification.linear:
            r, epsilon, alpha = rewards(specification, pairs, v)
            differences = r
        else:
            first, epsilon, alpha = rewards(specification, pairs[:, 0], v)
            differences = [a - b for a, b in zip(first, rewards(specification, pairs[:, 1], v)[0], strict=True)]
        left, reached = 0.0, 1.0
        for d, e, a in zip(differences, epsilon, alpha, strict=True):
            better, worse = 1 / (1 + jnp.exp(-a * (d - e))), 1 / (1 + jnp.exp(-a * (-d - e)))
            left, reached = left + reached * better, reached * (1 - better - worse)
        return (left + reached / 2 if specification.ties == "split" else left), reached

    total = jnp.sum(data.decided_weight * jnp.log(outcomes(jnp.asarray(data.decided))[0]))
    if len(data.tied):
        total += jnp.sum(data.tied_weight * jnp.log(outcomes(jnp.asarray(data.tied))[1]))
    return total


@double_precision
def expected(specification, data, v):
    """Value, gradient and curvature of the plain negative log-likelihood."""

    @jax.jit
    def derived(v):
        def total(v):
            return -plain_total(specification, data, v)

        return total(v), jax.grad(total)(v), jax.hessian(total)(v)

    return [[np.asarray(part) for part in derived(one)] for one in v]


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_value_gradient_and_curvature_agree_with_automatic_differentiation(name):
    specification = SPECIFICATIONS[name]
    data = observations(specification, tied=TIED if name == "tied" else 0)
    at = vectors(specification)
    got = Objective(specification, (data,), None).likelihood(at)
    for start, (value, gradient, curvature) in enumerate(expected(specification, data, at[0])):
        assert got.value[0, start] == pytest.approx(float(value), rel=1e-10)
        np.testing.assert_allclose(got.gradient[0, start], gradient, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(got.curvature[0, start], curvature, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("name", "order"), [("linear", 1), ("capped", 1), ("linear", 0)])
def test_lower_orders_are_the_same_numbers(name, order):
    specification = SPECIFICATIONS[name]
    objective = Objective(specification, (observations(specification),), Prior())
    at = vectors(specification)
    full, lower = objective.evaluate(at), objective.evaluate(at, order=order)
    np.testing.assert_allclose(lower.value, full.value, rtol=1e-13)
    assert lower.curvature is None
    if order == 1:
        np.testing.assert_allclose(lower.gradient, full.gradient, rtol=1e-11, atol=1e-11)
    else:
        assert lower.gradient is None


def test_the_prior_and_the_ridge_are_added_to_the_likelihood():
    specification = SPECIFICATIONS["linear"]
    objective = Objective(specification, (observations(specification),), Prior(weights=1.0, epsilon=0.5))
    at = vectors(specification)
    bare, full = objective.likelihood(at), objective.evaluate(at)
    v, square = at[0, 0], 3 * np.array([1.0, 1.0, 1.0, 1.0, 0.5]) ** 2  # minus log-prior: 2 Σ log(1 + v² / 3 scale²)
    added = (
        2 * np.sum(np.log(1 + v**2 / square)) + RIDGE / 2 * v @ v,
        4 * v / (square + v**2) + RIDGE * v,
        np.diag(4 * (square - v**2) / (square + v**2) ** 2 + RIDGE),
    )
    for whole, part, extra in zip(full, bare, added, strict=True):
        np.testing.assert_allclose((whole - part)[0, 0], extra, rtol=1e-8, atol=1e-10)
    without = replace(objective, prior=None)
    np.testing.assert_array_equal(without.likelihood(at).value, bare.value)
    np.testing.assert_allclose(without.evaluate(at).value, bare.value, rtol=1e-5)
    assert (full.value > bare.value).all()


def test_sums_do_not_depend_on_the_blocks(monkeypatch):
    specification = SPECIFICATIONS["tied"]
    objective = Objective(specification, (observations(specification, tied=TIED),), None)
    at = vectors(specification)
    usual = objective.likelihood(at)
    monkeypatch.setattr(module, "BLOCK_ELEMENTS", 8)
    assert len(module._blocks([(np.zeros((N, 2)), np.ones(N))], 64)[0][0]) == 2
    for one, two in zip(usual, objective.likelihood(at), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("longest", [0, 1, 8, 9, 100, 129, 5000])
def test_blocks_hold_every_row_once_and_padding_without_weight(longest):
    random = np.random.default_rng(longest)
    groups = [(random.normal(size=(n, 2, 3)), random.uniform(1.0, 2.0, n)) for n in (longest, longest // 2)]
    rows, weights = module._blocks(groups, 64)
    assert weights.shape == rows.shape[:3]
    assert rows.shape[2] <= 64
    for (pairs, weight), own_rows, own_weights in zip(groups, rows, weights, strict=True):
        n = len(weight)
        np.testing.assert_array_equal(own_rows.reshape(-1, 2, 3)[:n], pairs)
        np.testing.assert_array_equal(own_weights.ravel()[:n], weight)
        assert (own_weights.ravel()[n:] == 0).all()
    assert weights[0].size <= max(8, 1.25 * longest + 64)


def with_empty_rows(data: Observations, decided: int, tied: int) -> Observations:
    """The same with rows of weight zero at the end."""
    return replace(
        data,
        decided=np.concatenate([data.decided, np.full((decided, 2), 50.0)]),
        decided_weight=np.append(data.decided_weight, np.zeros(decided)),
        tied=np.concatenate([data.tied, np.full((tied, 2), 50.0)]),
        tied_weight=np.append(data.tied_weight, np.zeros(tied)),
    )


def test_rows_of_weight_zero_count_for_nothing():
    specification = SPECIFICATIONS["tied"]
    data = observations(specification, tied=TIED)
    at = vectors(specification)
    for one, two in zip(
        Objective(specification, (data,), None).likelihood(at),
        Objective(specification, (with_empty_rows(data, 7, 3),), None).likelihood(at),
        strict=True,
    ):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)


def test_a_tie_without_threshold_is_impossible_but_only_if_it_happened():
    specification = SPECIFICATIONS["tied"]
    at = vectors(specification)
    at[..., 4] = 0.0
    data = observations(specification, tied=TIED)
    assert np.isposinf(Objective(specification, (data,), None).likelihood(at).value).all()
    never = Objective(specification, (replace(data, tied_weight=np.zeros(TIED)),), None)
    at_zero = never.likelihood(at)
    at[..., 4] = 1e-9
    for one, two in zip(at_zero, never.likelihood(at), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-5)


def test_groups_give_what_each_gives_alone():
    specification = SPECIFICATIONS["tied"]
    groups = tuple(observations(specification, n=n, tied=t, seed=n) for n, t in ((100, 20), (9, 0), (128, 32)))
    at = vectors(specification, groups=3)
    together = Objective(specification, groups, Prior()).evaluate(at)
    for g, own in enumerate(groups):
        same_shape = with_empty_rows(own, 128 - len(own.decided), 32 - len(own.tied))
        alone = Objective(specification, (same_shape,), Prior()).evaluate(at[g : g + 1])
        for one, two in zip(together, alone, strict=True):
            np.testing.assert_allclose(one[g], two[0], rtol=1e-11, atol=1e-11)


def test_weights_act_like_repeated_rows():
    specification = SPECIFICATIONS["tied"]
    data = observations(specification, tied=TIED)
    times, tied_times = np.arange(N) % 3, np.arange(TIED) % 3
    weighted = replace(data, decided_weight=times.astype(float), tied_weight=tied_times.astype(float))
    repeated = replace(
        data,
        decided=np.repeat(data.decided, times, axis=0),
        decided_weight=np.ones(times.sum()),
        tied=np.repeat(data.tied, tied_times, axis=0),
        tied_weight=np.ones(tied_times.sum()),
    )
    at = vectors(specification)
    for one, two in zip(
        Objective(specification, (weighted,), None).likelihood(at),
        Objective(specification, (repeated,), None).likelihood(at),
        strict=True,
    ):
        np.testing.assert_allclose(one, two, rtol=1e-11, atol=1e-11)
