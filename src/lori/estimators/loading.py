"""Loading: which estimator does a model file hold?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lori.estimators import storage
from lori.estimators.lori import LORI
from lori.estimators.population import Population


def load(path: str | Path) -> LORI | Population:
    """Read a model or a population that `save` wrote."""

    def build(document: dict[str, Any]) -> LORI | Population:
        kind = Population if document["kind"] == "population" else LORI
        return kind._from_content(document)

    return storage.load(path, build, kind="model", also=("population",))
