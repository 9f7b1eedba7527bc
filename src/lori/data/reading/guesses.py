"""Guesses: what could the columns of a table mean, where nobody has said so? Names and cells tell, and it is shown.

Two forms are looked for. In a long one a row is an alternative, with a mark where it was chosen. In a wide one a row is
a question, and columns whose names differ in one part alone, `A_cost` and `B_cost`, describe its alternatives. A wide
table is believed only if what was chosen is told in words, or codes 1, 2, …, that fit these parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lori.data.reading.tables import NO, YES, blank, plain

if TYPE_CHECKING:
    import pandas

NAMES = {
    "choice": (
        "choice chosen chose choose selected select picked pick preferred preference prefers answer response decision "
        "depvar winner"
    ),
    "agent": (
        "agent respondent respondentid respid resp participant participantid person personid subject subjectid user "
        "userid responseid individual individualid caseid pid id"
    ),
    "set": "set setid choiceset obsid chid case situation",
    "task": "task taskid tasknumber question questionid qid qes ques contest contestno trial round scenario choiceid",
    "alternative": "alternative alt altid profile option concept mode",
    "available": "available availability avail av",
    "weight": "weight weights",
}
KNOWN = {role: tuple(words.split()) for role, words in NAMES.items()}
BESIDE = ("profileid", "blockid", "block", "version", "nochoice")  # numbers that other tools write beside features
PREFERRED = (("chosen", "rejected"), ("winner", "loser"), ("preferred", "rejected"), ("better", "worse"))
TIES = (
    "tie", "ties", "no preference", "nopreference", "neither", "indifferent", "equal", "same", "either", "both",
    "no difference", "undecided", "draw",
)  # fmt: skip
PART = re.compile(r"\d+|[A-ZÀ-Þ]+(?![a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿ]+|[^\W\d_]+")
SIDE = re.compile(r"[A-Za-z]|\d+|left|right|first|second", re.IGNORECASE)  # what tells one alternative from another
SEPARATORS = " _.-:/"
MOST_ALTERNATIVES, MOST_WORDS = 12, 24


@dataclass(frozen=True)
class Guess:
    """A column map, words and features, to be read with; empty where nothing is recognised."""

    columns: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    alternatives: tuple[str, ...] = ()
    features: tuple[str, ...] | None = None
    always: str | None = None  # the side that was chosen in every row, where columns say so


def guess(frame: pandas.DataFrame, columns: Mapping[str, str], values: Mapping[str, str]) -> Guess:
    """What the columns could mean beside those that the map names."""
    roles = _roles(frame, columns)
    found = _long(frame, roles, columns) or _wide(frame, roles, columns, values)
    if found is None and "choice" not in roles:
        found = _by_words(frame, roles, columns, values)
    return found or Guess()


def _by_words(
    frame: pandas.DataFrame, roles: Mapping[str, str], columns: Mapping[str, str], values: Mapping[str, str]
) -> Guess | None:
    """With a choice column of whatever name, where the words of just one column are the names of alternatives."""
    used, found = {*roles.values(), *columns.values()}, []
    for name in frame.columns:
        if name not in used and any(char.isalpha() for word in _words(frame, name) for char in word):
            one = _wide(frame, {**roles, "choice": name}, columns, values)
            found += [one] if one is not None and one.values and one.always is None else []
    return found[0] if len(found) == 1 else None


def _simple(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _roles(frame: pandas.DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """The column of each role: as the map says, else the one whose name comes first among those that mean it."""
    taken = set(columns.values())
    simple = {_simple(name): name for name in reversed(frame.columns) if name not in taken}
    found = {role: columns[role] for role in KNOWN if columns.get(role) in frame}
    if columns.get("chosen") in frame:
        found["choice"] = columns["chosen"]
    for role, words in KNOWN.items():
        own = next((simple[word] for word in words if word in simple), None)
        if role not in found and own is not None and own not in found.values():
            found[role] = own
    return found


# -- long ------------------------------------------------------------------------------------------------------


def _long(frame: pandas.DataFrame, roles: Mapping[str, str], columns: Mapping[str, str]) -> Guess | None:
    """A mark in every row, one chosen in each of the groups that some ids make."""
    if "choice" not in roles:
        return None
    marks = frame[roles["choice"]].map(plain)
    if not set(marks.unique()) <= {*YES, *NO, "-1"} or not marks.isin(YES).any():
        return None
    ids = {role: roles[role] for role in ("set", "task", "agent") if role in roles}
    own = (columns["set"],) if columns.get("set") in frame else None
    for key in [own] if own else _keys(ids):
        sizes = frame.groupby(list(key), sort=False).size()
        chosen = marks.isin(YES).groupby([frame[name] for name in key], sort=False).sum()
        if sizes.min() > 1 and chosen.max() == 1:
            break
    else:
        return None
    named = {"set": "+".join(key), "chosen": roles["choice"]}
    if "alternative" in roles and not frame.duplicated([*key, roles["alternative"]]).any():
        named["alternative"] = roles["alternative"]
    named |= {role: roles[role] for role in ("available", "weight") if role in roles}
    if "agent" in roles and key != (roles["agent"],) and _repeats(frame, roles["agent"], len(chosen)):
        named["agent"] = roles["agent"]
    used = {*key, *named.values(), *roles.values(), *columns.values()}
    others = [name for name in frame.columns if name not in used and _simple(name) not in BESIDE]
    varies: Any = frame.groupby(list(key), sort=False)[others].nunique().max() if others else {}
    features = tuple(name for name in others if varies[name] > 1)
    return Guess(named, features=features) if features else None


def _keys(ids: Mapping[str, str]) -> list[tuple[str, ...]]:
    """What could tell one set from another: its own number, a person's question, or a person alone."""
    both = ("agent", "task")
    own: list[tuple[str, ...]] = [(ids["set"],)] if "set" in ids else []
    own += [tuple(ids[role] for role in both)] if all(role in ids for role in both) else []
    return own + [(ids[role],) for role in ("task", "agent") if role in ids]


