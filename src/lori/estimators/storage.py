"""Storage: a fitted model as versioned JSON that a person can read, never as code."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lori import __version__
from lori.data.reading.record import Reading
from lori.data.writing import writing
from lori.errors import ModelFileError
from lori.estimators.contract import Estimator
from lori.model.ordered import OrderedModel
from lori.model.priors import Prior

FORMAT, VERSION = "lori-model", 1
KINDS = {"model": "a fitted model", "agents": "the models of many agents", "truth": "a model that was not fitted",
         "population": "a population", "policy": "a policy"}  # fmt: skip
FIXES = {"model": "give the file of a single fitted model", "population": "give the file of a population"}
EXPECTED = "a model saved by LORI"
AGAIN, UPDATE = "save the model again with `lori fit --save` or model.save()", "update LORI: pip install --upgrade lori"
LARGEST_FILE, PIECE = 1 << 28, 1 << 20  # bytes: the models of 20 000 agents, and what is read at once
Loaded = TypeVar("Loaded")


def save_ordered_model(model: OrderedModel, path: str | Path) -> None:
    """Write a model that was not fitted, such as the truth behind simulated data."""
    save(path, {"kind": "truth", "model": model.describe()})


def load_ordered_model(path: str | Path) -> OrderedModel:
    """The model in a file that `save_ordered_model` or `LORI.save` wrote."""
    return load(path, lambda document: OrderedModel.from_description(document["model"]), kind=None)


def load_ranges(path: str | Path) -> np.ndarray:
    """How far each feature ranged in the data of a fitted model; four for all where the file does not say."""
    return load(path, lambda document: np.asarray(document.get("ranges") or [4.0], float), kind=None)


def save(path: str | Path, content: dict[str, Any]) -> None:
    """Write beside, then rename: a reader never sees half a file."""
    document = {"format": FORMAT, "version": VERSION, "lori": __version__, **content}
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError:
        raise ModelFileError(
            str(path), expected="a model whose numbers are all finite", got="infinity or NaN among them",
            fix="look at its rewards where the data are: one of them is not finite there",
        ) from None  # fmt: skip
    with writing(path) as temporary:
        Path(temporary).write_text(text, encoding="utf-8")


def kind_of(path: str | Path) -> str | None:
    """What a file holds: one of `KINDS`, or None where it cannot be told."""
    from lori.estimators.validation import header  # here and below: what saves a model need not know the schema

    kind = (header(_read(path)) or {}).get("kind")
    return kind if isinstance(kind, str) else None


def load(
    path: str | Path, build: Callable[[dict[str, Any]], Loaded], kind: str | None, also: Sequence[str] = ()
) -> Loaded:
    """Read a document and build what it holds, or say in one sentence why it cannot be.

    `kind` is the one that is wanted, None stands for a model, fitted or not; those in `also` will do.
    """
    from lori.estimators.validation import Misfit, checked, header

    source = str(path)
    text = _read(path)
    head = header(text)
    if head is None:
        raise ModelFileError(source, expected=EXPECTED, got="a damaged or foreign file", fix=AGAIN)
    _check_version(source, head.get("version"))
    own = head["kind"] if isinstance(head.get("kind"), str) else None
    if own not in (*((kind,) if kind else ("model", "truth")), *also):
        raise ModelFileError(
            source, expected=KINDS[kind or "model"], got=KINDS.get(own or "", "something else"),
            fix=FIXES.get(kind or "model", "use lori.load() for it"),
        )  # fmt: skip
    assert own is not None
    try:
        return build(checked(text, own))
    except Misfit as problem:
        raise ModelFileError(
            source, expected=f"{problem.expected} at {problem.where}", got=problem.got,
            fix=problem.fix or (UPDATE if problem.newer else AGAIN),
        ) from None  # fmt: skip
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise ModelFileError(source, expected=EXPECTED, got="parts that do not fit each other", fix=AGAIN) from None


def saved_settings(estimator: Estimator) -> dict[str, Any]:
    """What was asked for, as plain JSON values; rewards are told with what was learned."""
    settings = {name: value for name, value in estimator.get_params(deep=False).items() if name != "reward"}
    for name, value in settings.items():
        if isinstance(value, tuple | np.ndarray):
            settings[name] = list(value)
    if isinstance(settings["prior"], Prior):
        settings["prior"] = asdict(settings["prior"])
    return settings


def loaded_settings(content: dict[str, Any]) -> dict[str, Any]:
    """What `saved_settings` wrote."""
    settings = {"lapse": 0.0, **content}  # the first versions knew no slips
    if isinstance(settings["prior"], dict):
        settings["prior"] = Prior(**{"price": None, **settings["prior"]})  # older files do not say, and mean that
    return settings


def read_by(content: dict[str, Any]) -> tuple[tuple[str, float | None] | None, Reading | None]:
    """How trajectories became features, and how files were read; older files do not say."""
    pooled, reading = content.get("pooled"), content.get("reading")
    return (str(pooled[0]), pooled[1]) if pooled else None, Reading.from_dict(reading) if reading else None


def _read(path: str | Path) -> bytes:
    source = str(path)
    try:
        with open(path, "rb") as file:  # which may be a pipe and have no size
            if stat.S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty():  # and may never end
                raise ModelFileError(source, expected=EXPECTED, got="a device", fix="check the path")
            text = b"".join(islice(iter(lambda: file.read(PIECE), b""), LARGEST_FILE // PIECE + 1))
    except FileNotFoundError:
        raise ModelFileError(source, expected=EXPECTED, got="no such file", fix="check the path") from None
    except IsADirectoryError:
        raise ModelFileError(source, expected=EXPECTED, got="a folder", fix="name the file in it") from None
    except ModelFileError:
        raise
    except (OSError, ValueError) as problem:  # a name may hold what no path can
        got = getattr(problem, "strerror", None) or "a name that no file can have"
        raise ModelFileError(source, expected=EXPECTED, got=got, fix="check the path") from None
    if len(text) > LARGEST_FILE:
        raise ModelFileError(source, expected=EXPECTED, got="a file of more than 256 MiB", fix="check the path")
    return text


def _check_version(source: str, version: Any) -> None:
    if type(version) is int and 1 <= version <= VERSION:
        return
    got = (
        f"version {version}" if isinstance(version, int | str | None) and len(str(version)) < 20 else "another version"
    )
    raise ModelFileError(source, expected=f"file version {VERSION} or older", got=got, fix=UPDATE)
