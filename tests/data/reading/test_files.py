"""Files are read whatever their delimiter, and refused in one sentence where they are damaged."""

import gzip
import os
import threading

import numpy as np
import pandas
import pytest

from lori.data.reading import paths
from lori.data.reading import text as texts
from lori.data.reading.files import read_table
from lori.data.reading.readers import read_pairs
from lori.errors import DataError


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(delimiter, write):
    lines = [["id", "a b", "größe"], ["1", "2.5", "3"], ["2", "4", "-1e-3"]]
    frame = read_table(write("t.csv", "\n".join(delimiter.join(line) for line in lines)))
    assert list(frame) == ["id", "a b", "größe"]
    assert frame["größe"].tolist() == [3, -1e-3]


def test_decimal_commas(write):
    """As spreadsheets of half of Europe write them; what could be thousands is left alone."""
    frame = read_table(write("t.csv", "id;a;b\n1;2,5;1,250\n2;-4,25;1\n"), text_columns=["id"])
    assert (frame["a"].tolist(), frame["b"].tolist()) == ([2.5, -4.25], [1.25, 1.0])
    assert read_table(write("q.csv", 'a,b\n"2,5",1\n'))["a"].tolist() == [2.5]
    assert read_table(write("k.csv", "a;b\n1,250;2\n"))["a"].tolist() == ["1,250"]
    assert read_table(write("m.csv", "a;b\n1,5;2.5\n"))["a"].tolist() == ["1,5"]


def test_delimiters_inside_names_do_not_mislead(write):
    assert list(read_table(write("a.csv", "price, net;time|s\n1;2\n"))) == ["price, net", "time|s"]
    assert list(read_table(write("b.csv", '"a;b;c;d",e\n1,2\n'))) == ["a;b;c;d", "e"]
    assert list(read_table(write("c.csv", "x\n1\n2\n"))) == ["x"]


def test_byte_order_mark_index_columns_and_labels(write):
    frame = read_table(write("t.csv", "\ufeff,Unnamed: 1, id ,NA\n0,0,007,1\n1,1,NA,2\n"), text_columns=["id"])
    assert list(frame) == ["id", "NA"]
    assert frame["id"].tolist() == ["007", "NA"]


def test_long_files_are_sniffed_by_their_beginning(write):
    frame = read_table(write("t.csv", "a;b\n" + "1;2\n" * 50_000))
    assert frame.shape == (50_000, 2)


def test_unreadable_tables(tmp_path, write, refused):
    assert "does not exist" in refused(read_table, tmp_path / "no.csv")
    assert "got a folder" in refused(read_table, tmp_path)
    assert "an empty file" in refused(read_table, write("empty.csv", ""))
    assert "an empty file" in refused(read_table, write("blank.csv", "\n\n"))
    assert "no rows" in refused(read_table, write("header.csv", "a,b\n"))
    assert "called a" in refused(read_table, write("twice.csv", "a,b,a\n1,2,3\n"))
    assert "more fields" in refused(read_table, write("wide.csv", "a,b\n1,2,3\n4,5,6\n"))
    assert "more fields" in refused(read_table, write("later.csv", "a,b\n1,2\n4,5,secret\n"), secret="secret")
    assert "open quote" in refused(read_table, write("quote.csv", 'a,b\n1,2\n"secret,3\n'), secret="secret")
    for name, content in {
        "bytes.csv": ("no text", b"a,b\n1,\x81\xff\x00\n"),
        "late.csv": ("no text", b"a,b\n" + b"1,2\n" * 40_000 + b"1,\x81\n"),
        "plain.csv.gz": ("damaged .gz", b"a,b\n1,2\n"),
        "cut.csv.gz": ("damaged .gz", gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:-9]),
        "text.parquet": ("something else", b"a,b\n1,2\n"),
        "empty.parquet": ("something else", b""),
    }.items():
        part, data = content
        (tmp_path / name).write_bytes(data)
        assert part in refused(read_table, tmp_path / name)


def test_a_truncated_parquet_file(tmp_path, refused):
    whole = tmp_path / "whole.parquet"
    pandas.DataFrame({"a": range(1000)}, index=[str(i) for i in range(1000)]).to_parquet(whole)
    assert list(read_table(whole)) == ["a"]
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole.read_bytes()[:-100])
    assert "cut off" in refused(read_table, cut)
    damaged = bytearray(whole.read_bytes())
    damaged[40:400] = bytes(360)
    cut.write_bytes(damaged)
    assert "cut off" in refused(read_table, cut)


