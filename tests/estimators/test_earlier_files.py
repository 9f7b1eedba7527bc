"""Do model files of earlier versions load, predict the same and say what they said?

The files in tests/golden/models were written by version 0.1.0 before rewards, likelihoods and summaries became objects;
`predictions.json` has what they predicted then.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import lori

PLACE = Path(__file__).parents[1] / "golden" / "models"
PREDICTED = json.loads((PLACE / "predictions.json").read_text(encoding="utf-8"))
MODELS = ("linear", "capped", "gated")


@pytest.fixture(params=MODELS)
def name(request) -> str:
    return request.param


@pytest.fixture
def model(name) -> lori.LORI:
    return lori.load(PLACE / f"{name}.json")


@pytest.fixture
def pairs(name) -> tuple[np.ndarray, np.ndarray]:
    return np.array(PREDICTED[name]["left"]), np.array(PREDICTED[name]["right"])


def test_it_predicts_the_same(name, model, pairs):
    expected = np.array(PREDICTED[name]["probabilities"])
    assert len(expected) == 12
    assert np.ptp(expected[:, 0]) > 0.5
    np.testing.assert_allclose(model.predict_proba(*pairs), expected, rtol=0, atol=1e-12)
    assert model.predict(*pairs).tolist() == [("left", "tie", "right")[i] for i in expected.argmax(axis=1)]


def test_its_rewards_are_what_they_were(name, model):
    first = model.levels_[0]
    assert [level.reward.kind for level in model.levels_] == {
        "linear": ["linear", "linear"], "capped": ["capped", "linear"], "gated": ["gated"]
    }[name]  # fmt: skip
    assert (first.cap is not None) == (name == "capped")
    if name == "capped":
        assert first.cap / first.weights[0] == pytest.approx(40.27, abs=0.01)
        assert first.reward.increasing == ("need",)
        assert model.ties_ == "observed"
    if name == "gated":
        assert -first.parameters[4] / first.parameters[5] == pytest.approx(46.33, abs=0.01)
        assert (first.reward.context, first.reward.places, first.reward.share) == (("age",), (2,), "")


def test_its_summary_has_the_same_numbers(name, model):
    """Sentences may be said better; numbers stay."""
    kept = json.loads((PLACE / f"{name}.json").read_text(encoding="utf-8"))["summary"]
    now = json.loads(json.dumps(model.summary().to_dict(), allow_nan=False))
    for key in ("features", "log_likelihood", "comparisons", "pairs", "by_levels", "undecided_share"):
        assert now[key] == kept[key]
    for mine, own in zip(now["levels"], kept["levels"], strict=True):
        for key in ("reward", "weights", "epsilon", "thresholds", "alpha", "decides", "importance"):
            assert mine[key] == own[key]
        assert mine.get("cap") == own.get("cap")
        assert mine.get("gate") == own.get("gate")
    text = str(model.summary())
    assert all(feature in text.lower() for feature in model.features_)
    assert re.search({"linear": r"493\.6", "capped": r"\b40(\.\d+)?\b", "gated": r"\b46(\.\d+)?\b"}[name], text)
    assert model.status_.converged


def test_it_explains(model, pairs):
    told = model.explain(*pairs)
    np.testing.assert_allclose(told.probabilities, model.predict_proba(*pairs), atol=1e-12)
    np.testing.assert_allclose(told.decides.sum(axis=1) + told.nobody, 1.0, atol=1e-10)
    assert np.isfinite(told.flips).any()
    assert all(told.describe(pair) for pair in range(len(told)))


def test_it_has_a_posterior(model):
    posterior = model.posterior(draws=200)
    assert posterior.draws.shape == (200, len(model.optimum_.vector))
    means = np.mean([[level.epsilon for level in own.levels] for own in posterior.models(200)], axis=0)
    assert (means[: len(means) - 1] > 0).all()
    for own, level in zip(posterior.models(200)[0].levels, model.levels_, strict=True):
        assert own.reward == level.reward
    weights = np.stack([own.levels[0].parameters for own in posterior.models(200)])
    away = np.abs(np.median(weights, axis=0) - model.levels_[0].parameters)
    assert (away <= weights.std(axis=0)).all()


def test_the_models_of_agents_predict_the_same():
    fitted = lori.load_agents(PLACE / "agents.json")
    told = PREDICTED["agents"]
    assert set(fitted) == set(told["probabilities"]) == {"1", "2"}
    for agent, own in fitted.items():
        expected = np.array(told["probabilities"][agent])
        got = own.predict_proba(np.array(told["left"]), np.array(told["right"]))
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
        assert str(own.summary())


@pytest.mark.parametrize("file", [*MODELS, "agents", "predictions"])
def test_the_files_are_small_and_name_no_machine(file):
    text = (PLACE / f"{file}.json").read_text(encoding="utf-8")
    assert len(text) < 10_000
    assert not any(word in text for word in ("/tmp", "/home", "/work", "\\Users", "localhost"))


def test_a_prior_that_knows_no_price_has_none(tmp_path):
    """It was one density of a small scale; today's default is another one."""
    content = json.loads((PLACE / "linear.json").read_text(encoding="utf-8"))
    content["settings"]["prior"] = {"weights": 2.0, "epsilon": 2.5, "degrees": 3.0, "deeper": 0.02, "lapse": [1.1, 10]}
    file = tmp_path / "model.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert lori.load(file).prior == lori.Prior(weights=2.0, price=None) != lori.Prior(weights=2.0)
