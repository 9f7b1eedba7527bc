"""The cache of compiled code: documented place, off switch, and no harm if it cannot be written."""

import warnings
from pathlib import Path

import pytest

from lori.interfaces.commands import main as caching


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("LORI_CACHE", "XDG_CACHE_HOME", "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)


def test_where_it_lies(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert caching.cache_folder() == tmp_path / "lori"
    monkeypatch.setenv("LORI_CACHE", "/elsewhere")
    assert caching.cache_folder() == Path("/elsewhere")
    monkeypatch.setenv("LORI_CACHE", "off")
    assert caching.cache_folder() is None


def test_off_leaves_jax_alone(monkeypatch):
    monkeypatch.setenv("LORI_CACHE", "off")
    caching.use_cache()
    assert "JAX_COMPILATION_CACHE_DIR" not in caching.os.environ


def test_a_folder_that_cannot_be_made_is_one_sentence(monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LORI_CACHE", str(tmp_path / "file" / "cache"))
    caching.use_cache()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "going on without it" in said
    assert "JAX_COMPILATION_CACHE_DIR" not in caching.os.environ


def test_a_full_disk_is_said_once_and_other_warnings_never(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("LORI_CACHE", str(tmp_path))
    caching.use_cache()
    for _ in range(2):
        warnings.warn("Error writing persistent compilation cache entry: No space left on device", stacklevel=1)
        warnings.warn("something else", stacklevel=1)
    assert capsys.readouterr().err.count("Note: ") == 1
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
