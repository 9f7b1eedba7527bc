"""Rankings and both ends are choices from what is left, which a loop over sets says more slowly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lori.data.answers import Places, checked_ranks, steps

NAN = np.nan


def naive_steps(ranks: list[list[float]], worst: list[int | None]) -> list[tuple[list[int], list[int], bool]]:
    """Alternatives to choose from, those chosen, and whether they were the worst: one set after the other."""
    found = []
    for own, last in zip(ranks, worst, strict=True):
        left = list(range(len(own)))
        for rank in sorted({value for value in own if value == value}):
            chosen = [place for place in left if own[place] == rank]
            if len(chosen) < len(left):
                found.append((left, chosen, False))
            left = [place for place in left if place not in chosen]
        if last is not None and len(left) > 1:
            found.append((left, [last], True))
    return found


@st.composite
def answers(draw):
    ranks, worst = [], []
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(2, 5))
        order = draw(st.permutations(range(size)))
        tied = draw(st.lists(st.booleans(), min_size=size, max_size=size))
        ranked = draw(st.integers(1, size))
        own, rank = [NAN] * size, 0
        for place, alternative in enumerate(order[:ranked]):
            rank += place == 0 or not tied[place]
            own[alternative] = float(rank)
        ranks.append(own)
        worst.append(order[-1] if ranked < size and draw(st.booleans()) else None)
    return ranks, worst


@settings(max_examples=100, deadline=None)
@given(answers())
def test_steps_are_what_a_loop_finds(given_answers):
    ranks, worst = given_answers
    owner = np.repeat(np.arange(len(ranks)), [len(own) for own in ranks])
    first = np.cumsum([0] + [len(own) for own in ranks])
    marks = np.zeros(len(owner), bool)
    marks[[start + last for start, last in zip(first, worst, strict=False) if last is not None]] = True
    found = steps(owner, np.concatenate(ranks), marks)
    said = []
    for step, answer in enumerate(found.answer):
        part = slice(found.offsets[step], found.offsets[step + 1])
        rows = found.rows[part] - first[answer]
        said.append((rows.tolist(), rows[found.chosen[part]].tolist(), bool(found.worst[step])))
    assert said == naive_steps(ranks, worst)
    assert (np.diff(found.answer) >= 0).all()


OWNER = np.array([0, 0, 0, 0])


@pytest.mark.parametrize(
    ("ranks", "ties", "expected"),
    [
        ([2, 1, 3, NAN], "error", [2, 1, 3, NAN]),
        ([1, 1, 2, NAN], "observed", [1, 1, 2, NAN]),
        ([1, 1, 3, NAN], "observed", [1, 1, 2, NAN]),
        ([2, 2, 1, 4], "observed", [2, 2, 1, 3]),
    ],
)
def test_ranks(ranks, ties, expected):
    np.testing.assert_array_equal(checked_ranks(OWNER, np.array(ranks, float), ties, Places()), expected)


@pytest.mark.parametrize(
    ("ranks", "ties", "part"),
    [
        ([1, 3, NAN, NAN], "error", "ranks 1, 2, 3 and so on in every set, got a gap in set 1"),
        ([2, 3, 4, NAN], "error", "got a gap"),
        ([1, 1, 4, NAN], "observed", "got a gap"),
        ([1, 2, 2, NAN], "error", "every rank once in every set, got a repeated rank in set 1"),
        ([0, 1, 2, 3], "error", "whole ranks from 1"),
        ([1, 1.5, 2, 3], "error", "whole ranks from 1"),
        ([1, np.inf, 2, 3], "error", "whole ranks from 1"),
        ([NAN] * 4, "error", "at least one rank"),
        ([1, 2, 3, 4], "split", "error or observed"),
    ],
)
def test_ranks_that_are_none(ranks, ties, part, refused):
    assert part in refused(checked_ranks, OWNER, np.array(ranks, float), ties, Places())


def test_messages_name_sets_by_number_or_by_row():
    bad = np.array([False, True, False, True])
    assert Places().text(bad) == "sets 2, 4"
    assert Places("f.csv", np.array([1, 4, 6, 10])).text(bad) == "2 sets, the first from row 4 below the header"
    rows = Places("f.csv", np.arange(1, 5), single=True)
    assert rows.text(bad) == "2 rows, the first of them row 2 below the header"
    assert rows.text(bad & [True, True, False, False]) == "row 2 below the header"
