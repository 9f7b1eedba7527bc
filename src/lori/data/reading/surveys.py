"""Survey tools: how do their exports say who saw what, and what was chosen? As long tables, as other tools have them.

Qualtrics writes a row for each respondent below three rows of headings. Conjoint designs put the attributes' names into
columns `K-TASK-ATTRIBUTE` and their levels into `K-TASK-PROFILE-ATTRIBUTE`, with any letter for K.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lori.data.reading.guesses import PART
from lori.data.reading.tables import blank, plain
from lori.data.validation import names_text
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

LEVEL = re.compile(r"(?P<letter>[A-Z])-(?P<task>\d+)-(?P<profile>\d+)-(?P<attribute>\d+)")
ROLES = ("agent", "set", "alternative", "chosen")
RESPONDENT = ("ResponseId", "ResponseID", "V1")


def without_headings(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The answers alone, without the questions' texts and ids that Qualtrics writes below the header."""
    for row in range(min(2, len(frame))):
        if frame.iloc[row].astype(str).str.contains('"ImportId"', regex=False).any():
            return frame.iloc[row + 1 :].reset_index(drop=True)
    return frame


def conjoint(
    path: str, frame: pandas.DataFrame, columns: Mapping[str, str]
) -> tuple[pandas.DataFrame, dict[str, str]] | None:
    """A long table of a conjoint export, and its column map; nothing where the table is none."""
    import pandas

    levels = {name: found for name in frame.columns if (found := LEVEL.fullmatch(name))}
    if not levels:
        return None
    letter = next(iter(levels.values()))["letter"]
    tasks = sorted({int(found["task"]) for found in levels.values()})
    answers = _answers(path, frame, columns, tasks)
    agent = columns.get("agent") or next((name for name in RESPONDENT if name in frame), None)
    rows: list[dict[str, Any]] = []
    for number, row in frame.iterrows():
        for task, answer in zip(tasks, answers, strict=True):
            profiles: dict[int, dict[str, Any]] = {}
            for name, found in levels.items():
                if int(found["task"]) == task:
                    attribute = str(row.get(f"{letter}-{task}-{found['attribute']}", f"attribute {found['attribute']}"))
                    profiles.setdefault(int(found["profile"]), {})[attribute] = row[name]
            chosen = _profile(path, str(row[answer]), sorted(profiles))
            person = str(row[agent]) if agent else str(number)
            if chosen is None:  # not answered
                continue
            rows += [
                dict(zip(ROLES, (person, f"{person}+{task}", str(profile), int(profile == chosen)), strict=True)) | own
                for profile, own in sorted(profiles.items())
            ]
    if not rows:
        raise DataError(path, expected="answered tasks", got="none", fix="correct columns=… (--columns 'choice=Q*')")
    long = pandas.DataFrame(rows)
    return long, {name: name for name in ROLES}


def _answers(path: str, frame: pandas.DataFrame, columns: Mapping[str, str], tasks: list[int]) -> list[str]:
    """The column of each task's answer: by the map's pattern, else columns of one name with these numbers."""
    patterns = (
        [columns["choice"]] if "*" in columns.get("choice", "") else ["choice*", "Choice*", "Q*", "task*", "CBC_*"]
    )
    for pattern in patterns:
        found = [pattern.replace("*", str(task)) for task in tasks]
        if all(name in frame for name in found):
            return found
    raise DataError(
        path, expected=f"a column with the answer to each of {len(tasks)} tasks",
        got=f"none called {names_text([pattern.replace('*', '1') for pattern in patterns])} and so on",
        fix="name them with columns={'choice': 'Q*'} (--columns 'choice=Q*'), a star for the task's number",
    )  # fmt: skip


def _profile(path: str, answer: str, profiles: list[int]) -> int | None:
    """Which profile an answer means: its number or letter is the last part of it."""
    import pandas

    if blank(pandas.Series([answer]))[0]:
        return None
    parts = PART.findall(answer.removesuffix(".0"))
    last = plain(parts[-1]) if parts else ""
    names = {str(profile): profile for profile in profiles} | {
        chr(ord("a") + profile - 1): profile for profile in profiles if profile <= 26
    }
    if last not in names:
        raise DataError(
            path, expected="answers that end in the number or the letter of a profile, as in Profile 2 or B",
            got="another one", fix="export the answers as numeric values",
        )  # fmt: skip
    return names[last]
