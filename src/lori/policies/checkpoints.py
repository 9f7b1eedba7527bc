"""Checkpoints: where was learning when it was stopped? Arrays, what they were made for, and the state of chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lori.data.writing import writing
from lori.errors import ModelFileError

AGAIN = "give another file, or remove this one to begin again"


class Checkpoint(NamedTuple):
    """What a learner needs to go on."""

    arrays: dict[str, np.ndarray]
    done: int  # updates or episodes
    random: Any  # the state of its generator


def write_checkpoint(path: str | Path, kind: str, made_for: dict[str, Any], state: Checkpoint) -> None:
    """Whole or not at all, as .npz."""
    told = {"kind": kind, "made_for": made_for, "done": state.done, "random": state.random}
    with writing(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, told=np.array(json.dumps(told)), **state.arrays)


def read_checkpoint(path: str | Path, kind: str, made_for: dict[str, Any]) -> Checkpoint:
    """What `write_checkpoint` wrote, if it was for the same thing."""
    try:
        with np.load(path, allow_pickle=False) as held:
            told = json.loads(str(held["told"]))
            arrays = {name: held[name] for name in held.files if name != "told"}
            found = Checkpoint(arrays, int(told["done"]), told["random"])
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        raise ModelFileError(
            str(path), expected="a checkpoint that LORI wrote", got="another file or a damaged one", fix=AGAIN
        ) from None
    if told["kind"] != kind or told["made_for"] != json.loads(json.dumps(made_for)):
        differing = [name for name, value in made_for.items() if told["made_for"].get(name) != value]
        raise ModelFileError(
            str(path), expected=f"a checkpoint of {kind} with these settings",
            got=f"one of {told['kind']}" + (f" with another {differing[0]}" if differing else ""), fix=AGAIN,
        )  # fmt: skip
    return found
