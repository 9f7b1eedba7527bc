"""`lori predict`: how likely is each preference, by a saved model?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lori.data.writing import check_targets
from lori.interfaces.commands.console import TableOptions
from lori.interfaces.commands.options import Files, ModelDataOptions, ModelFile

if TYPE_CHECKING:
    from lori.estimators.lori import LORI
    from lori.estimators.population import Population


def own_columns(sources: list[str], observed: Any) -> dict[str, Any]:
    """What a file of pairs says beside features and choices, a row for each pair."""
    from lori.data.reading.paths import STANDARD_INPUT

    reading = observed.reading
    if reading is None or reading.form != "pairs" or sources[0] == STANDARD_INPUT:
        return {}
    if not reading.ignored and observed.agent is None:
        return {}
    from lori.data.reading.files import read_table

    agent = reading.columns.get("agent", "agent")
    table = read_table(sources[0], [agent])
    kept = [name for name in table.columns if name in (*reading.ignored, agent)]
    return {name: table[name].to_numpy()[observed.rows - 1] for name in kept}


def row_numbers(observed: Any) -> list[int] | None:
    """Which rows of the file the pairs are, where some were left out."""
    return None if observed.row is None else observed.row.tolist()


def set_names(sources: list[str], observed: Any) -> list[Any] | None:
    """What a long file calls its sets; None where it has other sets than those that were read, or no names."""
    from lori.data.reading.files import read_table
    from lori.data.reading.paths import STANDARD_INPUT

    reading = observed.reading
    if reading is None or reading.form != "choices" or sources[0] == STANDARD_INPUT or len(sources) > 1:
        return None
    column = reading.columns.get("set", "set")
    names = list(dict.fromkeys(read_table(sources[0], [column])[column]))
    return names if len(names) == len(observed) else None


def in_own_words(
    told: dict[str, Any], estimator: LORI | Population, sources: list[str], observed: Any, of: str
) -> dict[str, Any]:
    """Columns with a row for each pair or set, its sides called as in the file, beside what the file says of its rows."""
    own = own_columns(sources, observed)
    words = estimator.reading_.words if of == "pair" and estimator.reading_ else {}
    called = {side: word for side, word in words.items() if word not in (*own, *told, "pair")}
    told = {called.get(name, name): column for name, column in told.items()}
    return told | {name: column for name, column in own.items() if name not in told and name != of}


def predict(model: ModelFile, files: Files, table: TableOptions, data: ModelDataOptions) -> None:
    """Probabilities that left is preferred, that neither is, and that right is, or of each alternative of a set.

    Columns of the file that play no part, such as names of rows, and who chose stay beside them.
    """
    check_targets([table.out], inputs=[model, *files], overwrite=False)
    from lori.interfaces.commands.people import load_models, predicted

    models = load_models(model, data.agent)
    estimator = next(iter(models.values()))
    observed = data.read(files, estimator, outcome_needed=False)
    from lori.data.choices import Choices
    from lori.data.preferences import OUTCOMES

    of, outcomes = ("set", observed.names) if isinstance(observed, Choices) else ("pair", OUTCOMES)
    told = dict(zip(outcomes, predicted(models, observed).T, strict=True))
    names = set_names(data.sources(files), observed) if of == "set" else row_numbers(observed)
    table.show(in_own_words(told, estimator, data.sources(files), observed, of), of, names)
