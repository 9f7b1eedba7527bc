"""Files come to be whole or not at all."""

import os

import pytest

from lori.data.writing import check_targets, writing
from lori.errors import DataError


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
