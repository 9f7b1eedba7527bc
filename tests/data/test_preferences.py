"""Preferences: constructors, the door, and everything derived from them."""

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, cross_val_score
from sklearn.utils import _safe_indexing

from lori.data.preferences import OUTCOMES, Preferences, one_sided
from lori.errors import DataError

LEFT = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
RIGHT = np.array([[0.0, 9.0], [8.0, 7.0], [5.0, 5.0]])


def small(**options) -> Preferences:
    return Preferences.from_arrays(LEFT, RIGHT, **options)


@st.composite
def preferences(draw) -> Preferences:
    """A handful of pairs among few values, so that repeats, twins and turned pairs are common."""
    n = draw(st.integers(1, 12))
    d = draw(st.integers(1, 3))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    counts = random.integers(0, 3, (3, n))
    counts[0, 0] += 1
    return Preferences.from_arrays(
        random.integers(0, 2, (n, d)),
        random.integers(0, 2, (n, d)),
        wins=counts[0],
        losses=counts[1],
        ties=counts[2],
        agent=random.choice(["Ada", "Bo"], n) if draw(st.booleans()) else None,
        weight=random.choice([0.5, 1.0], n) if draw(st.booleans()) else None,
    )


def rows(prefs: Preferences) -> list[tuple]:
    agent = prefs.agent if prefs.agent is not None else [None] * len(prefs)
    columns = [prefs.left_features, prefs.right_features, prefs.wins, prefs.losses, prefs.ties, prefs.weights]
    return [
        (label, *np.concatenate([np.atleast_1d(c) for c in row]).tolist())
        for label, *row in zip(agent, *columns, strict=True)
    ]


def unordered_totals(prefs: Preferences) -> dict:
    """How often each alternative beat each other, per agent and weight, whatever the direction of rows."""
    totals: dict = {}
    agent = prefs.agent if prefs.agent is not None else [None] * len(prefs)
    parts = (prefs.left_features.tolist(), prefs.right_features.tolist(), agent, prefs.weights)
    for i, (left, right, who, weight) in enumerate(zip(*parts, strict=True)):
        left, right = tuple(left), tuple(right)
        facts = [(left, right, prefs.wins[i]), (right, left, prefs.losses[i])]
        if left == right:
            facts = [(left, right, prefs.wins[i] + prefs.losses[i])]
        for better, worse, count in facts:
            totals[who, weight, better, worse] = totals.get((who, weight, better, worse), 0) + count
        tied = (who, weight, frozenset((left, right)), "tie")
        totals[tied] = totals.get(tied, 0) + prefs.ties[i]
    return totals


def test_without_counts_left_won_once():
    prefs = small()
    assert prefs.wins.tolist() == [1, 1, 1]
    assert prefs.losses.tolist() == prefs.ties.tolist() == [0, 0, 0]
    assert prefs.features == ("x1", "x2")
    assert prefs.alternatives.dtype == prefs.wins.dtype == np.float64
    assert prefs.left.dtype == np.int64


def test_some_counts_leave_the_others_zero():
    prefs = small(losses=[2, 0, 1])
    assert prefs.wins.tolist() == [0, 0, 0]
    assert prefs.n_comparisons == 3
    assert isinstance(prefs.n_comparisons, int)


def test_properties():
    prefs = small(wins=[1, 2, 3], ties=[0, 1, 0], features=["benefit", "need"], agent=[7.0, 7.0, 8.0])
    assert (prefs.n_pairs, prefs.n_features, prefs.n_comparisons, len(prefs)) == (3, 2, 7, 3)
    assert prefs.shape == (3, 2, 2)
    assert prefs.has_ties
    assert not small().has_ties
    np.testing.assert_array_equal(prefs.left_features, LEFT)
    np.testing.assert_array_equal(prefs.right_features, RIGHT)
    np.testing.assert_array_equal(prefs.differences, LEFT - RIGHT)
    assert prefs.weights.tolist() == [1, 1, 1]
    assert prefs.agent.tolist() == ["7", "7", "8"]
    assert repr(prefs) == "Preferences(3 pairs, 7 comparisons, 2 features, 2 agents)"


