"""How does a stopped study go on where it stopped? Each seed's answer is a file of its own, written when it is there.

`DIR/NAME.cells/SEED.json` holds the answer with a stamp (a digest of the settings, the study's version and the
versions of the software) and a checksum of all that. A run uses the files that are whole and carry its stamp, and
computes the others. Answers are always taken from what was written, so that it does not matter in which run they
were computed.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from lori.data.writing import folder, writing
from lori.errors import FitError
from lori.experiments.study import Study

PACKAGES = ("lori", "jax", "numpy", "scipy")

Say = Callable[[str], None]
Stored = dict[str, Any]


def completed(
    study: Study,
    settings: Any,
    seeds: int,
    out: Path,
    *,
    jobs: int,
    say: Say,
    progress: Callable[[int, int], None],
) -> list[Stored]:
    """The stored cells of the seeds 0 to `seeds` − 1; those that `out` lacks are computed, `jobs` at a time.

    `progress(done, of)` is called at the beginning and after each cell. When one cell fails, those under way are
    still finished and kept. Compiled work cannot be interrupted: at Ctrl-C they are left to themselves.
    """
    place = folder(out) / f"{study.name}.cells"
    stamp = _stamp(study, settings)
    cells = _kept(study, stamp, range(seeds), place, say)
    progress(len(cells), seeds)

    def compute(seed: int) -> Stored:
        started = perf_counter()
        result = study.cell(settings, seed)
        body = {"study": study.name, "seed": seed, "stamp": stamp, "seconds": perf_counter() - started}
        return _store({**body, "result": result}, _file(place, seed))

    pool, futures = ThreadPoolExecutor(jobs), []
    try:
        for seed in range(seeds):
            if seed not in cells:
                futures.append(pool.submit(compute, seed))
        for future in as_completed(futures):
            cell = future.result()
            cells[cell["seed"]] = cell
            progress(len(cells), seeds)
    except KeyboardInterrupt:  # the pool is left alone: an interrupt may have come while one of its locks was held
        for future in futures:
            future.cancel()
        raise
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()
    return [cells[seed] for seed in range(seeds)]


def versions() -> dict[str, str]:
    """With what the cells were computed."""
    return {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}


def _kept(study: Study, stamp: str, seeds: Iterable[int], place: Path, say: Say) -> dict[int, Stored]:
    """The cells of earlier runs that can be used; says which cannot."""
    kept, others = {}, 0
    for seed in seeds:
        file = _file(place, seed)
        if not file.exists():
            continue
        cell = _read(file)
        if cell is None or (cell["study"], cell["seed"]) != (study.name, seed):
            say(f"{file} is damaged; seed {seed} is computed again.")
        elif cell["stamp"] != stamp:
            others += 1
        else:
            kept[seed] = cell
    if others:
        say(f"{place}: cells of other settings or versions are computed again ({others}).")
    return kept


def _file(place: Path, seed: int) -> Path:
    return place / f"{seed}.json"


def _store(body: Stored, file: Path) -> Stored:
    """Write a cell; returns it as it will be read."""
    try:
        text = json.dumps({**body, "checksum": _checksum(body)}, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise FitError(
            f"{body['study']}: the answer of seed {body['seed']} cannot be written as JSON: {error}."
        ) from None
    folder(file.parent)
    with writing(file) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
    return json.loads(text)


def _read(file: Path) -> Stored | None:
    """A cell, or None if the file is not what was once written."""
    try:
        cell = json.loads(file.read_text(encoding="utf-8"))
        whole = cell["checksum"] == _checksum({name: value for name, value in cell.items() if name != "checksum"})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return cell if whole else None


def _stamp(study: Study, settings: Any) -> str:
    return _checksum({"settings": asdict(settings), "version": study.version, "versions": versions()})


def _checksum(content: Any) -> str:
    plain = json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(plain.encode()).hexdigest()
