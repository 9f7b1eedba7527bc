"""How many choices would settle what comes first."""

import numpy as np

from lori.inference.population.settling import further_choices

EVERYBODY = np.array([[0.95, 0.05], [0.05, 0.95], [0.5, 0.5]])


def test_evidence_grows_at_the_pace_of_the_choices_so_far():
    """With odds of 1 : 1 for a stranger, 3 : 1 after six choices are 9 : 1 after twelve, and 27 : 1 after eighteen."""
    first = np.concatenate([[[0.75, 0.25], [0.25, 0.75]], EVERYBODY])
    more = further_choices(first, np.array([6, 6, 6, 6, 6]))
    exact = np.log(19 / 3) / (np.log(3) / 6)
    assert more[:2].tolist() == [np.ceil(exact)] * 2
    assert 27 / 28 > 0.95 > 9 / 10


def test_what_is_settled_needs_no_more():
    assert further_choices(EVERYBODY, np.array([1, 40, 3]))[:2].tolist() == [0, 0]


def test_nobody_knows_where_choices_do_not_speak_for_what_leads():
    first = np.array([[0.6, 0.4], [0.9, 0.1], [0.9, 0.1]])
    assert np.isnan(further_choices(first, np.array([5, 5, 5]))[0])
    assert np.isnan(further_choices(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([5, 5]))).all()


def test_the_same_choices_seen_twice_need_half_as_many():
    first = np.concatenate([[[0.8, 0.2], [0.2, 0.8]], EVERYBODY])
    slow, fast = (further_choices(first, np.full(5, count))[0] for count in (20, 10))
    assert 0 <= slow - (2 * fast - 2) <= 2
