"""The registry of families, and what every family keeps to."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lori.model.rewards import (
    FAMILIES,
    Capped,
    Function,
    Gated,
    Linear,
    Network,
    Reward,
    Single,
    commanded,
    named_reward,
    options_of,
    register,
    reward_from,
)

NAMES = ("cost", "benefit", "need")
INF = np.inf
BUILT_IN = [
    Linear(increasing=["benefit"], decreasing=["cost"]),
    Single("benefit", "increasing").among(NAMES),
    Capped(increasing="all", sharpness=3.0),
    Network(hidden=(4, 3)),
    Gated(context="need", increasing=["benefit"], share="gate").among(NAMES),
]
REWARDS = [
    *BUILT_IN,
    Function(lambda p, x: p[0] * x[0] + jnp.tanh(p[1] * x[2]), start=(0.5, 1.0), lower=(0.0, -1.0), upper=(2.0, INF)),
]


def kind(reward) -> str:
    return reward.kind


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


@pytest.mark.parametrize("reward", BUILT_IN, ids=kind)
def test_in_units_gives_the_same_differences_on_raw_features(reward, random, values):
    location, scale = np.array([100.0, -3.0, 0.02]), np.array([40.0, 2.0, 0.005])
    x = location + scale * random.normal(size=(20, 3))
    x[:, [NAMES.index(name) for name in reward.context]] = 0.021  # which alternatives share
    parameters = reward.draw(random, NAMES, 1)[0]
    inside = values(reward, parameters, (x - location) / scale)
    with jax.enable_x64(True):
        raw = np.asarray(reward.in_units(*(jnp.asarray(part) for part in (parameters, location, scale))))
    outside = values(reward, raw, x)
    assert np.ptp(inside) > 0.01
    np.testing.assert_allclose(outside - outside[0], inside - inside[0], atol=1e-10)


@pytest.mark.parametrize("reward", BUILT_IN, ids=kind)
def test_a_multiplied_reward_is_as_many_times_as_large(reward, random, values):
    parameters, x = reward.draw(random, NAMES, 1)[0], random.normal(size=(20, 3))
    with jax.enable_x64(True):
        larger = np.asarray(reward.multiplied(jnp.asarray(parameters), 2.5))
    np.testing.assert_allclose(
        values(reward.with_scale(2.5), larger, x), 2.5 * values(reward, parameters, x), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("reward", BUILT_IN, ids=kind)
def test_settings_make_the_reward_again(reward):
    again = reward_from(reward.settings())
    assert again == reward
    assert type(again) is type(reward)


def test_slopes_say_what_a_unit_of_each_feature_is_worth(random, values):
    x = random.normal(size=(30, 3))
    assert Linear().slopes(np.array([1.0, 2.0, 3.0]), x).tolist() == [1.0, 2.0, 3.0]
    assert Capped().slopes(np.array([1.0, 2.0, 3.0, 9.0]), x).tolist() == [1.0, 2.0, 3.0]
    network = Network(hidden=(4, 3))
    parameters = network.draw(random, NAMES, 1)[0]
    step = 1e-5 * np.eye(3)
    expected = [np.mean(values(network, parameters, x + h) - values(network, parameters, x - h)) / 2e-5 for h in step]
    with jax.enable_x64(True):
        np.testing.assert_allclose(network.slopes(parameters, x), expected, rtol=1e-6)


def test_families_are_known_by_their_kind(refused):
    assert {kind: FAMILIES[kind] for kind in ("linear", "capped", "network", "gated", "function")} == {
        "linear": Linear, "capped": Capped, "network": Network, "gated": Gated, "function": Function
    }  # fmt: skip
    assert named_reward("capped", sharpness=4.0) == Capped(sharpness=4.0)
    assert "quadratic" in refused(named_reward, "quadratic")


def test_a_family_that_needs_an_option_says_which(refused, values):
    assert options_of(Gated) == ("context", "increasing", "decreasing", "places", "share")
    assert options_of(Capped) == ("increasing", "decreasing", "sharpness")
    message = refused(named_reward, "gated")
    assert "a context" in message
    assert "lori.Gated(context=...), or --context on the command line" in message
    assert refused(named_reward, "function").endswith("use lori.Function(function=...).")
    assert not {"function", "single"} & set(commanded())


def test_two_families_do_not_share_a_kind(refused):
    class Other(Reward):
        kind = "linear"

    assert "'linear'" in refused(register, Other)
    assert FAMILIES["linear"] is Linear
    assert register(Linear) is Linear  # once more is no harm


@pytest.mark.parametrize("reward", REWARDS, ids=kind)
def test_what_levels_share_is_a_choice_among_parameters(reward):
    common = reward.common(NAMES)
    assert common.dtype == bool
    assert common.shape == (reward.size(NAMES),)
    assert common.any() == bool(reward.share)
