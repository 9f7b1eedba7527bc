"""The compiled likelihood against a plainly written total log-likelihood and its automatic derivatives."""

import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.inference import arrangement, plain
from lori.inference import blocks as module
from lori.inference.blocks import Evaluation, begun_roughly, evaluate
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
from lori.model.likelihoods.sets import Sets
from lori.model.precision import double_precision
from lori.model.rewards import Capped, Function, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
N, TIED = 100, 20  # all tests stay within blocks of 128 and 32 rows, so that compiled code is shared
CURVED = Function(lambda p, x: jnp.tanh(p[0] * x[0]) + x[1], start=(1.0,))

SPECIFICATIONS = {
    "linear": Specification((Linear(), Linear()), (None, 0.0), (1.0, 2.0), Pairs(), FEATURES),
    "tied": Specification((Linear(), Linear()), (None, None), (1.0, 1.0), Pairs("observed"), FEATURES),
    "capped": Specification((Capped(sharpness=2.0), Linear()), (None, None), (1.0, 1.0), Pairs(), FEATURES),
    "function": Specification((CURVED, Linear()), (None, 0.3), (None, 1.0), Pairs("printed"), FEATURES),
}
SINGLE = Specification((Linear(),), (None,), (1.0,), Pairs("observed"), FEATURES)  # where each shape is compiled anew
UNSCALED = Scaling(np.zeros(2), np.ones(2))
SCALING = Scaling(np.array([7.0, -0.3]), np.array([20.0, 0.1]))


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Small sums, too: NumPy's are those of test_plain.py."""
    monkeypatch.setattr(plain, "MOST_ROWS", 0)


def scaling_of(specification) -> Scaling:
    return SCALING if specification.standardised else UNSCALED


def preferences(specification, n=N, tied=0, seed=0) -> Preferences:
    """Pairs in the user's units whose standardised features are moderate numbers; the last ones are tied."""
    random = np.random.default_rng(seed)
    scaling = scaling_of(specification)
    size = np.where(np.arange(n + tied) < n, 1.0, 0.5)[:, None, None]
    pairs = scaling.location + scaling.scale * size * random.normal(size=(n + tied, 2, 2))
    return of_pairs(pairs, random.uniform(0.5, 3.0, n + tied), tied)


def of_pairs(pairs: np.ndarray, weight: np.ndarray, tied: int) -> Preferences:
    """The first alternative is preferred, but in the last pairs, so many, neither."""
    last = np.arange(len(pairs)) >= len(pairs) - tied
    return Preferences.from_arrays(pairs[:, 0], pairs[:, 1], wins=~last, ties=last, weight=weight, features=FEATURES)


def both_sides(data: Preferences) -> np.ndarray:
    return np.stack([data.left_features, data.right_features], axis=1)


def observations(specification, *args, **options):
    return specification.likelihood.observed(preferences(specification, *args, **options))


def likelihood(specification, data: Preferences, at, order=2) -> Evaluation:
    return evaluate(specification, scaling_of(specification), [specification.likelihood.observed(data)], at, order)


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


