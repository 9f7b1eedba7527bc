"""Do the tables name each set once, with what it has and what it grows from and into?"""

import pytest

from lori.model.likelihoods.combinations import subsets_of


@pytest.mark.parametrize(("count", "tied"), [(2, 1), (4, 1), (4, 2), (5, 3)])
def test_states_are_the_sets_that_contain_what_was_chosen(count, tied):
    known = subsets_of(count, tied)
    assert len(known.sizes) == 2**count
    assert known.inside[known.states][:, :tied].all()
    assert len(known.states) == 2 ** (count - tied)
    assert known.state_of[known.states].tolist() == list(range(len(known.states)))


def test_sets_grow_by_one_alternative():
    known = subsets_of(4, 1)
    for size in range(1, 5):
        own, smaller = known.inside[known.parts[size]], known.inside[known.parts[size - 1]]
        for inside, elements, before in zip(own, known.elements[size], known.before[size], strict=True):
            for element, place in zip(elements, before, strict=True):
                assert (inside ^ smaller[place]).nonzero()[0].tolist() == [element]


@pytest.mark.parametrize(("count", "tied"), [(4, 1), (5, 2)])
def test_groups_are_states_of_one_size_with_their_own_states_and_variables(count, tied):
    known = subsets_of(count, tied)
    groups = known.groups
    places = [place for group in groups for place in group.states[-1]]  # a state is the largest one of its own
    assert places == list(range(len(known.states)))
    for group in groups:
        for at, members in enumerate(group.members.T):
            assert members[:tied].tolist() == list(range(tied))
            for own, inside in zip(group.states[:, at], group.known.members, strict=True):
                assert known.members[own].nonzero()[0].tolist() == members[inside].tolist()
                assert group.states[group.state[own, at], at] == own
            assert (group.state[:, at] < 0).sum() == len(known.states) - len(group.states)
            for other in range(1, count):  # the gap of each other alternative, and the tolerance
                place = group.variable[other - 1, at]
                assert (place < 0) == (other not in members)
                assert place < 0 or members[place + 1] == other
            assert group.variable[-1, at] == len(members) - 1
