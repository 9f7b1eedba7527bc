"""Do figures reach files and pages whole, described, and without disturbing anybody's settings?"""

import xml.etree.ElementTree as ElementTree

import matplotlib
import pytest

from lori.errors import DataError, InputError
from lori.interfaces.figures import style as figures
from lori.language.sentence import Sentence


def figure(text="a label"):
    with figures.style():
        drawn, (axes,) = figures.new_figure(2.0)
        axes.bar([0, 1], [1, 2], hatch="///")
        axes.set_xlabel(text)
    return figures.described(drawn, Sentence("Two bars <one> & another."))


def test_files_carry_the_words(tmp_path):
    for ending in ("svg", "png", "pdf"):
        figures.save(figure(), tmp_path / f"bars.{ending}")
        assert (tmp_path / f"bars.{ending}").stat().st_size > 1000
    tree = ElementTree.parse(tmp_path / "bars.svg")
    assert "Two bars <one> & another." in "".join(tree.getroot().itertext())
    assert b"Two bars" in (tmp_path / "bars.png").read_bytes()


def test_the_same_figure_gives_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        figures.save(figure(), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_inline_figures_have_a_role_words_and_ids_of_their_own(hostile):
    for name in hostile:
        drawn = figures.described(figure(f"difference in {name.translate({10: ' '})}"), Sentence('say "this" <b>'))
        drawing = str(figures.inline(drawn, "first"))
        root = ElementTree.fromstring(drawing)
        assert root.get("role") == "img"
        assert root.get("aria-label") == 'say "this" <b>'
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert all(each.startswith("first") for each in ids)
        used = [value.removeprefix("#") for element in root.iter() for key, value in element.attrib.items()
                if key.endswith("href")]  # fmt: skip
        assert used
        assert set(used) <= set(ids)
        assert "<script" not in drawing
        assert "<metadata" not in drawing


def test_bad_targets_are_refused(tmp_path):
    with pytest.raises(InputError, match="a file that ends in"):
        figures.check_figure_file(tmp_path / "figure.docx")
    with pytest.raises(DataError):
        figures.save(figure(), tmp_path / "missing" / "bars.png")


def test_the_users_settings_are_left_alone():
    before = dict(matplotlib.rcParams)
    figure()
    assert dict(matplotlib.rcParams) == before
