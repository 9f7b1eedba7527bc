"""From preferences to rows of the likelihood."""

import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.inference.observations import Observations, Scaling
from lori.model.rewards import Capped, Function, Linear
from lori.model.specification import Specification

FEATURES = ("benefit", "need")
LEFT = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
RIGHT = np.array([[0.0, 9.0], [8.0, 7.0], [5.0, 5.0]])
UNSCALED = Scaling(np.zeros(2), np.ones(2))


def specification(*rewards) -> Specification:
    count = len(rewards)
    return Specification(rewards, (None,) * count, (1.0,) * count, "observed", FEATURES)


@pytest.fixture
def preferences() -> Preferences:
    return Preferences.from_arrays(
        LEFT, RIGHT, wins=[2, 0, 1], losses=[1, 3, 0], ties=[0, 4, 1], weight=[1.0, 0.5, 2.0], features=list(FEATURES)
    )


def test_the_winner_comes_first(preferences):
    rows = Observations.of(preferences, specification(Linear()), UNSCALED)
    difference = LEFT - RIGHT
    np.testing.assert_array_equal(rows.decided, [difference[0], difference[2], -difference[0], -difference[1]])
    assert rows.decided_weight.tolist() == [2.0, 2.0, 1.0, 1.5]
    assert rows.decided_origin.tolist() == [0, 2, 0, 1]
    np.testing.assert_array_equal(rows.tied, difference[[1, 2]])
    assert rows.tied_weight.tolist() == [2.0, 2.0]
    assert rows.tied_origin.tolist() == [1, 2]
    assert rows.rows == 6
    assert rows.total_weight == 10.5


def test_a_nonlinear_model_sees_both_alternatives(preferences):
    rows = Observations.of(preferences, specification(Linear(), Capped()), UNSCALED)
    assert rows.decided.shape == (4, 2, 2)
    np.testing.assert_array_equal(rows.decided[0], [LEFT[0], RIGHT[0]])
    np.testing.assert_array_equal(rows.decided[3], [RIGHT[1], LEFT[1]])
    np.testing.assert_array_equal(rows.tied[0], [LEFT[1], RIGHT[1]])


def test_features_are_standardised(preferences):
    scaling = Scaling.of([preferences], specification(Linear()))
    x = scaling.apply(preferences.alternatives)
    np.testing.assert_allclose(x.mean(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(x.std(axis=0), 1.0)
    rows = Observations.of(preferences, specification(Linear()), scaling)
    np.testing.assert_allclose(rows.tied, (LEFT - RIGHT)[[1, 2]] / preferences.alternatives.std(axis=0))


def test_groups_share_one_scaling(preferences):
    other = Preferences.from_arrays(10 * LEFT, 10 * RIGHT, features=list(FEATURES))
    scaling = Scaling.of([preferences, other], specification(Linear()))
    pooled = np.concatenate([preferences.alternatives, other.alternatives])
    np.testing.assert_allclose(scaling.location, pooled.mean(axis=0))
    np.testing.assert_allclose(scaling.scale, pooled.std(axis=0))


def test_a_function_sees_the_users_own_units(preferences):
    scaling = Scaling.of([preferences], specification(Linear(), Function(lambda p, x: x[0])))
    np.testing.assert_array_equal(scaling.apply(LEFT), LEFT)


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e9])
def test_a_constant_feature_keeps_its_scale(constant):
    left, right = LEFT.copy(), RIGHT.copy()
    left[:, 1] = right[:, 1] = constant
    scaling = Scaling.of([Preferences.from_arrays(left, right)], specification(Linear()))
    assert scaling.scale[1] == 1.0
    np.testing.assert_allclose(scaling.apply(left)[:, 1], 0.0, atol=1e-6)


def many(n: int = 1000) -> Observations:
    random = np.random.default_rng(0)
    left, right = random.normal(size=(2, n, 2))
    outcome = random.integers(0, 3, n)
    preferences = Preferences.from_arrays(
        left, right, wins=outcome == 0, losses=outcome == 1, ties=outcome == 2, weight=random.uniform(0.5, 2.0, n)
    )
    return Observations.of(preferences, specification(Linear()), UNSCALED)


def test_a_sample_keeps_total_weight_and_the_share_of_ties():
    rows = many()
    part = rows.sample(100, np.random.default_rng(1))
    assert 100 <= part.rows <= 102
    assert part.total_weight == pytest.approx(rows.total_weight)
    assert part.tied_weight.sum() == pytest.approx(rows.tied_weight.sum())
    assert len(part.tied) == pytest.approx(len(rows.tied) / 10, abs=1)
    assert len(set(part.decided_origin)) == len(part.decided_origin)
    place = {origin: i for i, origin in enumerate(rows.decided_origin)}
    np.testing.assert_array_equal(part.decided, rows.decided[[place[o] for o in part.decided_origin]])


def test_a_sample_of_few_rows_is_all_of_them():
    rows = many(50)
    assert rows.sample(50, np.random.default_rng(1)) is rows


def test_a_sample_repeats_for_a_seed():
    one, other = (many().sample(60, np.random.default_rng(2)) for _ in range(2))
    np.testing.assert_array_equal(one.decided, other.decided)
