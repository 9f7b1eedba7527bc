"""`lori predict`: how likely is each preference, by a saved model?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lori.data.writing import check_targets
from lori.interfaces.commands.console import TableOptions
from lori.interfaces.commands.options import Files, ModelDataOptions, ModelFile

if TYPE_CHECKING:
    import pandas


def own_columns(sources: list[str], observed: Any) -> pandas.DataFrame:
    """What a file of pairs says beside features and choices, a row for each pair; nothing where rows were left out."""
    import pandas

    from lori.data.reading.files import read_table
    from lori.data.reading.paths import STANDARD_INPUT

    reading = observed.reading
    if reading is None or reading.form != "pairs" or sources[0] == STANDARD_INPUT:
        return pandas.DataFrame(index=range(len(observed)))
    agent = reading.columns.get("agent", "agent")
    table = read_table(sources[0], [agent])
    kept = [name for name in table.columns if name in (*reading.ignored, agent)]
    return table[kept] if len(table) == len(observed) else pandas.DataFrame(index=range(len(observed)))


def predict(model: ModelFile, files: Files, table: TableOptions, data: ModelDataOptions) -> None:
    """Probabilities that left is preferred, that neither is, and that right is, or of each alternative of a set.

    Columns of the file that play no part, such as names of rows, and who chose stay beside them.
    """
    check_targets([table.out], inputs=[model, *files], overwrite=False)
    from lori.estimators.loading import load

    estimator = load(model)
    observed = data.read(files, estimator, outcome_needed=False)
    import pandas as pd

    from lori.data.choices import Choices
    from lori.data.preferences import OUTCOMES

    of, outcomes = ("set", observed.names) if isinstance(observed, Choices) else ("pair", OUTCOMES)
    told = pd.DataFrame(estimator.predict_proba(observed), columns=list(outcomes))
    own = own_columns(data.sources(files), observed)
    words = estimator.reading_.words if of == "pair" and estimator.reading_ else {}
    told = told.rename(columns={side: word for side, word in words.items() if word not in (*own, "pair")})
    table.show(pd.concat([told, own[[name for name in own if name not in told and name != of]]], axis=1), of)