def test_a_table_of_counts_says_the_same_as_three_columns():
    table = np.array([[1, 0, 2], [0, 3, 0], [4, 0, 0]])
    prefs = small(counts=table)
    assert rows(prefs) == rows(small(wins=[1, 0, 4], ties=[0, 3, 0], losses=[2, 0, 0]))
    assert rows(prefs) == rows(small(counts=table.tolist()))
    assert rows(Preferences.from_indices(np.concatenate([LEFT, RIGHT]), [0, 1, 2], [3, 4, 5], counts=table)) == rows(
        prefs
    )
    assert prefs.wins.dtype == np.float64
    for column in (prefs.wins, prefs.ties, prefs.losses):
        assert column.flags.c_contiguous
    np.testing.assert_array_equal(small(counts=np.eye(3)[[2, 0, 1]]).outcome_counts, np.eye(3)[[2, 0, 1]])
    np.testing.assert_array_equal(small(counts=np.eye(3, dtype=bool)).outcome_counts, np.eye(3))


def test_changing_the_table_of_counts_changes_no_preferences():
    table = np.eye(3)
    prefs = small(counts=table)
    table[:] = 7
    np.testing.assert_array_equal(prefs.outcome_counts, np.eye(3))


def test_outcomes_in_one_order():
    prefs = small(wins=[1, 0, 4], ties=[0, 3, 0], losses=[2, 0, 0], weight=[0.5, 2, 1])
    assert OUTCOMES == ("left", "tie", "right")
    assert prefs.outcome_counts.tolist() == [[1, 0, 2], [0, 3, 0], [4, 0, 0]]
    assert prefs.weighted_counts.tolist() == [[0.5, 0, 1], [0, 6, 0], [4, 0, 0]]
    assert prefs.outcome_totals.tolist() == [5, 3, 2]
    assert prefs.comparisons.tolist() == [3, 3, 4]
    assert (prefs.n_ties, prefs.n_comparisons) == (3, 10)
    assert isinstance(prefs.n_ties, int)


@pytest.mark.parametrize(
    ("counts", "side"),
    [
        ([[1, 0, 0], [2, 0, 0], [0, 0, 0]], "left"),
        ([[0, 0, 1], [0, 0, 0], [0, 0, 5]], "right"),
        ([[1, 0, 0], [0, 0, 1], [1, 0, 0]], None),
        ([[1, 0, 0], [1, 1, 0], [1, 0, 0]], None),
        ([[0, 1, 0], [0, 1, 0], [0, 1, 0]], None),
    ],
)
def test_one_sided(counts, side):
    prefs = small(counts=counts)
    assert prefs.one_sided == one_sided(prefs.outcome_totals) == side
    assert prefs.swap().one_sided == {"left": "right", "right": "left", None: None}[side]
    assert prefs[[]].one_sided is None


def test_bytes_are_those_of_all_arrays():
    plain = 6 * 2 * 8 + 5 * 3 * 8  # six alternatives with two features; left, right and three counts of three pairs
    assert small().nbytes == plain
    assert small(weight=[1, 2, 3], agent=["a", "b", "c"]).nbytes == plain + 3 * 8 + 3 * 4


def test_from_indices_shares_alternatives():
    prefs = Preferences.from_indices([[1.0], [2.0], [3.0]], [0, 0], [1, 2], features=["price"])
    assert len(prefs.alternatives) == 3
    assert prefs.differences.tolist() == [[-1], [-2]]