# -- odd files ------------------------------------------------------------------------------------------


def test_a_header_longer_than_the_sample(write):
    """Text columns at the end of a long header are text, so that 007 and 7 stay two people."""
    names = [f"column{place:05}" for place in range(8_000)] + ["agent"]
    rows = [",".join(["1"] * 8_000 + [agent]) for agent in ("007", "7")]
    frame = read_table(write("wide.csv", "\n".join([",".join(names), *rows])), text_columns=["agent"])
    assert len(",".join(names)) > texts.SAMPLE
    assert list(frame) == names
    assert frame["agent"].tolist() == ["007", "7"]


def test_a_header_without_end(write, refused, monkeypatch):
    monkeypatch.setattr(texts, "LONGEST_HEADER", 1 << 18)
    assert "a first row without an end" in refused(read_table, write("one.csv", "a," * (1 << 18)))


def test_a_field_that_is_longer_than_the_sample(write):
    text = "secret " * 50_000
    assert read_table(write("t.csv", f"a,b\n1,{text}\n2,3\n"))["a"].tolist() == [1, 2]


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    text = "a,b\n" + "1,2\n" * 50_000
    writer = threading.Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    assert read_table(pipe).shape == (50_000, 2)
    writer.join(timeout=10)


def test_names_that_are_no_tables(tmp_path, refused):
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    assert "symbolic links" in refused(read_table, loop)
    assert "name too long" in refused(read_table, tmp_path / ("a" * 300 + ".csv"))
    assert "got a device" in refused(read_table, "/dev/zero")
    assert "no name can have" in refused(read_table, "a\0b.csv")
    assert "names of files" in refused(paths.as_paths, [5])
    os.mkfifo(tmp_path / "pipe.parquet")
    assert "write it to a file first" in refused(read_table, tmp_path / "pipe.parquet")


@pytest.mark.parametrize(
    "text",
    [
        "Mrs Smith,34,1\nMr Jones,35,2\n",
        "Smith,1,1,left\nJones,2,1,left\n",
        "2020-01-01,Smith\nx,y\n",
        "a@b.org,Smith\nx,y\n",
    ],
)
def test_a_file_without_a_header_shows_nobody(text, write, refused):
    message = refused(read_pairs, write("p.csv", text), secret="Smith")
    assert "the first row should name the columns" in message


def test_a_column_that_holds_its_own_name_has_none(write, refused):
    message = refused(read_pairs, write("p.csv", "Smith,Jones,left\nJones,Smith,left\n"), secret="Smith")
    assert "the first row should name the columns" in message


def test_names_of_columns_cannot_steer_a_terminal(write, refused):
    path = write("\x1b[31m.csv", "a\u202eb\x1b[2J,a\u202eb\x1b[2J\n1,2\n")
    message = refused(read_table, path)
    assert message.isprintable()
    assert r"a\u202eb\x1b[2J" in message


def test_long_names_are_cut(write, refused):
    message = refused(read_pairs, write("p.csv", "x" * 5_000 + ",b\n1,2\n"))
    assert len(message) < 1_000


@pytest.mark.parametrize("options", [{}, {"compression": "none", "use_dictionary": False}, {"compression": "gzip"}])
def test_parquet_with_a_flipped_bit_is_read_or_refused(tmp_path, options):
    """Anywhere in the file; the readers take what comes, and nothing but a DataError goes through them."""
    random = np.random.default_rng(1)
    frame = pandas.DataFrame(random.normal(size=(300, 2)), columns=["left.a", "right.a"])
    frame["choice"], frame["agent"] = "left", [f"person {i}" for i in range(300)]
    path = tmp_path / "pairs.parquet"
    frame.to_parquet(path, index=False, **options)
    whole = path.read_bytes()
    messages = []
    for place in random.integers(0, len(whole), 150):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << random.integers(8)
        path.write_bytes(damaged)
        try:
            read_pairs(path)
        except DataError as error:
            messages.append(str(error))
    assert len(messages) > 10
    assert not any("person" in message for message in messages)


def test_text_in_parquet_that_is_no_text(tmp_path, refused):
    path = tmp_path / "pairs.parquet"
    frame = pandas.DataFrame({"left.a": [1.0, 2.0], "right.a": 3.0, "choice": "left", "agent": ["Smith 1", "Smith 2"]})
    frame.to_parquet(path, compression="none")
    content = path.read_bytes()
    path.write_bytes(content.replace(b"Smith 1", b"Smith\xff1"))
    assert "damaged" in refused(read_pairs, path, secret="Smith")
