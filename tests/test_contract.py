"""Does LORI keep scikit-learn's contract?"""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import lori

TRUTH = lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.0])
SETTINGS = {"levels": 2, "starts": 8}


@pytest.fixture(scope="module")
def seen():
    return lori.simulate(TRUTH, 400, seed=0)


@pytest.fixture(scope="module")
def pairs(seen):
    """The same as arrays: X (n, 2, features) and words y."""
    X = np.stack([seen.left_features, seen.right_features], axis=1)
    return X, np.where(seen.wins == 1, "left", "right")


@pytest.fixture(scope="module")
def model(pairs):
    return lori.LORI(**SETTINGS).fit(*pairs)


def test_the_constructor_only_stores():
    odd = {
        "levels": "many", "reward": object(), "alpha": [], "epsilon": -1, "ties": 3, "lapse": "no", "prior": "odd",
        "method": None, "starts": -1, "standard_errors": 0, "seed": "x",
    }  # fmt: skip
    model = lori.LORI(**odd)
    assert all(getattr(model, name) is value for name, value in odd.items())
    assert set(vars(model)) == set(odd)
    assert model.get_params(deep=False) == odd


def test_get_params_set_params_and_clone(model):
    reward = lori.Linear(increasing="all")
    one = lori.LORI(levels=3, reward=reward, epsilon=(None, None, 0.0), seed=4)
    copy = clone(one)
    assert copy is not one
    assert copy.get_params() == one.get_params()
    assert copy.set_params(levels=1, seed=5) is copy
    assert (copy.levels, copy.seed, one.levels) == (1, 5, 3)
    with pytest.raises(ValueError, match="no_such"):
        copy.set_params(no_such=1)
    assert not hasattr(clone(model), "model_")


def test_fit_returns_self_and_leaves_the_settings_alone(pairs):
    model = lori.LORI(**SETTINGS)
    before = model.get_params()
    assert model.fit(*pairs) is model
    assert model.get_params() == before
    assert model.n_features_in_ == 2
    learned = {name for name in vars(model) if name not in before}
    assert all(name.endswith("_") for name in learned)


@pytest.mark.parametrize("use", ["predict", "predict_proba", "score", "explain", "summary", "save"])
def test_an_unfitted_model_says_so(use, seen, tmp_path):
    argument = {"summary": (), "save": (tmp_path / "model.json",)}.get(use, (seen,))
    with pytest.raises(NotFittedError, match="has not been fitted"):
        getattr(lori.LORI(), use)(*argument)
    assert not list(tmp_path.iterdir())


def test_pickling_keeps_predictions_and_summary(model, pairs):
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict_proba(pairs[0]), model.predict_proba(pairs[0]))
    assert str(copy.summary()) == str(model.summary())
    assert np.array_equal(copy.predict(pairs[0]), model.predict(pairs[0]))


def test_the_same_seed_gives_the_same_numbers(model, pairs):
    again = lori.LORI(**SETTINGS).fit(*pairs)
    assert again.log_likelihood_ == model.log_likelihood_
    assert np.array_equal(again.optimum_.vector, model.optimum_.vector)
    assert again.summary().to_dict() == model.summary().to_dict()


def test_preferences_and_arrays_give_the_same_fit(model, seen, pairs):
    other = lori.LORI(**SETTINGS).fit(seen)
    assert other.log_likelihood_ == pytest.approx(model.log_likelihood_, abs=1e-6)
    assert other.score(seen) == pytest.approx(model.score(*pairs), abs=1e-8)
    assert other.predict_proba(seen) == pytest.approx(model.predict_proba(pairs[0]), abs=1e-5)
    left_right = model.predict_proba(pairs[0][:, 0], pairs[0][:, 1])
    assert np.array_equal(left_right, model.predict_proba(pairs[0]))


def test_score_is_the_mean_log_likelihood(model, pairs):
    X, y = pairs
    probabilities = model.predict_proba(X)
    by_hand = np.log(np.where(y == "left", probabilities[:, 0], probabilities[:, 2])).mean()
    assert model.score(X, y) == pytest.approx(by_hand)
    assert model.score(X, y) * len(X) == pytest.approx(model.log_likelihood_, abs=1e-6)


def test_cross_validation_on_arrays_and_on_preferences(seen, pairs):
    estimator = lori.LORI(**SETTINGS)
    on_arrays = cross_val_score(estimator, *pairs, cv=KFold(3))
    on_preferences = cross_val_score(estimator, seen, cv=KFold(3))
    assert on_arrays == pytest.approx(on_preferences, abs=1e-6)
    assert np.all(on_arrays > np.log(0.5))


def test_accuracy_as_scoring_uses_the_words_of_y(model, pairs):
    X, y = pairs
    assert set(model.predict(X)) <= {"left", "right"}
    scores = cross_val_score(lori.LORI(**SETTINGS), X, y, cv=KFold(3), scoring="accuracy")
    assert np.all(scores > 0.75)
    best = np.mean(TRUTH.predict_proba(X[:, 0], X[:, 1]).argmax(axis=1) == np.where(y == "left", 0, 2))
    assert scores.mean() <= best + 0.03


def test_grid_search_over_levels_finds_the_second_level(pairs):
    grid = GridSearchCV(lori.LORI(starts=8), {"levels": [1, 2]}, cv=KFold(3)).fit(*pairs)
    assert grid.best_params_ == {"levels": 2}
    one, two = grid.cv_results_["mean_test_score"]
    assert two > one + 0.01
    assert len(grid.best_estimator_.levels_) == 2


def test_sample_weights_are_relative_repetitions(pairs):
    """They average one: how much there is to learn from is told by counts and rows alone."""
    X, y = pairs[0][:300], pairs[1][:300]
    repeats = np.random.default_rng(2).integers(1, 3, size=len(X))
    settings = {**SETTINGS, "epsilon": (None, 0.0), "prior": None}
    weighted = lori.LORI(**settings).fit(X, y, sample_weight=repeats)
    repeated = lori.LORI(**settings).fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    assert weighted.log_likelihood_ * repeats.mean() == pytest.approx(repeated.log_likelihood_, abs=1e-4)
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), abs=1e-5)
    assert weighted.score(X, y, sample_weight=repeats) == pytest.approx(weighted.log_likelihood_ / len(X))
    unweighted = lori.LORI(**settings).fit(X, y)
    assert np.abs(unweighted.predict_proba(X) - weighted.predict_proba(X)).max() > 1e-3
