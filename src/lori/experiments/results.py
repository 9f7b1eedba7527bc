"""Results of a study: what does it leave behind, and how does a stopped one go on where it stopped?

`NAME.json` is for machines, `NAME.md` and `NAME.png` for people. All of it follows from the settings, the seeds and the
versions, but for `seconds` in the JSON: that is the sum of the seconds that each cell took when it was computed (more
than the time on the clock, as cells run side by side). They are kept with the cells, so that running again in the same
folder writes the same bytes; an interrupted run and an undisturbed one agree in everything else.

Each seed's answer, a cell, is a file of its own, written when it is there: `DIR/NAME.cells/SEED.json` holds the answer
with a stamp (a digest of the settings, the study's version and the versions of the software) and a checksum of all
that. A run uses the files that are whole and carry its stamp, and computes the others. Answers are always taken from
what was written, so that it does not matter in which run they were computed.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from lori.data.writing import folder, writing
from lori.errors import FitError, InputError
from lori.experiments.figures import draw_rows
from lori.experiments.study import Study, metrics

PACKAGES = ("lori", "jax", "numpy", "scipy")
ROUNDING = 1e-6  # of a mean: what is less is no spread between seeds

Say = Callable[[str], None]
Stored = dict[str, Any]


def run_study(
    study: Study,
    out: Path,
    *,
    seeds: int = 5,
    first: int = 0,
    smoke: bool = False,
    jobs: int = 2,
    say: Callable[[str], None] = print,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> dict[str, Any]:
    """Carry out a study, or what is left of it, and write its result into `out`; returns the content of NAME.json."""
    for what, number in (("seeds", seeds), ("jobs", jobs)):
        if number < 1:
            raise InputError(
                what, expected="a whole number from 1", got=str(number), fix=f"ask for {what} of 1 or more"
            )
    settings = study.smoke if smoke else study.settings
    count = seeds if study.random else 1
    cells = completed(study, settings, range(first, first + count), out, jobs=jobs, say=say, progress=progress)
    result = {
        "name": study.name,
        "settings": {**asdict(settings), "seeds": count, **({"first_seed": first} if first else {})},
        "rows": study.rows(settings, [cell["result"] for cell in cells]),
        "paper": study.paper,
        "seconds": math.fsum(cell["seconds"] for cell in cells),
        "versions": versions(),
    }
    text = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    result = json.loads(text)
    with writing(out / f"{study.name}.json") as temporary:
        temporary.write_text(text, encoding="utf-8")
    with writing(out / f"{study.name}.md") as temporary:
        temporary.write_text(_page(study, result, smoke), encoding="utf-8")
    with writing(out / f"{study.name}.png") as temporary:
        (study.draw or draw_rows)(result, temporary)
    return result


def table(result: dict[str, Any]) -> str:
    """A line for each method; beside each of our figures, where there is one, the paper's."""
    rows, paper = result["rows"], result["paper"]
    columns = [["method", *(row["method"] for row in rows)]]
    for metric in metrics(rows):
        columns.append([metric, *(_rounded(row.get(metric)) for row in rows)])
        printed = [paper.get(row["method"], {}).get(metric) for row in rows]
        if any(printed):
            columns.append(["paper", *map(_as_printed, printed)])
    widths = [max(3, *map(len, column)) for column in columns]
    lines = [list(line) for line in zip(*columns, strict=True)]
    lines.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return "\n".join(_aligned(line, widths) for line in lines)


def paragraphs(result: dict[str, Any]) -> list[str]:
    """What the rows say in plain words, in paragraphs."""
    return [paragraph for row in result["rows"] for paragraph in row.get("words", [])]


