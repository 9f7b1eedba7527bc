"""`lori read`: what is understood of a file of choices, before anything is fitted to it?"""

from __future__ import annotations

import typer

from lori.errors import printable
from lori.interfaces.commands.console import print_json
from lori.interfaces.commands.options import AsJson, DataOptions, Files


def read(files: Files, *, as_json: AsJson = False, data: DataOptions) -> None:
    """Show what is understood of a file: its form, features, people, ties and gaps, and the command that fits it."""
    from lori.data.reading.record import Reading
    from lori.language.reading import description, spelled_out

    observed, _ = data.read(files, ties="observed")
    reading = observed.reading or Reading()
    if as_json:
        size = {"choices": observed.n_comparisons, "ties": observed.n_ties, "features": list(observed.features)}
        print_json({**size, "agents": 0 if observed.agent is None else len(set(observed.agent)), **reading.to_dict()})
        return
    given = [part for name in ("sheet", "baseline") if (own := getattr(data, name)) for part in (f"--{name}", own)]
    given += [part for own in data.where or () for part in ("--where", own)]
    for sentence in description(observed, spelled_out(reading, [str(file) for file in files], given)):
        typer.echo(printable(sentence))
