"""Checkpoint: what has a long fit found so far? Each stage leaves its numbers in a file, and a later run begins there.

The file's name follows from settings and data, so that fits of one folder never take each other's numbers. Stages draw
at random by generators of their own: a fit that was interrupted ends where it would have ended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from lori.data.writing import folder, writing

Numbers = tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Numbers by stage, in a file if there is a path."""

    path: Path | None = None
    found: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, place: str | Path | None, *described: Any) -> Checkpoint:
        """That of a fit with these settings and data, in the folder `place`."""
        if place is None:
            return cls()
        digest = hashlib.blake2b(digest_size=12)
        for part in (version("lori"), *described):
            _add(digest, part)
        path = folder(Path(place)) / f"population-{digest.hexdigest()}.npz"
        try:
            with np.load(path, allow_pickle=False) as content:
                return cls(path, {name: content[name] for name in content.files})
        except (FileNotFoundError, OSError, ValueError, BadZipFile):  # none, or not one of ours: begun anew
            return cls(path)

    def stage(self, name: str, work: Callable[[], Numbers]) -> Numbers:
        """What the work of this stage gives, now or earlier."""
        known = self.recalled(name)
        if known is None:
            known = work()
            self.keep(name, known)
        return known

    def recalled(self, name: str) -> Numbers | None:
        """What was kept of a stage; None if it has not ended."""
        found = [self.found[key] for key in sorted(self.found) if key.rpartition(" ")[0] == name]
        return tuple(found) or None

    def keep(self, name: str, numbers: Numbers) -> None:
        """Write down what is known of a stage, in place of what was known before."""
        self.found.update({f"{name} {place}": np.asarray(own) for place, own in enumerate(numbers)})
        if self.path is None:
            return
        with writing(self.path) as temporary:
            np.savez(temporary, **self.found)  # type: ignore[arg-type]


def _add(digest: Any, part: Any) -> None:
    """Everything that a fit depends on: arrays by their content, others as they are written."""
    if isinstance(part, np.ndarray):
        digest.update(str((part.dtype, part.shape)).encode())
        digest.update(repr(part.tolist()).encode() if part.dtype == object else np.ascontiguousarray(part).tobytes())
    elif isinstance(part, list | tuple):
        for own in part:
            _add(digest, own)
    else:
        digest.update(repr(part).encode())
    digest.update(b"\0")