BAD = {
    "one dimension": (dict(left=[1.0, 2.0], right=[3.0, 4.0]), "two dimensions"),
    "different shapes": (dict(left=LEFT, right=RIGHT[:2]), "(3, 2) and (2, 2)"),
    "text": (dict(left=[["secret", "b"]], right=[[1, 2]]), "an array of numbers"),
    "NaN": (dict(left=[[1.0], [np.nan]], right=[[1.0], [0.0]]), "left: expected a finite number"),
    "infinity": (dict(left=[[1.0], [0.0]], right=[[1.0], [np.inf]]), "infinity in row 2"),
    "no features": (dict(left=np.zeros((2, 0)), right=np.zeros((2, 0))), "at least one feature"),
    "no pairs": (dict(left=np.zeros((0, 2)), right=np.zeros((0, 2))), "at least one pair"),
    "negative count": (dict(left=LEFT, right=RIGHT, wins=[1, -1, 0]), "wins: expected whole numbers from 0"),
    "fraction": (dict(left=LEFT, right=RIGHT, ties=[0.5, 0, 0]), "ties: expected whole numbers from 0"),
    "NaN count": (dict(left=LEFT, right=RIGHT, losses=[np.nan, 0, 0]), "row 1"),
    "short counts": (dict(left=LEFT, right=RIGHT, wins=[1, 1]), "one entry for each of the 3 pairs"),
    "nothing compared": (dict(left=LEFT, right=RIGHT, wins=[0, 0, 0]), "at least one comparison in total"),
    "no table": (dict(left=LEFT, right=RIGHT, counts=[1, 1, 1]), "counts: expected shape (3, 3)"),
    "two columns": (dict(left=LEFT, right=RIGHT, counts=np.ones((3, 2))), "got shape (3, 2)"),
    "short table": (dict(left=LEFT, right=RIGHT, counts=np.ones((2, 3))), "one row for each pair"),
    "ragged table": (dict(left=LEFT, right=RIGHT, counts=[[1, 0, 0], [1]]), "counts: expected an array of numbers"),
    "text in a table": (dict(left=LEFT, right=RIGHT, counts=[["secret"] * 3] * 3), "counts: expected an array of num"),
    "counts twice": (dict(left=LEFT, right=RIGHT, counts=np.eye(3), ties=[1, 0, 0]), "got ties as well"),
    "fraction in a table": (
        dict(left=LEFT, right=RIGHT, counts=[[1, 0, 0], [0.5, 0.5, 0], [0, np.nan, 1]]),
        "counts: expected whole numbers from 0 to 1e+15, got something else in rows 2, 3",
    ),
    "empty table": (dict(left=LEFT, right=RIGHT, counts=np.zeros((3, 3))), "at least one comparison in total"),
    "negative weight": (
        dict(left=LEFT, right=RIGHT, weight=[1, 1, -1]),
        "weight: expected finite numbers from 0",
    ),
    "NaN weight": (dict(left=LEFT, right=RIGHT, weight=[1, np.nan, 1]), "row 2"),
    "missing agent": (dict(left=LEFT, right=RIGHT, agent=["a", None, "b"]), "none in row 2"),
    "empty agent": (dict(left=LEFT, right=RIGHT, agent=["a", "b", " "]), "none in row 3"),
    "NaN agent": (dict(left=LEFT, right=RIGHT, agent=[1.0, np.nan, 2.0]), "none in row 2"),
    "short agent": (dict(left=LEFT, right=RIGHT, agent=["a"]), "agent: expected one entry for each"),
    "few names": (dict(left=LEFT, right=RIGHT, features=["a"]), "got 1 names"),
    "same names": (dict(left=LEFT, right=RIGHT, features=["a", "a"]), "a repeated name (a)"),
    "empty name": (dict(left=LEFT, right=RIGHT, features=["a", " "]), "an empty name"),
}


@pytest.mark.parametrize(("arguments", "part"), BAD.values(), ids=BAD)
def test_the_door_of_arrays(arguments, part, refused):
    assert part in refused(Preferences.from_arrays, **arguments, secret="secret")


@pytest.mark.parametrize(
    ("left", "right", "part"),
    [
        ([0, 3], [1, 2], "left: expected indices from 0 to 2, got others in row 2"),
        ([0, 1], [-1, 2], "right: expected indices"),
        ([0, 1], [1, 1], "compared with itself in row 2"),
        ([0.0, 1.0], [1, 2], "whole numbers that point at alternatives"),
        ([0, 1], [1], "right: expected one entry"),
        ([], [], "at least one pair"),
    ],
)
def test_the_door_of_indices(left, right, part, refused):
    assert part in refused(Preferences.from_indices, np.eye(3), left, right)


