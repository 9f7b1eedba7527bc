"""The registry is decoded, filtered and counted; what is wrong is said in one sentence without anybody's data."""

import gzip
import os
import threading
from itertools import pairwise

import numpy as np
import pandas
import pytest

from lori.applications.organ import registry as module
from lori.applications.organ.features import CODES, COLUMNS
from lori.applications.organ.registry import decoded, read_registry
from lori.errors import DataError, InputError


def text(path) -> pandas.DataFrame:
    return pandas.read_csv(path, dtype=str)


def saved(table: pandas.DataFrame, folder, name="other.csv", **options):
    table.to_csv(folder / name, index=False, **options)
    return folder / name


def test_filters_restated(registry_file, registry):
    table = text(registry_file)
    dates = {name: pandas.to_datetime(table[name], format="%m/%d/%Y") for name in ("INIT_DATE", "END_DATE")}
    kept = table["INIT_AGE"].astype(float) >= 18
    kept &= table["DON_TY"].isna() | (table["DON_TY"] == "C")
    kept &= (table["MULTIORG"] != "Y") & (table["PREV_TX_ANY"] != "Y")
    assert len(registry.cohort) == kept.sum()
    kept &= (dates["INIT_DATE"] >= "2019-01-01") & (dates["END_DATE"] <= "2020-01-01")
    assert len(registry.patients) == kept.sum()
    assert registry.organs["TX_DATE"].notna().all()


def test_every_step_is_counted(registry_file, registry):
    rows = [step.rows for step in registry.steps]
    assert rows[0] == len(text(registry_file))
    assert rows == sorted(rows, reverse=True)
    assert rows[-1] == len(registry.patients)
    assert len({step.filter for step in registry.steps}) == len(rows) == 9
    assert all(before > after for before, after in pairwise(rows[1:6]))  # each filter has work


def test_codes():
    row = dict.fromkeys(COLUMNS)
    written = [
        {**row, "GENDER": "F", "HCV_NAT": "ND", "INIT_ENCEPH": "2.0", "DIAB": "998", "ABO": "a1b", "INIT_INR": "1.25"},
        {**row, "GENDER": "X", "HCV_NAT": "P", "INIT_ENCEPH": "4", "DIAB": " 3 ", "ABO": "", "INIT_INR": "0"},
    ]
    table, odd = decoded(pandas.DataFrame(written, dtype="str"))
    nan = np.nan
    expected = {"GENDER": [1, nan], "HCV_NAT": [0, 1], "INIT_ENCEPH": [1, nan], "DIAB": [nan, 1], "ABO": [3, nan]}
    for name, values in {**expected, "INIT_INR": [1.25, nan]}.items():
        np.testing.assert_array_equal(table[name], values)
    assert odd == {"GENDER": 1, "INIT_ENCEPH": 1, "DIAB": 1, "INIT_INR": 1}


def test_dates_are_days():
    table, odd = decoded(pandas.DataFrame([{**dict.fromkeys(COLUMNS), "INIT_DATE": "03/01/2019"}], dtype="str"))
    assert table["INIT_DATE"].iloc[0] == (np.datetime64("2019-03-01") - np.datetime64("1970-01-01")).astype(int)
    assert odd == {}
    _, odd = decoded(pandas.DataFrame([{**dict.fromkeys(COLUMNS), "INIT_DATE": "2019-03-01"}], dtype="str"))
    assert odd == {"INIT_DATE": 1}


def test_pieces_make_no_difference(registry_file, registry, monkeypatch):
    monkeypatch.setattr(module, "PIECE_ROWS", 137)
    again = read_registry(registry_file)
    pandas.testing.assert_frame_equal(again.patients, registry.patients)
    assert again.steps == registry.steps
    assert again.unknown == registry.unknown


