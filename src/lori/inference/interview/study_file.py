"""Study file: how is a study written down (TOML), and what is wrong with one, in a plain sentence for each fault?"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lori.errors import DataError, InputError
from lori.inference.interview.priorities import Priorities
from lori.inference.interview.study import Attribute, Item, Study
from lori.language.interview import TEXTS, slots

LARGEST = 1_000_000  # bytes of a study file
LONGEST = 20_000  # characters of a text
STEPS = 11  # values of a range without a step
MOST_VALUES, MOST_ATTRIBUTES, MOST_ITEMS, MOST_QUESTIONS = 1_000, 12, 2_000, 500
PAGE: dict[str, type] = {
    "title": str, "language": str, "explanation": str, "consent": str, "thanks": str, "show_result": bool,
    "ask_name": bool,
}  # fmt: skip
SETTINGS = {"levels", "ties", "questions", "sure", "repeats", "population"}
PARTS = {"attributes", "items", "forbidden", "prior", "texts"}
KINDS = {str: "a text", bool: "true or false", list: "a list", dict: "a table"}


def read_study(path: str | Path) -> Study:
    """The study in a file; the first of its faults is raised (`checked_study` tells all of them)."""
    study, faults = checked_study(path)
    if faults:
        raise faults[0]
    assert study is not None
    return study


def checked_study(path: str | Path) -> tuple[Study | None, list[InputError]]:
    """The study in a file, or everything that is wrong with it."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        return None, [_fault(str(path), "a study file", error.strerror or "none", "check its name")]
    try:
        if len(raw) > LARGEST:
            raise ValueError("more than a megabyte")
        table = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return None, [_fault(str(path), "a study in TOML", f"a file that is none ({str(error)[:100]})", "correct it")]
    return study_from(table, Path(path).parent)


def study_from(table: dict[str, Any], folder: Path = Path()) -> tuple[Study | None, list[InputError]]:
    """The study that a table of plain values describes, or its faults; files are named from `folder` on."""
    found = _Faults()
    for key in sorted(set(table) - set(PAGE) - SETTINGS - PARTS):
        found.add(key, "a setting that studies have", "an unknown one", "look at lori elicit --example")
    page = {key: found.kind(key, table[key], kind) for key, kind in PAGE.items() if key in table}
    page["texts"] = found.texts(table.get("texts", {}))
    if isinstance(table.get("title", ""), str) and not table.get("title", "").strip():
        found.add("title", "a title, which respondents see first", "none", 'write title = "…"')
    attributes = [
        own
        for place, entry in enumerate(found.entries("attributes", table.get("attributes", []), MOST_ATTRIBUTES))
        if (own := _attribute(entry, f"attributes, number {place + 1}", found, "items" in table)) is not None
    ]
    names = [own.name for own in attributes]
    if len(set(names)) < len(names):
        found.add("attributes", "a name of its own for each", "two of the same name", "rename one")
    if not found.faults and len(attributes) < 2:
        found.add("attributes", "at least two", str(len(attributes)), "write [[attributes]] for each")
    items = _items(table["items"], attributes, folder, found) if "items" in table else ()
    if items:
        attributes = [_of_items(own, place, items) for place, own in enumerate(attributes)]
    known = {own.name: own for own in attributes}
    forbidden = [
        {name: _code(known[name], value, f"forbidden, number {place + 1}", found) for name, value in entry.items()}
        for place, entry in enumerate(found.entries("forbidden", table.get("forbidden", []), 1000))
        if found.known(f"forbidden, number {place + 1}", entry, known)
    ]
    settings: dict[str, Any] = {
        "levels": found.number("levels", table.get("levels", min(2, max(len(attributes), 1))), 1, max(len(names), 1)),
        "questions": found.number("questions", table.get("questions", 20), 1, MOST_QUESTIONS),
        "sure": found.number("sure", table.get("sure", 0.95), 0.5, 1.0, whole=False),
        "repeats": found.number("repeats", table.get("repeats", 0.0), 0.0, 0.5, whole=False),
        "allows_ties": found.kind("ties", table.get("ties", True), bool),
    }
    page["population"] = found.kind("population", table.get("population", False), bool)
    prior = found.made("prior", lambda: Priorities(**found.kind("prior", table.get("prior", {}), dict)))
    if found.faults:
        return None, found.faults
    study = found.made(
        "study",
        lambda: Study(tuple(attributes), **settings, forbidden=tuple(forbidden), items=items, prior=prior, page=page),
    )
    return study, found.faults


