"""The compiled likelihood against a plainly written total log-likelihood and its automatic derivatives."""

import gc
import weakref
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from lori.model.likelihoods.observations import Observations

from lori.inference import blocks as module
from lori.inference.blocks import Evaluation, evaluate
from lori.inference.statistics import Scaling
from lori.model.precision import double_precision
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
SINGLE = Specification((Linear(),), (None,), (1.0,), "observed", FEATURES)  # where each shape is compiled anew
UNSCALED = Scaling(np.zeros(2), np.ones(2))
SCALING = Scaling(np.array([7.0, -0.3]), np.array([20.0, 0.1]))


def scaling_of(specification) -> Scaling:
    return SCALING if specification.standardised else UNSCALED


def observations(specification, n=N, tied=0, seed=0) -> Observations:
    """Rows in the user's units whose standardised features are moderate numbers."""
    random = np.random.default_rng(seed)
    shape = (2,) if specification.linear else (2, 2)
    scaling = scaling_of(specification)

    def raw(standardised):
        return standardised * scaling.scale + (0.0 if specification.linear else scaling.location)

    return Observations(
        raw(random.normal(0.0, 1.2, (n, *shape))), random.uniform(0.5, 3.0, n),
        raw(random.normal(0.0, 0.6, (tied, *shape))), random.uniform(0.5, 3.0, tied),
    )  # fmt: skip


def likelihood(specification, data: Observations, at, order=2) -> Evaluation:
    return evaluate(specification, scaling_of(specification), [data], at, order)


