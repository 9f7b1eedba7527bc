"""Combinations: which sets of some alternatives are there, and how do they grow into each other?

Nothing here depends on numbers: these are the tables by which `lori.model.likelihoods.subsets` gathers its sums.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np


class Subsets(NamedTuple):
    """All sets of some alternatives, small ones first, and how they grow into each other.

    Places are those among the sets with one alternative less or more; one more than there are stands for none.
    """

    tied: int
    inside: np.ndarray  # (sets, alternatives) is it in A?
    sizes: np.ndarray  # (sets,)
    parts: list[slice]  # the sets of each size
    elements: list[np.ndarray]  # for each size (sets, size) what is in A,
    before: list[np.ndarray]  # and the place of A without it
    absent: list[np.ndarray]  # for each size (sets, others) what is not in A,
    behind: list[np.ndarray]  # and the place of A with it
    without: list[np.ndarray]  # for each size (others, sets) the place of A∖z, for each z that was not chosen
    grown: np.ndarray  # (others, sets) A∪z among all sets, for each z that was not chosen
    states: np.ndarray  # (states,) the sets that contain what was chosen
    state_of: np.ndarray  # (sets,) the number of such a set among these

    @property
    def members(self) -> np.ndarray:
        """(states, alternatives)"""
        return self.inside[self.states]

    @property
    def groups(self) -> list[Group]:
        """The states by their sizes, in their order."""
        return _by_size(len(self.elements) - 1, self.tied)


class Group(NamedTuple):
    """All states T of one size, beside each other; −1 stands for what T does not have."""

    known: Subsets  # of so many alternatives
    members: np.ndarray  # (size, T) the alternatives of T
    states: np.ndarray  # (own states, T) their numbers among all states,
    state: np.ndarray  # (states, T) and back
    variable: np.ndarray  # (variables, T) the place of each variable among those of T


@cache
def subsets_of(count: int, tied: int) -> Subsets:
    every, chosen = range(count), (1 << tied) - 1
    by_size = [[mask for mask in range(1 << count) if mask.bit_count() == size] for size in range(count + 1)]
    ends = np.cumsum([0, *map(len, by_size)])
    masks = [mask for own in by_size for mask in own]
    place = {mask: number for own in by_size for number, mask in enumerate(own)}
    number = {mask: own for own, mask in enumerate(masks)}

    def table(rows: list[list[int]], width: int) -> np.ndarray:
        return np.array(rows, int).reshape(len(rows), width)

    within = [[[y for y in every if mask >> y & 1] for mask in own] for own in by_size]
    outside = [[[y for y in every if not mask >> y & 1] for mask in own] for own in by_size]
    states = [own for own, mask in enumerate(masks) if mask & chosen == chosen]
    state_of = np.full(len(masks), len(states))
    state_of[states] = np.arange(len(states))
    return Subsets(
        tied=tied,
        inside=np.array([[mask >> y & 1 for y in every] for mask in masks], bool),
        sizes=np.array([mask.bit_count() for mask in masks]),
        parts=[slice(int(first), int(last)) for first, last in pairwise(ends)],
        elements=[table(own, size) for size, own in enumerate(within)],
        before=[
            table([[place[m ^ 1 << y] for y in ys] for m, ys in zip(by_size[n], within[n], strict=True)], n)
            for n in range(count + 1)
        ],
        absent=[table(own, count - size) for size, own in enumerate(outside)],
        behind=[
            table([[place[m | 1 << y] for y in ys] for m, ys in zip(by_size[n], outside[n], strict=True)], count - n)
            for n in range(count + 1)
        ],
        without=[
            table(
                [[place[m ^ 1 << z] if m >> z & 1 and z >= tied else math.comb(count, n - 1) for m in by_size[n]]
                 for z in range(1, count)],
                len(by_size[n]),
            )
            for n in range(1, count + 1)
        ],
        grown=table(
            [[number[m | 1 << z] if not m >> z & 1 and z >= tied else len(masks) for m in masks]
             for z in range(1, count)],
            len(masks),
        ),
        states=np.array(states),
        state_of=state_of,
    )  # fmt: skip


@cache
def _by_size(count: int, tied: int) -> list[Group]:
    """The states among so many alternatives by their sizes, in their order."""
    every = subsets_of(count, tied)
    masks = [sum(1 << int(y) for y in np.flatnonzero(inside)) for inside in every.members]
    number = {mask: place for place, mask in enumerate(masks)}
    groups = []
    for size in range(tied, count + 1):
        own, within = subsets_of(size, tied), [mask for mask in masks if mask.bit_count() == size]
        members = np.array([[y for y in range(count) if mask >> y & 1] for mask in within]).T
        states = np.array([[number[sum(1 << int(y) for y in column[inside])] for column in members.T]
                           for inside in own.members])  # fmt: skip
        state, variable = np.full((len(masks), len(within)), -1), np.full((count, len(within)), -1)
        np.put_along_axis(state, states, np.arange(len(states))[:, None], axis=0)
        np.put_along_axis(variable, members[1:] - 1, np.arange(size - 1)[:, None], axis=0)
        variable[-1] = size - 1  # the tolerance
        groups.append(Group(own, members, states, state, variable))
    return groups
