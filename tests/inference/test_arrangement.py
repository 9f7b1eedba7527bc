"""Does every row lie in a block, and are data of similar size laid out alike?"""

import numpy as np
import pytest

from lori.inference import arrangement as module
from lori.model.likelihoods.layouts import Alternatives, Differences
from lori.model.likelihoods.pairs import PairRows


def rows_of(pairs: np.ndarray, weight: np.ndarray) -> PairRows:
    return PairRows(pairs[:, 0], pairs[:, 1], weight, np.arange(len(pairs)))


@pytest.mark.parametrize("layout", [Differences(), Alternatives()])
@pytest.mark.parametrize("longest", [0, 1, 8, 9, 100, 129, 5000])
def test_blocks_hold_every_row_once_and_padding_without_weight(longest, layout):
    random = np.random.default_rng(longest)
    groups = [rows_of(random.normal(size=(n, 2, 3)), random.uniform(1.0, 2.0, n)) for n in (longest, longest // 2)]
    sizes = module._sizes(groups, 64, quick=True)
    (rows, filled), weights = module._blocks(groups, layout, *sizes), module._weights(groups, *sizes)
    differences = layout == Differences()
    if differences:
        rows = rows.transpose(0, 1, 3, 2)  # features come before rows
    assert weights.shape == rows.shape[:3]
    assert rows.shape[2] <= 64
    for group, own_rows, own_weights, count in zip(groups, rows, weights, filled, strict=True):
        n, read = len(group), count * sizes[0]  # rows that are computed
        expected = group.left - group.right if differences else np.stack([group.left, group.right], axis=1)
        beside = own_rows.reshape(-1, *expected.shape[1:])
        np.testing.assert_array_equal(beside[:n], expected)
        np.testing.assert_array_equal(own_weights.ravel()[:n], group.weight)
        assert (beside[n:read] == 0).all()
        assert (own_weights.ravel()[n:read] == 0).all()
        assert count == -(-n // sizes[0])
    assert weights[0].size <= max(8, 1.25 * longest + 64)


def test_data_of_similar_size_are_laid_out_alike():
    def sizes(n, wanted):
        return module._sizes([rows_of(np.zeros((n, 2, 2)), np.ones(n))], wanted, quick=True)

    assert sizes(20, 256) == sizes(100, 256) == (128, 1)
    assert sizes(600, 256) == sizes(800, 256) == sizes(1000, 256) == (256, 4)
    assert sizes(300, 64) == (64, 5)  # where computing takes longer than compiling, nothing is wasted


def test_many_groups_of_few_rows_are_not_mostly_padding():
    rows = rows_of(np.zeros((9, 2, 2)), np.ones(9))
    assert module._sizes([rows], 8192, quick=True) == (128, 1)
    assert module._sizes([rows] * 200, 8192, quick=True) == (16, 1)
