"""Cache of compiled code: where is it kept, may it be trusted, and how does a damaged entry heal?

What lies in the cache is run. It is therefore used only if nobody but its owner, the user, can have put it there.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import warnings
from pathlib import Path

from lori.errors import printable
from lori.model import programs

UNREADABLE = re.compile(r"Error reading persistent compilation cache entry for '([\w.<>-]+)'")


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
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        doubt = _doubt(folder)
    except OSError as error:
        doubt = error.strerror or "a failure of the file system"
    if doubt:
        _say(f"The cache folder {folder} cannot be used ({doubt}); going on without it.")
        return
    programs.keep_in(folder)
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(folder))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")


def _doubt(folder: Path) -> str:
    """Why what lies there may not be the user's own; empty where there is no doubt."""
    if not hasattr(os, "getuid"):  # a system without owners and modes
        return ""
    about = folder.stat()
    if about.st_uid != os.getuid():
        return "it belongs to somebody else: name another one with LORI_CACHE"
    if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others can write into it: chmod 700 {folder}"
    return ""


def _quiet_warnings() -> None:
    """No warning reaches the terminal, but a cache that cannot be written is worth one sentence."""
    said: list[str] = []

    def show(message, *_, **__) -> None:
        unreadable = UNREADABLE.match(str(message))
        if unreadable:
            _forget(unreadable.group(1))
        elif "compilation cache" in str(message) and not said:
            said.append("once")
            _say(f"Compiled code could not be kept in {cache_folder()} (is the disk full?); going on without it.")

    warnings.simplefilter("default")
    warnings.showwarning = show


def _forget(module: str) -> None:
    """Remove the entries of a module one of which is damaged: JAX never replaces an entry that is there."""
    folder = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    for entry in Path(folder).iterdir() if folder else ():
        if entry.name.startswith(f"{module}-"):
            entry.unlink(missing_ok=True)


def _say(sentence: str) -> None:
    print(f"Note: {printable(sentence)}", file=sys.stderr)