def _repeats(frame: pandas.DataFrame, name: str, groups: int) -> bool:
    return frame[name].nunique() < groups


# -- wide ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """Columns whose names differ in one part alone: the part's place, and the column of each part."""

    before: str
    after: str
    columns: dict[str, str]
    feature: str = ""  # the name without the part

    @property
    def is_available(self) -> bool:
        return _simple(self.feature) in KNOWN["available"]


def _wide(
    frame: pandas.DataFrame, roles: Mapping[str, str], columns: Mapping[str, str], values: Mapping[str, str]
) -> Guess | None:
    used = {*roles.values(), *columns.values()}
    families = _families([name for name in frame.columns if name not in used])
    words = _words(frame, roles.get("choice"))
    best: tuple[float, ...] = ()
    found = Guess()
    for parts in {tuple(family.columns): None for family in families}:
        if not 2 <= len(parts) <= MOST_ALTERNATIVES or any(_simple(part) in KNOWN["available"] for part in parts):
            continue
        own = _featured([family for family in families if set(parts) <= set(family.columns)])
        described = [family for family in own if not family.is_available]
        if not described:
            continue
        preferred = next((pair for pair in PREFERRED if sorted(map(_simple, parts)) == sorted(pair)), ())
        order = [_simple(part) for part in described[0].columns] if not preferred else list(preferred)
        ordered = tuple(sorted(parts, key=lambda part, order=order: order.index(_simple(part))))  # type: ignore[misc]
        codes, certain = ({}, 3) if preferred else _coded(ordered, words, values)
        quality = (certain, all(SIDE.fullmatch(part) for part in parts), -_unlike(frame, described), len(described))
        if certain and quality > best:
            best = quality
            available = next((family for family in own if family.is_available), None)
            found = _mapped(ordered, described, available, codes, "left" if preferred else None)
    if not found.columns or not (found.always or "choice" in roles):
        return None
    named = {role: roles[role] for role in ("weight",) if role in roles}
    if not found.always:
        named["choice"] = roles["choice"]
    if "agent" in roles and (columns.get("agent") or _repeats(frame, roles["agent"], len(frame))):
        named["agent"] = roles["agent"]
    return replace(found, columns=named | found.columns)


def _featured(families: Sequence[Family]) -> list[Family]:
    """The families with the names of their features: without the part, and without what stands before it in all."""
    befores = [family.before for family in families]
    common = befores[0][len(befores[0]) - _shared([before[::-1] for before in befores]) :] if befores else ""
    named = []
    for family in families:
        for before in (family.before.removesuffix(common), family.before):
            words = (before.rstrip(SEPARATORS), family.after.lstrip(SEPARATORS))
            name = " ".join(word for word in words if word)
            if any(char.isalnum() for char in name):
                named.append(replace(family, feature=name))
                break
    return named


