"""Rows of a table, wherever its numbers lie in memory."""

import tracemalloc

import numpy as np
import pytest

from lori.data.fields import rows_of

TABLE = np.random.default_rng(0).normal(size=(12, 3))
ORDERS = {
    "rows in one stretch": TABLE,
    "columns in one stretch": np.asfortranarray(TABLE),
    "half of such columns": np.asfortranarray(np.concatenate([TABLE, -TABLE]))[:12],
    "some columns of a wider table": np.concatenate([TABLE, TABLE], axis=1)[:, :3],
    "every second row": np.repeat(TABLE, 2, axis=0)[::2],
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("places", [[], [5], [3, 3, 0, -1], [[0, 11], [4, 4]]], ids=str)
def test_rows_are_those_that_were_asked_for(order, places):
    places = np.array(places, int)
    found = rows_of(ORDERS[order], places)
    np.testing.assert_array_equal(found, TABLE[places])
    assert not np.shares_memory(found, ORDERS[order])


def test_a_large_table_of_columns_is_not_copied():
    table = np.asfortranarray(np.zeros((100_000, 4)))
    tracemalloc.start()
    rows_of(table, np.arange(10))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < table.nbytes / 100
