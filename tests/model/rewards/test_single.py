"""Single-feature rewards: the same as a linear one whose other weights are zero, with fewer parameters."""

import numpy as np
import pytest

import lori
from lori.inference.problem import Problem
from lori.model.likelihoods import Pairs, Sets
from lori.model.rewards import Linear, Single
from lori.model.specification import Specification

NAMES = ("a", "b", "c")
ORDER = ("c", "a")


def specification(rewards, likelihood):
    known = tuple(reward.among(NAMES) for reward in rewards)
    return Specification(known, (None, None), (1.0, 1.0), likelihood, NAMES, None)


@pytest.fixture(scope="module")
def pairs():
    generator = np.random.default_rng(1000)
    left, right = generator.normal(size=(2, 60, 3)) * [1.0, 5.0, 0.2]
    wins = generator.integers(0, 2, 60)
    return lori.Preferences.from_arrays(left, right, wins=wins, losses=1 - wins, features=NAMES)


@pytest.fixture(scope="module")
def sets():
    generator = np.random.default_rng(1000)
    return lori.Choices.from_arrays(generator.normal(size=(40, 3, 3)), generator.integers(0, 3, 40), features=NAMES)


@pytest.mark.parametrize(("which", "likelihood"), [("pairs", Pairs("split")), ("sets", Sets("split"))])
def test_value_and_derivatives_are_those_of_linear_rewards(which, likelihood, request):
    data = request.getfixturevalue(which)
    one = specification([Single(name) for name in ORDER], likelihood)
    linear = specification([Linear(), Linear()], likelihood)
    vector = np.array([2.0, -1.5, 0.4, 0.3, 0.05])  # weights of c and a, thresholds, slips
    places = [2, 3, 6, 7, 8]
    spread = np.zeros(linear.size)
    spread[places] = vector
    ours, theirs = (
        Problem.of(own, [data], None).negative_log_likelihood(at[None, None])
        for own, at in ((one, vector), (linear, spread))
    )
    np.testing.assert_allclose(ours.value, theirs.value, rtol=1e-12)
    np.testing.assert_allclose(ours.gradient[0, 0], theirs.gradient[0, 0, places], atol=1e-9)
    np.testing.assert_allclose(ours.curvature[0, 0], theirs.curvature[0, 0][np.ix_(places, places)], atol=1e-8)


def test_a_fitted_level_names_its_feature_alone_and_is_kept_in_a_file(pairs, tmp_path):
    model = lori.LORI(reward=[Single("c", "increasing"), Single("a")], starts=2, lapse=0.0).fit(pairs)
    first, second = (level.weights for level in model.levels_)
    assert first[:2].tolist() == [0.0, 0.0]
    assert first[2] >= 0
    assert second[1:].tolist() == [0.0, 0.0]
    told = model.summary().levels[1]
    assert told.thresholds["b"].value is None
    assert told.weights["b"].standard_error == 0
    model.save(tmp_path / "model.json")
    again = lori.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(pairs), model.predict_proba(pairs))
    assert len(again.posterior(draws=20)) == 20


def test_unknown_names_are_refused(pairs, refused):
    assert "a, b, c" in refused(lori.LORI(levels=1, reward=Single("d")).fit, pairs)
    assert "increasing" in refused(Single, "a", "up")
