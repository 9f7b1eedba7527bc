"""Are sets judged by their favourites as pairs are by the favoured side, left out or not?"""

import numpy as np
import pytest

import lori
from lori.evaluation.checks import predictive_check, rare_choices, surprises
from lori.evaluation.favourites import Favourites, by_chance, chances_of, predictable, repeated, shares
from lori.evaluation.metrics import accuracy, advantage, calibration, held_out
from lori.evaluation.overview import describe
from lori.evaluation.selection import select_levels
from lori.model.decisions import simulated

TRUTH = lori.OrderedModel.linear([[2.0, -1.0]], epsilon=[0.0], features=["a", "b"])
PLAIN = lori.LORI(levels=1, epsilon=0.0, lapse=0)


@pytest.fixture(scope="module")
def sets() -> lori.Choices:
    table = np.random.default_rng(0).normal(size=(200, 3, 2))
    asked = lori.Choices.from_arrays(table, np.zeros(200, int), features=["a", "b"], alternatives=["x", "y", "z"])
    return simulated(TRUTH, asked, seed=1)


@pytest.fixture(scope="module")
def fitted(sets) -> lori.LORI:
    return PLAIN.copy().fit(sets)


def test_the_favourite_is_the_likeliest_and_a_tie_is_shared():
    data = lori.Choices.from_arrays(
        [[[1.0], [2.0], [3.0]], [[3.0], [1.0], [0.0]]], [[True, False, True], [False, True, False]]
    )
    found = Favourites.of(np.array([0.2, 0.3, 0.5, 0.6, 0.4, 0.0]), data)
    assert found.row.tolist() == [2, 3]
    assert found.predicted.tolist() == [0.5, 0.6]
    assert found.won.tolist() == [0.5, 0.0]
    assert found.accuracy == 0.25
    assert shares(data).tolist() == [0.5, 0.0, 0.5, 0.0, 1.0, 0.0]
    assert by_chance(data) == (pytest.approx(-np.log(3)), pytest.approx(1 / 3))


def test_measures_of_sets(sets, fitted):
    chances = chances_of(fitted, sets)
    np.testing.assert_allclose(chances.reshape(200, 3).sum(axis=1), 1)
    assert accuracy(fitted, sets) == np.mean(chances.reshape(200, 3).argmax(axis=1) == sets.label[sets.chosen])
    bins = calibration(TRUTH, sets, bins=4)
    assert bins.comparisons.sum() == 200
    assert np.all(np.abs(bins.predicted - bins.observed) < 4 * np.sqrt(0.25 / bins.comparisons))


def test_what_is_left_out_is_predicted(sets, fitted):
    found = held_out(PLAIN, sets, folds=2)
    assert found.of_pairs.shape == (200,)
    assert found.log_likelihood < fitted.log_likelihood_ / 200
    assert found.log_likelihood > by_chance(sets)[0]
    assert advantage(found, found) == (0.0, 0.0)
    seen = np.log(chances_of(found, sets))[sets.chosen]
    np.testing.assert_allclose(seen, found.of_pairs)


def test_repeats_and_parts_of_an_answer_stay_together(sets):
    twice = lori.Choices.concatenate([sets[:3], sets[:3]])
    assert repeated(twice).tolist() == [0, 1, 2, 0, 1, 2]
    ranked = lori.Choices.from_rankings([[[1.0], [2.0], [3.0]]], [[1, 2, 3]])
    assert len(set(repeated(ranked))) == 1
    assert len(predictable(sets, 0, 50)) == 50
    assert predictable(sets, 0, 500) is sets


def test_the_right_model_passes_the_predictive_check(sets, fitted):
    found = predictive_check(fitted.posterior(sets), sets, bins=4)
    assert sum(group.comparisons for group in found.groups if group.by == "probability") == 200
    assert sum(group.agrees for group in found.groups) >= 3
    rare = rare_choices(TRUTH, sets)
    assert rare.comparisons == 200
    assert abs(rare.seen - rare.expected) < 4 * np.sqrt(rare.expected) + 1


def test_surprises_are_what_was_least_likely(sets):
    found = surprises(TRUTH, sets, count=3)
    likely = np.sort(chances_of(TRUTH, sets)[sets.chosen])[:3]
    np.testing.assert_allclose([each.probability for each in found], likely)
    assert all(each.favourite_probability > each.probability for each in found)
    assert found[0].alternatives == 3
    assert describe(sets).sizes == (3, 3)


def test_levels_are_weighed_by_sets(sets):
    chosen = select_levels(sets, up_to=1, estimator=PLAIN, draws=100)
    assert chosen.recommended == 1
    assert chosen.candidates[0].held_out.shape == (200,)
