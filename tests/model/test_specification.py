"""The vector of free parameters: layout, names, bounds, and what it says about one pair."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lori.model.likelihoods import Pairs
from lori.model.precision import double_precision
from lori.model.rewards import Capped, Function, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
POWER = Function(lambda p, x: x[0] ** p[0], start=(1.0,), lower=(0.1,))
rewards = st.sampled_from([Linear(), Linear(increasing=["need"]), Capped(), POWER])
fixed_or_learned = st.one_of(st.none(), st.floats(0.1, 4.0))


@st.composite
def specifications(draw) -> Specification:
    levels = draw(st.integers(1, 4))

    def each(values):
        return tuple(draw(st.lists(values, min_size=levels, max_size=levels)))

    return Specification(each(rewards), each(fixed_or_learned), each(fixed_or_learned), Pairs(), FEATURES)


@pytest.fixture
def mixed() -> Specification:
    """Level 1 capped with a learned ε, level 2 a function with a learned α and ε = 0.5, level 3 linear."""
    return Specification(
        (Capped(), POWER, Linear(increasing=["need"])), (None, 0.5, None), (2.0, None, None), Pairs(), FEATURES
    )


def test_the_layout_is_rewards_then_thresholds_then_alphas(mixed):
    assert [slots.tolist() for slots in mixed.reward_slots] == [[0, 1, 2], [3], [4, 5]]
    assert not mixed.shared
    assert mixed.epsilon_slots == {0: 6, 2: 7}
    assert mixed.alpha_slots == {1: 8}  # the last level's α is learned with its free scale, not beside it
    assert mixed.size == 9
    assert mixed.names == (
        "level 1: weight of benefit", "level 1: weight of need", "level 1: cap", "level 2: parameter 1",
        "level 3: weight of benefit", "level 3: weight of need", "level 1: threshold", "level 3: threshold",
        "level 2: alpha",
    )  # fmt: skip
    lower, upper = mixed.bounds
    free = -np.inf
    assert lower.tolist() == [free, free, free, 0.1, free, 0.0, 0.0, 0.0, pytest.approx(0.0, abs=1e-5)]
    assert lower[8] > 0
    assert np.isposinf(upper).all()


def test_names_of_one_level_do_not_count_levels():
    assert Specification((Linear(),), (None,), (1.0,), Pairs(), FEATURES).names == (
        "weight of benefit", "weight of need", "threshold",
    )  # fmt: skip


def test_the_vector_fills_what_is_free_and_the_rest_is_fixed(mixed):
    vector = np.arange(1.0, 10.0)
    with jax.enable_x64(True):
        parameters = mixed.unpack(jnp.asarray(vector))
    assert [part.tolist() for part in parameters.rewards] == [[1.0, 2.0, 3.0], [4.0], [5.0, 6.0]]
    assert parameters.epsilon.tolist() == [7.0, 0.5, 8.0]
    assert parameters.alpha.tolist() == [2.0, 9.0, 1.0]


@given(specifications(), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
@double_precision
def test_pack_is_the_inverse_of_unpack(specification, seed):
    assert len(specification.names) == specification.size
    assert len(set(specification.names)) == specification.size
    slots = [*specification.epsilon_slots.values(), *specification.alpha_slots.values()]
    inside = [int(i) for where in specification.reward_slots for i in where]
    assert sorted(inside + slots) == list(range(specification.size))
    vector = np.random.default_rng(seed).uniform(0.1, 3.0, specification.size)
    parameters = specification.unpack(jnp.asarray(vector))
    np.testing.assert_array_equal(specification.pack(*parameters), vector)
    again = specification.unpack(jnp.asarray(specification.pack(*parameters)))
    for one, other in zip(jax.tree.leaves(parameters), jax.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(one, other)
    for level, (fixed, reward) in enumerate(zip(specification.alpha, specification.rewards, strict=True)):
        if level not in specification.alpha_slots:
            assert fixed is not None or reward.free_scale
            assert parameters.alpha[level] == (1.0 if fixed is None else fixed)


def test_equal_specifications_share_compiled_code():
    one, other = (Specification((Linear(),), (None,), (1.0,), Pairs(), FEATURES) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)


@double_precision
def test_gap_and_tolerance_of_a_pair(mixed, naive):
    x, y = np.array([1.5, -0.3]), np.array([0.4, 0.8])
    w = np.array([0.3, -0.2, 0.1, 2.0, 0.7, 0.9, 0.6, 0.8, 1.4])
    pair = jnp.stack([jnp.asarray(x), jnp.asarray(y)])
    gap, tolerance = mixed.scaled(mixed.unpack(jnp.asarray(w)), pair)

    def soft(x):
        return -np.log(np.exp(-10 * w[2]) + np.exp(-10 * (x @ w[:2]))) / 10

    differences = [soft(x) - soft(y), x[0] ** w[3] - y[0] ** w[3], (x - y) @ w[4:6]]
    alpha, epsilon = [2.0, 1.4, 1.0], [0.6, 0.5, 0.8]
    np.testing.assert_allclose(gap, np.multiply(alpha, differences), rtol=1e-12)
    np.testing.assert_allclose(tolerance, np.multiply(alpha, epsilon), rtol=1e-12)
    expected = naive(alpha, differences, epsilon, "split")
    assert float(mixed.log_probability("decided", jnp.asarray(w), pair)) == pytest.approx(
        float(expected.left.ln()), rel=1e-10
    )
    observed = naive(alpha, differences, epsilon, "observed")
    assert float(mixed.log_probability("tied", jnp.asarray(w), pair)) == pytest.approx(
        float(observed.tie.ln()), rel=1e-10
    )


@double_precision
def test_only_differences_matter_to_a_linear_model(mixed):
    linear = Specification((Linear(), Linear()), (None, 0.0), (1.0, 3.0), Pairs(), FEATURES)
    assert linear.likelihood.only_differences_matter(linear)
    assert not mixed.likelihood.only_differences_matter(mixed)
    assert linear.standardised
    pair = jnp.array([[17.0, -2.0], [7.0, -3.0]])
    gap, tolerance = linear.scaled(linear.unpack(jnp.array([1.0, 2.0, 3.0, 4.0, 0.5])), pair)
    np.testing.assert_allclose(gap, [12.0, 3 * 34.0])
    np.testing.assert_allclose(tolerance, [0.5, 0.0])


@pytest.mark.parametrize(
    ("rule", "epsilon", "lapse", "levels", "concave"),
    [
        ("observed", None, 0.0, 1, True), ("printed", None, 0.0, 1, True), ("observed", 0.5, 0.0, 1, True),
        ("split", 0.0, 0.0, 1, True), ("split", None, 0.0, 1, False), ("observed", None, None, 1, False),
        ("observed", None, 0.0, 2, False),
    ],
)  # fmt: skip
def test_one_level_is_concave_where_ties_are_not_split(rule, epsilon, lapse, levels, concave):
    own = Specification((Linear(),) * levels, (epsilon,) * levels, (1.0,) * levels, Pairs(rule), FEATURES, lapse)
    assert own.concave == concave


@double_precision
@given(st.sampled_from(["observed", "printed"]), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_what_is_called_concave_lies_above_its_chords(rule, seed):
    own = Specification((Linear(),), (None,), (1.0,), Pairs(rule), FEATURES)
    random = np.random.default_rng(seed)
    size = 10.0 ** random.uniform(-2, 1.5)
    ends = random.normal(size=(2, own.size)) * size
    ends[:, -1] = np.abs(ends[:, -1]) + 1e-6
    pair = jnp.asarray(random.normal(size=(2, 2)))
    for kind in own.likelihood.kinds[: 2 if rule == "observed" else 1]:
        low, high, middle = (own.log_probability(kind, jnp.asarray(at), pair) for at in (*ends, ends.mean(axis=0)))
        assert middle >= (low + high) / 2 - 1e-9 * (1 + abs(low + high))


def test_one_function_makes_a_model_keep_its_units(mixed):
    assert not mixed.standardised


def test_fewer_drops_the_last_reward_and_keeps_the_last_threshold():
    rewards = (Linear(), Capped(), POWER)
    three = Specification(rewards, (None, 2.0, 0.0), (1.0, 3.0, None), Pairs("observed"), FEATURES)
    two = three.fewer()
    assert two == Specification(rewards[:2], (None, 0.0), (1.0, 3.0), Pairs("observed"), FEATURES)
    assert two.fewer() == Specification(rewards[:1], (0.0,), (1.0,), Pairs("observed"), FEATURES)
