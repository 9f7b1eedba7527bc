"""Tables are read whatever their delimiter, and refused where they are damaged."""

import gzip

import pandas
import pytest

from lori.data.reading.tables import read_table


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
        "latin.csv": ("not UTF-8", b"a,b\n1,caf\xe9\n"),
        "late.csv": ("not UTF-8", b"a,b\n" + b"1,2\n" * 40_000 + b"1,\xff\n"),
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
