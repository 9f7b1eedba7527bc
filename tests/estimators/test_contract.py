"""Are pairs X with labels y understood in each coding, and refused in one sentence otherwise?"""

import tomllib
import warnings
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import validate_data

import lori
from lori.errors import InputError
from lori.estimators import contract as drawing
from lori.estimators.contract import as_preferences

X = np.random.default_rng(0).normal(size=(4, 2, 3))
WORDS = np.array(["left", "right", "tie", "left"])


@pytest.mark.parametrize(
    "y", [WORDS, list(WORDS), WORDS.astype(object), [1, 0, 0.5, 1], [1, -1, 0, 1], np.array([1.0, -1.0, 0.0, 1.0])]
)
def test_all_codings_mean_the_same(y):
    made, coding = as_preferences(X, y, None)
    assert made.wins.tolist() == [1, 0, 0, 1]
    assert made.losses.tolist() == [0, 1, 0, 0]
    assert made.ties.tolist() == [0, 0, 1, 0]
    assert np.array_equal(made.left_features, X[:, 0])
    assert np.array_equal(made.right_features, X[:, 1])
    assert coding.words(np.array([0, 2, 1, 0])).tolist() == list(y)


def test_without_labels_the_first_is_preferred():
    made, _ = as_preferences(X, None, None)
    assert made.wins.tolist() == [1, 1, 1, 1]
    assert made.losses.sum() + made.ties.sum() == 0


def test_truth_values_are_read_as_one_and_zero():
    made, _ = as_preferences(X, np.array([True, False, True, False]), None)
    assert made.wins.tolist() == [1, 0, 1, 0]


def test_predictions_come_in_the_coding_that_was_fitted():
    y = np.where(X[:, 0, 0] > X[:, 1, 0], 1, -1)
    model = lori.LORI(levels=1, starts=8).fit(X, y)
    assert set(model.predict(X)) <= {1.0, -1.0}
    assert np.array_equal(model.predict(X), y)
    assert np.array_equal(lori.LORI(levels=1, starts=8).fit(X, (y + 1) / 2).predict(X), (y + 1) / 2)


