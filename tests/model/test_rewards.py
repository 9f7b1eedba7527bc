"""Rewards: what they compute, within which bounds, and in whose units."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.model.precision import double_precision
from lori.model.rewards import Capped, Function, Linear, Network, reward_from

NAMES = ("cost", "benefit", "need")
INF = np.inf
REWARDS = [
    Linear(increasing=["benefit"], decreasing=["cost"]),
    Capped(increasing="all", sharpness=3.0),
    Network(hidden=(4, 3)),
    Function(lambda p, x: p[0] * x[0] + jnp.tanh(p[1] * x[2]), start=(0.5, 1.0), lower=(0.0, -1.0), upper=(2.0, INF)),
]
BUILT_IN = REWARDS[:3]


def kind(reward) -> str:
    return reward.kind


@double_precision
def values(reward, parameters, x) -> np.ndarray:
    return np.asarray(jax.vmap(reward, (None, 0))(jnp.asarray(parameters), jnp.asarray(x)))


@pytest.fixture
def random():
    return np.random.default_rng(7)


def test_bounds_follow_the_names_of_features():
    lower, upper = Linear(increasing=["need"], decreasing="cost").bounds(NAMES)
    assert lower.tolist() == [-INF, -INF, 0.0]
    assert upper.tolist() == [0.0, INF, INF]
    lower, upper = Capped(decreasing="all").bounds(NAMES)
    assert lower.tolist() == [-INF] * 4
    assert upper.tolist() == [0.0, 0.0, 0.0, INF]
    for reward in (Linear(), Network(hidden=2)):
        assert np.isneginf(reward.bounds(NAMES)[0]).all()
        assert np.isposinf(reward.bounds(NAMES)[1]).all()
    assert [part.tolist() for part in REWARDS[3].bounds(NAMES)] == [[0.0, -1.0], [2.0, INF]]


@pytest.mark.parametrize("direction", ["increasing", "decreasing"])
def test_an_unknown_feature_is_refused(direction, refused):
    message = refused(Linear(**{direction: ["benefit", "hight"]}).bounds, NAMES)
    assert message.startswith(f"{direction}: ")
    assert "hight" in message
    assert "cost, benefit, need" in message


def test_a_feature_in_both_directions_is_refused(refused):
    message = refused(Linear(increasing="all", decreasing=["cost"]).bounds, NAMES)
    assert "cost in both" in message
    assert "benefit in both" not in message


def test_names_of_features_may_come_as_any_sequence():
    expected = Linear(increasing=("cost", "need"))
    assert Linear(increasing=["cost", "need"]) == expected
    assert Linear(increasing=np.array(["cost", "need"])) == expected
    assert hash(Linear(increasing=["cost", "need"])) == hash(expected)
    assert Linear(increasing="cost") == Linear(increasing=["cost"])


@pytest.mark.parametrize("reward", REWARDS, ids=kind)
def test_every_parameter_has_a_name_bounds_and_a_typical_size(reward):
    size = reward.size(NAMES)
    assert len(set(reward.names(NAMES))) == size
    assert len(reward.typical(NAMES)) == size
    assert (reward.typical(NAMES) > 0).all()
    lower, upper = reward.bounds(NAMES)
    assert lower.shape == upper.shape == (size,)
    assert (lower < upper).all()


@pytest.mark.parametrize("reward", REWARDS, ids=kind)
def test_draws_stay_within_bounds_and_repeat_for_a_seed(reward):
    drawn = reward.draw(np.random.default_rng(5), NAMES, 200)
    again = reward.draw(np.random.default_rng(5), NAMES, 200)
    other = reward.draw(np.random.default_rng(6), NAMES, 200)
    lower, upper = reward.bounds(NAMES)
    assert drawn.shape == (200, reward.size(NAMES))
    assert np.isfinite(drawn).all()
    assert (drawn >= lower).all()
    assert (drawn <= upper).all()
    np.testing.assert_array_equal(drawn, again)
    assert not np.array_equal(drawn, other)


def test_a_linear_reward_is_the_weighted_sum(random):
    weights, x = random.normal(size=3), random.normal(size=(5, 3))
    expected = [sum(w * v for w, v in zip(weights, row, strict=True)) for row in x]
    np.testing.assert_allclose(values(Linear(), weights, x), expected, rtol=1e-13)


def test_a_capped_reward_is_the_soft_minimum(random):
    weights, cap, x = random.normal(size=3), 0.4, random.normal(size=(50, 3))
    plain = x @ weights
    expected = -np.log(np.exp(-3 * cap) + np.exp(-3 * plain)) / 3
    np.testing.assert_allclose(values(Capped(sharpness=3.0), [*weights, cap], x), expected, rtol=1e-12)


def test_a_capped_reward_approaches_the_minimum_as_it_sharpens(random):
    weights, cap, x = random.normal(size=3), 0.4, random.normal(size=(50, 3))
    hard = np.minimum(cap, x @ weights)
    for sharpness in (1.0, 10.0, 1e3, 1e6):
        below = hard - values(Capped(sharpness=sharpness), [*weights, cap], x)
        assert (below >= -1e-12).all()
        assert below.max() <= np.log(2) / sharpness + 1e-12  # the most that softmin can lack


def test_a_network_is_its_layers_written_out(random):
    reward = Network(hidden=(4, 3))
    parts = [random.normal(size=shape) for shape in [(3, 4), (4,), (4, 3), (3,), (3,)]]
    x = random.normal(size=(6, 3))
    expected = np.tanh(np.tanh(x @ parts[0] + parts[1]) @ parts[2] + parts[3]) @ parts[4]
    flat = np.concatenate([part.ravel() for part in parts])
    assert len(flat) == reward.size(NAMES)
    np.testing.assert_allclose(values(reward, flat, x), expected, rtol=1e-12)


@pytest.mark.parametrize("hidden", [(), (0,), (4, -1)])
def test_a_network_without_units_is_refused(hidden, refused):
    assert refused(Network, hidden=hidden).startswith("hidden: ")


@pytest.mark.parametrize("reward", BUILT_IN, ids=kind)
def test_in_units_gives_the_same_differences_on_raw_features(reward, random):
    location, scale = np.array([100.0, -3.0, 0.02]), np.array([40.0, 2.0, 0.005])
    x = location + scale * random.normal(size=(20, 3))
    parameters = reward.draw(random, NAMES, 1)[0]
    inside = values(reward, parameters, (x - location) / scale)
    with jax.enable_x64(True):
        raw = np.asarray(reward.in_units(*(jnp.asarray(part) for part in (parameters, location, scale))))
    outside = values(reward, raw, x)
    assert np.ptp(inside) > 0.01
    np.testing.assert_allclose(outside - outside[0], inside - inside[0], atol=1e-10)


@pytest.mark.parametrize("reward", BUILT_IN, ids=kind)
def test_a_multiplied_reward_is_as_many_times_as_large(reward, random):
    parameters, x = reward.draw(random, NAMES, 1)[0], random.normal(size=(20, 3))
    with jax.enable_x64(True):
        larger = np.asarray(reward.multiplied(jnp.asarray(parameters), 2.5))
    np.testing.assert_allclose(
        values(reward.with_scale(2.5), larger, x), 2.5 * values(reward, parameters, x), rtol=1e-10, atol=1e-12
    )


def test_a_function_keeps_its_own_units():
    reward = REWARDS[3]
    assert not reward.standardised
    assert reward.in_units(np.array([1.0, 2.0]), np.ones(3), np.ones(3)).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("reward", BUILT_IN, ids=kind)
def test_settings_make_the_reward_again(reward):
    again = reward_from(reward.settings())
    assert again == reward
    assert type(again) is type(reward)


def test_a_function_has_no_settings(refused):
    assert "Python function" in refused(REWARDS[3].settings)


def test_the_bounds_of_a_function_need_one_number_for_each_parameter(refused):
    assert refused(Function, lambda p, x: p[0], start=(1.0, 2.0), lower=(0.0,)).startswith("lower: ")


def test_a_function_starts_from_the_first_guess_and_may_have_no_parameters(random):
    assert REWARDS[3].draw(random, NAMES, 3)[0].tolist() == [0.5, 1.0]
    fixed = Function(lambda p, x: x[1])
    assert fixed.size(NAMES) == 0
    assert fixed.draw(random, NAMES, 4).shape == (4, 0)


def test_slopes_say_what_a_unit_of_each_feature_is_worth(random):
    x = random.normal(size=(30, 3))
    assert Linear().slopes(np.array([1.0, 2.0, 3.0]), x).tolist() == [1.0, 2.0, 3.0]
    assert Capped().slopes(np.array([1.0, 2.0, 3.0, 9.0]), x).tolist() == [1.0, 2.0, 3.0]
    network = Network(hidden=(4, 3))
    parameters = network.draw(random, NAMES, 1)[0]
    step = 1e-5 * np.eye(3)
    expected = [np.mean(values(network, parameters, x + h) - values(network, parameters, x - h)) / 2e-5 for h in step]
    with jax.enable_x64(True):
        np.testing.assert_allclose(network.slopes(parameters, x), expected, rtol=1e-6)


def test_only_a_capped_reward_has_a_cap():
    assert Capped().cap(np.array([1.0, 2.0, 3.0, 9.0])) == 9.0
    assert Linear().cap(np.ones(3)) is None
