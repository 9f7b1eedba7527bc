"""Orders: which alternatives did people put before which? PrefLib's files of rankings, with a table of the items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lori.data.choices import Choices
from lori.data.reading.tables import Table, plain
from lori.data.reading.text import opened_text
from lori.data.validation import check_unique
from lori.errors import DataError

ENDINGS = (".soc", ".soi", ".toc", ".toi")
NAMED = re.compile(r"#\s*ALTERNATIVE NAME (?P<number>\d+)\s*:\s*(?P<name>.*)")
ORDER = re.compile(r"(?P<count>\d+)\s*:\s*(?P<order>[\d\s,{}]+)")


def is_orders(path: object) -> bool:
    return isinstance(path, str | Path) and Path(path).suffix.lower() in ENDINGS


def orders(path: str | Path, items: Table, features: Sequence[str] | None = None, ties: str = "error") -> Choices:
    """Rankings of items by number or name; what an order leaves out is below all that is in it.

    The items' table has `id, F…`, where an id is the number or the name that the file of orders has for it.
    """
    names, ranks, counts = _read(path)
    items.require("id")
    ids = items.labels("id")
    check_unique(ids, items.what("id"), items.where)
    places = {plain(label): place for place, label in enumerate(ids)}
    found = [places.get(plain(number), places.get(plain(name))) for number, name in names.items()]
    if None in found:
        raise DataError(
            items.path, expected="a row for every alternative of the orders",
            got=f"none for {found.count(None)} of them",
            fix="give the number or the name of each alternative in the column id",
        )  # fmt: skip
    columns = items.features_besides(("id",), features)
    table = items.matrix(columns)[[place for place in found if place is not None]]
    return Choices.from_rankings(
        np.broadcast_to(table, (len(ranks), *table.shape)), ranks, ties=ties, counts=counts, features=columns,
        alternatives=list(names.values()),
    )  # fmt: skip


def _read(path: str | Path) -> tuple[dict[str, str], np.ndarray, list[int]]:
    """Numbers and names of the alternatives, (orders, alternatives) their ranks, and how often each order was given."""
    names: dict[str, str] = {}
    given: list[tuple[int, str]] = []
    with opened_text(Path(path)) as handle:
        for number, line in enumerate(handle, 1):
            line = line.strip()
            if found := NAMED.fullmatch(line):
                names[found["number"]] = found["name"].strip() or found["number"]
            elif found := ORDER.fullmatch(line):
                given.append((int(found["count"]), found["order"]))
            elif line and not line.startswith("#"):
                raise DataError(
                    str(path), expected="lines such as 12: 3,1,{2,4}", got=f"something else in line {number}",
                    fix="correct the line",
                )  # fmt: skip
    if not given:
        raise DataError(str(path), expected="orders such as 12: 3,1,2", got="none", fix="add the data")
    for _, order in given:
        for number in re.findall(r"\d+", order):
            names.setdefault(number, number)
    place = {number: column for column, number in enumerate(names)}
    ranks = np.full((len(given), len(names)), np.nan)
    for row, (_, order) in enumerate(given):
        for rank, tied in enumerate(re.findall(r"\{[^}]*\}|\d+", order), 1):
            for number in re.findall(r"\d+", tied):
                ranks[row, place[number]] = rank
    return names, ranks, [count for count, _ in given]
