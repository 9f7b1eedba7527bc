"""How are preferences read that do not fit into memory? Parquet files in the pairs form, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lori.data.preferences import Preferences
from lori.data.reading import forms
from lori.data.reading.columns import table_of
from lori.data.reading.tables import PARQUET
from lori.data.validation import names_text
from lori.errors import DataError

PIECE_ROWS = 1 << 18


@dataclass(frozen=True)
class Piece:
    """Some consecutive row groups of one file."""

    file: str
    groups: tuple[int, ...]
    rows: int


@dataclass(frozen=True)
class PreferenceStream:
    """Preferences in Parquet files, held as the recipe for reading them. Iterating reads piece after piece."""

    pieces: tuple[Piece, ...]
    columns: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    features: tuple[str, ...] | None = None
    identical: str = "keep"

    @property
    def n_pairs(self) -> int:
        return sum(piece.rows for piece in self.pieces)

    def __len__(self) -> int:
        return self.n_pairs

    def read(self, piece: Piece) -> Iterator[Preferences]:
        """The preferences of one piece, at most `PIECE_ROWS` pairs at a time."""
        import pyarrow
        import pyarrow.parquet

        try:
            with pyarrow.parquet.ParquetFile(piece.file) as file:
                for batch in file.iter_batches(batch_size=PIECE_ROWS, row_groups=list(piece.groups)):
                    frame = batch.to_pandas(ignore_metadata=True)
                    table = table_of(piece.file, frame, dict(self.columns))
                    yield forms.pairs(table, values=dict(self.values), features=self.features, identical=self.identical)
        except (pyarrow.ArrowException, OSError):
            raise _damaged(piece.file) from None

    def __iter__(self) -> Iterator[Preferences]:
        """All preferences; the next part is read while the last one is used."""
        parts = (part for piece in self.pieces for part in self.read(piece))
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
    """A stream over Parquet files, or over all Parquet files of a folder, that share their columns."""
    import pyarrow
    import pyarrow.parquet

    forms.check_keys(columns)
    pieces: list[Piece] = []
    expected: tuple[str, list[str]] | None = None
    for file in _files(paths):
        try:
            with pyarrow.parquet.ParquetFile(file) as opened:
                names = sorted(opened.schema_arrow.names)
                sizes = [opened.metadata.row_group(i).num_rows for i in range(opened.metadata.num_row_groups)]
        except (pyarrow.ArrowException, OSError):
            raise _damaged(file) from None
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
        for ours, theirs in (columns or {}).items():
            if "*" not in ours and theirs not in names:
                raise DataError(
                    file,
                    expected=f"a column {theirs} for {ours}",
                    got=f"the columns {names_text(names)}",
                    fix="correct columns=… (--columns)",
                )
        pieces += _pieces(file, sizes)
    if not pieces:
        raise DataError(_shown(paths), expected="at least one row", got="empty files", fix="add the data")
    return PreferenceStream(
        tuple(pieces),
        tuple((columns or {}).items()),
        tuple((values or {}).items()),
        None if features is None else tuple(features),
        identical,
    )


def _pieces(file: str, sizes: list[int]) -> list[Piece]:
    """Small row groups are read together, up to `PIECE_ROWS` rows."""
    pieces: list[Piece] = []
    for group, rows in enumerate(sizes):
        if rows == 0:
            continue
        if pieces and pieces[-1].rows + rows <= PIECE_ROWS:
            pieces[-1] = Piece(file, (*pieces[-1].groups, group), pieces[-1].rows + rows)
        else:
            pieces.append(Piece(file, (group,), rows))
    return pieces


def _files(paths: str | Path | Sequence[str | Path]) -> list[str]:
    files: list[str] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        place = Path(path)
        if place.is_dir():
            found = sorted(str(file) for file in place.iterdir() if file.suffix.lower() in PARQUET)
            if not found:
                raise DataError(str(path), expected="Parquet files in the folder", got="none", fix="check the path")
            files += found
        elif not place.exists():
            raise DataError(str(path), expected="a file or folder", got="no such name", fix="check the path")
        elif place.suffix.lower() not in PARQUET:
            raise DataError(
                str(path), expected="a Parquet file to stream", got=f"the ending {place.suffix or 'none'}",
                fix="convert it to Parquet, or let it be read into memory",
            )  # fmt: skip
        else:
            files.append(str(path))
    return files


def _damaged(file: str) -> DataError:
    return DataError(
        file,
        expected="a whole Parquet file",
        got="something else, or a file that was cut off",
        fix="write the file again",
    )


def _shown(paths: str | Path | Sequence[str | Path]) -> str:
    return str(paths) if isinstance(paths, str | Path) else " ".join(map(str, paths))
