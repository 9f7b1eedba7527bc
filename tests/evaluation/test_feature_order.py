"""Order of single features: is the true one found, and does it end where nothing is left to explain?"""

import numpy as np
import pytest

import lori
from lori.evaluation.feature_order import WIDE
from lori.experiments.known_answers import attributes, first_difference, preferred

QUICK = lori.LORI(prior=WIDE, starts=2, standard_errors="none", lapse=0.0)


@pytest.fixture(scope="module")
def choices():
    """The second feature, of which less is better, and then the first; the third says nothing."""
    left, right = attributes(np.random.default_rng(1000), 150, 3, 3)
    either = (left != right)[:, :2].any(axis=1)
    seen = [np.column_stack([-side[:, 1], side[:, 0]]) for side in (left, right)]
    return preferred(left, right, first_difference(*seen)).subset(either)


@pytest.fixture(scope="module")
def model(choices):
    return lori.select_order(choices, estimator=QUICK)


def order(model):
    return [level.reward.feature for level in model.levels_]


def test_the_true_order_is_found_without_the_feature_that_says_nothing(model, choices):
    assert order(model) == ["x2", "x1"]
    assert model.levels_[0].weights[1] < 0 < model.levels_[1].weights[0]
    assert model.score(choices) > lori.LexicographicOrder().fit(choices).score(choices)  # as good as those made for it


def test_there_are_no_more_levels_than_asked_for(choices):
    assert order(lori.select_order(choices, levels=1, estimator=QUICK)) == ["x2"]


def test_known_directions_are_kept_and_names_checked(choices):
    known = lori.select_order(choices, levels=1, decreasing=["x2"], estimator=QUICK)
    assert known.levels_[0].reward == lori.Single("x2", "decreasing", place=1, of=3)
    with pytest.raises(lori.InputError, match="x1, x2, x3"):
        lori.select_order(choices, increasing=["x9"])
