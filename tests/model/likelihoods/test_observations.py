"""From preferences to rows of the likelihood."""

import pickle
import threading

import numpy as np
import pytest

from lori.data.preferences import Preferences
from lori.model.likelihoods.observations import Observations, outcome_rows

FEATURES = ("benefit", "need")
LEFT = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
RIGHT = np.array([[0.0, 9.0], [8.0, 7.0], [5.0, 5.0]])


@pytest.fixture
def preferences() -> Preferences:
    return Preferences.from_arrays(
        LEFT, RIGHT, wins=[2, 0, 1], losses=[1, 3, 0], ties=[0, 4, 1], weight=[1.0, 0.5, 2.0], features=list(FEATURES)
    )


def test_the_winner_comes_first(preferences):
    rows = Observations.of(preferences, linear=True)
    difference = LEFT - RIGHT
    np.testing.assert_array_equal(rows.decided, [difference[0], difference[2], -difference[0], -difference[1]])
    assert rows.decided_weight.tolist() == [2.0, 2.0, 1.0, 1.5]
    np.testing.assert_array_equal(rows.tied, difference[[1, 2]])
    assert rows.tied_weight.tolist() == [2.0, 2.0]
    assert rows.rows == 6
    won, lost, tied = outcome_rows(preferences)
    assert np.append(won, lost).tolist() == [0, 2, 0, 1]
    assert tied.tolist() == [1, 2]


def test_a_nonlinear_model_sees_both_alternatives(preferences):
    rows = Observations.of(preferences, linear=False)
    assert rows.decided.shape == (4, 2, 2)
    np.testing.assert_array_equal(rows.decided[0], [LEFT[0], RIGHT[0]])
    np.testing.assert_array_equal(rows.decided[3], [RIGHT[1], LEFT[1]])
    np.testing.assert_array_equal(rows.tied[0], [LEFT[1], RIGHT[1]])
    assert rows.decided_weight.tolist() == [2.0, 2.0, 1.0, 1.5]


def test_both_alternatives_become_differences(preferences):
    both = Observations.of(preferences, linear=False).as_differences()
    linear = Observations.of(preferences, linear=True)
    for name in ("decided", "decided_weight", "tied", "tied_weight"):
        np.testing.assert_array_equal(getattr(both, name), getattr(linear, name))


@pytest.mark.parametrize(
    ("counts", "decided", "tied"),
    [
        ({}, 3, 0),
        ({"losses": [1, 1, 1]}, 3, 0),
        ({"ties": [1, 1, 1]}, 0, 3),
        ({"wins": [1, 0, 0], "ties": [0, 0, 2]}, 1, 1),
    ],
)
def test_outcomes_that_never_happened_have_no_rows(counts, decided, tied):
    rows = Observations.of(Preferences.from_arrays(LEFT, RIGHT, **counts), linear=True)
    assert rows.decided.shape == (decided, 2)
    assert rows.tied.shape == (tied, 2)
    assert (len(rows.decided_weight), len(rows.tied_weight)) == (decided, tied)


def many(n: int = 1000) -> Observations:
    random = np.random.default_rng(0)
    left, right = random.normal(size=(2, n, 2))
    outcome = random.integers(0, 3, n)
    preferences = Preferences.from_arrays(
        left, right, wins=outcome == 0, losses=outcome == 1, ties=outcome == 2, weight=random.uniform(0.5, 2.0, n)
    )
    return Observations.of(preferences, linear=True)


def test_a_sample_keeps_total_weight_and_the_share_of_ties():
    rows = many()
    part = rows.sample(100, np.random.default_rng(1))
    assert 100 <= part.rows <= 102
    assert part.decided_weight.sum() == pytest.approx(rows.decided_weight.sum())
    assert part.tied_weight.sum() == pytest.approx(rows.tied_weight.sum())
    assert len(part.tied) == pytest.approx(len(rows.tied) / 10, abs=1)
    place = {tuple(row): i for i, row in enumerate(rows.decided)}
    chosen = [place[tuple(row)] for row in part.decided]
    assert len(set(chosen)) == len(chosen)
    ratio = part.decided_weight / rows.decided_weight[chosen]
    np.testing.assert_allclose(ratio, ratio[0])


def test_shards_are_views_of_all_rows_in_order():
    rows = many()
    parts = rows.shards(3)
    for name in ("decided", "decided_weight", "tied", "tied_weight"):
        own = [getattr(part, name) for part in parts]
        np.testing.assert_array_equal(np.concatenate(own), getattr(rows, name))
        assert all(np.shares_memory(array, getattr(rows, name)) for array in own)
    sizes = [part.rows for part in parts]
    assert max(sizes) - min(sizes) <= 2
    assert len({id(part.blocks) for part in parts}) == 3


def test_a_sample_of_few_rows_is_all_of_them():
    rows = many(50)
    assert rows.sample(50, np.random.default_rng(1)) is rows


def test_a_sample_repeats_for_a_seed():
    one, other = (many().sample(60, np.random.default_rng(2)) for _ in range(2))
    np.testing.assert_array_equal(one.decided, other.decided)


def test_observations_add_up_row_by_row():
    rows = many()
    together = sum(rows.shards(3)[1:], start=rows.shards(3)[0])
    for name in ("decided", "decided_weight", "tied", "tied_weight"):
        np.testing.assert_array_equal(getattr(together, name), getattr(rows, name))


def test_what_was_laid_out_does_not_travel():
    rows = many(50)
    rows.blocks["layout"] = threading.Lock()  # cannot be pickled
    copy = pickle.loads(pickle.dumps(rows))
    assert copy.blocks == {}
    np.testing.assert_array_equal(copy.decided, rows.decided)
