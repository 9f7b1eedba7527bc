"""Do explanations say the truth: who decides, and which smallest change flips the choice?"""

import numpy as np
import pytest

import lori
from lori.inference.explanation import explain
from lori.model.ordered import Level

REACH = 8.0


def random_model(seed: int, levels: int, ties: str = "split") -> lori.OrderedModel:
    generator = np.random.default_rng(seed)
    epsilon = np.abs(generator.normal(size=levels))
    return lori.OrderedModel.linear(2 * generator.normal(size=(levels, 3)), epsilon=epsilon, ties=ties)


def random_pairs(seed: int, count: int = 60) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 2, 3))


@pytest.fixture(scope="module", params=[(1, 0), (2, 1), (3, 2), (3, 3)], ids=lambda p: f"{p[0]} levels")
def explained(request):
    levels, seed = request.param
    model, x = random_model(seed, levels), random_pairs(seed + 10)
    return model, x, explain(model, x[:, 0], x[:, 1], np.full(3, REACH))


def favours_left(model, left, right) -> np.ndarray:
    probabilities = model.predict_proba(left, right)
    return probabilities[:, 0] > probabilities[:, 2]


def test_deciding_probabilities_sum_to_one_and_to_the_prediction(explained):
    model, x, explanation = explained
    assert explanation.decides.sum(axis=1) + explanation.nobody == pytest.approx(np.ones(len(x)), abs=1e-12)
    left = explanation.decides_left.sum(axis=1) + explanation.nobody / 2
    assert left == pytest.approx(model.predict_proba(x[:, 0], x[:, 1])[:, 0], abs=1e-12)
    assert explanation.probabilities == pytest.approx(model.predict_proba(x[:, 0], x[:, 1]))


def test_deciding_probabilities_by_hand():
    model = lori.OrderedModel.linear([[1.0, 0.0], [0.0, 2.0]], epsilon=[1.0, 0.5])
    one = explain(model, [[0.3, 0.2]], [[0.0, 0.0]], np.ones(2))

    def sigma(value):
        return 1 / (1 + np.exp(-value))

    s1, t1 = sigma(0.3 - 1.0), sigma(-0.3 - 1.0)
    s2, t2 = sigma(0.4 - 0.5), sigma(-0.4 - 0.5)
    equal = 1 - s1 - t1
    assert one.decides_left[0] == pytest.approx([s1, equal * s2])
    assert one.decides_right[0] == pytest.approx([t1, equal * t2])
    assert one.nobody[0] == pytest.approx(equal * (1 - s2 - t2))


def test_the_reported_change_flips_and_a_little_less_does_not(explained):
    model, x, explanation = explained
    before = favours_left(model, x[:, 0], x[:, 1])
    some = 0
    for feature in range(3):
        change = explanation.flips[:, feature]
        found = np.isfinite(change)
        some += found.sum()
        for share, flips in ((1 + 1e-6, True), (0.99, False)):
            moved = x[found, 0].copy()
            moved[:, feature] += share * change[found]
            after = favours_left(model, moved, x[found, 1])
            assert np.all((after != before[found]) == flips)
    assert some > 60


def test_no_smaller_change_flips_and_nan_means_none_within_reach(explained):
    """A dense grid of changes in both directions, without any search."""
    model, x, explanation = explained
    sizes = np.linspace(-REACH, REACH, 1601)
    before = favours_left(model, x[:, 0], x[:, 1])
    for i in range(12):
        for feature in range(3):
            moved = np.repeat(x[i : i + 1, 0], len(sizes), axis=0)
            moved[:, feature] += sizes
            flipped = favours_left(model, moved, np.repeat(x[i : i + 1, 1], len(sizes), axis=0)) != before[i]
            reported = explanation.flips[i, feature]
            if np.isnan(reported):
                assert not flipped.any()
            else:
                smallest = np.abs(sizes[flipped]).min()
                assert np.abs(reported) <= smallest + 1e-9
                assert np.abs(reported) >= smallest - 0.011


def test_a_feature_without_weight_never_flips():
    model = lori.OrderedModel.linear([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], epsilon=[0.5, 0.0])
    x = random_pairs(5)
    explanation = explain(model, x[:, 0], x[:, 1], np.array([REACH, 1e-4, REACH]))
    assert np.isfinite(explanation.flips[:, 0]).all()
    assert np.isnan(explanation.flips[:, 2]).all()
    assert np.isnan(explanation.flips[:, 1]).mean() > 0.9  # too short a reach


def test_the_sentence():
    model = lori.OrderedModel.linear([[0.0, 3.0], [1.0, 0.0]], epsilon=[1.0, 0.0], features=["need", "benefit"])
    explanation = explain(model, [[0.0, 2.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], np.array([0.01, REACH]))
    words = explanation.describe(0)
    assert words.startswith(
        "Left is preferred (left over 99 %, right under 1 %); level 1 decides with a probability of over 99 %"
    )
    assert words.endswith("the choice would flip if left's benefit fell by 2.")
    assert "need" not in words
    hopeless = explain(model, [[0.0, 9.0]], [[0.0, 0.0]], np.full(2, 0.1)).describe()
    assert hopeless.endswith("no change in a single feature would turn that around.")
    undecided = lori.OrderedModel.linear([[1.0]], epsilon=[9.0], ties="observed")
    words = explain(undecided, [[0.1]], [[0.0]], np.array([1.0])).describe()
    assert words.startswith("A tie is likeliest (left under 1 %, tie over 99 %")
    assert "most likely, no difference counts" in words


def test_the_table_has_a_row_for_each_pair(explained):
    model, x, explanation = explained
    table = explanation.to_frame()
    assert len(table) == len(explanation) == len(x)
    assert list(table.columns[:4]) == ["left", "tie", "right", "level"]
    assert {f"flip.{name}" for name in model.features} <= set(table.columns)
    likeliest = np.column_stack([explanation.nobody, explanation.decides]).argmax(axis=1)
    assert np.array_equal(table["level"], likeliest)


@pytest.mark.slow
def test_a_fitted_model_reaches_beyond_the_data():
    truth = lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.0])
    seen = lori.simulate(truth, 400, seed=0)
    model = lori.LORI(levels=2, starts=8).fit(seen)
    explanation = model.explain(seen[:20])
    assert np.isfinite(explanation.flips).any(axis=1).all()
    moved = seen.left_features[:20].copy()
    moved[:, 0] += np.nan_to_num(explanation.flips[:, 0]) * (1 + 1e-6)
    found = np.isfinite(explanation.flips[:, 0])
    before, after = model.predict(seen[:20]), model.predict(moved, seen.right_features[:20])
    assert np.all((before != after) == found)


def test_what_both_sides_share_changes_on_both():
    """Risk counts below an age of 40, gain above it: the better of each changes with the age of both."""
    features = ("risk", "gain", "age")
    reward = lori.Gated(context="age", increasing=["gain"], decreasing=["risk"]).among(features)
    level = Level(reward, np.array([-1.0, 0.0, 0.0, 1.0, -40.0, 1.0]), 0.0, 1.0, slopes=np.zeros(3))
    model = lori.OrderedModel((level,), features)
    explained = explain(model, [[2.0, 3.0, 35.0]], [[1.0, 1.0, 35.0]], reach=np.array([5.0, 5.0, 20.0]))
    assert explained.flips[0, 2] == pytest.approx(5 - np.log(2), abs=1e-3)  # g·2 = (1 − g)·1 where the gate g is 1/3
    assert explained.describe().endswith(f", or if age on both sides rose by {explained.flips[0, 2]:.2g}.")
