"""Does a gated reward say what its formula says, in any units, and what is refused?"""

import jax.numpy as jnp
import numpy as np
import pytest

from lori import LORI, Gated, InputError, OrderedModel, Preferences, simulate
from lori.errors import DataError
from lori.model.likelihoods import Pairs
from lori.model.ordered import Level
from lori.model.precision import double_precision
from lori.model.rewards import reward_from
from lori.model.specification import Specification

FEATURES = ("risk", "age", "gain")
REWARD = Gated(context="age", increasing=["gain"], decreasing=["risk"])
LOCATED = REWARD.among(FEATURES)
PARAMETERS = np.array([-2.0, 0.0, -0.5, 3.0, -20.0, 0.5])


def naive(p, x):
    gate = 1 / (1 + np.exp(-(p[4] + p[5] * x[1])))
    return (1 - gate) * (p[0] * x[0] + p[1] * x[2]) + gate * (p[2] * x[0] + p[3] * x[2])


@double_precision
def value(reward, parameters, x):
    return float(reward(jnp.asarray(parameters), jnp.asarray(x)))


@pytest.mark.parametrize("age", [0.0, 39.0, 41.0, 90.0])
def test_the_reward_is_the_formula(age):
    x = np.array([1.5, age, -0.7])
    assert value(LOCATED, PARAMETERS, x) == pytest.approx(naive(PARAMETERS, x), rel=1e-12)


@pytest.mark.parametrize("turned", [False, True])
def test_units_change_rewards_by_what_both_sides_share(turned):
    """Differences at the same age agree between standardised and raw features, also for the mirror image."""
    location, scale = np.array([1.0, 35.0, -2.0]), np.array([0.5, 20.0, 3.0])
    inside = np.array([-1.0, 0.2, -0.1, 2.0, 0.7, -4.0 if turned else 4.0])

    @double_precision
    def raw():
        return np.asarray(LOCATED.in_units(jnp.asarray(inside), jnp.asarray(location), jnp.asarray(scale)))

    left, right = np.array([3.0, 47.0, 1.0]), np.array([2.0, 47.0, 4.0])
    want = naive(inside, (left - location) / scale) - naive(inside, (right - location) / scale)
    assert naive(raw(), left) - naive(raw(), right) == pytest.approx(want, rel=1e-10)
    assert raw()[5] == pytest.approx(0.2)  # the gate opens with age, whichever image was found


def test_a_multiple_changes_no_gate():
    @double_precision
    def tripled():
        return np.asarray(LOCATED.multiplied(jnp.asarray(PARAMETERS), 3.0))

    np.testing.assert_allclose(tripled(), [*3 * PARAMETERS[:4], *PARAMETERS[4:]])


def test_names_bounds_and_starts_agree():
    names, (lower, upper) = REWARD.names(FEATURES), REWARD.bounds(FEATURES)
    assert len(names) == len(lower) == len(upper) == REWARD.size(FEATURES) == len(REWARD.typical(FEATURES)) == 6
    assert upper[[0, 2]].tolist() == [0.0, 0.0]
    assert lower[[1, 3]].tolist() == [0.0, 0.0]
    drawn = REWARD.draw(np.random.default_rng(0), FEATURES, 50)
    assert drawn.shape == (50, 6)
    assert ((lower <= drawn) & (drawn <= upper)).all()


def test_average_weights_leave_the_context_out():
    x = np.array([[0.0, 0.0, 0.0], [0.0, 80.0, 0.0]])  # the gate is closed, then open
    np.testing.assert_allclose(LOCATED.slopes(PARAMETERS, x), [-1.25, 0.0, 1.5], atol=1e-6)


def test_json_brings_it_back():
    assert reward_from(LOCATED.settings()) == LOCATED


