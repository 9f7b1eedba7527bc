"""Trajectories: pooling against a naive loop, comparing by id, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lori.data.trajectories import POOLINGS, Trajectories

STEPS = [
    np.array([[1.0, 2.0], [3.0, 4.0]]),
    np.array([[5.0, 6.0]]),
    np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]),
]


def naive(steps: np.ndarray, how: str, discount: float) -> np.ndarray:
    if how == "mean":
        return sum(steps) / len(steps)
    if how == "last":
        return steps[-1]
    return sum((discount**t if how == "discounted" else 1.0) * x for t, x in enumerate(steps))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=6),
    st.sampled_from([how for how in POOLINGS if how != "steps"]),  # which pools nothing
    st.floats(0.1, 1),
    st.integers(0, 99),
)
def test_pooling_is_a_loop_over_steps(lengths, how, discount, seed):
    random = np.random.default_rng(seed)
    steps = [random.normal(size=(length, 2)) for length in lengths]
    pooled = Trajectories.from_arrays(steps).pool(how, discount)
    np.testing.assert_allclose(pooled, [naive(x, how, discount) for x in steps], atol=1e-12)


def test_comparing_by_position_and_by_id():
    prefs = Trajectories.from_arrays(STEPS).compare([0, 2], [1, 1], pooling="sum", wins=[2, 0], ties=[0, 1])
    assert prefs.left_features.tolist() == [[4, 6], [3, 3]]
    assert prefs.right_features.tolist() == [[5, 6], [5, 6]]
    assert prefs.wins.tolist() == [2, 0]
    table = Trajectories.from_arrays(STEPS).compare([0, 2], [1, 1], pooling="sum", counts=[[2, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(table.outcome_counts, prefs.outcome_counts)
    named = Trajectories.from_arrays(STEPS, features=["dose", "volume"], ids=["p", "q", "r"])
    last = named.compare(["r"], ["p"], pooling="last")
    assert last.features == ("dose", "volume")
    assert last.differences.tolist() == [[-1, -2]]
    assert len(named) == 3
    assert repr(named) == "Trajectories(3 trajectories, 6 steps, 2 features)"


def test_bad_trajectories(refused):
    make = Trajectories.from_arrays
    assert "1 are empty" in refused(make, [*STEPS, np.zeros((0, 2))])
    assert "2 different widths" in refused(make, [*STEPS, np.zeros((1, 3))])
    assert "got 0" in refused(make, [])
    assert "two dimensions" in refused(make, [np.zeros(3)])
    assert "trajectory 1: expected a finite number" in refused(make, [[[np.nan]]])
    assert "ids: expected every id once" in refused(make, STEPS, ids=["secret", "secret", "b"], secret="secret")
    assert "one id for each trajectory" in refused(make, STEPS, ids=["a"])
    assert "without steps" in refused(Trajectories, ["a", "b"], np.ones((2, 1)), [0, 2, 2], ("x",))


@pytest.mark.parametrize("discount", [0, -1, 1.01, np.nan])
def test_discounts_outside_the_unit_interval(discount, refused):
    assert "discount" in refused(Trajectories.from_arrays(STEPS).pool, "discounted", discount)


def test_bad_comparisons(refused):
    three = Trajectories.from_arrays(STEPS)
    assert "mean, sum, last, discounted" in refused(three.pool, "median")
    assert "1 unknown id in row 2" in refused(three.compare, ["0", "secret"], ["1", "2"], secret="secret")
    assert "compared with itself in row 1" in refused(three.compare, [0], [0])
    assert "right: expected one entry" in refused(three.compare, [0, 1], [2])
