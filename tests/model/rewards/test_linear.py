"""Linear rewards: a weighted sum, and signs by the names of features."""

import numpy as np
import pytest

from lori.model.rewards import Capped, Linear, Network

NAMES = ("cost", "benefit", "need")
INF = np.inf


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


def test_a_linear_reward_is_the_weighted_sum(random, values):
    weights, x = random.normal(size=3), random.normal(size=(5, 3))
    expected = [sum(w * v for w, v in zip(weights, row, strict=True)) for row in x]
    np.testing.assert_allclose(values(Linear(), weights, x), expected, rtol=1e-13)
