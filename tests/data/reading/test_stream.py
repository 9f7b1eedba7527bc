"""Parquet files that are read a piece at a time."""

import pickle
import threading

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from lori.data.preferences import Preferences
from lori.data.reading import stream as module
from lori.data.reading.readers import read_pairs
from lori.data.reading.stream import PreferenceStream, open_stream

N = 100


def pairs(n: int = N, seed: int = 0) -> Preferences:
    random = np.random.default_rng(seed)
    left, right = random.normal(size=(2, n, 2))
    outcome = random.integers(0, 3, n)
    return Preferences.from_arrays(
        left, right, wins=outcome == 0, losses=outcome == 1, ties=outcome == 2, features=["price", "time"],
        agent=[f"00{i % 7}" for i in range(n)], weight=random.uniform(0.5, 2.0, n),
    )  # fmt: skip


def save(frame, path, row_group_size: int = N) -> str:
    if isinstance(frame, Preferences):
        frame = frame.to_frame()
    frame.to_parquet(path, index=False, row_group_size=row_group_size)
    return str(path)


def assert_same(prefs: Preferences, other: Preferences) -> None:
    assert prefs.features == other.features
    for name in ("left_features", "right_features", "wins", "losses", "ties", "weights"):
        np.testing.assert_array_equal(getattr(prefs, name), getattr(other, name))
    assert prefs.agent.tolist() == other.agent.tolist()


def whole(stream: PreferenceStream) -> Preferences:
    return Preferences.concatenate(list(stream))


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(module, "PIECE_ROWS", 30)


@pytest.fixture
def folder(tmp_path):
    """Three files of one data set beside a file of another kind; names in the order of the rows."""
    place = tmp_path / "folder"
    place.mkdir()
    prefs = pairs()
    for i, part in enumerate(np.split(np.arange(N), [40, 45])):
        save(prefs[part], place / f"part-{i}.parquet", row_group_size=12)
    (place / "notes.txt").write_text("not data")
    return place


@pytest.mark.parametrize("row_group_size", [7, 30, 100])
def test_a_file_is_what_read_pairs_reads(small_pieces, tmp_path, row_group_size):
    path = save(pairs(), tmp_path / "pairs.parquet", row_group_size)
    stream = open_stream(path)
    assert len(stream) == stream.n_pairs == N
    parts = list(stream)
    assert max(map(len, parts)) <= 30
    assert len(parts) >= 4
    assert_same(Preferences.concatenate(parts), read_pairs(path))
    assert_same(whole(stream), pairs())


def test_a_folder_is_all_its_parquet_files_in_order(small_pieces, folder):
    stream = open_stream(folder)
    assert len(stream) == N
    assert_same(whole(stream), pairs())
    assert_same(whole(open_stream(str(folder))), pairs())


def test_several_files_in_the_given_order(folder):
    files = [folder / f"part-{i}.parquet" for i in (2, 0)]
    order = np.append(np.arange(45, 100), np.arange(40))
    assert_same(whole(open_stream(files)), pairs()[order])


def test_a_stream_can_be_read_again(folder):
    stream = open_stream(folder)
    assert_same(whole(stream), whole(stream))


def test_pieces_cover_every_row_once(small_pieces, folder):
    stream = open_stream(folder)
    groups = [(piece.file, group) for piece in stream.pieces for group in piece.groups]
    assert len(set(groups)) == len(groups) == 4 + 1 + 5
    for piece in stream.pieces:
        assert sum(len(part) for part in stream.read(piece)) == piece.rows
    assert sum(piece.rows for piece in stream.pieces) == N


def test_small_row_groups_are_read_together(small_pieces):
    sizes = [5] * 20 + [0, 100, 29, 2]
    pieces = module._pieces("f", sizes, columns=7)
    assert [piece.rows for piece in pieces] == [30, 30, 30, 10, 100, 29, 2]
    assert [group for piece in pieces for group in piece.groups] == [i for i, rows in enumerate(sizes) if rows]


def test_many_row_groups_of_one_row_are_one_piece(tmp_path):
    stream = open_stream(save(pairs(), tmp_path / "pairs.parquet", row_group_size=1))
    assert len(stream.pieces) == 1
    assert len(stream.pieces[0].groups) == N
    assert_same(whole(stream), pairs())


def test_columns_values_and_features_are_those_of_read_pairs(small_pieces, tmp_path):
    random = np.random.default_rng(3)
    frame = pandas.DataFrame(random.normal(size=(N, 4)), columns=["price1", "time1", "price2", "time2"])
    frame["answer"] = random.choice(["A", "B"], N)
    path = save(frame, tmp_path / "odd.parquet")
    options = {
        "columns": {"left.*": "*1", "right.*": "*2", "choice": "answer"},
        "values": {"left": "A", "right": "B"},
        "features": ["time"],
    }
    streamed, read = whole(open_stream(path, **options)), read_pairs(path, **options)
    assert streamed.features == read.features == ("time",)
    np.testing.assert_array_equal(streamed.left_features, read.left_features)
    np.testing.assert_array_equal(streamed.wins, read.wins)


