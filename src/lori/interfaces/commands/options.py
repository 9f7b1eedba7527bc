"""Options of the command line: what do several commands share, and how is what people write understood?

A command takes its options in groups, frozen dataclasses whose fields are declared as Typer's options are. `grouped`
shows Typer a parameter for each field, and hands the command the groups.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from lori.errors import InputError

Files = Annotated[
    list[Path], typer.Argument(help="One file (pairs or choices), or two (items or trajectories, with comparisons).")
]
ModelFile = Annotated[Path, typer.Argument(help="A model saved by `lori fit --save`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer is to see it: every group of options among its parameters stands there field by field."""
    kinds = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _parameters(groups[name])
        else:
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=kinds[name]))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters(group: Any) -> list[inspect.Parameter]:
    kinds = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, annotation=kinds[field.name],
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(group)
    ]  # fmt: skip


def assignments(option: str, given: list[str] | None) -> dict[str, str]:
    """What OURS=YOURS says, from an option that can be repeated."""
    pairs = [part.partition("=") for part in given or []]
    for ours, sign, theirs in pairs:
        if not (ours and sign and theirs):
            raise InputError(option, expected="OURS=YOURS", got=repr(ours + sign + theirs), fix=f"write {option} a=b")
    return {ours: theirs for ours, _, theirs in pairs}


def names(text: str | None) -> Any:
    """Names that are separated by commas, or 'all'."""
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
