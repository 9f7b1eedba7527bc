"""Reading in words: what was understood of a file, what was guessed of that, and what was left out?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.data.reading.record import Reading
from lori.language.numbers import counted, number
from lori.language.sentence import Name, Sentence, clause, joined, listed

SHOWN = 12  # columns that are listed by name
ROLES = {
    "choice": "what was chosen", "chosen": "what was chosen", "agent": "who chose", "set": "which rows belong together",
    "alternative": "what an alternative is called", "available": "what could be chosen",
    "weight": "how much a row counts",
    "rank": "the place in a ranking", "best": "what is best", "worst": "what is worst", "count": "how often",
}  # fmt: skip
FORMS = {
    "pairs": "a row for each pair", "choices": "a row for each alternative of a set", "wide": "a row for each set",
    "items": "items and comparisons of them", "trajectories": "trajectories and comparisons of them",
}  # fmt: skip


def remarks(reading: Reading) -> list[Sentence]:
    """What somebody must know before trusting an answer: guesses, rows that were left out, categories."""
    said = []
    if reading.guessed:
        parts = [_meaning(key, reading) for key in reading.guessed]
        said.append(
            Sentence.of(
                "Guessed from the names of the columns: {parts}. If that is wrong, say what they mean with --columns "
                "and --values.",
                parts=joined(parts, "; "),
            )
        )
    if reading.dropped:
        said.append(left_out(reading))
    for feature, words in reading.categories.items():
        said.append(
            Sentence.of(
                "{feature} is a category: {others} compared with {baseline}.", feature=Name(feature).capital(),
                others=listed(words[1:]), baseline=Name(words[0]),
            )
        )  # fmt: skip
    return said


def left_out(reading: Reading) -> Sentence:
    """How many rows or sets were left out for an empty cell."""
    dropped = counted(reading.dropped, "row" if reading.form in ("pairs", "wide") else "set")
    were = "was" if reading.dropped == 1 else "were"
    return Sentence.of("{dropped} with an empty cell {were} left out.", dropped=dropped, were=were)


def folder_remark(files: int, pairs: int) -> Sentence:
    """That a folder was searched, and what it held."""
    held, rows = counted(files, "Parquet file"), counted(pairs, "pair")
    return Sentence.of("The folder holds {held} with {rows}; all of them are read.", held=held, rows=rows)


def _meaning(key: str, reading: Reading) -> Sentence:
    """One guess: our name for something, and the file's."""
    if key in reading.columns:
        theirs = Name(reading.columns[key])
        if key in ROLES:
            return clause("{column} says {role}", column=theirs, role=ROLES[key])
        return clause("{ours} is {column}", ours=Name(key), column=theirs)
    return clause("the word for {ours} is {word}", ours=Name(key), word=Name(reading.values.get(key, "")))


def description(observed: Preferences | Choices, command: Sequence[str] = ()) -> list[Sentence]:
    """What was understood of the files: form, sizes, features with their range, people, ties, what was left out."""
    reading = observed.reading or Reading()
    said = [
        Sentence.of("Form: {form}.", form=FORMS.get(reading.form, reading.form)),
        Sentence.of("Observed: {size}.", size=_size(observed)),
    ]
    low, high = observed.alternatives.min(axis=0), observed.alternatives.max(axis=0)
    for place, feature in enumerate(observed.features[:SHOWN]):
        said.append(
            Sentence.of(
                "Feature {feature}: from {low} to {high}.", feature=Name(feature), low=number(low[place]),
                high=number(high[place]),
            )
        )  # fmt: skip
    if len(observed.features) > SHOWN:
        said.append(Sentence.of("And {more}.", more=counted(len(observed.features) - SHOWN, "more feature")))
    if reading.ignored:
        more = len(reading.ignored) - SHOWN
        names = listed(reading.ignored[:SHOWN])
        said.append(Sentence.of("Not used: {names}{more}.", names=names, more=f" and {more} more" if more > 0 else ""))
    said += remarks(reading)
    if command:
        said.append(Sentence.of("To fit it: {command}", command=Name(shlex.join(command), longest=2_000)))
    return said


def _size(observed: Preferences | Choices) -> Sentence:
    chosen = counted(observed.n_comparisons, "choice")
    ties = counted(observed.n_ties, "tie") if observed.n_ties else "no ties"
    persons = 0 if observed.agent is None else len(np.unique(observed.agent))
    people = f"{persons:,} people" if persons > 1 else "one person" if persons else "no column that says who chose"
    if isinstance(observed, Choices):
        least, most = int(observed.sizes.min()), int(observed.sizes.max())
        size = str(least) if least == most else f"{least} to {most}"
        return clause(
            "{chosen} from {size} alternatives, {ties}, {people}", chosen=chosen, size=size, ties=ties, people=people
        )
    return clause("{chosen} between two alternatives, {ties}, {people}", chosen=chosen, ties=ties, people=people)


def spelled_out(reading: Reading, files: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    """The command that fits these files without guessing anything."""
    command = ["lori", "fit", *files]
    for ours, theirs in reading.columns.items():
        command += ["--columns", f"{ours}={theirs}"]
    for ours, theirs in reading.values.items():
        command += ["--values", f"{ours}={theirs}"]
    if reading.alternatives and not reading.values:
        command += ["--alternatives", ",".join(reading.alternatives)]
    if reading.features:
        command += ["--features", ",".join(reading.features)]
    return [*command, *options]
