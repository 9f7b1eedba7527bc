"""Validation of a model file: does it keep to its schema, and do its parts fit each other?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic_core import ValidationError

from lori.errors import InputError
from lori.estimators import schema
from lori.language.names import short
from lori.model.rewards import reward_from, subjects_of

KINDS_OF_JSON = {dict: "an object", list: "a list", str: "a word", bool: "true or false", int: "a whole number",
                 float: "a number", type(None): "null"}  # fmt: skip

Fitting = tuple[Sequence[str | int], bool, str]  # a place, whether it fits, and what would


class Misfit(Exception):
    """Where a file is not what it should be, what was expected there, and what came."""

    def __init__(self, where: str, expected: str, got: str, *, newer: bool = False, fix: str | None = None) -> None:
        self.where, self.expected, self.got, self.newer, self.fix = where, expected, got, newer, fix
        super().__init__(f"{where}: expected {expected}, got {got}")


def header(text: bytes) -> dict[str, Any] | None:
    """The beginning of a model file; None where the text is something else."""
    try:
        found: dict[str, Any] = schema.header().validate_json(text)
        return found
    except ValidationError:
        return None


def checked(text: bytes, kind: str) -> dict[str, Any]:
    """The content of a file of this kind, or the first `Misfit`."""
    try:
        document: dict[str, Any] = schema.file(kind).validate_json(text, strict=True)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        place = (*first["loc"], *first.get("ctx", {}).get("at", ()))
        unknown = first["type"] == "extra_forbidden"
        got = "another one" if unknown else "none" if first["type"] == "missing" else _kind(first)
        fix = first.get("ctx", {}).get("fix")
        raise Misfit(_path(place), schema.said(first), got, newer=unknown, fix=fix) from None
    if "model" in document:
        _check_content(document, ())
    if kind == "agents":
        for agent, content in document["agents"].items():
            _check_content(content, ("agents", agent))
    if kind == "population":
        _check_population(document)
    return document


def _check_population(document: dict[str, Any]) -> None:
    features = document["classes"][0]["model"]["features"]
    for place, own in enumerate(document["classes"]):
        _check_content({"model": own["model"]}, ("classes", place))
        _check(_fitting_summary(own["model"], own["summary"]), ("classes", place))
        _check(
            [(("model", "features"), own["model"]["features"] == features, "those of the first class")],
            ("classes", place),
        )
    _check(_fitting_people(document, tuple(features)), ())


def _fitting_people(document: dict[str, Any], features: tuple[str, ...]) -> Iterator[Fitting]:
    agents, classes = len(document["agents"]), len(document["classes"])
    every = f"a row for each of the {agents:,} agents"
    yield ("agents",), len(set(document["agents"])) == agents, "agents that differ in their names"
    yield ("settings", "classes"), document["settings"]["classes"] == classes, f"{classes}, as there are"
    yield ("members",), len(document["members"]) == agents, every
    yield ("members",), all(len(row) == classes for row in document["members"]), f"rows of {classes} numbers"
    yield ("summary", "first"), set(document["summary"]["first"]) <= set(features), "features of the model"
    for i, known in enumerate(document["known"]):
        at = ("known", i)
        levels = len(known["rewards"])
        for name in ("epsilon", "alpha"):
            yield (*at, name), len(known[name]) == levels, f"one for each of the {levels} levels"
        for name in ("location", "scale"):
            yield (
                (*at, name),
                len(known[name]) == len(features),
                f"one number for each of the {len(features):,} features",
            )
        fits = all(_knows(reward, features) for reward in known["rewards"])
        yield (*at, "rewards"), fits, "rewards of the model's features"
        vectors, shares = known["vectors"], known["shares"]
        yield (*at, "vectors"), len(vectors) in (1, agents + 1), every + ", and one for strangers"
        yield (*at, "shares"), len(shares) == agents + 1, every + ", and one for strangers"
        count, size = len(shares[0]), len(vectors[0][0]) if vectors[0] else 0
        alike = all(len(row) == count for row in (*shares, *vectors))
        yield (*at, "vectors"), alike and count > 0, "as many vectors for everybody as there are shares"
        yield (*at, "vectors"), all(len(own) == size for row in vectors for own in row), f"vectors of {size} numbers"


def _check_content(content: dict[str, Any], place: tuple[str | int, ...]) -> None:
    _check(_fitting(content), place)


def _check(found: Iterable[Fitting], place: tuple[str | int, ...]) -> None:
    for where, fits, expected in found:
        if not fits:
            raise Misfit(_path((*place, *where)), expected, "others")


def _fitting(content: dict[str, Any]) -> Iterator[Fitting]:
    """Place by place: does it fit what stands elsewhere in the file, and what would?"""
    model = content["model"]
    features, levels = tuple(model["features"]), len(model["levels"])
    each, all_levels = f"one number for each of the {len(features):,} features", f"one for each of the {levels} levels"
    yield ("model", "features"), len(set(features)) == len(features), "features that differ in their names"
    for i, level in enumerate(model["levels"]):
        at = ("model", "levels", i)
        size = _size(level["reward"], features)
        yield (*at, "parameters"), len(level["parameters"]) == size, f"as many numbers as its reward has ({size:,})"
        yield (*at, "reward"), _knows(level["reward"], features), "a reward of the model's features"
        yield (*at, "slopes"), len(level["slopes"]) == len(features), each
    if "settings" not in content:
        return
    settings, summary = content["settings"], content["summary"]
    yield ("settings", "levels"), settings["levels"] == levels, f"{levels}, as the model has"
    for name in ("alpha", "epsilon"):
        given = settings[name]
        yield ("settings", name), not isinstance(given, list) or len(given) == levels, all_levels
    yield ("ranges",), len(content["ranges"]) == len(features), each
    yield from _fitting_summary(model, summary)
    if content.get("peak") is not None:
        yield from _fitting_peak(content["peak"], features, levels)


def _fitting_summary(model: dict[str, Any], summary: dict[str, Any]) -> Iterator[Fitting]:
    levels, subjects = len(model["levels"]), _subjects(model)
    features = tuple(dict.fromkeys(name for name in subjects if name is not None))
    yield ("summary", "features"), tuple(summary["features"]) == features, "the features of the model"
    yield ("summary", "levels"), len(summary["levels"]) == levels, f"one for each of the {levels} levels"
    for i, level in enumerate(summary["levels"]):
        for name in ("importance", "weights", "thresholds"):
            yield ("summary", "levels", i, name), set(level[name]) == set(features), "the features of the model"
        yield ("summary", "levels", i, "leading"), set(level["leading"]) <= set(features), "features of the model"


def _fitting_peak(peak: dict[str, Any], features: tuple[str, ...], levels: int) -> Iterator[Fitting]:
    for name in ("rewards", "epsilon", "alpha", "reported_alpha"):
        yield ("peak", name), len(peak[name]) == levels, f"one for each of the {levels} levels"
    for name in ("location", "scale"):
        yield ("peak", name), len(peak[name]) == len(features), f"one number for each of the {len(features):,} features"
    size = len(peak["vector"])
    for i, reward in enumerate(peak["rewards"]):
        fits = _size(reward, features) <= size and _knows(reward, features)
        yield ("peak", "rewards", i), fits, "a reward of the model's features, with parameters in the vector"
    yield ("peak", "gradient"), len(peak["gradient"]) == size, f"{size:,} numbers, as the vector has"
    square = len(peak["curvature"]) == size and all(len(row) == size for row in peak["curvature"])
    yield ("peak", "curvature"), square, f"{size:,} rows of {size:,} numbers"
    even = all(len(row) == size for row in peak.get("draws", ()))
    yield ("peak", "draws"), even, f"rows of {size:,} numbers, as the vector has"


def _subjects(model: dict[str, Any]) -> tuple[str | None, ...]:
    """What the features of a model are about; the features themselves where a reward does not belong to them."""
    features = tuple(model["features"])
    try:
        return subjects_of([reward_from(level["reward"]) for level in model["levels"]], features)
    except InputError:
        return features


def _size(settings: dict[str, Any], features: tuple[str, ...]) -> int:
    """How many parameters a reward has; -1 where it does not belong to these features."""
    try:
        return reward_from(settings).size(features)
    except InputError:
        return -1


def _knows(settings: dict[str, Any], features: tuple[str, ...]) -> bool:
    """Are the features that a reward names, or counts on by their places, where they should be?"""
    reward = reward_from(settings)
    try:
        reward.bounds(features)
        return reward.among(features) == reward
    except InputError:
        return False


def _kind(error: Any) -> str:
    """What came, without its value: a file may hold somebody's data, or a million characters."""
    got = KINDS_OF_JSON.get(type(error.get("input")), "something else")
    actual = error.get("ctx", {}).get("actual_length")
    return got if actual is None else f"{actual:,}"


def _path(place: Sequence[str | int]) -> str:
    """Where something stands in a file, as `model.levels[0].epsilon`.

    >>> _path(("model", "levels", 0, "epsilon"))
    'model.levels[0].epsilon'
    """
    fields = (part for part in place if part != schema.ALTERNATIVE)
    told = "".join(f"[{part}]" if isinstance(part, int) else f".{short(part)}" for part in fields)
    return told.lstrip(".") or "the file"