def assert_same(one: Evaluation, other: Evaluation, tolerance=1e-11) -> None:
    for mine, theirs in zip(one, other, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)


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

    scaling = scaling_of(specification)

    def outcomes(pairs):
        pairs = pairs / scaling.scale if specification.linear else (pairs - scaling.location) / scaling.scale
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
    """Rows come in the user's units, vectors in standardised ones."""
    specification = SPECIFICATIONS[name]
    data = observations(specification, tied=TIED if name == "tied" else 0)
    at = vectors(specification)
    got = likelihood(specification, data, at)
    for start, (value, gradient, curvature) in enumerate(expected(specification, data, at[0])):
        assert got.value[0, start] == pytest.approx(float(value), rel=1e-10)
        np.testing.assert_allclose(got.gradient[0, start], gradient, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(got.curvature[0, start], curvature, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("name", "order"), [("linear", 1), ("capped", 1), ("linear", 0)])
def test_lower_orders_are_the_same_numbers(name, order):
    specification = SPECIFICATIONS[name]
    data, at = observations(specification), vectors(specification)
    full, lower = likelihood(specification, data, at), likelihood(specification, data, at, order)
    np.testing.assert_allclose(lower.value, full.value, rtol=1e-13)
    assert lower.curvature is None
    if order == 1:
        np.testing.assert_allclose(lower.gradient, full.gradient, rtol=1e-11, atol=1e-11)
    else:
        assert lower.gradient is None


def test_evaluations_add_up_part_by_part():
    one, other = Evaluation(np.ones(2), np.ones((2, 3))), Evaluation(np.full(2, 4.0), np.full((2, 3), 2.0))
    total = one + other
    assert total.value.tolist() == [5.0, 5.0]
    assert total.gradient.tolist() == [[3.0] * 3] * 2
    assert total.curvature is None


def test_sums_do_not_depend_on_the_blocks(monkeypatch):
    specification = SINGLE
    data, at = observations(specification, tied=TIED), vectors(specification)
    usual = likelihood(specification, data, at)
    monkeypatch.setattr(module, "BLOCK_ELEMENTS", 8)
    assert module._blocks([(data.decided, data.decided_weight)], 64, True)[1].shape == (1, 2, 64)
    assert_same(usual, likelihood(specification, data, at))


def test_the_number_of_starts_changes_no_start():
    specification = SINGLE
    data, at = observations(specification, tied=TIED), vectors(specification, starts=8)
    together = likelihood(specification, data, at)
    for count in (1, 5):
        few = likelihood(specification, data, at[:, :count])
        assert few.value.shape == (1, count)
        assert_same(Evaluation(*(part[:, :count] for part in together)), few, 1e-13)


def test_above_few_rows_no_starts_are_made_up(monkeypatch):
    specification = SINGLE
    data, at = observations(specification, tied=TIED), vectors(specification)
    usual = likelihood(specification, data, at, 0)
    monkeypatch.setattr(module, "FEW_ROWS", N)
    assert_same(usual, likelihood(specification, data, at, 0))


@pytest.mark.parametrize(("rows", "rooms"), [(100, [64, 64, 128]), (3000, [8, 56, 72]), (30_000, [3, 50, 65])])
def test_on_few_rows_several_numbers_of_starts_share_code(rows, rooms):
    assert [module._room(starts, rows, SINGLE) for starts in (3, 50, 65)] == rooms


@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("longest", [0, 1, 8, 9, 100, 129, 5000])
def test_blocks_hold_every_row_once_and_padding_without_weight(longest, linear):
    random = np.random.default_rng(longest)
    shape = (3,) if linear else (2, 3)
    groups = [(random.normal(size=(n, *shape)), random.uniform(1.0, 2.0, n)) for n in (longest, longest // 2)]
    rows, weights = module._blocks(groups, 64, linear)
    if linear:
        rows = rows.transpose(0, 1, 3, 2)  # features come before rows
    assert weights.shape == rows.shape[:3]
    assert rows.shape[2] <= 64
    for (pairs, weight), own_rows, own_weights in zip(groups, rows, weights, strict=True):
        n = len(weight)
        np.testing.assert_array_equal(own_rows.reshape(-1, *shape)[:n], pairs)
        np.testing.assert_array_equal(own_weights.ravel()[:n], weight)
        assert (own_weights.ravel()[n:] == 0).all()
    assert weights[0].size <= max(8, 1.25 * longest + 64)


def test_data_of_similar_size_are_laid_out_alike():
    shapes = {
        n: module._blocks([(np.zeros((n, 2)), np.ones(n))], 128, linear=True)[1].shape for n in (20, 100, 300, 400, 500)
    }
    assert shapes[20] == shapes[100] == (1, 1, 128)
    assert shapes[300] == shapes[400] == shapes[500] == (1, 4, 128)
    many_starts = module._blocks([(np.zeros((300, 2)), np.ones(300))], 64, linear=True)
    assert many_starts[1].shape == (1, 5, 64)  # where computing takes longer than compiling, nothing is wasted


def test_a_layout_is_kept_for_the_next_call():
    specification = SINGLE
    data = observations(specification, tied=TIED)
    first = module.laid_out([data], 64, True)
    assert module.laid_out([data], 64, True) is first
    assert module.laid_out([data], 32, True) is not first


def test_a_layout_is_not_taken_for_that_of_other_groups():
    """A group that is small enough goes into a sample as it is, beside samples of the others."""
    specification = SINGLE
    small, large = (observations(specification, n=n, tied=TIED, seed=n) for n in (100, 128))
    part = large.sample(60, np.random.default_rng(0))
    at = vectors(specification, groups=2)
    evaluate(specification, SCALING, [small, part], at, 0)
    fresh = evaluate(specification, SCALING, [replace(small, blocks={}), replace(large, blocks={})], at, 0)
    assert_same(evaluate(specification, SCALING, [small, large], at, 0), fresh)


def with_empty_rows(data: Observations, decided: int, tied: int) -> Observations:
    """The same with rows of weight zero at the end."""
    return Observations(
        np.concatenate([data.decided, np.full((decided, 2), 50.0)]),
        np.append(data.decided_weight, np.zeros(decided)),
        np.concatenate([data.tied, np.full((tied, 2), 50.0)]),
        np.append(data.tied_weight, np.zeros(tied)),
    )


def test_rows_of_weight_zero_count_for_nothing():
    specification = SPECIFICATIONS["tied"]
    data, at = observations(specification, tied=TIED), vectors(specification)
    assert_same(likelihood(specification, data, at), likelihood(specification, with_empty_rows(data, 7, 3), at), 1e-12)


def test_no_rows_add_nothing():
    specification = SINGLE
    got = likelihood(specification, observations(specification, n=0), vectors(specification))
    assert [part.shape for part in got] == [(1, 3), (1, 3, 3), (1, 3, 3, 3)]
    assert all((part == 0).all() for part in got)


def test_rows_go_when_nobody_needs_them():
    """A layout must not keep alive the rows that it was made from: a stream makes new ones for every piece."""
    specification = SPECIFICATIONS["tied"]
    data = observations(specification, tied=TIED)
    likelihood(specification, data, vectors(specification))
    gone = weakref.ref(data)
    gc.disable()
    try:
        del data
        assert gone() is None
    finally:
        gc.enable()


def test_a_tie_without_threshold_is_impossible_but_only_if_it_happened():
    specification = SPECIFICATIONS["tied"]
    at = vectors(specification)
    at[..., 4] = 0.0
    data = observations(specification, tied=TIED)
    assert np.isposinf(likelihood(specification, data, at).value).all()
    never = replace(data, tied_weight=np.zeros(TIED), blocks={})
    at_zero = likelihood(specification, never, at)
    at[..., 4] = 1e-9
    for one, two in zip(at_zero, likelihood(specification, never, at), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-5)


def test_groups_give_what_each_gives_alone():
    specification = SINGLE
    groups = [observations(specification, n=n, tied=t, seed=n) for n, t in ((100, 20), (9, 0), (128, 32))]
    at = vectors(specification, groups=3)
    together = evaluate(specification, SCALING, groups, at, 2)
    for g, own in enumerate(groups):
        same_shape = with_empty_rows(own, 128 - len(own.decided), 32 - len(own.tied))
        alone = likelihood(specification, same_shape, at[g : g + 1])
        assert_same(Evaluation(*(part[g : g + 1] for part in together)), alone)


def test_weights_act_like_repeated_rows():
    specification = SPECIFICATIONS["tied"]
    data, at = observations(specification, tied=TIED), vectors(specification)
    times, tied_times = np.arange(N) % 3, np.arange(TIED) % 3
    weighted = Observations(data.decided, times.astype(float), data.tied, tied_times.astype(float))
    repeated = Observations(
        np.repeat(data.decided, times, axis=0), np.ones(times.sum()),
        np.repeat(data.tied, tied_times, axis=0), np.ones(tied_times.sum()),
    )  # fmt: skip
    assert_same(likelihood(specification, weighted, at), likelihood(specification, repeated, at))
