"""Does every baseline keep one contract? Clone, pickling, parameters, bad input, the same numbers for the same seed."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score

import lori
from lori.baselines.base import reliability, verdict_shares
from lori.baselines.cpnet import CPNetLearner
from lori.baselines.gaussian_process import GaussianProcess
from lori.baselines.lexicographic import LexicographicOrder, ModelVoting, VariableVoting
from lori.baselines.lexicographic_tree import LexicographicTree
from lori.errors import DataError, InputError

FROM_PREFERENCES = [
    CPNetLearner(),
    LexicographicOrder(jnd="learned"),
    VariableVoting(jnd=0.1),
    ModelVoting(),
    LexicographicTree(),
    GaussianProcess(iterations=5),
]
SENTENCE = r"expected .*, got .*; "
BAD = {
    CPNetLearner: {"parents": -1},
    LexicographicOrder: {"search": "odd"},
    VariableVoting: {"jnd": -1.0},
    ModelVoting: {"slip": 0.7},
    LexicographicTree: {"bins": 1},
    GaussianProcess: {"amplitude": -1.0},
}


def named(estimator) -> str:
    return type(estimator).__name__


@pytest.fixture(scope="module")
def seen():
    truth = lori.OrderedModel.linear([[2.0, 0.5], [-0.3, 3.0]], epsilon=[1.5, 0.0])
    return lori.simulate(truth, 120, seed=1000)


@pytest.fixture(scope="module")
def pairs(seen):
    X = np.stack([seen.left_features, seen.right_features], axis=1)
    return X, np.where(seen.wins == 1, "left", "right")


@pytest.fixture(scope="module")
def tied(seen):
    """Every fourth pair is a tie."""
    counts = np.where(np.arange(len(seen))[:, None] % 4 == 0, [0.0, 1.0, 0.0], seen.outcome_counts)
    return lori.Preferences.from_arrays(seen.left_features, seen.right_features, counts=counts)


@pytest.fixture(scope="module")
def fitted(pairs):
    return {named(each): clone(each).fit(*pairs) for each in FROM_PREFERENCES}


every = pytest.mark.parametrize("estimator", FROM_PREFERENCES, ids=named)


@every
def test_parameters_are_stored_read_set_and_cloned(estimator, fitted):
    copy = clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == estimator.get_params()
    name, value = next(iter(BAD[type(estimator)].items()))
    assert copy.set_params(**{name: value}) is copy
    assert getattr(copy, name) == value
    with pytest.raises(ValueError, match="no_such"):
        copy.set_params(no_such=1)
    assert not hasattr(clone(fitted[named(estimator)]), "features_")


@every
def test_fit_learns_only_what_ends_in_an_underscore(estimator, fitted):
    model = fitted[named(estimator)]
    assert all(name.endswith("_") for name in set(vars(model)) - set(model.get_params()))
    assert model.get_params() == estimator.get_params()
    assert model.n_features_in_ == 2


@every
def test_an_unfitted_model_says_so(estimator, pairs):
    for use in ("predict_proba", "predict", "score"):
        with pytest.raises(NotFittedError, match="has not been fitted"):
            getattr(clone(estimator), use)(pairs[0])


@every
def test_pickling_keeps_predictions(estimator, fitted, pairs):
    model = fitted[named(estimator)]
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict_proba(pairs[0]), model.predict_proba(pairs[0]))


@every
def test_the_same_seed_gives_the_same_numbers(estimator, fitted, pairs):
    again = clone(estimator).fit(*pairs)
    assert np.array_equal(again.predict_proba(pairs[0]), fitted[named(estimator)].predict_proba(pairs[0]))


@every
def test_bad_input_is_refused_in_a_sentence(estimator, fitted, pairs):
    with pytest.raises(DataError, match=SENTENCE):
        clone(estimator).fit(pairs[0][:, 0])
    with pytest.raises(DataError, match=SENTENCE):
        clone(estimator).fit(pairs[0], ["odd"] * len(pairs[0]))
    with pytest.raises(DataError, match=SENTENCE):
        clone(estimator).fit(np.full_like(pairs[0], np.nan), pairs[1])
    with pytest.raises(DataError, match=SENTENCE):
        fitted[named(estimator)].predict_proba(pairs[0][:, :, :1])
    with pytest.raises(InputError, match=SENTENCE):
        clone(estimator).set_params(**BAD[type(estimator)]).fit(*pairs)


@every
def test_probabilities_sum_to_one_and_do_not_depend_on_the_side(estimator, fitted, seen):
    model = fitted[named(estimator)]
    found = model.predict_proba(seen)
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert np.all(found >= 0)
    assert np.all(found[:, 1] == 0)  # there were no ties
    assert model.predict_proba(seen.right_features, seen.left_features) == pytest.approx(found[:, ::-1])
    assert model.score(seen) > np.log(0.5)
    assert set(model.predict(seen)) <= {"left", "right", "tie"}


@every
def test_ties_that_were_seen_are_possible(estimator, tied):
    model = clone(estimator).fit(tied)
    found = model.predict_proba(tied)
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert found[:, 1].mean() == pytest.approx(0.25, abs=0.05)
    assert np.isfinite(model.score(tied))


@every
def test_pairs_are_sets_of_two(estimator, seen):
    """Learned and predicted as choices, pairs come out as they do as pairs; a set of three sums to one."""
    X = np.stack([seen.left_features, seen.right_features], axis=1)
    chosen = np.where(seen.wins == 1, 0, 1)
    sets = lori.Choices.from_arrays(X, chosen)
    model = clone(estimator).fit(sets)
    assert model.predict_proba(sets) == pytest.approx(clone(estimator).fit(seen).predict_proba(seen)[:, ::2], abs=1e-3)
    three = lori.Choices.from_arrays(np.concatenate([X, X[::-1, :1]], axis=1), chosen)
    assert model.predict_proba(three).sum(axis=1) == pytest.approx(1.0)
    assert np.isfinite(model.score(three))


def test_cross_validation_works(pairs):
    scores = cross_val_score(LexicographicOrder(), *pairs, cv=KFold(3))
    assert np.all(np.isfinite(scores))


def test_sets_put_together_from_bradley_terry_pairs_are_a_softmax():
    class Logit(LexicographicOrder):
        def _probabilities(self, left, right):
            first = 1 / (1 + np.exp(-(left - right) @ [1.0, 2.0]))
            return np.stack([first, np.zeros(len(left)), 1 - first], axis=1)

    X = np.random.default_rng(0).normal(size=(7, 4, 2))
    sets = lori.Choices.from_arrays(X, np.zeros(7, int))
    worth = np.exp(X @ [1.0, 2.0])
    assert Logit().fit(sets).predict_proba(sets) == pytest.approx(worth / worth.sum(axis=1, keepdims=True))


def test_reliability_counts_both_sides_alike():
    verdicts = verdict_shares(np.array([1, 1, 1, -1, 0]))
    counts = np.array([[9, 0, 1], [9, 0, 1], [5, 0, 5], [2, 0, 8], [3, 0, 7]], float)
    table = reliability(verdicts, counts)
    assert table[0] == pytest.approx(np.array([31.5, 0, 9.5]) / 41)
    assert np.array_equal(table[2], table[0][::-1])
    assert table[1] == pytest.approx([0.5, 0, 0.5])
