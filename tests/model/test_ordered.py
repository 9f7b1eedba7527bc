"""A complete model: predictions, decisions, samples and its description."""

import doctest
import json
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from lori.model import ordered
from lori.model.likelihoods.probabilities import TIE_RULES
from lori.model.ordered import Level, OrderedModel
from lori.model.rewards import Capped, Function, Linear, Network

FEATURES = ("benefit", "need")
WEIGHTS = np.array([[0.2, 1.5], [-1.0, 0.3], [0.5, 0.5]])
EPSILON, ALPHA = np.array([0.8, 0.4, 0.3]), np.array([1.0, 2.0, 0.5])


def linear_model(ties="split") -> OrderedModel:
    return OrderedModel.linear(WEIGHTS, epsilon=EPSILON, alpha=ALPHA, features=FEATURES, ties=ties)


def network_model() -> OrderedModel:
    """A capped level above a network."""
    network = Network(hidden=(3,))
    parameters = network.draw(np.random.default_rng(0), FEATURES, 1)[0]
    return OrderedModel(
        (
            Level(Capped(increasing="all"), np.array([1.0, 0.5, 0.7]), 0.3, 2.0, np.array([1.0, 0.5])),
            Level(network, parameters, 0.1, 1.0, np.array([0.1, -0.2])),
        ),
        FEATURES,
        "observed",
    )


def pairs(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(seed).normal(0.0, 1.5, (2, n, 2)))


def plain(left, right, ties) -> np.ndarray:
    """Equations (4) and (5) of the linear model above in plain NumPy, at moderate scales."""
    left_total, right_total, reached = 0.0, 0.0, 1.0
    for w, e, a in zip(WEIGHTS, EPSILON, ALPHA, strict=True):
        difference = (left - right) @ w
        better = 1 / (1 + np.exp(-a * (difference - e)))
        worse = 1 / (1 + np.exp(-a * (-difference - e)))
        left_total, right_total = left_total + reached * better, right_total + reached * worse
        reached = reached * (1 - better - worse)
    if ties == "split":
        return np.column_stack([left_total + reached / 2, 0 * reached, right_total + reached / 2])
    return np.column_stack([left_total, reached, right_total])


