"""Is a tree of preferences found again, where importance depends on a value?"""

from itertools import product

import numpy as np
import pytest

import lori
from lori.baselines.lexicographic import LexicographicOrder
from lori.baselines.lexicographic_tree import LexicographicTree, Node

CORNERS = np.array(list(product([0, 1], repeat=4)))


def tree(order, *, up=True):
    """One attribute after the other, whatever their values."""
    if not order:
        return None
    below = tree(order[1:], up=up)
    return Node(order[0], np.array([1, 0] if up else [0, 1]), (below, below))


# With x1 = 1 one looks at x2, x3, x4 and wants much; with x1 = 0 at x4, x3, x2 and wants little.
TRUTH = Node(0, np.array([1, 0]), (tree((3, 2, 1), up=False), tree((1, 2, 3))))


@pytest.fixture(scope="module")
def seen():
    one, other = np.triu_indices(len(CORNERS), k=1)
    verdict = TRUTH.verdict(CORNERS[one], CORNERS[other])
    assert np.all(verdict != 0)
    return lori.Preferences.from_indices(CORNERS, one, other, counts=np.eye(3)[1 - verdict])


def test_a_conditional_tree_is_found_again(seen):
    model = LexicographicTree(least=1).fit(seen)
    assert model.tree_.attribute == 0
    assert [node.attribute for node in model.tree_.below] == [3, 1]
    assert np.array_equal(model.predict(seen), np.where(seen.wins == 1, "left", "right"))
    assert model.score(seen) > -0.01


def test_no_fixed_order_says_as_much(seen):
    assert LexicographicOrder().fit(seen).score(seen) < -0.3


def test_few_choices_share_a_branch(seen):
    model = LexicographicTree(least=1000).fit(seen)
    assert model.tree_.below[0] is model.tree_.below[1]


def test_a_fixed_order_is_a_tree_as_well():
    generator = np.random.default_rng(1000)
    left, right = generator.integers(3, size=(2, 800, 3)).astype(float)
    difference = left - right
    kept = difference.any(axis=1)
    left, right, difference = left[kept], right[kept], difference[kept]
    first = np.array([row[np.flatnonzero(row)[0]] for row in difference])
    seen = lori.Preferences.from_arrays(left, right, counts=np.eye(3)[np.where(first > 0, 0, 2)])
    model = LexicographicTree().fit(seen)
    assert np.mean(model.predict(seen) == np.where(seen.wins == 1, "left", "right")) > 0.99
    assert model.tree_.attribute == 0
