"""Files of a command: what is read into memory, what is streamed, and what the columns are called."""

import numpy as np
import pytest

import lori
from lori.interfaces.commands import options as files
from lori.interfaces.commands.options import DataOptions, EngineName, EngineOptions

PAIRS = "price1,price2,choice\n1,2,first\n2,2,second\n3,1,second\n"
NAMES = {"columns": ["left.*=*1", "right.*=*2"], "values": ["left=first", "right=second"]}


@pytest.fixture
def table(tmp_path):
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return tmp_path / "pairs.csv"


def test_columns_and_choices_may_have_other_names(table):
    read, dropped = DataOptions(**NAMES, identical="keep").read([table])
    assert read.features == ("price",)
    assert (len(read), dropped) == (3, 0)


def test_pairs_of_equal_sides_are_dropped_and_counted(table):
    read, dropped = DataOptions(**NAMES, identical="drop").read([table])
    assert (len(read), dropped) == (2, 1)


def test_large_files_and_folders_are_streamed(table, tmp_path, monkeypatch):
    folder = tmp_path / "parts"
    folder.mkdir()
    pairs = lori.Preferences.from_arrays(np.ones((40, 1)), np.zeros((40, 1)))
    lori.write_pairs(pairs, folder / "pairs.parquet")
    parquet = [folder / "pairs.parquet"]
    assert not EngineOptions().streams([table])
    assert not EngineOptions().streams(parquet)
    assert EngineOptions().streams([folder])
    assert EngineOptions(engine=EngineName.dask).streams([table])
    assert not EngineOptions(engine=EngineName.memory).streams([folder])
    monkeypatch.setattr(files, "LARGE_FILE", 100)
    assert EngineOptions().streams(parquet)
    assert len(DataOptions().stream(parquet)) == 40