def plain_total(specification, data: Preferences, v):
    """Σ weight · log Pr of equations (4) and (5), with 1 − s − t subtracted as printed."""
    scaling = scaling_of(specification)
    pairs = jnp.asarray((both_sides(data) - scaling.location) / scaling.scale)
    first, epsilon, alpha = rewards(specification, pairs[:, 0], v)
    second, _, _ = rewards(specification, pairs[:, 1], v)
    left, reached = 0.0, 1.0
    for one, other, e, a in zip(first, second, epsilon, alpha, strict=True):
        d = one - other
        better, worse = 1 / (1 + jnp.exp(-a * (d - e))), 1 / (1 + jnp.exp(-a * (-d - e)))
        left, reached = left + reached * better, reached * (1 - better - worse)
    if specification.likelihood.rule == "split":
        left += reached / 2
    total = jnp.sum(data.wins * data.weight * jnp.log(left))
    if data.n_ties:
        total += jnp.sum(data.ties * data.weight * jnp.log(reached))
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
    data = preferences(specification, tied=TIED if name == "tied" else 0)
    at = vectors(specification)
    got = likelihood(specification, data, at)
    for start, (value, gradient, curvature) in enumerate(expected(specification, data, at[0])):
        assert got.value[0, start] == pytest.approx(float(value), rel=1e-10)
        np.testing.assert_allclose(got.gradient[0, start], gradient, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(got.curvature[0, start], curvature, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("name", "order"), [("linear", 1), ("capped", 1), ("linear", 0)])
def test_lower_orders_are_the_same_numbers(name, order):
    specification = SPECIFICATIONS[name]
    data, at = preferences(specification), vectors(specification)
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
    data, at = preferences(specification, tied=TIED), vectors(specification)
    usual = likelihood(specification, data, at)
    monkeypatch.setattr(arrangement, "BLOCK_ELEMENTS", 8)
    assert arrangement._sizes([specification.likelihood.observed(data).kinds["decided"]], 64, quick=True) == (64, 2)
    assert_same(usual, likelihood(specification, data, at))


def test_the_number_of_starts_changes_no_start():
    specification = SINGLE
    data, at = preferences(specification, tied=TIED), vectors(specification, starts=40)
    together = likelihood(specification, data, at)
    for count in (1, 5, 9, 32):
        few = likelihood(specification, data, at[:, :count])
        assert few.value.shape == (1, count)
        assert_same(Evaluation(*(part[:, :count] for part in together)), few, 1e-13)


def test_above_few_rows_no_starts_are_made_up(monkeypatch):
    specification = SINGLE
    data, at = preferences(specification, tied=TIED), vectors(specification)
    usual = likelihood(specification, data, at, 0)
    monkeypatch.setattr(module, "FEW_ROWS", N)
    assert_same(usual, likelihood(specification, data, at, 0))


@pytest.mark.parametrize(("rows", "rooms"), [(100, [32, 64, 96]), (3000, [8, 64, 96]), (30_001, [3, 50, 65])])
def test_on_few_rows_several_numbers_of_starts_share_code(rows, rooms):
    assert [module.room(starts, rows, SINGLE) for starts in (3, 50, 65)] == rooms


def test_a_layout_is_kept_for_the_next_call():
    data = observations(SINGLE, tied=TIED)
    first, again, other = (arrangement.laid_out(SINGLE, [data], starts) for starts in (64, 64, 128))
    for kind, parts in first.items():
        assert all(one is two for one, two in zip(parts, again[kind], strict=True))
        assert not any(one is two for one, two in zip(parts, other[kind], strict=True))
    assert other["decided"][1].shape == (1, 2, 64)


def test_a_layout_is_not_taken_for_that_of_other_groups():
    """A group that is small enough goes into a sample as it is, beside samples of the others."""
    specification = SINGLE
    small, large = (observations(specification, n=n, tied=TIED, seed=n) for n in (100, 128))
    part = large.sample(60, np.random.default_rng(0))
    at = vectors(specification, groups=2)
    evaluate(specification, SCALING, [small, part], at, 0)
    fresh = [observations(specification, n=n, tied=TIED, seed=n) for n in (100, 128)]
    fresh = evaluate(specification, SCALING, fresh, at, 0)
    assert_same(evaluate(specification, SCALING, [small, large], at, 0), fresh)


def with_empty_rows(data: Preferences, decided: int, tied: int) -> Preferences:
    """The same with pairs of weight zero at the end."""
    far = np.tile([[50.0, 50.0], [0.0, 0.0]], (decided + tied, 1, 1))
    pairs = np.concatenate([both_sides(data), far])
    last = np.append(data.ties, np.arange(len(far)) >= decided)
    weight = np.append(data.weight, np.zeros(len(far)))
    return Preferences.from_arrays(pairs[:, 0], pairs[:, 1], wins=1 - last, ties=last, weight=weight, features=FEATURES)


def test_rows_of_weight_zero_count_for_nothing():
    specification = SPECIFICATIONS["tied"]
    data, at = preferences(specification, tied=TIED), vectors(specification)
    assert_same(likelihood(specification, data, at), likelihood(specification, with_empty_rows(data, 7, 3), at), 1e-12)


def test_no_rows_add_nothing():
    specification = SINGLE
    nobody = observations(specification).sample(0, np.random.default_rng(0))
    assert nobody.rows == 0
    got = evaluate(specification, SCALING, [nobody], vectors(specification), 2)
    assert [part.shape for part in got] == [(1, 3), (1, 3, 3), (1, 3, 3, 3)]
    assert all((part == 0).all() for part in got)


def test_rows_go_when_nobody_needs_them():
    """A layout must not keep alive the rows that it was made from: a stream makes new ones for every piece."""
    specification = SPECIFICATIONS["tied"]
    data = observations(specification, tied=TIED)
    evaluate(specification, SCALING, [data], vectors(specification), 2)
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
    data = preferences(specification, tied=TIED)
    assert np.isposinf(likelihood(specification, data, at).value).all()
    never = of_pairs(both_sides(data), np.where(data.ties, 0.0, data.weight), TIED)
    at_zero = likelihood(specification, never, at)
    at[..., 4] = 1e-9
    for one, two in zip(at_zero, likelihood(specification, never, at), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-5)


def test_groups_give_what_each_gives_alone():
    specification = SINGLE
    groups = [preferences(specification, n=n, tied=t, seed=n) for n, t in ((100, 20), (9, 0), (128, 32))]
    at = vectors(specification, groups=3)
    together = evaluate(specification, SCALING, [specification.likelihood.observed(own) for own in groups], at, 2)
    for g, own in enumerate(groups):
        same_shape = with_empty_rows(own, 128 - (len(own) - own.n_ties), 32 - own.n_ties)
        alone = likelihood(specification, same_shape, at[g : g + 1])
        assert_same(Evaluation(*(part[g : g + 1] for part in together)), alone)


def test_weights_act_like_repeated_rows():
    specification = SPECIFICATIONS["tied"]
    data, at = preferences(specification, tied=TIED), vectors(specification)
    times = np.arange(N + TIED) % 3
    weighted = of_pairs(both_sides(data), times.astype(float), TIED)
    repeated = of_pairs(np.repeat(both_sides(data), times, axis=0), np.ones(times.sum()), times[N:].sum())
    assert_same(likelihood(specification, weighted, at), likelihood(specification, repeated, at))


def test_groups_that_are_the_same_rows_with_other_weights_are_laid_out_once():
    """As in the EM algorithm: sums are those of groups that are laid out each by itself."""
    data, random = observations(SINGLE, tied=TIED), np.random.default_rng(5)
    weights = random.uniform(0.1, 2.0, (3, data.count))
    groups = [data.reweighted(own) for own in weights]
    rows = arrangement.laid_out(SINGLE, groups, 1)
    assert all(len(blocks) == len(filled) == 1 and len(laid) == 3 for blocks, laid, filled in rows.values())
    at = np.stack([vectors(SINGLE, starts=1)[0]] * 3) * random.uniform(0.5, 1.5, (3, 1, 1))
    together = module.evaluate(SINGLE, SCALING, groups, at, 2)
    for group, own in enumerate(weights):
        alone = observations(SINGLE, tied=TIED).reweighted(own)
        single = module.evaluate(SINGLE, SCALING, [alone], at[group : group + 1], 2)
        for one, two in zip(together, single, strict=True):
            np.testing.assert_allclose(one[group], two[0], rtol=1e-11, atol=1e-11)


def test_values_in_single_precision_are_good_weights_of_draws():
    """Of sets of two and three: near and far, where it may underflow, and where thresholds are too wide for it."""
    random = np.random.default_rng(0)
    there = np.ones((60, 3), bool)
    there[:20, 2] = False
    data = Choices.from_arrays(random.normal(size=(60, 3, 2)), random.integers(0, 2, 60), available=there)
    likelihood = Sets.for_data("auto", [data], (None, 0.0))
    specification = Specification((Linear(), Linear()), (None, 0.0), (1.0, 1.0), likelihood, data.features)
    groups, size = [likelihood.observed(data)], specification.size
    vectors = random.normal(size=(1, 12, size))
    vectors[0, 4:8] *= 60  # some choices are as good as impossible
    vectors[..., -1] = np.where(np.arange(12) < 8, 1.5, 40.0)  # the threshold
    exact = evaluate(specification, UNSCALED, groups, vectors, 0).value
    rough = begun_roughly(specification, UNSCALED, groups, vectors)().value
    assert exact[0, 4:8].max() > 1000
    np.testing.assert_allclose(rough, exact, rtol=1e-6)
    assert (rough[0, :4] != exact[0, :4]).all()
    np.testing.assert_array_equal(rough[0, 8:], exact[0, 8:])


@pytest.mark.parametrize("name", ["linear", "tied"])
@pytest.mark.parametrize("unit", [1.0, 1e-30, 1e30])
def test_single_precision_is_close_whatever_the_units_of_features(name, unit, monkeypatch):
    monkeypatch.setattr(plain, "LEAST", 0)  # so that few are compiled, too
    specification = SPECIFICATIONS[name]
    scaling = Scaling(SCALING.location * unit, SCALING.scale * unit)
    random = np.random.default_rng(0)
    pairs = scaling.location + scaling.scale * random.normal(size=(N + TIED, 2, 2))
    data = of_pairs(pairs, random.uniform(0.5, 3.0, N + TIED), TIED if name == "tied" else 0)
    rows = specification.likelihood.observed(data)
    at = random.normal(size=(1, 3, specification.size))
    at[..., list(specification.epsilon_slots.values())] = 0.7
    rough = specification.roughly()
    assert rough.likelihood.single_precision
    exact = evaluate(specification, scaling, [rows], at, 2)
    found = evaluate(rough, scaling, [rows], at, 2)
    for ours, theirs in zip(found, exact, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * np.abs(theirs).max())
        assert not np.array_equal(ours, theirs)


def test_thresholds_too_wide_for_single_precision_are_computed_in_double_precision(monkeypatch):
    monkeypatch.setattr(plain, "LEAST", 0)
    specification = SPECIFICATIONS["linear"]
    rows = observations(specification)
    at = np.random.default_rng(0).normal(size=(1, 9, specification.size))
    slot = specification.epsilon_slots[0]
    at[..., slot] = 0.7
    at[0, [3, 8], slot] = 40.0, 1e6
    rough, exact = (evaluate(own, SCALING, [rows], at, 1) for own in (specification.roughly(), specification))
    for ours, theirs in zip(rough[:2], exact[:2], strict=True):
        np.testing.assert_allclose(ours[0, [3, 8]], theirs[0, [3, 8]], rtol=1e-12)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-4)
        assert not np.array_equal(ours[0, 0], theirs[0, 0])


def test_rewards_that_are_not_linear_are_as_exact_as_ever():
    assert SPECIFICATIONS["capped"].roughly() == SPECIFICATIONS["capped"]


@double_precision
def test_samples_of_different_sizes_share_code():
    specification = SPECIFICATIONS["linear"].roughly()
    shapes = {
        arrangement.laid_out(specification, [observations(specification, n)], 8)["decided"][0].shape
        for n in (50, 900, 3000)
    }
    assert len(shapes) == 1