@pytest.mark.parametrize("ties", TIE_RULES)
def test_numpy_and_compiled_code_predict_the_same(ties, monkeypatch):
    capped = Level(Capped(increasing="all"), np.array([1.0, 0.5, 0.7]), 0.0, 2.0, np.array([1.0, 0.5]))
    model = replace(linear_model(ties), lapse=0.02)
    model = replace(model, levels=(capped, *model.levels[:2]))
    left, right = pairs(60)
    left[:3] *= 1e4  # where probabilities underflow

    def told() -> list[np.ndarray]:
        decided = model.decisions(left, right)
        return [model.predict_log_proba(left, right), model.preference(left, right), model.rewards(left), *decided]

    ours = told()
    monkeypatch.setattr(ordered, "are_vectorised", lambda rewards: False)
    for mine, compiled in zip(ours, told(), strict=True):
        np.testing.assert_allclose(mine, compiled, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ties", TIE_RULES)
def test_predictions_agree_with_the_equations(ties):
    left, right = pairs(60)
    model = linear_model(ties)
    expected = plain(left, right, ties)
    np.testing.assert_allclose(model.predict_proba(left, right), expected, atol=1e-12)
    odds = np.log(expected[:, 0] / expected[:, 2])
    np.testing.assert_allclose(model.preference(left, right), odds, rtol=1e-9, atol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(left, right), np.log(expected), atol=1e-11)


def test_a_nonlinear_model_agrees_with_the_equations(naive):
    model = network_model()
    left, right = pairs(12)
    w, matrix = np.array([1.0, 0.5]), model.levels[1].parameters[:6].reshape(2, 3)
    bias, out = model.levels[1].parameters[6:9], model.levels[1].parameters[9:]

    def rewards(x):
        capped = -np.log(np.exp(-10 * 0.7) + np.exp(-10 * (x @ w))) / 10
        return np.stack([capped, np.tanh(x @ matrix + bias) @ out])

    np.testing.assert_allclose(model.rewards(left), rewards(left).T, rtol=1e-12)
    got = model.predict_proba(left, right)
    for i, difference in enumerate((rewards(left) - rewards(right)).T):
        expected = naive([2.0, 1.0], difference, [0.3, 0.1], "observed")
        np.testing.assert_allclose(got[i], np.array(expected[1:], float), rtol=1e-10)


@pytest.mark.parametrize("n", [1, 63, 64, 65, ordered.CHUNK + 5])
def test_chunks_and_padding_do_not_change_predictions(n):
    left, right = pairs(n, seed=n)
    got = linear_model("observed").predict_proba(left, right)
    assert got.shape == (n, 3)
    np.testing.assert_allclose(got, plain(left, right, "observed"), atol=1e-12)


def test_no_pairs_give_no_predictions():
    none = np.empty((0, 2))
    assert linear_model().predict_proba(none, none).shape == (0, 3)
    assert linear_model().decisions(none, none).left.shape == (0, 3)
    assert linear_model().sample(none, none).shape == (0, 3)


def test_decisions_say_which_level_speaks():
    left, right = pairs(20)
    decisions = linear_model().decisions(left, right)
    assert decisions.left.shape == decisions.right.shape == (20, 3)
    assert decisions.nobody.shape == (20,)
    expected = plain(left, right, "observed")
    np.testing.assert_allclose(decisions.left.sum(axis=1), expected[:, 0], rtol=1e-10)
    np.testing.assert_allclose(decisions.right.sum(axis=1), expected[:, 2], rtol=1e-10)
    np.testing.assert_allclose(decisions.nobody, expected[:, 1], rtol=1e-10)
    first = 1 / (1 + np.exp(-((left - right) @ WEIGHTS[0] - EPSILON[0])))
    np.testing.assert_allclose(decisions.left[:, 0], first, rtol=1e-12)


def test_the_choice_without_noise_is_the_limit_of_the_probabilities():
    """Property (ii) for a whole model: thresholds stay, α grows, and the order with thresholds appears."""
    left, right = pairs(300)
    order = linear_model().compare(left, right)
    assert set(order.tolist()) == {-1, 0, 1}
    sharp = OrderedModel.linear(WEIGHTS, epsilon=EPSILON, alpha=np.full(3, 1e6), ties="observed")
    chosen = 1 - sharp.predict_proba(left, right).argmax(axis=1)
    np.testing.assert_array_equal(chosen, order)
    np.testing.assert_array_equal(linear_model().compare(right, left), -order)


def test_comparing_ignores_alpha_and_respects_priority():
    model = OrderedModel.linear([[1.0, 0.0], [0.0, 1.0]], epsilon=[1.0, 0.0], features=FEATURES)
    left = [[2.0, -9.0], [0.5, -9.0], [-0.5, 9.0], [0.5, 0.0], [1.0, -1.0]]
    assert model.compare(left, np.zeros((5, 2))).tolist() == [1, -1, 1, 0, -1]


@pytest.mark.parametrize("ties", TIE_RULES)
def test_samples_follow_the_probabilities(ties):
    model = linear_model(ties)
    left, right = pairs(50)
    times = 4000
    counts = model.sample(left, right, times=times, seed=3)
    assert counts.shape == (50, 3)
    assert (counts.sum(axis=1) == times).all()
    expected = plain(left, right, ties)
    if ties == "printed":  # a full tie is never seen
        expected[:, 1] = 0.0
        expected /= expected.sum(axis=1, keepdims=True)
    error = np.sqrt(expected * (1 - expected) / times)
    assert (np.abs(counts / times - expected) <= 4 * error + 1e-9).all()
    np.testing.assert_array_equal(model.sample(left, right, times=times, seed=3), counts)
    assert not np.array_equal(model.sample(left, right, times=times, seed=4), counts)


@pytest.mark.parametrize("model", [linear_model("printed"), network_model()], ids=["linear", "network"])
def test_a_description_makes_the_model_again(model):
    text = json.dumps(model.describe())
    again = OrderedModel.from_description(json.loads(text))
    assert again.describe() == model.describe()
    assert again.features == FEATURES
    assert again.ties == model.ties
    left, right = pairs(9)
    np.testing.assert_array_equal(again.predict_proba(left, right), model.predict_proba(left, right))
    np.testing.assert_array_equal(again.levels[0].weights, model.levels[0].weights)


def test_a_function_predicts_but_has_no_description(refused):
    level = Level(Function(lambda p, x: p[0] * jnp.sin(x[0])), np.array([2.0]), 0.0)
    model = OrderedModel((level,), FEATURES)
    left, right = pairs(4)
    expected = 1 / (1 + np.exp(-2 * (np.sin(left[:, 0]) - np.sin(right[:, 0]))))
    np.testing.assert_allclose(model.predict_proba(left, right)[:, 0], expected, rtol=1e-12)
    refused(model.describe)


def test_what_a_level_says_in_feature_units():
    level = Level(Linear(), np.array([0.5, -2.0, 0.0]), 1.0, slopes=np.array([0.5, -2.0, 0.0]))
    assert level.weights.tolist() == [0.5, -2.0, 0.0]
    assert level.thresholds.tolist() == [2.0, 0.5, np.inf]
    assert level.scale == 2.5
    assert level.cap is None
    assert network_model().levels[0].cap == 0.7


METHODS = ["predict_proba", "predict_log_proba", "preference", "decisions", "sample", "compare"]


@pytest.mark.parametrize("method", METHODS)
def test_wrong_input_is_refused(method, refused):
    call = getattr(linear_model(), method)
    good = np.zeros((2, 2))
    message = refused(call, np.zeros((2, 3)), good)
    assert "benefit, need" in message
    assert "(2, 3)" in message
    assert refused(call, good, np.zeros((2, 2, 2))).startswith("right: ")
    for bad in (np.nan, np.inf):
        assert refused(call, good, [[0.0, 0.0], [bad, 0.0]]).startswith("right: expected finite")
    assert "2 and 1" in refused(call, good, np.zeros((1, 2)))


@pytest.mark.parametrize("method", METHODS)
def test_one_alternative_may_come_as_a_plain_vector(method):
    call = getattr(linear_model(), method)
    for got, expected in zip(call([1.0, 2.0], [0.0, 0.0]), call([[1.0, 2.0]], [[0.0, 0.0]]), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_wrong_linear_model_is_refused(refused):
    assert "2 epsilon" in refused(OrderedModel.linear, [[1.0]], epsilon=[0.0, 1.0])
    assert "3 alpha" in refused(OrderedModel.linear, [[1.0]], epsilon=[0.0], alpha=[1.0, 1.0, 1.0])
    assert "2 features" in refused(OrderedModel.linear, [[1.0]], epsilon=[0.0], features=["a", "b"])
    refused(OrderedModel.linear, [[np.nan]], epsilon=[0.0])
    refused(OrderedModel.linear, [[1.0]], epsilon=[-1.0])
    refused(OrderedModel.linear, [[1.0]], epsilon=[np.nan])
    refused(OrderedModel.linear, [[1.0]], epsilon=[0.0], alpha=[-1.0])
    assert "coin" in refused(OrderedModel.linear, [[1.0]], epsilon=[0.0], ties="coin")


def test_the_examples_in_the_documentation_are_true():
    result = doctest.testmod(ordered)
    assert result.attempted > 0
    assert result.failed == 0
