"""How do Preferences become a file that `read_pairs` reads back?"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from lori.data.preferences import Preferences
from lori.data.reading.tables import PARQUET
from lori.data.writing import writing
from lori.errors import DataError

if TYPE_CHECKING:
    import pandas

DELIMITER_OF = {".csv": ",", ".txt": ",", ".tsv": "\t"}


def write_pairs(prefs: Preferences, path: str | Path) -> None:
    """Write one row per pair with counts, as CSV (also .tsv and .gz) or Parquet by the extension.

    The same preferences give the same bytes.
    """
    write_table(prefs.to_frame(), path)


def write_table(frame: pandas.DataFrame, path: str | Path) -> None:
    """Write a table as CSV (also .tsv and .gz) or Parquet by the extension, whole or not at all."""
    endings = [ending.lower() for ending in Path(path).suffixes]
    packed = endings[-1:] == [".gz"]
    ending = "".join(endings[:-1][-1:] if packed else endings[-1:])
    if ending not in DELIMITER_OF and (packed or ending not in PARQUET):
        raise DataError(
            str(path),
            expected="a name that ends in .csv, .tsv, .csv.gz or .parquet",
            got=f"the ending {''.join(endings[-2:]) or 'none'}",
            fix="choose one of these endings",
        )
    with writing(path) as temporary:
        if ending in PARQUET:
            frame.to_parquet(temporary, index=False)
        elif packed:
            with open(temporary, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packing:
                frame.to_csv(packing, index=False, sep=DELIMITER_OF[ending])
        else:
            frame.to_csv(temporary, index=False, sep=DELIMITER_OF[ending])
