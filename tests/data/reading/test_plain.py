"""Plain files of pairs: read without pandas, and as the other readers read them."""

import numpy as np
import pytest

import lori
from lori.data.reading import plain

HEADER = "left.a,left.b,right.a,right.b,"
FILES = {
    "words": HEADER + "choice\n1,2,3,4,left\n5,-6.5,1e-3,8,right\n0,1,1,0,tie\n",
    "counts": HEADER + "left_wins,right_wins,ties\n1,2,3,4,1,0,0\n5,6,7,8,2,3,1\n",
    "windows": HEADER + "choice\r\n1,2,3,4,left\r\n5,6,7,8,right\r\n",
}


@pytest.mark.parametrize("name", FILES)
def test_is_what_the_other_readers_read(name, tmp_path, monkeypatch):
    file = tmp_path / "pairs.csv"
    file.write_bytes(FILES[name].encode())
    found = plain.plain_pairs(str(file), None, outcome_needed=True)
    assert found is not None
    monkeypatch.setattr(plain, "LARGEST", 0)
    other = lori.read(file)
    for part in ("left_features", "right_features", "wins", "losses", "ties"):
        np.testing.assert_array_equal(getattr(found, part), getattr(other, part))
    assert found.features == other.features
    assert found.reading == other.reading


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "choice\n1,2,3,,left\n5,6,7,8,right\n",  # a blank cell
        HEADER + 'choice\n1,2,3,4,"left"\n5,6,7,8,right\n',  # a quote
        HEADER + "choice\n1,2,3,4,Left\n5,6,7,8,right\n",  # another word
        HEADER + "choice,who\n1,2,3,4,left,me\n5,6,7,8,right,you\n",  # another column
        HEADER + "choice\n1,2,3,4,left\n5,6,7,right\n",  # a cell too few
        HEADER + "choice\n1,2,3,4_0,left\n5,6,7,8,right\n",  # no number to anybody but Python
        HEADER + "choice\n1,2,3,nan,left\n5,6,7,8,right\n",
        "left.a,right.b,choice\n1,2,left\n3,4,right\n",
        HEADER[:-1] + "\n1,2,3,4\n",  # no outcome
        "",
    ],
)
def test_leaves_everything_else_to_the_other_readers(text, tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text(text)
    assert plain.plain_pairs(str(file), None, outcome_needed=True) is None
