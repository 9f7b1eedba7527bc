"""Do the ordinal lexicographic learners agree with a search of all orders?"""

from itertools import permutations, product

import numpy as np
import pytest

import lori
from lori.baselines.lexicographic import LexicographicOrder, ModelVoting, VariableVoting, variable_ranks
from lori.errors import DataError, InputError

SIX = 6


def answers(noise: float, pairs: int = 40, seed: int = 1000, values: int = 2) -> lori.Preferences:
    """Six attributes with few values; the order is that of the columns, the last two the other way round."""
    generator = np.random.default_rng(seed)
    left, right = generator.integers(values, size=(2, pairs, SIX)).astype(float)
    same = (left == right).all(axis=1)
    right[same, 0] += 1
    difference = (left - right) * [1, 1, 1, 1, -1, -1]
    first = np.array([row[np.flatnonzero(row)[0]] for row in difference])
    won = (first > 0) ^ (generator.random(pairs) < noise)
    return lori.Preferences.from_arrays(left, right, counts=np.eye(3)[np.where(won, 0, 2)])


def agreeing(order, ways, seen) -> tuple[float, float]:
    """Choices that an order agrees and disagrees with, pair by pair."""
    right_ones = wrong = 0.0
    for difference, counts in zip(seen.differences, seen.weighted_counts, strict=True):
        first = next((way * difference[place] for place, way in zip(order, ways, strict=True) if difference[place]), 0)
        if first:
            right_ones += counts[0] if first > 0 else counts[2]
            wrong += counts[2] if first > 0 else counts[0]
    return right_ones, wrong


@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_the_likeliest_order_is_that_of_brute_force_over_all_720(seed):
    seen = answers(0.25, seed=seed)
    up = [1] * SIX
    best = max(agreeing(order, up, seen)[0] for order in permutations(range(SIX)))
    model = LexicographicOrder(increasing="all").fit(seen)
    assert agreeing(model.places_, model.directions_, seen)[0] == best
    assert model.directions_ == (1,) * SIX


def test_directions_are_searched_as_well():
    seen = answers(0.2, pairs=25).select(["x1", "x2", "x5", "x6"])
    options = product(permutations(range(4)), product([1, -1], repeat=4))
    best = max(agreeing(order, ways, seen)[0] for order, ways in options)
    model = LexicographicOrder().fit(seen)
    assert agreeing(model.places_, model.directions_, seen)[0] == best


def test_without_noise_order_and_directions_are_found():
    seen = answers(0.0, pairs=400)
    for model in (LexicographicOrder(), LexicographicOrder(search="greedy")):
        model.fit(seen)
        assert model.order_ == seen.features
        assert model.directions_ == (1, 1, 1, 1, -1, -1)
        assert np.all(model.predict(seen) == np.where(seen.wins == 1, "left", "right"))


def test_a_just_noticeable_difference_is_learned():
    generator = np.random.default_rng(1000)
    left, right = generator.uniform(size=(2, 600, 2))
    difference = left - right
    first = np.where(np.abs(difference[:, 0]) > 0.3, difference[:, 0], difference[:, 1])
    seen = lori.Preferences.from_arrays(left, right, counts=np.eye(3)[np.where(first > 0, 0, 2)])
    model = LexicographicOrder(jnd="learned").fit(seen)
    assert model.order_ == ("x1", "x2")
    assert model.jnd_[0] == pytest.approx(0.3, abs=0.03)
    assert model.score(seen) > LexicographicOrder().fit(seen).score(seen) + 0.1
    assert model.score(seen) == pytest.approx(LexicographicOrder(jnd=model.jnd_).fit(seen).score(seen))


@pytest.mark.parametrize(("slip", "noise"), [(0.0, 0.0), (0.1, 0.25)])
def test_votes_equal_the_enumeration_of_all_orders(slip, noise):
    """Orders that agree with all preferences, or all orders by their likelihood; on every kind of new pair."""
    seen, up = answers(noise, pairs=8), [1, 1, 1, 1, -1, -1]
    settings = {"increasing": ["x1", "x2", "x3", "x4"], "decreasing": ["x5", "x6"]}
    model = ModelVoting(slip=slip, **settings).fit(seen)
    orders = list(permutations(range(SIX)))
    worth = np.array([(1 - slip) ** right_ones * slip**wrong for right_ones, wrong in
                      (agreeing(order, [up[x] for x in order], seen) for order in orders)])  # fmt: skip
    assert worth.any()
    if slip == 0:
        assert (worth > 0).sum() < 720
    assert model.log_orders_ == pytest.approx(np.log(worth.sum()))
    new = np.random.default_rng(1001).integers(2, size=(30, 2, SIX)).astype(float)
    for pair, row in zip(new, model.predict_proba(new), strict=True):
        difference = (pair[0] - pair[1]) * up
        says = np.array([next((difference[x] for x in order if difference[x]), 0.0) for order in orders])
        share = worth @ (says > 0) / worth.sum() if difference.any() else 0.5
        share = slip + (1 - 2 * slip) * share if difference.any() else 0.5
        assert row == pytest.approx([share, 0, 1 - share])
    if slip == 0:
        drawn = [[seen.features.index(name) for name in order] for order in model.sample_orders(50)]
        assert all(agreeing(order, [up[x] for x in order], seen)[1] == 0 for order in drawn)


def test_the_rate_of_slips_is_learned():
    seen = answers(0.1, pairs=1500)
    model = ModelVoting().fit(seen)
    assert model.slip_ == pytest.approx(0.1, abs=0.03)
    assert set(model.sample_orders(20)) == {seen.features}


def test_no_order_agrees_with_contradictions():
    seen = lori.Preferences.from_arrays([[1.0], [1.0]], [[0.0], [0.0]], counts=[[1, 0, 0], [0, 0, 1]])
    with pytest.raises(InputError, match="slip=None"):
        ModelVoting(slip=0).fit(seen)


def test_variable_voting_follows_the_published_steps():
    """Two variables vote against the first preference: both fall behind, and nothing moves after that."""
    assert variable_ranks(np.array([[1, -1, -1]])).tolist() == [1, 2, 2]
    assert variable_ranks(np.array([[1, -1, 0], [0, 1, -1]])).tolist() == [1, 2, 3]
    assert variable_ranks(np.array([[1, 1, -1]])).tolist() == [1, 1, 1]


def test_variable_voting_finds_what_is_consistent():
    """With all pairs of four binary attributes, ranks are the order itself, as every order but one is refuted."""
    corners = np.array(list(product([0.0, 1.0], repeat=4)))
    left, right = (corners[index] for index in np.triu_indices(len(corners), k=1))
    first = np.array([row[np.flatnonzero(row)[0]] for row in left - right])
    seen = lori.Preferences.from_arrays(left, right, counts=np.eye(3)[np.where(first > 0, 0, 2)])
    model = VariableVoting(increasing="all").fit(seen)
    assert model.ranks_.tolist() == [1, 2, 3, 4]
    exact = ModelVoting(increasing="all", slip=0).fit(seen)
    assert np.array_equal(model.predict(seen), exact.predict(seen))
    assert exact.log_orders_ == pytest.approx(0.0, abs=1e-9)


def test_too_many_attributes_are_refused():
    many = np.random.default_rng(0).normal(size=(5, 2, 15))
    with pytest.raises(DataError, match="at most 14 features"):
        ModelVoting().fit(many)
    assert len(LexicographicOrder().fit(many).order_) == 15
