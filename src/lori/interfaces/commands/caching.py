"""How do small fits feel instant? Compiled code is kept between runs of the command.

It lies in `$LORI_CACHE`, or in `lori` below the user's cache folder (`$XDG_CACHE_HOME`, else `~/.cache`), and holds no
data. `LORI_CACHE=off` switches it off; deleting the folder is always safe.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path


def cache_folder() -> Path | None:
    """Where compiled code is kept, or None where that is switched off."""
    wanted = os.environ.get("LORI_CACHE", "")
    if wanted.lower() in ("off", "0", "no"):
        return None
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(wanted) if wanted else Path(base) / "lori"


def use_cache() -> None:
    """Tell JAX, before it is imported, to keep what it compiles; say so once if that is not possible."""
    _quiet_warnings()
    folder = cache_folder()
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _say(f"The cache folder {folder} cannot be used ({error.strerror}); going on without it.")
        return
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(folder))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")


def _quiet_warnings() -> None:
    """No warning reaches the terminal, but a cache that cannot be written is worth one sentence."""
    said: list[str] = []

    def show(message, *_, **__) -> None:
        if "compilation cache" in str(message) and not said:
            said.append("once")
            _say(f"Compiled code could not be kept in {cache_folder()} (is the disk full?); going on without it.")

    warnings.simplefilter("default")
    warnings.showwarning = show


def _say(sentence: str) -> None:
    print(f"Note: {sentence}", file=sys.stderr)
