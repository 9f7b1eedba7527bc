"""Columns of plain numbers are read without pandas; the careful reader finds the same, and says what is wrong."""

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from lori.data.preferences import Preferences
from lori.data.reading import stream as module
from lori.data.reading.columns import pairs_of
from lori.data.reading.stream import open_stream
from lori.errors import DataError

N = 50
RANDOM = np.random.default_rng(0)
WON = RANDOM.integers(0, 2, N)
GOOD = {
    "left.price": RANDOM.normal(size=N), "left.time": RANDOM.normal(size=N), "right.price": RANDOM.normal(size=N),
    "right.time": RANDOM.normal(size=N), "left_wins": WON.astype(np.int8), "right_wins": (1 - WON).astype(np.int8),
}  # fmt: skip

SOUND = {
    "plain": ({}, {}),
    "whole numbers": ({"left.time": np.arange(N), "right.time": np.arange(N, dtype=np.uint16) + 1}, {}),
    "single precision": ({"left.time": GOOD["left.time"].astype(np.float32)}, {}),
    "a column of zeros": ({"left.time": np.zeros(N)}, {}),
    "counts with a decimal point": ({"left_wins": WON * 3.0}, {}),
    "ties": ({"ties": np.full(N, 2)}, {}),
    "weights": ({"weight": RANDOM.uniform(0.5, 2.0, N)}, {}),
    "a column without a role": ({"remark": np.array(["odd"] * N)}, {}),
    "a column mapped": ({"times": np.full(N, 2)}, {"columns": {"ties": "times"}}),
    "one feature": ({}, {"features": ["time"]}),
    "another order": ({}, {"features": ["time", "price"]}),
    "nothing equal": ({}, {"identical": "error"}),
}
NAN = np.where(np.arange(N) == 7, np.nan, 1.0)
DOUBTFUL = {
    "an empty cell": {"left.time": pyarrow.array([None, *range(N - 1)])},
    "no number": {"left.time": NAN},
    "infinity": {"right.price": NAN * -np.inf},
    "huge": {"right.price": np.full(N, 1e101)},
    "tiny": {"right.price": np.full(N, 1e-101)},
    "text": {"left.time": np.array(["1"] * N)},
    "truth": {"left.time": WON > 0},
    "a fraction of a win": {"left_wins": WON / 2},
    "fewer than no wins": {"left_wins": WON - 1},
    "very many wins": {"left_wins": np.full(N, 2e15)},
    "no comparison": {"left_wins": 0 * WON, "right_wins": 0 * WON},
    "a negative weight": {"weight": np.full(N, -1.0)},
    "no weight": {"weight": np.zeros(N)},
    "agents": {"agent": np.array(["007"] * N)},
    "one side only": {"left.size": np.ones(N)},
    "two forms": {"choice": np.array(["left"] * N)},
    "spaces": {" ties ": np.ones(N)},
    "row numbers": {"__index_level_0__": np.arange(N)},
    "a feature without a name": {"left.": np.ones(N), "right.": np.zeros(N)},
}


def written(folder, changes) -> str:
    path = folder / "pairs.parquet"
    pyarrow.parquet.write_table(pyarrow.table({**GOOD, **changes}), path)
    return str(path)


def read(path: str, options) -> Preferences | str:
    """What a stream brings, or what it says."""
    try:
        return Preferences.concatenate(list(open_stream(path, **options)))
    except DataError as error:
        return str(error)


def assert_same(one: Preferences, other: Preferences) -> None:
    assert one.features == other.features
    for name in ("left_features", "right_features", "wins", "losses", "ties", "weights"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.agent is None, one.weight is None) == (other.agent is None, other.weight is None)


@pytest.fixture
def careful(monkeypatch):
    """Call something without the shortcut."""

    def call(function, *args):
        with monkeypatch.context() as without:
            without.setattr(module, "pairs_of", lambda *args, **options: None)
            return function(*args)

    return call


@pytest.mark.parametrize(("changes", "options"), SOUND.values(), ids=SOUND)
def test_sound_columns_are_what_the_careful_reader_finds(tmp_path, careful, changes, options):
    path = written(tmp_path, changes)
    batch = pyarrow.parquet.read_table(path).to_batches()[0]
    given = {"mapping": {}, "wanted": None, "identical": "keep"}
    renamed = {"columns": "mapping", "features": "wanted"}
    assert pairs_of(batch, **given | {renamed.get(name, name): own for name, own in options.items()}) is not None
    found = read(path, options)
    assert_same(found, careful(read, path, options))
    assert_same(found[3:9], careful(read, path, options)[3:9])


@pytest.mark.parametrize("changes", DOUBTFUL.values(), ids=DOUBTFUL)
def test_doubtful_columns_are_left_to_the_careful_reader(tmp_path, careful, changes):
    path = written(tmp_path, changes)
    batch = pyarrow.parquet.read_table(path).to_batches()[0]
    assert pairs_of(batch, {}, None, "keep") is None
    found, expected = read(path, {}), careful(read, path, {})
    if isinstance(expected, str):
        assert found == expected
    else:
        assert_same(found, expected)


@pytest.mark.parametrize("identical", ["error", "drop", "whatever"])
def test_equal_alternatives_are_left_to_the_careful_reader(tmp_path, careful, identical):
    left = {f"left.{name}": np.where(np.arange(N) == 4, GOOD[f"right.{name}"], 9.0) for name in ("price", "time")}
    path = written(tmp_path, left)
    found, expected = (call(read, path, {"identical": identical}) for call in (lambda f, *a: f(*a), careful))
    assert found == expected if isinstance(expected, str) else len(found) == len(expected) == N - 1
