"""Programs: compiled code that later processes run without tracing their functions again.

JAX keeps what its compiler makes, and still traces and lowers a function in every process before it can look it up:
a second for a fit of two levels. A program kept here is found by what it was made from: the function, what is static,
the shapes of its arguments, the source of LORI, the versions of JAX and the processor. Rewards from outside the package
are not kept, for their source is not known.

What is kept is run, so the folder must be its user's own: `lori.interfaces.commands.cache` looks at that.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

_folder: list[Path] = []  # where programs are kept, if they are

PACKAGE = Path(__file__).parents[1]


class Unnamed(Exception):
    """Something static cannot be told apart by a name that holds in other processes, too."""


def keep_in(folder: Path | None) -> None:
    """Programs are kept in this folder from now on, or no longer."""
    _folder[:] = [] if folder is None else [folder]


def kept() -> bool:
    """Are programs kept?"""
    return bool(_folder)


def find(name: Any, make: Callable[[], Any], data: tuple[Any, ...], device: Any = None) -> Any:
    """The program with this name, made and kept where there is none or a damaged one; `data` is what it will run on,
    and `device` where, if not on JAX's own.

    Programs are tried before they are trusted. One that JAX took from its own cache may lack parts once it is written:
    then it is not kept.
    """
    digest = hashlib.sha256(repr((name, _surroundings())).encode()).hexdigest()
    place = _folder[0] / f"lori-{digest[:40]}.program"
    with suppress(Exception):  # there is none, or whatever a damaged one leads to
        program = _loaded(zlib.decompress(place.read_bytes()), device)
        _run(program, data)
        return program
    program = make()
    with suppress(Exception):  # a full disk, of which JAX has spoken already, or code that cannot be kept
        written = _written(program)
        if _run(_loaded(written, device), data) == _run(program, data):
            _write(place, zlib.compress(written, 1))
    return program


def moved(program: Any, data: tuple[Any, ...], device: Any) -> Any:
    """The same program on another device, in a fraction of the time of compiling it; None if it does not run there."""
    with suppress(Exception):
        there = _loaded(_written(program), device)
        _run(there, data)
        return there
    return None


def _written(program: Any) -> bytes:
    from jax.experimental import serialize_executable

    return pickle.dumps(serialize_executable.serialize(program))


def _loaded(written: bytes, device: Any = None) -> Any:
    from jax.experimental import serialize_executable

    where = {} if device is None else {"backend": device.client, "execution_devices": [device]}
    return serialize_executable.deserialize_and_load(*pickle.loads(written), **where)


def _run(program: Any, data: tuple[Any, ...]) -> list[bytes]:
    """What it makes of the data, as bytes; errors of compiled code come when its results are looked at."""
    import jax
    import numpy as np

    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(program(*data))]


def named(value: Any) -> Any:
    """A name for something static that is the same in every process.

    >>> named((1, None, "need"))
    (1, None, 'need')
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return tuple(named(each) for each in value)
    own = type(value)
    if is_dataclass(value) and own.__module__.partition(".")[0] == PACKAGE.name:
        return (own.__module__, own.__qualname__, *(named(getattr(value, field.name)) for field in fields(value)))
    raise Unnamed


@cache
def _surroundings() -> tuple[Any, ...]:
    """All else that code depends on: LORI's source, JAX's versions and settings, and what the processor can do."""
    import jax
    import jaxlib

    source = [
        (path.relative_to(PACKAGE).as_posix(), about.st_size, about.st_mtime_ns)
        for part in ("model", "inference")
        for path in sorted((PACKAGE / part).rglob("*.py"))
        for about in [path.stat()]
    ]
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith(("JAX_", "XLA_")))
    return jax.__version__, jaxlib.__version__, _processor(), os.cpu_count(), settings, source


def _processor() -> str:
    """The processor and its sets of instructions."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line for line in lines if line.startswith(("flags", "Features")))
    except (OSError, StopIteration):
        return f"{platform.machine()} {platform.processor()}"


def _write(place: Path, content: bytes) -> None:
    """Beside, then renamed: nobody reads half of it."""
    handle, beside = tempfile.mkstemp(dir=place.parent, prefix=place.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(beside, place)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
