"""Does every baseline keep one contract? Clone, pickling, parameters, bad input, the same numbers for the same seed."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score

import lori
from lori.baselines.base import reliability, verdict_shares
from lori.baselines.birl import BayesianIRL
from lori.baselines.cloning import BehaviouralCloning
from lori.baselines.constraints import ConstraintInference
from lori.baselines.cpnet import CPNetLearner
from lori.baselines.drex import DREX
from lori.baselines.ensembles import RewardEnsemble
from lori.baselines.gaussian_process import GaussianProcess
from lori.baselines.lexicographic import LexicographicOrder, ModelVoting, VariableVoting
from lori.baselines.lexicographic_tree import LexicographicTree
from lori.baselines.maximum_entropy import MaximumEntropyIRL
from lori.baselines.specifications import SpecificationInference
from lori.baselines.trex import NetworkTREX
from lori.errors import DataError, InputError
from lori.policies.rollouts import Rollouts

FROM_PREFERENCES = [
    CPNetLearner(),
    LexicographicOrder(jnd="learned"),
    VariableVoting(jnd=0.1),
    ModelVoting(),
    LexicographicTree(),
    GaussianProcess(iterations=5),
    NetworkTREX(hidden=3),
    RewardEnsemble(members=2, hidden=3),
]
SENTENCE = r"expected .*, got .*; "
BAD = {
    CPNetLearner: {"parents": -1},
    LexicographicOrder: {"search": "odd"},
    VariableVoting: {"jnd": -1.0},
    ModelVoting: {"slip": 0.7},
    LexicographicTree: {"bins": 1},
    GaussianProcess: {"amplitude": -1.0},
    NetworkTREX: {"penalty": 0.0},
    RewardEnsemble: {"members": 1},
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


# -- methods that learn from demonstrations ----------------------------------------------------------------

EAST = lori.Linear(increasing=["column"], decreasing=["row"])
FROM_DEMONSTRATIONS = [
    MaximumEntropyIRL(),
    ConstraintInference(reward=np.zeros((5, 5))),
    SpecificationInference(
        regions={"east": np.arange(25).reshape(5, 5) >= 15, "south": np.arange(25).reshape(5, 5) % 5 < 2}
    ),
    DREX(trajectories=20, pairs=100),
]
COMPILED = [  # whose own tests ask the same, but for bad input
    BayesianIRL(reward=EAST, samples=30, burn_in=5),
    BehaviouralCloning(actions=("east", "west", "north", "south"), hidden=(4,), epochs=3),
]
MEANS = (MaximumEntropyIRL, BayesianIRL)  # who compare the mean features of trajectories
WRONG = {
    MaximumEntropyIRL: {"iterations": 0},
    ConstraintInference: {"least": 2.0},
    SpecificationInference: {"regions": None},
    DREX: {"noise": (0.0,)},
    BayesianIRL: {"discount": 2.0},
    BehaviouralCloning: {"method": "odd"},
}
slow = [pytest.param(each, marks=pytest.mark.slow) for each in COMPILED]
shown_by = pytest.mark.parametrize("estimator", [*FROM_DEMONSTRATIONS, *slow], ids=named)


@pytest.fixture(scope="module")
def shown(histories, drawn):
    return drawn(np.exp(histories.states[:, :, 0].sum(axis=1)), 30)


def world(estimator, mdp):
    """What `fit` takes beside the demonstrations."""
    return () if isinstance(estimator, BehaviouralCloning) else (mdp,)


@pytest.fixture
def imitated(estimator, shown, grid_world):
    return clone(estimator).fit(shown, *world(estimator, grid_world))


def predicted(model, histories):
    if isinstance(model, BehaviouralCloning):
        return model.predict_proba(histories.states[:20, 0])
    states = histories.states.mean(axis=1) if isinstance(model, MEANS) else histories.states
    return model.predict_proba(states[:20], states[-20:])


@shown_by
def test_demonstrations_parameters_clones_pickles_and_seeds(estimator, imitated, shown, grid_world, histories):
    model = imitated
    copy = clone(estimator)
    assert set(copy.get_params()) == set(estimator.get_params())
    name, value = next(iter(WRONG[type(estimator)].items()))
    assert copy.set_params(**{name: value}) is copy
    with pytest.raises(ValueError, match="no_such"):
        copy.set_params(no_such=1)
    learned = set(vars(model)) - set(model.get_params())
    assert learned
    assert all(own.endswith("_") for own in learned)
    found = predicted(model, histories)
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(predicted(pickle.loads(pickle.dumps(model)), histories), found)
    again = clone(estimator).fit(shown, *world(estimator, grid_world))
    assert np.array_equal(predicted(again, histories), found)


@shown_by
def test_demonstrations_that_are_wrong_are_refused_in_a_sentence(estimator, imitated, shown, grid_world, histories):
    given = world(estimator, grid_world)
    odd = Rollouts(shown.states[:, :-1], shown.actions, shown.features)
    with pytest.raises(DataError, match=SENTENCE):
        clone(estimator).fit(odd, *given)
    with pytest.raises(InputError, match=SENTENCE):
        clone(estimator).set_params(**WRONG[type(estimator)]).fit(shown, *given)
    with pytest.raises(NotFittedError, match="has not been fitted"):
        predicted(clone(estimator), histories)
    narrow = Rollouts(histories.states[:, :, :1], histories.actions, ("column",))
    with pytest.raises(InputError, match=SENTENCE):
        predicted(imitated, narrow)
