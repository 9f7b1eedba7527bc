"""`lori winner`: which alternative, or which mixture of alternatives, does nothing beat?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lori.errors import DataError
from lori.interfaces.commands.console import print_json
from lori.interfaces.commands.options import AsJson


def winner(
    file: Annotated[Path, typer.Argument(help="Pr(row preferred to column) as a table with names; or alternatives.")],
    model: Annotated[
        Path | None, typer.Argument(help="A saved model; FILE then has the alternatives' features.")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """The mixture of alternatives that nothing is preferred to: one of them, or several where preferences go in circles."""
    from lori.data.reading.files import read_table
    from lori.policies.winner import winner as find

    table = read_table(str(file), [])
    named = [name for name in table.columns if table[name].dtype.kind not in "iufb"]
    names = [str(name) for name in table[named[0]]] if named else None
    if model is None:
        numbers = table.drop(columns=named)
        found = find(numbers.to_numpy(float), names=names or [str(name) for name in numbers.columns])
    else:
        from lori.estimators.storage import load_ordered_model

        known = load_ordered_model(model)
        found = find(known, _features(table, known, file), names=names)
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


def _features(table: Any, model: Any, file: Path) -> Any:
    missing = [name for name in model.features if name not in table.columns]
    if missing:
        raise DataError(
            str(file), expected=f"a column for each of the model's features {', '.join(model.features)}",
            got=f"none for {', '.join(missing[:5])}", fix="add these columns, a row for each alternative",
        )  # fmt: skip
    return table[list(model.features)].to_numpy(float)
