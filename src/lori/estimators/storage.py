"""Storage: a fitted model as versioned JSON that a person can read, never as code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lori import __version__
from lori.data.writing import writing
from lori.errors import ModelFileError
from lori.model.ordered import OrderedModel

FORMAT, VERSION = "lori-model", 1
KINDS = {"model": "a fitted model", "agents": "the models of many agents", "truth": "a model that was not fitted",
         "policy": "a policy"}  # fmt: skip
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


def load(path: str | Path, build: Callable[[dict[str, Any]], Loaded], kind: str | None) -> Loaded:
    """Read a document and build what it holds, or say in one sentence why it cannot be."""
    source, expected = str(path), "a model saved by LORI"
    again = "save the model again with `lori fit --save` or model.save()"
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelFileError(source, expected=expected, got="no such file", fix="check the path") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise ModelFileError(source, expected=expected, got=type(problem).__name__, fix=again) from None
    except json.JSONDecodeError:
        raise ModelFileError(source, expected=expected, got="a damaged or foreign file", fix=again) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(source, expected=expected, got="another kind of file", fix=again)
    version = document.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ModelFileError(
            source, expected=f"file version {VERSION} or older", got=f"version {version}",
            fix="update LORI with: pip install --upgrade lori",
        )  # fmt: skip
    if kind not in (None, document.get("kind")):
        expected = KINDS[kind]
        got = KINDS.get(document.get("kind"), "something else")  # type: ignore[arg-type]
        raise ModelFileError(source, expected=expected, got=got, fix="give the file of a single fitted model"
                             if kind == "model" else "use lori.load() for it")  # fmt: skip
    try:
        return build(document)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise ModelFileError(source, expected=expected, got="a file with parts missing", fix=again) from None
