"""Streams: how are preferences read that do not fit into memory? Parquet files in the pairs form, a piece at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from lori.data.preferences import Preferences
from lori.data.reading import forms
from lori.data.reading.columns import pairs_of
from lori.data.reading.files import PARQUET, opened_parquet, read_batches
from lori.data.reading.headers import check_header, column_error
from lori.data.reading.paths import as_paths, check_file
from lori.data.reading.tables import table_of
from lori.data.validation import as_mapping, chosen_features, names_text
from lori.errors import DataError

PIECE_ROWS, LEAST_ROWS = 1 << 19, 1 << 16  # that are read at a time, and of wide files
PIECE_CELLS = 1 << 23  # in them


@dataclass(frozen=True)
class Piece:
    """Some consecutive row groups of one file."""

    file: str
    groups: tuple[int, ...]
    rows: int
    step: int
    """Rows that are read at a time."""

    @property
    def parts(self) -> int:
        """How many it is read in."""
        return -(-self.rows // self.step)


@dataclass(frozen=True, repr=False)
class PreferenceStream:
    """Preferences that stay in their Parquet files until they are needed; `open_stream` makes one.

    `LORI.fit` takes a stream as it takes `Preferences`. Iterating reads the files from the beginning, every time, and
    gives `Preferences` of at most half a million pairs: memory does not grow with the size of the files. A
    stream holds no data, only where they are and how to read them, so that it can be sent to another process that sees
    the same files.
    """

    pieces: tuple[Piece, ...]
    columns: tuple[tuple[str, str], ...] = ()  # our name, the file's name
    values: tuple[tuple[str, str], ...] = ()  # left, right or tie, the file's word
    features: tuple[str, ...] | None = None  # None: all that there are
    identical: str = "keep"

    @property
    def n_pairs(self) -> int:
        """How many rows the files have; those that `identical="drop"` leaves out are counted, too."""
        return sum(piece.rows for piece in self.pieces)

    @property
    def n_files(self) -> int:
        return len({piece.file for piece in self.pieces})

    def __len__(self) -> int:
        return self.n_pairs

    def __repr__(self) -> str:
        return f"PreferenceStream({self.n_pairs} pairs in {self.n_files} {'file' if self.n_files == 1 else 'files'})"

    def read(self, piece: Piece, footers: MutableMapping[str, Any] | None = None) -> Iterator[Preferences]:
        """The preferences of one piece, some of its pairs at a time."""
        columns, known = dict(self.columns), {} if footers is None else footers
        plain = partial(pairs_of, mapping=columns, wanted=self.features, identical=self.identical)
        for found in read_batches(piece.file, piece.groups, piece.step, plain, known):
            if isinstance(found, Preferences):
                yield found
            else:
                table = table_of(piece.file, found, columns)
                yield forms.pairs(table, values=dict(self.values), features=self.features, identical=self.identical)

    def by_piece(self) -> list[Iterator[Preferences]]:
        """The parts of each piece; pieces can be read side by side, and the footer of their file is read once."""
        footers: dict[str, Any] = {}
        return [self.read(piece, footers) for piece in self.pieces]

    def __iter__(self) -> Iterator[Preferences]:
        """All preferences; the next part is read while the last one is used."""
        parts = chain.from_iterable(self.by_piece())
        with ThreadPoolExecutor(1) as reader:
            waiting = reader.submit(next, parts, None)
            while (part := waiting.result()) is not None:
                waiting = reader.submit(next, parts, None)
                yield part


def open_stream(
    paths: str | Path | Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    identical: str = "keep",
) -> PreferenceStream:
    """Open Parquet files in the pairs form, or all those of a folder, without reading them into memory.

    Files of one stream have the same columns. `columns`, `values`, `features` and `identical` mean what they mean for
    `read_pairs`, except that pairs of equal alternatives are kept unless `identical` says "drop" or "error". That
    the files have the same columns is checked at once, their rows as they are read. To fit to everything in a folder:

        pairs = lori.open_stream("folder/", columns={"left.*": "*1", "right.*": "*2"})
        model = lori.LORI(levels=2).fit(pairs)

    To look at the data, iterate: each part is `Preferences`.

        comparisons = sum(part.n_comparisons for part in pairs)
    """
    forms.check_keys(columns)
    mapping = as_mapping(columns, "columns")
    pieces: list[Piece] = []
    expected: tuple[str, list[str]] | None = None
    for file in _files(paths):
        with opened_parquet(file) as content:
            names = sorted(name.strip() for name in content.schema_arrow.names)
            sizes = [content.metadata.row_group(i).num_rows for i in range(content.metadata.num_row_groups)]
        check_header(file, names)
        if expected is None:
            expected = file, names
        elif names != expected[1]:
            odd = sorted(set(names) ^ set(expected[1]))
            raise DataError(
                file,
                expected=f"the same columns as {expected[0]}",
                got=f"a difference in {names_text(odd, 3)}",
                fix="keep files with other columns in another folder",
            )
        for ours, theirs in mapping.items():
            if "*" not in ours and theirs not in names:
                raise column_error(
                    file, names, (), expected=f"a column {theirs} for {ours}", got=f"the columns {names_text(names)}",
                    fix="correct columns=… (--columns)",
                )  # fmt: skip
        pieces += _pieces(file, sizes, len(names))
    if not pieces:
        raise DataError(" ".join(as_paths(paths)), expected="at least one row", got="empty files", fix="add the data")
    return PreferenceStream(
        tuple(pieces),
        tuple(mapping.items()),
        tuple(as_mapping(values, "values").items()),
        None if features is None else chosen_features(features),
        identical,
    )


def _pieces(file: str, sizes: list[int], columns: int) -> list[Piece]:
    """Small row groups are read together, up to as many rows as are read at a time: so many that the work on them
    is long beside the hand-overs between threads, and of wide files fewer, for the sake of memory."""
    step = min(PIECE_ROWS, max(LEAST_ROWS, PIECE_CELLS // columns))
    pieces: list[Piece] = []
    for group, rows in enumerate(sizes):
        if rows == 0:
            continue
        if pieces and pieces[-1].rows + rows <= step:
            pieces[-1] = Piece(file, (*pieces[-1].groups, group), pieces[-1].rows + rows, step)
        else:
            pieces.append(Piece(file, (group,), rows, step))
    return pieces


def _files(paths: str | Path | Sequence[str | Path]) -> list[str]:
    files: list[str] = []
    for path in as_paths(paths):
        place = Path(path)
        if os.path.isdir(place):
            found = sorted(str(file) for file in place.iterdir() if file.suffix.lower() in PARQUET)
            if not found:
                raise DataError(path, expected="Parquet files in the folder", got="none", fix="check the path")
            files += found
        elif check_file(place) and place.suffix.lower() not in PARQUET:
            raise DataError(
                path, expected="a Parquet file to stream", got=f"the ending {place.suffix or 'none'}",
                fix="convert it to Parquet, or let it be read into memory",
            )  # fmt: skip
        else:
            files.append(path)
    return files