def _unlike(frame: pandas.DataFrame, families: Sequence[Family]) -> float:
    """How far the columns of a family lie apart in size, on average: those of one feature are alike."""
    apart = []
    for family in families:
        own = [_numbers(frame[name]) for name in family.columns.values()]
        sizes = [np.log(np.abs(values[values != 0]).mean()) for values in own if values.any()]
        apart.append(float(np.ptp(sizes)) if sizes else 0.0)
    return float(np.mean(apart))


def _numbers(column: pandas.Series) -> np.ndarray:
    import pandas

    values = pandas.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    return np.clip(values[np.isfinite(values)], -1e100, 1e100)


def _shared(texts: Sequence[str]) -> int:
    """How many first characters all have in common, up to the end of a word."""
    length = next((place for place, chars in enumerate(zip(*texts, strict=False)) if len(set(chars)) > 1), None)
    length = min(map(len, texts)) if length is None else length
    while length and any(text[length - 1 : length + 1].isalnum() and len(text) > length for text in texts):
        length -= 1
    return length


def _mapped(
    parts: tuple[str, ...], described: Sequence[Family], available: Family | None, codes: dict[str, str],
    always: str | None,
) -> Guess:  # fmt: skip
    """Two alternatives that are always there are sides of a pair; more, or some that may be missing, are a set."""
    if len(parts) > 2 or available is not None:
        families = {family.feature: family for family in described} | ({"available": available} if available else {})
        named = {feature: f"{family.before}*{family.after}" for feature, family in families.items()}
        return Guess(named, {part: code for part, code in codes.items() if part != "tie"}, alternatives=parts)
    sides = dict(zip(("left", "right"), parts, strict=True))
    named = {f"{side}.{family.feature}": family.columns[part] for side, part in sides.items() for family in described}
    said = {side: codes[part] for side, part in (sides | {"tie": "tie"}).items() if part in codes}
    return Guess(_shortened(named, sides, described), said, always=always)


def _families(names: Sequence[str]) -> list[Family]:
    """Every way in which names differ in one part alone."""
    by_place: dict[tuple[str, str], dict[str, str]] = {}
    for name in names:
        for part in PART.finditer(name):
            by_place.setdefault((name[: part.start()], name[part.end() :]), {})[part.group()] = name
    return [Family(*place, own) for place, own in by_place.items() if len(own) > 1]


def _words(frame: pandas.DataFrame, choice: str | None) -> list[str]:
    """The different words of the choice column, as written; none where there are too many."""
    if choice is None:
        return []
    column = frame[choice][~blank(frame[choice])]
    words = list(dict.fromkeys(str(word).strip().removesuffix(".0") for word in column.unique()))
    return words if len(words) <= MOST_WORDS else []


def _coded(parts: Sequence[str], words: Sequence[str], values: Mapping[str, str]) -> tuple[dict[str, str], int]:
    """The file's word for each alternative, and how certain that is: 2 by name, 1 by codes 1, 2, …, 0 not at all."""
    if values:  # somebody has said it
        return {}, 2 if set(values) <= {"left", "right", "tie", *parts} else 0
    simple = {plain(part): part for part in parts}
    codes: dict[str, str] = {}
    for word in words:
        within = [part for part in PART.findall(word) if plain(part) in simple]
        if plain(word) in TIES:
            codes["tie"] = word
        elif plain(word) in simple or len(within) == 1:
            codes.setdefault(simple.get(plain(word)) or simple[plain(within[0])], word)
        else:
            break
    else:
        if len(codes.keys() - {"tie"}) > 1:
            return codes, 2
    numbers = [str(place + 1) for place in range(len(parts))]
    if words and set(words) <= {*numbers} and len(words) > 1:
        return dict(zip(parts, numbers, strict=True)), 1
    return {}, 0


def _shortened(named: dict[str, str], sides: Mapping[str, str], families: Sequence[Family]) -> dict[str, str]:
    """Patterns with a star instead of single columns, where one pattern for each side finds all of them."""
    first, stem = families[0], families[0].feature
    for side_pattern in (
        lambda part: f"{first.before}{part}{first.after.removesuffix(stem)}*",
        lambda part: f"*{first.before.removeprefix(stem)}{part}{first.after}",
    ):
        patterns = {side: side_pattern(part) for side, part in sides.items()}
        if all(
            named[f"{side}.{family.feature}"] == pattern.replace("*", family.feature)
            for side, pattern in patterns.items()
            for family in families
        ):
            others = {ours: theirs for ours, theirs in named.items() if not ours.startswith(("left.", "right."))}
            return {f"{side}.*": pattern for side, pattern in patterns.items()} | others
    return named