def test_other_delimiters_and_more_columns(registry_file, registry, tmp_path):
    table = text(registry_file).assign(SECRET="nobody reads this")[["SECRET", *reversed(COLUMNS)]]
    for path in (saved(table, tmp_path, sep="\t"), saved(table, tmp_path, "packed.csv.gz")):
        pandas.testing.assert_frame_equal(read_registry(path).patients, registry.patients)


def test_impossible_dates_are_left_out_and_counted(registry_file, registry, tmp_path):
    table = text(registry_file)
    received = table.index[table["TX_DATE"].notna()][:7]
    table.loc[received, "TX_DATE"] = "01/01/1999"
    steps = {step.filter: step.rows for step in read_registry(saved(table, tmp_path)).steps}
    assert steps["in the file"] - steps["dates known and in order"] == 7


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.drop(columns=["INIT_INR", "ABO_DON"]), "without INIT_INR, ABO_DON"),
        (lambda table: table.assign(INIT_SERUM_SODIUM=""), "INIT_SERUM_SODIUM always missing"),
        (lambda table: table.assign(TX_DATE="01/01/1999"), "nobody left by the filter 'dates known and in order'"),
        (lambda table: table.assign(TX_DATE=None), "expected at least one transplant in 2019"),
        (lambda table: table.head(0), "got no rows"),
        (lambda table: pandas.DataFrame({"a": [1], "b": [2]}), f"and {len(COLUMNS) - 12} more"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(registry_file, tmp_path, change, said):
    with pytest.raises(DataError, match=r"other\.csv") as caught:
        read_registry(saved(change(text(registry_file)), tmp_path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_year_without_patients(registry_file):
    with pytest.raises(DataError, match="nobody left by the filter 'listed in 2031"):
        read_registry(registry_file, year=2031, history=30)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        read_registry(tmp_path / "absent.csv")
    (tmp_path / "bytes.csv").write_bytes(b"a,b\n\x81,\xff\n")
    with pytest.raises(DataError, match="UTF-8"):
        read_registry(tmp_path / "bytes.csv")
    packed = gzip.compress((",".join(COLUMNS) + "\n" + "," * (len(COLUMNS) - 1) + "\n").encode() * 2000)
    (tmp_path / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match=r"cut\.csv\.gz"):
        read_registry(tmp_path / "cut.csv.gz")


def test_names_with_spaces_and_quotes_are_read_and_repeated_ones_refused(registry_file, registry, tmp_path):
    table = text(registry_file)
    path = saved(table.rename(columns=lambda name: f" {name} "), tmp_path, quoting=1)
    pandas.testing.assert_frame_equal(read_registry(path).patients, registry.patients)
    header, rows = registry_file.read_text().split("\n", 1)
    twice = tmp_path / "twice.csv"
    twice.write_text(header.replace("INIT_AGE", "GENDER") + "\n" + rows)
    with pytest.raises(DataError, match="more than one column called GENDER"):
        read_registry(twice)


def test_a_registry_from_a_pipe(registry_file, registry, tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(registry_file.read_bytes(),), daemon=True)
    writer.start()
    pandas.testing.assert_frame_equal(read_registry(pipe).patients, registry.patients)
    writer.join(timeout=10)


@pytest.mark.filterwarnings("error")
def test_measurements_too_large_or_too_small_are_unknown():
    rows = [{**dict.fromkeys(COLUMNS), "INIT_INR": value} for value in ("1e308", "1e-308", "1e400", "2")]
    table, odd = decoded(pandas.DataFrame(rows, dtype="str"))
    np.testing.assert_array_equal(table["INIT_INR"], [np.nan, np.nan, np.nan, 2])
    assert odd == {"INIT_INR": 3}


@pytest.mark.parametrize(("year", "history"), [(0, 10), (-5, 0), (2019, 5000), (99_999, 10), (2019, -1)])
def test_years_that_no_calendar_has(registry_file, year, history):
    with pytest.raises(InputError, match="expected a"):
        read_registry(registry_file, year=year, history=history)


def test_all_codes_are_text():
    assert all(isinstance(code, str) for codes in CODES.values() for code in codes)