def test_equal_alternatives_are_kept_dropped_or_refused(tmp_path, refused):
    frame = pairs().to_frame()
    frame.loc[:2, ["right.price", "right.time"]] = frame.loc[:2, ["left.price", "left.time"]].to_numpy()
    path = save(frame, tmp_path / "pairs.parquet")
    assert len(whole(open_stream(path))) == N
    assert len(whole(open_stream(path, identical="drop"))) == N - 3
    assert "rows 1, 2, 3" in refused(whole, open_stream(path, identical="error"))


def test_a_stream_says_how_much_it_holds_and_not_what(folder):
    assert repr(open_stream(folder)) == "PreferenceStream(100 pairs in 3 files)"
    assert repr(open_stream(folder / "part-1.parquet")) == "PreferenceStream(5 pairs in 1 file)"


def test_a_single_feature_may_come_without_a_list(folder, refused):
    assert whole(open_stream(folder, features="time")).features == ("time",)
    assert "at least one feature" in refused(open_stream, folder, features=[])


def test_a_stream_can_be_sent_elsewhere(folder):
    stream = open_stream(folder)
    assert pickle.loads(pickle.dumps(stream)) == stream


def test_reading_stops_when_the_reader_does(small_pieces, folder):
    before = threading.active_count()
    for _ in open_stream(folder):
        break
    assert threading.active_count() == before


# -- what is refused -------------------------------------------------------------------------------------------


def test_files_with_other_columns(folder, refused):
    save(pairs(5).to_frame().assign(mood=1.0), folder / "part-9.parquet")
    message = refused(open_stream, folder)
    assert "part-9.parquet" in message
    assert "mood" in message


def test_a_file_that_was_cut_off(folder, refused):
    path = folder / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    assert "part-1.parquet: expected a whole Parquet file" in refused(open_stream, folder)


def test_a_file_that_is_damaged_inside(folder, refused):
    path = folder / "part-1.parquet"
    content = bytearray(path.read_bytes())
    content[4:400] = bytes(396)
    path.write_bytes(bytes(content))
    assert "part-1.parquet: expected a whole Parquet file" in refused(whole, open_stream(folder))


def test_a_file_that_vanished(folder, refused):
    stream = open_stream(folder)
    (folder / "part-2.parquet").unlink()
    assert "part-2.parquet" in refused(whole, stream)


def test_text_that_calls_itself_parquet(write, refused):
    assert "whole Parquet file" in refused(open_stream, write("pairs.parquet", "left.a,right.a\n1,2\n"))


def test_a_csv_file(write, refused):
    message = refused(open_stream, write("pairs.csv", "left.a,right.a,choice\n1,2,left\n"))
    assert "convert it to Parquet" in message
    assert ".csv" in message


def test_an_empty_folder(tmp_path, refused):
    assert "expected Parquet files in the folder, got none" in refused(open_stream, tmp_path)


def test_no_such_name(tmp_path, refused):
    assert "a path that does not exist" in refused(open_stream, tmp_path / "nothing")


def test_files_without_rows(tmp_path, refused):
    save(pairs(3).to_frame().iloc[:0], tmp_path / "empty.parquet")
    assert "at least one row" in refused(open_stream, tmp_path)


def test_a_column_map_with_a_slip(folder, refused):
    refused(open_stream, folder, columns={"colour": "price"})


@pytest.mark.parametrize(
    ("column", "value"), [("left.price", np.nan), ("right.time", np.inf), ("left_wins", -977.0), ("weight", -977.0)]
)
def test_an_error_inside_a_piece_shows_no_data(small_pieces, folder, refused, column, value):
    frame = pairs(20, seed=1).to_frame()
    frame.loc[3, column] = value
    secret = str(frame.loc[3, "right.price"])[:8]
    save(frame, folder / "part-3.parquet")
    message = refused(whole, open_stream(folder), secret=secret)
    assert "part-3.parquet" in message
    assert column in message
    assert "977" not in message


def test_a_word_that_means_nothing_inside_a_piece(small_pieces, tmp_path, refused):
    frame = pairs().to_frame()[["left.price", "left.time", "right.price", "right.time"]]
    frame["choice"] = "left"
    frame.loc[77, "choice"] = "Mrs Smith"
    path = save(frame, tmp_path / "pairs.parquet")
    assert "another word in row" in refused(whole, open_stream(path), secret="Smith")


def test_repeated_columns(tmp_path, refused):
    column = pyarrow.array([1.0, 2.0])
    table = pyarrow.Table.from_arrays([column] * 3, names=["left.a", "left.a", "right.a"])
    pyarrow.parquet.write_table(table, tmp_path / "twice.parquet")
    assert "more than one column called left.a" in refused(open_stream, tmp_path)


def test_a_link_to_itself(tmp_path, refused):
    loop = tmp_path / "loop.parquet"
    loop.symlink_to(loop)
    assert "symbolic links" in refused(open_stream, loop)


def test_of_wide_files_fewer_rows_are_read_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LEAST_ROWS", 10)
    path = save(pairs(), tmp_path / "pairs.parquet")  # nine columns
    for cells, most in ((9_000, N), (9 * 40, 40), (9, 10)):
        monkeypatch.setattr(module, "PIECE_CELLS", cells)
        stream = open_stream(path)
        assert max(map(len, stream)) == most
        assert [piece.parts for piece in stream.pieces] == [-(-N // most)]
        assert_same(whole(stream), pairs())