def test_levels_with_one_gate_have_its_parameters_together():
    """Two weights for each of two objectives on each level, one gate of two numbers, two thresholds."""
    shared = Gated(context="age", increasing=["gain"], share="gate").among(FEATURES)
    assert reward_from(shared.settings()) == shared
    specification = Specification((shared, LOCATED, shared), (None, 0.5, 0.0), (1.0,) * 3, Pairs(), FEATURES)
    first, other, last = (slots.tolist() for slots in specification.reward_slots)
    assert first == [0, 1, 2, 3, 4, 5]
    assert other == [6, 7, 8, 9, 10, 11]  # which has a gate of its own
    assert last == [12, 13, 14, 15, 4, 5]
    assert specification.size == 17
    assert specification.shared
    assert specification.names[4:6] == ("shared offset of the gate", "shared slope of the gate by age")
    assert len(set(specification.names)) == 17
    vector = np.arange(17.0)
    rewards = specification.unpack(vector).rewards
    assert rewards[0][4:].tolist() == rewards[2][4:].tolist() == [4.0, 5.0]
    np.testing.assert_array_equal(specification.pack(rewards, [16.0, 0.0, 0.0], np.ones(3)), vector)
    fewer = specification.fewer().fewer()
    assert not fewer.shared
    assert fewer.size == 6


def test_several_context_features():
    reward = Gated(context=["age", "risk"]).among(FEATURES)
    parameters, x = np.array([1.0, -2.0, 0.3, 0.1, -0.2]), np.array([2.0, 3.0, 5.0])
    gate = 1 / (1 + np.exp(-(0.3 + 0.1 * 3.0 - 0.2 * 2.0)))
    assert value(reward, parameters, x) == pytest.approx((1 - gate) * 5.0 - gate * 10.0)


@pytest.mark.parametrize(
    ("context", "message"),
    [((), "one or more"), (["age", "age"], "once"), ("years", "years"), (FEATURES, "context alone")],
)
def test_contexts_that_make_no_sense(context, message):
    with pytest.raises(InputError, match=message):
        Gated(context=context).bounds(FEATURES)


def pairs(count, seed=0):
    generator = np.random.default_rng(seed)
    both = generator.normal(size=(count, 2, 3))
    both[:, :, 1] = generator.uniform(20, 60, size=(count, 1))
    return both


def test_data_without_such_a_context_are_refused():
    both = pairs(20)
    apart, same = both.copy(), both.copy()
    apart[3, 0, 1] += 1.0
    same[:, :, 1] = 40.0
    for data, message in ((apart, "1 pairs that differ"), (same, "40 everywhere")):
        preferences = Preferences.from_arrays(data[:, 0], data[:, 1], features=FEATURES)
        with pytest.raises(DataError, match=message):
            LORI(levels=1, reward=REWARD).fit(preferences)
    with pytest.raises(InputError, match="Gated"):
        LORI(reward="gated").fit(both)


@pytest.mark.slow
def test_a_fit_recovers_where_priorities_change():
    """Within 1.5 years, less than the width of the gate, which goes from 0.27 to 0.73 in four."""
    truth = OrderedModel((Level(LOCATED, PARAMETERS, 0.0, slopes=np.zeros(3)),), FEATURES)
    fitted = LORI(levels=1, reward=REWARD, epsilon=0.0, starts=4).fit(simulate(truth, pairs(1000, seed=1), seed=2))
    parameters = fitted.levels_[0].parameters
    assert fitted.converged_
    assert not fitted.status_.has("constant")
    assert -parameters[4] / parameters[5] == pytest.approx(40.0, abs=1.5)


def test_both_sides_share_their_context():
    truth = OrderedModel((Level(LOCATED, PARAMETERS, 0.0, 1.0, slopes=np.zeros(3)),), FEATURES)
    drawn = simulate(truth, 50, spread=[1.0, 20.0, 2.0], seed=1)
    assert np.array_equal(drawn.left_features[:, 1], drawn.right_features[:, 1])
    with pytest.raises(InputError, match="context age: expected the same value on both sides"):
        truth.predict_proba([[1.0, 30.0, 0.0]], [[1.0, 31.0, 0.0]])
