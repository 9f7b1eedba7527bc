"""Files come to be whole or not at all, and what is written is read back, in every form of file."""

import os

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.data.reading.readers import read, read_choices, read_comparisons, read_pairs, read_trajectories
from lori.data.writing import check_targets, write_choices, write_pairs, writing
from lori.data.writing import folder as folder_at
from lori.errors import DataError

NAMES = st.text(
    st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="*"), min_size=1, max_size=6
).map(str.strip)
ROLES = {
    "id", "set", "chosen", "agent", "weight", "trajectory", "step", "winner", "loser", "left", "right", "rank", "best",
    "worst", "count",
}  # fmt: skip
FEATURES = st.lists(NAMES.filter(lambda name: name and name not in ROLES), min_size=1, max_size=3, unique=True)
FORMATS = st.sampled_from([",", ";", "\t", "|", "parquet"])
SEEDS = st.integers(0, 10_000)


def save(frame: pandas.DataFrame, folder, name: str, form: str) -> str:
    if form == "parquet":
        path = folder / f"{name}.parquet"
        frame.to_parquet(path)
    else:
        path = folder / f"{name}.csv"
        frame.to_csv(path, sep=form, index=False)
    return str(path)


def table(random: np.random.Generator, n: int, names: list[str]) -> pandas.DataFrame:
    """Numbers of every size, all different from one another."""
    values = random.normal(size=(n, len(names))) * 10.0 ** random.integers(-9, 9, (n, len(names)))
    return pandas.DataFrame(values, columns=names)


def assert_same(prefs: Preferences, other: Preferences) -> None:
    assert prefs.features == other.features
    for name in ("left_features", "right_features", "wins", "losses", "ties", "weights"):
        np.testing.assert_array_equal(getattr(prefs, name), getattr(other, name))
    assert (prefs.agent is None) == (other.agent is None)
    assert prefs.agent is None or prefs.agent.tolist() == other.agent.tolist()


# -- any file ---------------------------------------------------------------------------------------------