@pytest.mark.parametrize(
    ("x", "y", "weight", "says"),
    [
        (X, WORDS[:3], None, "4 labels"),
        (X, WORDS[:, None], None, "4 labels"),
        (X, ["left", "right", "both", "left"], None, "1 other label"),
        (X, [1, 0, 2, 1], None, "other label"),
        (X, [1, -1, 0.5, 0], None, "other label"),
        (X, [1, 0, np.nan, 1], None, "other label"),
        (X[:, 0], WORDS, None, r"shape \(4, 3\)"),
        (np.concatenate([X, X], axis=1), WORDS, None, r"shape \(4, 4, 3\)"),
        (np.where(X[1, 0, 2] == X, np.nan, X), WORDS, None, "NaN"),
        (np.where(X[1, 0, 2] == X, np.inf, X), WORDS, None, "infinit"),
        (np.array([[["a", "1"], ["2", "3"]]]), ["left"], None, "X: .*text"),
        ([[["a", 1.0], [2.0, 3.0]]], ["left"], None, "X: .*unequal length"),
        ([[[1.0], [2.0, 3.0]]], ["left"], None, "X: .*unequal length"),
        (X[:0], [], None, "left|pairs"),
        (X, WORDS, [1.0, 2.0], "weight"),
        (X, WORDS, [1.0, -2.0, 1.0, 1.0], "weight"),
        (lori.tversky1969(), WORDS, None, "Preferences"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(x, y, weight, says):
    with pytest.raises(lori.DataError, match=says) as caught:
        as_preferences(x, y, weight)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert caught.value.exit_code == 2


def test_widths_and_names_at_prediction():
    model = lori.LORI(levels=1, starts=8).fit(X, ["left", "right", "right", "left"])
    with pytest.raises(lori.InputError, match=r"3.*\.$"):
        model.predict_proba(X[:, :, :2])
    with pytest.raises(lori.InputError, match=r"3 features for each alternative \(x1, x2, x3\).*\.$"):
        model.predict_proba(X[:, 0, :2], X[:, 1, :2])
    with pytest.raises(lori.InputError, match=r"NaN.*\.$"):
        model.predict_proba(np.full((1, 3), np.nan), np.zeros((1, 3)))
    lacking = lori.Preferences.from_arrays(X[:, 0, :2], X[:, 1, :2], features=["x1", "x3"])
    for use in (model.predict_proba, model.score, model.explain):
        with pytest.raises(lori.DataError, match=r"x2.*\.$"):
            use(lacking)


def test_features_are_found_by_name_at_prediction():
    model = lori.LORI(levels=1, starts=8).fit(X, ["left", "right", "right", "left"])
    turned = lori.Preferences.from_arrays(X[:, 0, ::-1], X[:, 1, ::-1], features=["x3", "x2", "x1"])
    assert np.array_equal(model.predict_proba(turned), model.predict_proba(X))


PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_what_is_registered_is_used(monkeypatch):
    asked = []

    def registry(**wanted):
        asked.append(wanted)
        return EntryPoints([EntryPoint("plots", "collections:Counter", "lori.figures")])

    monkeypatch.setattr(drawing, "entry_points", registry)
    assert drawing.registered_plots().__name__ == "Counter"
    assert asked == [{"group": "lori.figures", "name": "plots"}]


def test_nothing_registered_is_one_plain_sentence(monkeypatch):
    monkeypatch.setattr(drawing, "entry_points", lambda **wanted: EntryPoints())
    with pytest.raises(
        InputError, match=r"^plot: expected an installed package that registers 'plots'.*again with pip"
    ):
        drawing.registered_plots()


def test_this_package_registers_its_own_figures():
    registered = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"][drawing.GROUP]
    found = EntryPoint(drawing.NAME, registered[drawing.NAME], drawing.GROUP).load()
    assert found.__name__ == "Plots"


class OfDifferences(lori.LORI):
    """LORI for tables (n, features) of differences, the only form of X that scikit-learn's own checks can make."""

    def fit(self, X, y=None, sample_weight=None):
        X, y = validate_data(self, X, y, dtype=float)
        self.middle_ = np.median(y)
        return super().fit(self._against_nothing(X), np.where(y > self.middle_, 1, -1), sample_weight)

    def score(self, X, y=None, sample_weight=None):
        X, y = validate_data(self, X, y, dtype=float, reset=False)
        return super().score(self._against_nothing(X), np.where(y > self.middle_, 1, -1), sample_weight)

    def _sides(self, left, right):
        if right is None and not isinstance(left, lori.Preferences):
            left = validate_data(self, left, dtype=float, reset=False)
            right = np.zeros_like(left)
        return super()._sides(left, right)

    def _against_nothing(self, X):
        return np.stack([X, np.zeros_like(X)], axis=1)

    __sklearn_tags__ = BaseEstimator.__sklearn_tags__


NOT_KEPT = {
    "check_sample_weight_equivalence_on_dense_data": "weights are relative: they average one, so that a weight of two "
    "says that a choice counts twice as much as others, not that it was made twice (wins=2 says that)",
    "check_fit2d_1sample": "a single pair is refused in our own words, which do not say 'sample'",
}
NOT_RUN = {"check_array_api_input": "it asks for an environment variable of SciPy"}


def test_scikit_learns_checks_pass_but_those_that_are_justified():
    few = OfDifferences(levels=1, starts=2, lapse=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = check_estimator(few, expected_failed_checks=NOT_KEPT, on_skip=None, on_fail=None)
    others = {own["check_name"]: own["status"] for own in told if own["status"] != "passed"}
    assert others == dict.fromkeys(NOT_KEPT, "xfail") | dict.fromkeys(NOT_RUN, "skipped")
    assert len(told) > 40


def test_scikit_learn_knows_that_pairs_have_three_axes():
    """Of an estimator for (n, 2, features) it can check no more than its constructor and its parameters."""
    with pytest.warns(Warning, match="three_d_array=True"):
        told = check_estimator(lori.LORI(), on_skip=None)
    assert {own["status"] for own in told} == {"passed"}


def test_scores_and_pipelines():
    random = np.random.default_rng(1)
    x = random.normal(size=(60, 2, 2))
    y = np.where(x[:, 0, 0] > x[:, 1, 0] + 0.3 * random.normal(size=60), "left", "right")
    model = lori.LORI(levels=1, starts=2, lapse=0.0)
    scaled = make_pipeline(FunctionTransformer(lambda pairs: pairs / 9), model)
    plain, piped = cross_val_score(model, x, y, cv=2), cross_val_score(scaled, x, y, cv=2)
    assert (plain > np.log(0.5)).all()  # the mean log-likelihood: what is called neg_log_loss elsewhere
    np.testing.assert_allclose(piped, plain, atol=1e-6)
    fitted = model.fit(x, y)
    by_label = np.argsort(fitted.classes_)
    lost = log_loss(y, fitted.predict_proba(x)[:, by_label], labels=fitted.classes_[by_label])
    assert fitted.score(x, y) == pytest.approx(-lost, rel=1e-9)
    named = cross_val_score(model, x, y, cv=2, scoring=lori.neg_log_loss)  # right, whatever the order of the labels
    np.testing.assert_array_equal(named, plain)


def test_what_was_fitted_is_told_as_scikit_learn_does():
    model = lori.LORI(levels=1, starts=2)
    assert not hasattr(model, "classes_")
    model.fit(X, [1, -1, -1, 1])
    assert model.classes_.tolist() == [1, 0, -1]
    assert model.n_features_in_ == 3
    assert not hasattr(model, "feature_names_in_")
    model.fit(lori.Preferences.from_arrays(X[:, 0], X[:, 1], features=["a", "b", "c"]))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.classes_.tolist() == ["left", "tie", "right"]
    assert not hasattr(model.fit(X, [1, -1, -1, 1]), "feature_names_in_")