def completed(
    study: Study,
    settings: Any,
    seeds: range,
    out: Path,
    *,
    jobs: int,
    say: Say,
    progress: Callable[[int, int], None],
) -> list[Stored]:
    """The stored cells of the seeds; those that `out` lacks are computed, `jobs` at a time.

    `progress(done, of)` is called at the beginning and after each cell. When one cell fails, those under way are
    still finished and kept. Compiled work cannot be interrupted: at Ctrl-C they are left to themselves.
    """
    cells = kept(study, settings, seeds, folder(out), say)
    place, stamp = out / f"{study.name}.cells", _stamp(study, settings)
    progress(len(cells), len(seeds))

    def compute(seed: int) -> Stored:
        started = perf_counter()
        result = study.cell(settings, seed)
        body = {"study": study.name, "seed": seed, "stamp": stamp, "seconds": perf_counter() - started}
        return _store({**body, "result": result}, _file(place, seed))

    pool, futures = ThreadPoolExecutor(jobs), []
    try:
        for seed in seeds:
            if seed not in cells:
                futures.append(pool.submit(compute, seed))
        for future in as_completed(futures):
            cell = future.result()
            cells[cell["seed"]] = cell
            progress(len(cells), len(seeds))
    except KeyboardInterrupt:  # the pool is left alone: an interrupt may have come while one of its locks was held
        for future in futures:
            future.cancel()
        raise
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()
    return [cells[seed] for seed in seeds]


def kept(study: Study, settings: Any, seeds: Iterable[int], out: Path, say: Say) -> dict[int, Stored]:
    """The cells of earlier runs in `out` that can be used; says which cannot."""
    place, stamp = out / f"{study.name}.cells", _stamp(study, settings)
    cells, others = {}, 0
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
            cells[seed] = cell
    if others:
        say(f"{place}: cells of other settings or versions are computed again ({others}).")
    return cells


def versions() -> dict[str, str]:
    """With what the cells were computed."""
    return {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}


def _rounded(entry: dict[str, Any] | None) -> str:
    """Mean ± standard deviation, with as many decimals as the first two digits of the latter need.

    A deviation that is nothing but rounding is not shown.

    >>> _rounded({"mean": 0.10321, "std": 0.08912}), _rounded({"mean": 62.03, "std": 16.2})
    ('0.103 ± 0.089', '62 ± 16')
    >>> _rounded({"mean": 0.000153, "std": 1.5e-20})
    '0.000153'
    """
    if entry is None:
        return "–"
    mean, spread = entry["mean"], entry["std"]
    if not spread or spread < ROUNDING * abs(mean):
        return f"{mean:.4g}"
    decimals = max(0, 1 - math.floor(math.log10(spread)))
    return f"{mean:.{decimals}f} ± {spread:.{decimals}f}"


def _as_printed(entry: dict[str, Any] | None) -> str:
    """No digit that the paper does not give."""
    if entry is None:
        return "–"
    return f"{entry['mean']:g}" + (f" ± {entry['std']:g}" if entry.get("std") is not None else "")


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    return "| " + " | ".join([first, *map(str.rjust, cells[1:], widths[1:])]) + " |"


def _page(study: Study, result: dict[str, Any], smoke: bool) -> str:
    seeds, first = result["settings"]["seeds"], result["settings"].get("first_seed", 0)
    command = f"lori reproduce {study.name} --seeds {seeds}{f' --first-seed {first}' if first else ''}"
    for name, value in study.changes.items():
        command += f" --set {name}={value}"
    command += " --smoke" if smoke else ""
    spread = "a standard deviation over seeds" if seeds > 1 else "not known from one seed"
    parts = [
        f"# {study.title}",
        *(["A smoke run: its sizes are tiny, so its figures say nothing."] if smoke else []),
        table(result),
        *paragraphs(result),
        f"![{study.title}]({study.name}.png)",
        f"Made by `{command}`; ± is {spread}.",
        "Settings: " + ", ".join(f"{name} {value}" for name, value in result["settings"].items()) + ".",
        "Versions: " + ", ".join(f"{name} {value}" for name, value in result["versions"].items()) + ".",
    ]
    return "\n\n".join(parts) + "\n"


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