def test_writing_renames_on_success(tmp_path):
    target = tmp_path / "model.json"
    with writing(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".json"
        temporary.write_text("{}")
        assert not target.exists()
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_a_failure_leaves_the_old_file(tmp_path):
    target = tmp_path / "model.json"
    target.write_text("old")

    def fail():
        with writing(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        fail()
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]
    assert target.read_text() == "old"


def test_places_that_cannot_be_written(tmp_path, refused):
    def touch(path):
        with writing(path) as temporary:
            temporary.touch()

    def write_elsewhere(path):
        with writing(path):
            raise OSError(28, "No space left on device")

    assert "a folder that does not exist" in refused(touch, tmp_path / "no" / "file.csv")
    assert "got a folder" in refused(touch, tmp_path)
    assert "No space left" in refused(write_elsewhere, tmp_path / "file.csv")
    assert not list(tmp_path.iterdir())


def test_folders_that_cannot_be_made(tmp_path, refused):
    (tmp_path / "file").touch()
    assert "got a file" in refused(folder_at, tmp_path / "file")
    assert "Not a directory" in refused(folder_at, tmp_path / "file" / "inside")
    assert "a character that no name can have" in refused(folder_at, "\0")


def test_a_link_stays_a_link_and_what_is_no_file_stays_what_it_is(tmp_path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    with writing(tmp_path / "link.json") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="got a device or a pipe"), writing(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()


def test_outputs_are_files_of_their_own(tmp_path):
    check_targets([tmp_path / "a", None, tmp_path / "b"], inputs=[tmp_path / "c"])
    with pytest.raises(DataError, match="got a file that is read"):
        check_targets([tmp_path / "here" / ".." / "c"], inputs=[tmp_path / "c"])
    with pytest.raises(DataError, match="got a file that is written, too"):
        check_targets([tmp_path / "a", tmp_path / "a"])


def test_links_lead_to_what_is_read(tmp_path):
    (tmp_path / "c").write_text("data")
    (tmp_path / "soft").symlink_to("c")
    os.link(tmp_path / "c", tmp_path / "hard")
    for name in ("soft", "hard"):
        with pytest.raises(DataError, match="got a file that is read"):
            check_targets([tmp_path / name], inputs=[tmp_path / "c"])
        with pytest.raises(DataError, match="got a file that is read"):
            check_targets([tmp_path / "c"], inputs=[tmp_path / name])
    (tmp_path / "parts").mkdir()
    with pytest.raises(DataError, match="in a folder that is read"):
        check_targets([tmp_path / "parts" / "model.json"], inputs=[tmp_path / "parts"])


def test_a_model_is_kept_unless_asked(tmp_path):
    (tmp_path / "model.json").write_text('{\n  "format": "lori-model",\n  "version": 1}')
    (tmp_path / "notes.json").write_text('{"format": "other"}')
    check_targets([tmp_path / "model.json", tmp_path / "notes.json"])
    check_targets([tmp_path / "notes.json"], overwrite=False)
    with pytest.raises(DataError, match=r"got a model that was saved before; .* --overwrite"):
        check_targets([tmp_path / "model.json"], overwrite=False)


def test_names_that_no_file_can_have(tmp_path, refused):
    (tmp_path / "loop").symlink_to("loop")
    for name in ("m" * 256, "ä" * 128, "loop", "nul\0"):
        assert refused(check_targets, [tmp_path / name])
    with writing(tmp_path / ("m" * 255)) as temporary:
        temporary.write_text("whole")
    assert [file.name for file in tmp_path.iterdir() if not file.is_symlink()] == ["m" * 255]


def test_what_is_written_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    order = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(
        os, "fsync", lambda number: (order.append(os.readlink(f"/proc/self/fd/{number}")), sync(number))
    )
    monkeypatch.setattr(os, "replace", lambda old, new: (order.append("renamed"), replace(old, new)))
    with writing(tmp_path / "model.json") as temporary:
        temporary.write_text("{}")
    assert order == [str(temporary), "renamed", str(tmp_path)]


# -- preferences -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@settings(max_examples=20, deadline=None)
@given(FEATURES, st.sampled_from(["csv", "tsv", "csv.gz", "txt", "parquet", "pq"]), SEEDS, st.booleans())
def test_pairs_written_by_us(folder, names, ending, seed, extras):
    random = np.random.default_rng(seed)
    prefs = Preferences.from_arrays(
        table(random, 4, names),
        table(random, 4, names),
        wins=[1, 0, 2, 0],
        losses=random.integers(0, 5, 4),
        ties=random.integers(0, 5, 4),
        features=names,
        agent=random.choice(["007", "Zoë Q", "a,b"], 4) if extras else None,
        weight=random.random(4) if extras else None,
    )
    path = folder / f"pairs.{ending}"
    write_pairs(prefs, path)
    assert_same(read_pairs(path), prefs)
    assert_same(read([path]), prefs)
    before = path.read_bytes()
    write_pairs(prefs, path)
    assert path.read_bytes() == before


@settings(max_examples=20, deadline=None)
@given(FEATURES, FORMATS, SEEDS)
def test_pairs_with_choice_words(folder, names, form, seed):
    random = np.random.default_rng(seed)
    left, right = table(random, 3, names), table(random, 3, names)
    frame = pandas.concat([left.add_prefix("left."), right.add_prefix("right.")], axis=1)
    frame["choice"] = [" LEFT", "tie ", "Right"]
    prefs = read_pairs(save(frame, folder, "words", form))
    expected = Preferences.from_arrays(left, right, wins=[1, 0, 0], losses=[0, 0, 1], ties=[0, 1, 0], features=names)
    assert_same(prefs, expected)


@settings(max_examples=20, deadline=None)
@given(FEATURES, FORMATS, SEEDS)
def test_choices(folder, names, form, seed):
    random = np.random.default_rng(seed)
    frame = table(random, 5, names)
    frame.insert(0, "set", ["s 1", "s 2", "s 1", "s 2", "s 1"])
    frame["chosen"] = [0, 1, 1, 0, 0]
    frame["agent"] = ["p", "q", "p", "q", "p"]
    path = save(frame, folder, "choices", form)
    x = frame[names].to_numpy()
    expected = Preferences.from_arrays(x[[2, 2, 1]], x[[0, 4, 3]], features=names, agent=["p", "p", "q"])
    assert_same(read_choices(path).as_pairs(), expected)
    assert_same(read(path, as_pairs=True), expected)


KINDS = st.sampled_from(["choices", "ties", "rankings", "both ends"])


@settings(max_examples=40, deadline=None)
@given(FEATURES, st.sampled_from(["csv", "tsv", "csv.gz", "parquet"]), SEEDS, KINDS, st.booleans())
def test_choices_written_by_us(folder, names, ending, seed, kind, extras):
    random = np.random.default_rng(seed)
    sets, width = random.integers(1, 5), random.integers(3, 6)
    x = table(random, sets * width, names).to_numpy().reshape(sets, width, -1)
    order = random.random((sets, width)).argsort(axis=1)
    known = {"features": names, "available": order < width - random.integers(0, width - 2)}
    known["alternatives"] = [f"{word} {seed}" for word in ("Zoë", "a,b", "007", "d", "e")[:width]]
    if extras:
        known |= {"agents": random.choice(["007", "Zoë Q", "a,b"], sets), "weight": 1 + random.random(sets)}
        known["counts"] = 1 + random.integers(0, 5, sets)
    first, last = order == 0, order == 1
    match kind:
        case "choices":
            choices = Choices.from_arrays(x, first, **known)
        case "ties":
            choices = Choices.from_arrays(x, first | last, **(known | {"available": None}))
        case "rankings":
            choices = Choices.from_rankings(x, np.where(order < 2, order + 1.0, np.nan), **known)
        case _:
            choices = Choices.from_best_worst(x, order.argmin(axis=1), last, **known)
    path = folder / f"choices.{ending}"
    write_choices(choices, path)
    assert_same_choices(read_choices(path, ties="observed" if kind == "ties" else "error"), choices)
    assert_same_choices(read_choices(choices.to_frame(), ties="observed"), choices)
    before = path.read_bytes()
    write_choices(choices, path)
    assert path.read_bytes() == before


def assert_same_choices(choices: Choices, other: Choices) -> None:
    """Also the same names, in whatever order they are numbered."""
    assert choices.features == other.features
    for name in ("alternatives", "offsets", "chosen", "agent", "times", "weight", "worst", "occasion"):
        one, two = getattr(choices, name), getattr(other, name)
        assert (one is None) == (two is None), name
        if one is not None:
            np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(np.array(choices.names)[choices.label], np.array(other.names)[other.label])


@settings(max_examples=20, deadline=None)
@given(FEATURES, FORMATS, FORMATS, SEEDS)
def test_comparisons(folder, names, form, other_form, seed):
    random = np.random.default_rng(seed)
    items = table(random, 4, names)
    x = items.to_numpy()
    items["id"] = ["01", "1", "c", "ü"]
    won = pandas.DataFrame({"winner": ["ü", "01"], "loser": ["1", "c"], "count": [3, 1], "weight": [0.5, 2.0]})
    paths = save(items, folder, "items", form), save(won, folder, "comparisons", other_form)
    expected = Preferences.from_arrays(x[[3, 0]], x[[1, 2]], wins=[3, 1], features=names, weight=[0.5, 2.0])
    assert_same(read_comparisons(*paths), expected)
    assert_same(read(paths[::-1]), expected)


@settings(max_examples=20, deadline=None)
@given(FEATURES, FORMATS, SEEDS)
def test_trajectories(folder, names, form, seed):
    random = np.random.default_rng(seed)
    steps = table(random, 5, names)
    x = steps.to_numpy()
    steps["trajectory"] = [1, 2, 1, 2, 1]
    steps["step"] = [2, 0, 0, 1, 1]
    compared = pandas.DataFrame({"left": [1.0, 2.0], "right": [2.0, 1.0], "choice": ["left", "tie"]})
    paths = save(steps, folder, "steps", form), save(compared, folder, "compared", form)
    prefs = read_trajectories(*paths, pooling="discounted", discount=0.5)
    one, two = x[2] + x[4] / 2 + x[0] / 4, x[1] + x[3] / 2
    np.testing.assert_allclose(prefs.left_features, [one, two], rtol=1e-12)
    np.testing.assert_allclose(prefs.right_features, [two, one], rtol=1e-12)
    assert (prefs.wins.tolist(), prefs.ties.tolist()) == ([1, 0], [0, 1])
    assert_same(read(paths[::-1], pooling="discounted", discount=0.5), prefs)


def test_places_and_endings_that_are_refused(tmp_path, refused):
    prefs = Preferences.from_arrays([[1.0]], [[2.0]])
    assert "does not exist" in refused(write_pairs, prefs, tmp_path / "no" / "pairs.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "got a folder" in refused(write_pairs, prefs, tmp_path / "folder.csv")
    for name in ("pairs.xlsx", "pairs", "pairs.parquet.gz", "pairs.gz"):
        assert ".csv" in refused(write_pairs, prefs, tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == ["folder.csv"]
