"""`lori predict`: how likely is each preference, by a saved model?"""

from __future__ import annotations

from lori.data.writing import check_targets
from lori.interfaces.commands.console import TableOptions
from lori.interfaces.commands.options import Files, ModelDataOptions, ModelFile


def predict(model: ModelFile, files: Files, table: TableOptions, data: ModelDataOptions) -> None:
    """Probabilities that left is preferred, that neither is, and that right is, or of each alternative of a set."""
    check_targets([table.out], inputs=[model, *files], overwrite=False)
    from lori.estimators.lori import load

    estimator = load(model)
    observed = data.read(files, estimator, outcome_needed=False)
    import pandas as pd

    from lori.data.choices import Choices
    from lori.data.preferences import OUTCOMES

    of, outcomes = ("set", observed.names) if isinstance(observed, Choices) else ("pair", OUTCOMES)
    table.show(pd.DataFrame(estimator.predict_proba(observed), columns=list(outcomes)), of)
