"""Columns get our names, one each, and their cells are single values of a size that can be computed with."""

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from lori.data.reading.readers import read, read_pairs
from lori.data.reading.stream import open_stream
from lori.data.reading.tables import table_of


def names(columns: list[str], mapping: dict[str, str]) -> dict[str, str]:
    return table_of("t.csv", pandas.DataFrame(columns=columns), mapping).names


def test_a_pattern_beside_the_files_own_names_is_refused(write, refused):
    path = write("p.csv", "left.x,A_x,right.x,choice\n1,5,2,left\n2,6,1,right\n")
    message = refused(read_pairs, path, columns={"left.*": "A_*"})
    assert "one column for left.x, got two, left.x and A_x; say which with" in message
    mapped = read_pairs(path, columns={"left.*": "A_*", "left.x": "A_x"})
    assert mapped.left_features.ravel().tolist() == [5, 6]


def test_a_column_that_is_mapped_by_name_goes_before_a_pattern():
    columns = ["A_x", "other", "B_x"]
    mapping = {"left.*": "A_*", "right.*": "B_*", "left.x": "other"}
    assert names(columns, mapping) == {"A_x": "A_x", "left.x": "other", "right.x": "B_x"}


def test_a_pattern_without_a_partner_is_refused(write, refused):
    path = write("p.csv", "left.a,right.a,left.b,right.b,choice\n1,2,3,4,left\n2,1,3,4,right\n")
    assert "both sides for the pattern left.*" in refused(read_pairs, path, columns={"left.*": "*b"})


ROWS = 4
GOOD = {"left.a": [1.0, 2, 3, 4], "right.a": [2.0, 1, 4, 3], "choice": ["left", "right"] * 2}
CELLS = {
    "lists": ("left.a", [[1, 2]] * ROWS, "lists, records or bytes"),
    "records": ("choice", [{"a": 1}] * ROWS, "lists, records or bytes"),
    "bytes": ("agent", [b"\xff"] * ROWS, "lists, records or bytes"),
    "list of nothing": ("agent", [[], None, [1], None], "lists, records or bytes"),
    "long labels": ("agent", ["x" * 5_000] * ROWS, "at most 1000 characters"),
    "huge": ("left.a", [1.0, 1e308, -1e308, 2.0], "column left.a: expected numbers up to 1e+100 in size, got larger"),
    "tiny": ("left.a", [1e-310, 0, 1e-200, 0], "smaller ones only"),
    "heavy": ("weight", [1.0, 1e200, 1, 1], "column weight: expected finite numbers from 0, no larger than 1e+12"),
    "light": ("weight", [1.0, 1e-320, 1, 1], "no smaller than 1e-12, got something else in row 2"),
    "dates": ("left.a", pandas.to_datetime(["2020-01-01"] * ROWS), "expected a finite number"),
}


@pytest.mark.parametrize(("column", "cells", "part"), CELLS.values(), ids=CELLS)
def test_cells_that_cannot_be_used(column, cells, part, tmp_path, refused):
    path = tmp_path / "p.parquet"
    frame = pandas.DataFrame(GOOD)
    frame[column] = pandas.Series(cells)
    frame.to_parquet(path)
    assert part in refused(read_pairs, path)
    assert part in refused(list, open_stream(path))


@pytest.mark.parametrize("count", ["1e19", "9" * 30, "9" * 400])
def test_counts_that_nobody_counted(count, write, refused):
    path = write("p.csv", f"left.a,right.a,left_wins,right_wins\n1,2,3,4\n2,1,{count},1\n")
    assert "column left_wins: expected whole numbers from 0 to 1e+15, got something else in row 2" in refused(
        read, path
    )


def test_a_whole_number_beyond_all_floating_point_ones(write, refused):
    path = write("p.csv", f"left.a,right.a,choice\n1,2,left\n{'9' * 400},1,right\n")
    assert "column left.a: expected a finite number" in refused(read, path)


def test_types_of_parquet_that_are_numbers_and_words(tmp_path):
    """Decimals, dictionaries, truth values and short numbers are what they say."""
    table = pyarrow.table(
        {
            "left.a": pyarrow.array([1, 2, 3, 4]).cast(pyarrow.decimal128(22, 2)),
            "right.a": pyarrow.array([True, False, True, False]),
            "left.b": pyarrow.array(np.arange(4, dtype=np.float16)),
            "right.b": pyarrow.array(["1.5", "2", "3", "4"]),
            "choice": pyarrow.array(GOOD["choice"]).dictionary_encode(),
            "notes": pyarrow.array([[1]] * ROWS),
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "p.parquet")
    prefs = read_pairs(tmp_path / "p.parquet")
    assert prefs.left_features.tolist() == [[1, 0], [2, 1], [3, 2], [4, 3]]
    assert prefs.right_features.tolist() == [[1, 1.5], [0, 2], [1, 3], [0, 4]]
    assert prefs.wins.tolist() == [1, 0, 1, 0]


def test_many_columns_are_read_as_one_block(write):
    """Thousands of columns once took a time that grew with the square of their number."""
    header = [f"{side}.feature{place}" for side in ("left", "right") for place in range(3_000)]
    rows = [",".join([str(row)] * 3_000 + ["7"] * 3_000 + ["left"]) for row in range(3)]
    prefs = read(write("wide.csv", "\n".join([",".join([*header, "choice"]), *rows])))
    assert prefs.shape == (3, 2, 3_000)
    assert prefs.left_features[:, 17].tolist() == [0, 1, 2]
