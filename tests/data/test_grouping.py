"""Equal rows have equal numbers, and parts are made of whole groups."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lori.data.grouping import group_rows, random_part

TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 2)] * width), min_size=0, max_size=12).map(
        lambda rows: np.array(rows, dtype=float).reshape(len(rows), width)
    )
)


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_rows_are_numbered_by_first_appearance(table):
    seen: dict = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in table.tolist()]
    first, group = group_rows(list(table.T))
    assert group.tolist() == expected
    assert first.tolist() == [expected.index(number) for number in range(len(seen))]


def test_labels_are_rows_of_one_column():
    first, group = group_rows([np.array(["zoe", "adam", "zoe"])])
    assert (first.tolist(), group.tolist()) == ([0, 1], [0, 1, 0])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.floats(0, 1), st.integers(0, 5))
def test_a_part_is_made_of_whole_groups_and_comes_near_the_fraction(labels, fraction, seed):
    _, group = group_rows([np.array(labels)])
    part = random_part(group, fraction, seed)
    assert all(part[group == number].all() or not part[group == number].any() for number in range(group.max() + 1))
    assert abs(part.sum() - fraction * len(group)) <= np.bincount(group).max() / 2 + 0.5
