"""`lori explain`: which level decides each pair, by a saved model, and what would flip the choice?"""

from __future__ import annotations

from typing import Annotated

import typer

from lori.data.writing import check_targets
from lori.errors import InputError
from lori.interfaces.commands.console import TableOptions
from lori.interfaces.commands.options import Files, ModelDataOptions, ModelFile


def explain(
    model: ModelFile,
    files: Files,
    *,
    table: TableOptions,
    words: Annotated[bool, typer.Option("--words", help="A sentence for each pair instead of a table.")] = False,
    data: ModelDataOptions,
) -> None:
    """Which level decides each pair, and the smallest change of each feature that makes the other side the likelier one."""
    if words and (table.as_json or table.out is not None):
        raise InputError(
            "--words", expected="neither --json nor --out with it", got="one of them", fix="leave --words out"
        )
    check_targets([table.out], inputs=[model, *files], overwrite=False)
    from lori.inference.explanation import Explanation
    from lori.interfaces.commands.people import load_one
    from lori.interfaces.commands.predict import in_own_words, row_numbers, set_names

    estimator = load_one(model, data.agent)
    observed = data.read(files, estimator, outcome_needed=False)
    explanation = estimator.explain(observed)
    of = "pair" if isinstance(explanation, Explanation) else "set"
    if isinstance(explanation, Explanation) and estimator.reading_ is not None:
        explanation = explanation.called(estimator.reading_.words)
    names = set_names(data.sources(files), observed) if of == "set" else row_numbers(observed)
    if words:
        for pair in range(len(explanation)):
            typer.echo(f"{names[pair] if names else pair + 1}: {explanation.describe(pair)}")
    else:
        told = {str(name): column.to_numpy() for name, column in explanation.to_frame().items()}
        table.show(in_own_words(told, estimator, data.sources(files), observed, of), of, names)
