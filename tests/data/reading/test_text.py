"""Text is read as people's programs write it: encodings, Excel's first line, decimal commas beside blank cells."""

import io
import sys

import pytest

from lori.data.reading.files import read_table

ROWS = "agent;größe;preis\nÄnne;1,5;2\nBob;;3,25\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(ROWS.encode(encoding))
    frame = read_table(path, ["agent"])
    assert list(frame) == ["agent", "größe", "preis"]
    assert frame["agent"].tolist() == ["Änne", "Bob"]
    assert frame["preis"].tolist() == [2.0, 3.25]


def test_a_blank_cell_leaves_decimal_commas_alone(write):
    assert read_table(write("t.csv", ROWS))["größe"].tolist() == ["1.5", ""]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_first_line_may_name_the_delimiter(end, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(f"sep=;{end}a;b{end}1,5;x,y{end}".encode("utf-16"))
    frame = read_table(path)
    assert (frame["a"].tolist(), frame["b"].tolist()) == ([1.5], ["x,y"])


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    assert read_table("-")["b"].tolist() == [2]