def test_direct_construction_passes_the_same_door(refused):
    zeros = np.zeros(1)
    assert "only zeros" in refused(Preferences, np.eye(2), [0], [1], zeros, zeros, zeros, ("a", "b"))


def test_long_lists_of_rows_are_cut(refused):
    message = refused(Preferences.from_arrays, np.full((9, 1), np.nan), np.zeros((9, 1)))
    assert "rows 1, 2, 3 and 6 more" in message


@pytest.mark.parametrize("index", [[0, 2], np.array([0, 2]), np.array([True, False, True]), slice(0, 3, 2)])
def test_indexing_selects_pairs(index):
    prefs = small(wins=[1, 2, 3], agent=["a", "b", "c"], weight=[1, 2, 3])
    assert rows(prefs[index]) == rows(prefs.subset(index)) == [rows(prefs)[0], rows(prefs)[2]]
    assert len(prefs[index].alternatives) == 4


def test_single_positions_and_iteration():
    prefs = small()
    assert rows(prefs[-1]) == rows(prefs)[2:]
    assert [len(pair) for pair in prefs] == [1, 1, 1]
    assert len(prefs[[]]) == 0
    with pytest.raises(IndexError):
        prefs[3]


def test_scikit_learn_splits_preferences():
    class CountPairs(BaseEstimator):
        def fit(self, prefs, y=None):
            assert isinstance(prefs, Preferences)
            self.seen_ = len(prefs)
            return self

        def score(self, prefs, y=None):
            return float(self.seen_ + 100 * len(prefs))

    prefs = Preferences.from_arrays(np.arange(18.0).reshape(9, 2), np.zeros((9, 2)))
    assert cross_val_score(CountPairs(), prefs, cv=3).tolist() == [306.0] * 3
    for train, test in KFold(3).split(prefs):
        assert rows(_safe_indexing(prefs, train)) == rows(prefs.subset(train))
        assert len(_safe_indexing(prefs, test)) == 3


def test_becoming_an_array_is_refused():
    with pytest.raises(TypeError, match="left_features"):
        np.asarray(small())


def test_pickling():
    prefs = small(agent=["a", "b", "c"])
    assert rows(pickle.loads(pickle.dumps(prefs))) == rows(prefs)


@settings(max_examples=40, deadline=None)
@given(preferences())
def test_swapping_twice_changes_nothing(prefs):
    assert rows(prefs.swap().swap()) == rows(prefs)
    np.testing.assert_array_equal(prefs.swap().differences, -prefs.differences)
    assert prefs.swap().wins.tolist() == prefs.losses.tolist()


@settings(max_examples=60, deadline=None)
@given(preferences())
def test_aggregation_keeps_every_fact(prefs):
    together = prefs.aggregate()
    kept = {key: count for key, count in unordered_totals(together).items() if count}
    assert kept == {key: count for key, count in unordered_totals(prefs).items() if count}
    assert rows(together.aggregate()) == rows(together)
    np.testing.assert_array_equal(together.aggregate().alternatives, together.alternatives)
    assert len(unordered_totals(together)) == len(unordered_totals(prefs))
    replace(together)  # still passes the door


@settings(max_examples=60, deadline=None)
@given(preferences())
def test_pairs_are_numbered_by_first_appearance_in_either_order(prefs):
    seen: dict = {}
    sides = zip(prefs.left_features.tolist(), prefs.right_features.tolist(), strict=True)
    expected = [seen.setdefault(frozenset(map(tuple, pair)), len(seen)) for pair in sides]
    assert prefs.pair_numbers().tolist() == prefs.swap().pair_numbers().tolist() == expected


def test_numbers_of_pairs_in_the_small():
    prefs = Preferences.from_indices([[5.0], [6.0], [5.0]], [0, 1, 0], [1, 2, 2], agent=["a", "b", "a"])
    assert prefs.pair_numbers().tolist() == [0, 0, 1]
    assert prefs[[]].pair_numbers().tolist() == []


