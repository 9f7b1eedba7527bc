"""Which words does the command line understand? Choices, options that several commands share, and their parsing."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lori.errors import InputError


class RewardName(StrEnum):
    linear = "linear"
    capped = "capped"
    network = "network"
    gated = "gated"


TieName = StrEnum("TieName", ["auto", "split", "observed", "printed"])


class PriorName(StrEnum):
    weak = "weak"
    none = "none"


class MethodName(StrEnum):
    newton = "newton"
    paper = "paper"


class ErrorName(StrEnum):
    observed = "observed"
    robust = "robust"
    clustered = "clustered"


class EngineName(StrEnum):
    auto = "auto"
    memory = "memory"
    stream = "stream"
    dask = "dask"


class World(StrEnum):
    levels = "levels"
    cancer = "cancer"
    age = "age"
    tversky = "tversky"
    model = "model"
    organ = "organ"


Files = Annotated[
    list[Path], typer.Argument(help="One file (pairs or choices), or two (items or trajectories, with comparisons).")
]
ModelFile = Annotated[Path, typer.Argument(help="A model saved by `lori fit --save`.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--columns", help="Our column = your column, e.g. left.price=price1 or 'left.*=*1'. Repeatable."),
]
Values = Annotated[
    list[str] | None, typer.Option("--values", help="Your word for a choice, e.g. left=choice1. Repeatable.")
]
Features = Annotated[str | None, typer.Option(help="Features to use, separated by commas (default: all).")]
Pooling = Annotated[str, typer.Option(help="How trajectories become vectors: mean, sum, last or discounted.")]
Discount = Annotated[float, typer.Option(help="Discount per step for --pooling discounted.")]
SamePooling = Annotated[str | None, typer.Option("--pooling", help="As --pooling of fit (default: as the model says).")]
SameDiscount = Annotated[float | None, typer.Option("--discount", help="As --discount of fit (default: the same).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]
Out = Annotated[Path | None, typer.Option(help="Write a table (.csv or .parquet) instead of printing it.")]


def assignments(option: str, given: list[str] | None) -> dict[str, str]:
    pairs = [part.partition("=") for part in given or []]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise InputError(option, expected="OURS=YOURS", got=repr(ours + sign + theirs), fix=f"write {option} a=b")
    return {ours: theirs for ours, _, theirs in pairs}


def names(text: str | None) -> Any:
    return "all" if text == "all" else [name.strip() for name in (text or "").split(",") if name.strip()]


def whole(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(option, expected="a whole number from 1", got=repr(text), fix=f"use {option} 2") from None


def numbers(option: str, text: str) -> Any:
    """'learned' → None; several values, separated by commas → one for each level."""
    parts: list[float | None] = []
    for part in text.split(","):
        try:
            parts.append(None if part.strip() in ("learned", "none") else float(part))
        except ValueError:
            raise InputError(
                option, expected="'learned' or a number, one or one for each level", got=repr(part),
                fix=f"write for example {option} learned,0",
            ) from None  # fmt: skip
    return parts[0] if len(parts) == 1 else parts
