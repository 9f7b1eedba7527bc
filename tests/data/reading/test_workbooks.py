"""Excel's and R's files are read as they are; damaged ones are refused in one sentence."""

import openpyxl
import pandas
import pytest

from lori.data.reading.files import read_table


@pytest.fixture
def workbook(tmp_path):
    """Two sheets: notes, and answers with an empty first row, an empty row, blanks and numbers as labels."""
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["anything"])
    book.active.append([1])
    sheet = book.create_sheet("Answers")
    for row in ([], ["agent", "Price (€)", "form", "done"], [7, 2.5, " pill ", True], [], ["x", None, "drops", False]):
        sheet.append(row)
    path = tmp_path / "survey.xlsx"
    book.save(path)
    return path


def test_a_sheet_by_its_name(workbook):
    frame = read_table(f"{workbook}#Answers", ["agent"])
    assert list(frame) == ["agent", "Price (€)", "form", "done"]
    assert frame["agent"].tolist() == ["7", "x"]
    assert frame["Price (€)"].isna().tolist() == [False, True]
    assert frame["form"].tolist() == ["pill", "drops"]
    assert list(read_table(workbook)) == ["anything"]


def test_what_is_no_workbook(workbook, tmp_path, refused):
    assert "the sheets Notes, Answers" in refused(read_table, f"{workbook}#Anwers")
    (tmp_path / "text.xlsx").write_text("a,b\n1,2\n")
    assert "another kind of file" in refused(read_table, tmp_path / "text.xlsx")
    (tmp_path / "cut.xlsx").write_bytes(workbook.read_bytes()[:-900])
    assert "Excel workbook" in refused(read_table, tmp_path / "cut.xlsx")
    assert "does not exist" in refused(read_table, tmp_path / "absent.xlsx")
    book = openpyxl.Workbook()
    book.active["B2"] = 1
    book.active["A1"] = "a"
    book.save(tmp_path / "unnamed.xlsx")
    assert "none above column 2" in refused(read_table, tmp_path / "unnamed.xlsx")
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    assert "an empty sheet" in refused(read_table, tmp_path / "empty.xlsx")


def test_tables_of_r(tmp_path, refused):
    rdata = pytest.importorskip("rdata", reason="rdata is not installed (pip install 'lori[r]')")
    table = pandas.DataFrame({"id": ["a", "b"], "price": [1.5, 2.0]}).astype({"id": object})
    rdata.write_rds(tmp_path / "t.rds", table)
    assert read_table(tmp_path / "t.rds")["price"].tolist() == [1.5, 2.0]
    rdata.write_rda(tmp_path / "two.RData", {"one": table, "other": table.iloc[:1]})
    assert len(read_table(f"{tmp_path / 'two.RData'}#other")) == 1
    assert "the data frames one, other" in refused(read_table, tmp_path / "two.RData")
    (tmp_path / "text.rds").write_text("a,b\n1,2\n")
    assert "a file that R saved" in refused(read_table, tmp_path / "text.rds")
