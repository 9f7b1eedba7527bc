"""`lori predict`: how likely is each preference, by a saved model?"""

from __future__ import annotations

from lori.data.writing import check_targets
from lori.interfaces.commands.console import TableOptions
from lori.interfaces.commands.options import Files, ModelDataOptions, ModelFile


def predict(model: ModelFile, files: Files, table: TableOptions, data: ModelDataOptions) -> None:
    """Probabilities that left is preferred, that neither is, and that right is, for each pair of a file."""
    check_targets([table.out], inputs=[model, *files])
    from lori.estimators.lori import load

    estimator = load(model)
    preferences = data.read(files, estimator, outcome_needed=False)
    import pandas as pd

    table.show(pd.DataFrame(estimator.predict_proba(preferences), columns=["left", "tie", "right"]))