class _Faults:
    """Faults as they are found; what is wrong is told once and replaced by something harmless."""

    def __init__(self) -> None:
        self.faults: list[InputError] = []

    def add(self, what: str, expected: str, got: str, fix: str) -> None:
        self.faults.append(_fault(what, expected, got, fix))

    def kind(self, what: str, value: Any, kind: Any) -> Any:
        if not isinstance(value, kind):
            self.add(what, KINDS[kind], _kind_of(value), "correct it")
            return kind()
        if isinstance(value, str) and len(value) > LONGEST:
            self.add(what, f"at most {LONGEST:,} characters", f"{len(value):,}", "shorten it")
        return value

    def number(self, what: str, value: Any, least: float, most: float, *, whole: bool = True) -> Any:
        right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not right or not least <= value <= most:
            kind = "a whole number" if whole else "a number"
            self.add(what, f"{kind} from {least:g} to {most:g}", _kind_of(value), "correct it")
            return int(least) if whole else least
        return value

    def entries(self, what: str, value: Any, most: int) -> list[dict[str, Any]]:
        if not isinstance(value, list) or any(not isinstance(entry, dict) for entry in value) or len(value) > most:
            self.add(what, f"tables, each under [[{what}]], at most {most}", _kind_of(value), "correct it")
            return []
        return value

    def known(self, what: str, entry: dict[str, Any], names: dict[str, Attribute]) -> bool:
        unknown = [name for name in entry if name not in names]
        if unknown or not entry:
            self.add(what, "values by the name of an attribute", "other names", "use names of attributes")
        return bool(entry) and not unknown

    def texts(self, value: Any) -> dict[str, str]:
        own = self.kind("texts", value, dict)
        for key, text in own.items():
            if key not in TEXTS:
                self.add(f"texts.{key}"[:60], "a text that the pages have", "an unknown one", "see docs/interview.md")
            told = slots(self.kind(f"texts.{key}"[:60], text, str))
            if told is None or not told <= (slots(TEXTS.get(key, "")) or set()):
                self.add(
                    f"texts.{key}"[:60], "the slots in braces that this text has", "others", "see docs/interview.md"
                )
        return {key: text for key, text in own.items() if isinstance(text, str)}

    def made(self, what: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except InputError as error:
            self.faults.append(error)
        except TypeError:
            self.add(what, "settings that are known", "an unknown one", "look at lori elicit --example")
        return None


def _attribute(entry: dict[str, Any], what: str, found: _Faults, of_items: bool) -> Attribute | None:
    before = len(found.faults)
    for key in sorted(set(entry) - {"name", "label", "unit", "range", "step", "values", "better"}):
        found.add(f"{what}, {key}"[:80], "a setting that attributes have", "an unknown one", "remove it")
    texts = {key: found.kind(f"{what}, {key}", entry.get(key, ""), str) for key in ("name", "label", "unit", "better")}
    if not texts["name"].strip() or "." in texts["name"]:
        found.add(f"{what}, name", "a name without a full stop", "another or none", 'write name = "…"')
    if texts["better"] not in ("more", "less", ""):
        found.add(f"{what}, better", "more or less", "something else", 'write better = "more", or leave it out')
    values, words = ((0.0, 1.0), ()) if of_items else _values(entry, what, found)
    return Attribute(values=values, words=words, **texts) if len(found.faults) == before else None


def _values(entry: dict[str, Any], what: str, found: _Faults) -> tuple[tuple[float, ...], tuple[str, ...]]:
    if ("range" in entry) == ("values" in entry):
        found.add(what, "either a range or values", "both or neither", "write range = [0, 10] or values = [1, 2, 5]")
        return (0.0, 1.0), ()
    given = found.kind(f"{what}, values", entry.get("values", entry.get("range")), list)
    if "values" in entry and given and all(isinstance(value, str) for value in given):
        if len(set(given)) < 2 or len(set(given)) < len(given) or len(given) > MOST_VALUES:
            found.add(f"{what}, values", "two or more words, all different", "others", "correct them")
        return tuple(float(place) for place in range(len(given))), tuple(given)
    sound = all(isinstance(value, int | float) and not isinstance(value, bool) for value in given)
    numbers = [float(value) for value in given] if sound else []
    if not np.all(np.isfinite(numbers)) or np.any(np.abs(numbers) > 1e12) or not 2 <= len(set(numbers)) <= MOST_VALUES:
        found.add(f"{what}, values", "two or more different numbers, or words", "something else", "correct them")
        return (0.0, 1.0), ()
    if "values" in entry:
        return tuple(sorted(set(numbers))), ()
    if len(numbers) != 2 or numbers[0] >= numbers[1]:
        found.add(f"{what}, range", "its lower and its upper end", "something else", "write range = [0, 10]")
        return (0.0, 1.0), ()
    low, high = numbers
    step = found.number(
        f"{what}, step", entry.get("step", (high - low) / (STEPS - 1)), (high - low) / MOST_VALUES, high - low,
        whole=False,
    )  # fmt: skip
    count = int(np.floor((high - low) / step + 1e-9)) + 1
    return tuple(float(round(low + step * place, 10)) for place in range(count)), ()


def _code(attribute: Attribute, value: Any, what: str, found: _Faults) -> float:
    """The number of a value that a study names as it is shown."""
    if isinstance(value, str) and value in attribute.words:
        return attribute.values[attribute.words.index(value)]
    if isinstance(value, int | float) and not attribute.words and float(value) in attribute.values:
        return float(value)
    found.add(what, f"a value that {attribute.name} has", "another", "name one of its values")
    return attribute.values[0]


def _items(entry: Any, attributes: list[Attribute], folder: Path, found: _Faults) -> tuple[Item, ...]:
    """The rows of a table: a name, perhaps a text and a picture, and a number for each attribute."""
    from lori.data.reading.files import read_table

    own = found.kind("items", entry, dict)
    file = found.kind("items, file", own.get("file", ""), str)
    try:
        table = read_table(str(folder / file), [])
    except DataError as error:
        found.faults.append(error)
        return ()
    missing = [name for name in ("name", *(own.name for own in attributes)) if name not in table.columns]
    if missing:
        found.add("items", "a column for name and each attribute", f"none for {missing[0]}", "add it")
        return ()
    numbers = table[[own.name for own in attributes]]
    if not all(kind.kind in "iufb" for kind in numbers.dtypes) or not np.isfinite(numbers.to_numpy(float)).all():
        found.add("items", "a number in each column of an attribute", "something else", "correct the table")
        return ()
    if not 2 <= len(table) <= MOST_ITEMS:
        found.add("items", f"from 2 to {MOST_ITEMS:,} rows", f"{len(table):,}", "choose some")
        return ()
    texts = {
        key: table[key].fillna("").astype(str) if key in table else [""] * len(table) for key in ("text", "picture")
    }
    if any(picture and ("/" in picture or "\\" in picture or picture.startswith(".")) for picture in texts["picture"]):
        found.add("items, picture", "names of files beside the study", "a path", "put pictures beside the study file")
    return tuple(
        Item(str(name), tuple(float(number) for number in row), str(text), str(picture))
        for name, row, text, picture in zip(
            table["name"], numbers.to_numpy(float), texts["text"], texts["picture"], strict=True
        )
    )


def _of_items(attribute: Attribute, place: int, items: tuple[Item, ...]) -> Attribute:
    values = tuple(sorted({item.values[place] for item in items}))
    return Attribute(attribute.name, values, attribute.label, attribute.unit, better=attribute.better)


def _kind_of(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else "something else"


def _fault(what: str, expected: str, got: str, fix: str) -> InputError:
    return InputError(what, expected=expected, got=got, fix=fix)
