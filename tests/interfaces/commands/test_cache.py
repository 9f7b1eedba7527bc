"""Where compiled code is kept, that nobody else can put something there, and that damage heals."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from lori.interfaces.commands import cache


@pytest.fixture
def no_cache_chosen(monkeypatch):
    """Nothing in the environment says where compiled code is kept."""
    for name in ("LORI_CACHE", "XDG_CACHE_HOME", "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)


@pytest.mark.usefixtures("no_cache_chosen")
def test_where_the_cache_lies(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_folder() == tmp_path / "lori"
    monkeypatch.setenv("LORI_CACHE", "/elsewhere")
    assert cache.cache_folder() == Path("/elsewhere")
    monkeypatch.setenv("LORI_CACHE", "off")
    assert cache.cache_folder() is None


@pytest.mark.usefixtures("no_cache_chosen")
def test_a_cache_that_is_off_leaves_jax_alone(monkeypatch):
    monkeypatch.setenv("LORI_CACHE", "off")
    cache.use_cache()
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ


@pytest.mark.usefixtures("no_cache_chosen")
def test_a_cache_that_cannot_be_made_is_one_sentence(monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LORI_CACHE", str(tmp_path / "file" / "cache"))
    cache.use_cache()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "going on without it" in said
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ


@pytest.mark.usefixtures("no_cache_chosen")
def test_a_full_disk_is_said_once_and_other_warnings_never(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("LORI_CACHE", str(tmp_path))
    cache.use_cache()
    for _ in range(2):
        warnings.warn("Error writing persistent compilation cache entry: No space left on device", stacklevel=1)
        warnings.warn("something else", stacklevel=1)
    assert capsys.readouterr().err.count("Note: ") == 1
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)


@pytest.mark.usefixtures("no_cache_chosen")
def test_a_cache_belongs_to_its_user(monkeypatch, tmp_path, capsys):
    own = tmp_path / "deep" / "own"
    monkeypatch.setenv("LORI_CACHE", str(own))
    cache.use_cache()
    assert own.stat().st_mode & 0o777 == 0o700
    assert os.environ.pop("JAX_COMPILATION_CACHE_DIR") == str(own)
    own.chmod(0o770)
    cache.use_cache()
    assert "others can write into it: chmod 700" in capsys.readouterr().err
    own.chmod(0o755)
    monkeypatch.setattr(os, "getuid", lambda: own.stat().st_uid + 1)
    cache.use_cache()
    assert "it belongs to somebody else" in capsys.readouterr().err
    assert "JAX_COMPILATION_CACHE_DIR" not in os.environ


def test_damaged_entries_heal(tmp_path):
    """JAX skips what it cannot read and never replaces it; LORI makes room for a new entry."""
    place = tmp_path / "cache"
    script = (
        "from lori.interfaces.commands.cache import use_cache; use_cache()\n"
        "import jax\n"
        "print(jax.jit(lambda x: 2 * x)(3.0), jax.jit(lambda x: x + 1)(4.0))"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JAX_")}
    environment |= {"LORI_CACHE": str(place)}

    def entries() -> dict[Path, bytes]:
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "6.0 5.0\n", "")
        return {entry: entry.read_bytes() for entry in place.iterdir() if entry.name.endswith("-cache")}

    whole = entries()
    assert whole
    for entry, content in whole.items():
        entry.write_bytes(content[: len(content) // 2])
    assert set(entries()) == set(whole)
    assert all(len(entry.read_bytes()) > 0.9 * len(content) for entry, content in whole.items())