def test_aggregation_in_the_small():
    prefs = Preferences.from_arrays([[1.0], [2.0], [1.0]], [[2.0], [1.0], [3.0]], wins=[1, 5, 1], ties=[0, 1, 0])
    together = prefs.aggregate()
    assert rows(together) == [(None, 1, 2, 1, 5, 1, 1), (None, 1, 3, 1, 0, 0, 1)]
    assert together.alternatives.tolist() == [[1], [2], [3]]


@settings(max_examples=40, deadline=None)
@given(preferences(), st.floats(0, 1), st.integers(0, 5))
def test_splitting_partitions(prefs, fraction, seed):
    first, second = prefs.split(fraction, seed=seed)
    assert len(first) == round(fraction * len(prefs))
    assert sorted(map(str, rows(first) + rows(second))) == sorted(map(str, rows(prefs)))
    assert rows(prefs.split(fraction, seed=seed)[0]) == rows(first)


def test_splitting_keeps_agents_together(refused):
    agent = np.repeat(["a", "b", "c", "d", "e"], 4)
    prefs = Preferences.from_arrays(np.ones((20, 1)), np.zeros((20, 1)), agent=agent)
    first, second = prefs.split(0.6, seed=3, by_agent=True)
    assert len(first) == 12
    assert not set(first.agent) & set(second.agent)
    assert "fraction" in refused(prefs.split, 1.5)
    assert "agent" in refused(small().split, 0.5, by_agent=True)


def test_by_agent_in_order_of_appearance(refused):
    prefs = small(agent=["zoe", "adam", "zoe"], wins=[1, 2, 3])
    people = prefs.by_agent()
    assert list(people) == ["zoe", "adam"]
    assert people["zoe"].wins.tolist() == [1, 3]
    assert "who compared" in refused(small().by_agent)


def test_select(refused):
    prefs = small(features=["benefit", "need"])
    turned = prefs.select(["need", "benefit"])
    assert turned.features == ("need", "benefit")
    np.testing.assert_array_equal(turned.left_features, LEFT[:, ::-1])
    message = refused(prefs.select, ["age"])
    assert "benefit, need" in message
    assert "age" in message
    assert "repeated" in refused(prefs.select, ["need", "need"])
    assert "at least one feature" in refused(prefs.select, [])


def test_concatenate(refused):
    a, b = small(weight=[1, 2, 3]), small(wins=[2, 2, 2])
    both = Preferences.concatenate([a, b])
    assert rows(both) == rows(a) + rows(b)
    assert "different features" in refused(Preferences.concatenate, [a, a.select(["x1"])])
    assert "agents in some only" in refused(Preferences.concatenate, [a, small(agent=["a", "b", "c"])])
    assert "none" in refused(Preferences.concatenate, [])


def test_identical():
    assert Preferences.from_arrays([[1.0, 2], [1, 2]], [[1.0, 2], [1, 3]]).identical().tolist() == [
        True,
        False,
    ]


def test_to_frame():
    frame = small(features=["a", "b"], agent=["p", "q", "r"], weight=[1, 2, 3]).to_frame()
    assert list(frame) == [
        "left.a", "left.b", "right.a", "right.b", "left_wins", "right_wins", "ties", "agent", "weight",
    ]  # fmt: skip
    assert frame["left_wins"].tolist() == [1, 1, 1]


def test_importing_is_light():
    code = (
        "import sys, lori.data.preferences, lori.data.reading.readers, lori.data.writing, lori.data.examples;"
        "sys.exit(any(name in sys.modules for name in ('pandas', 'pyarrow', 'jax', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_weights_of_zero_and_numbers_whose_squares_overflow_are_refused():
    x = np.random.default_rng(0).normal(size=(3, 2, 2))
    with pytest.raises(DataError, match="weight: expected some weight above 0, got zeros only"):
        Preferences.from_arrays(x[:, 0], x[:, 1], weight=np.zeros(3))
    with pytest.raises(DataError, match="expected numbers up to 1e"):
        Preferences.from_arrays(1e200 * x[:, 0], x[:, 1])
