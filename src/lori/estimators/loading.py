"""Loading: which estimator does a model file hold?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lori.estimators import storage
from lori.estimators.lori import LORI

if TYPE_CHECKING:
    from lori.estimators.population import Population


def load(path: str | Path) -> LORI | Population:
    """Read a model or a population that `save` wrote."""

    def build(document: dict[str, Any]) -> LORI | Population:
        if document["kind"] != "population":
            return LORI._from_content(document)
        from lori.estimators.population import Population

        return Population._from_content(document)

    return storage.load(path, build, kind="model", also=("population",))
