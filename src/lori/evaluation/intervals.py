"""Between which bounds do the numbers of a model lie?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.language.answer import threshold
from lori.model.ordered import OrderedModel

QUANTILES = (0.025, 0.975)
LEAST, MOST = 0.005, 8  # weights with a smaller share of their level are left out, and so are further ones


@dataclass(frozen=True)
class Known:
    """A weight or a threshold with its 95 % interval, None where that is unknown."""

    level: int  # from 1
    kind: str  # weight or threshold
    feature: str
    value: float
    interval: tuple[float, float] | None


def known(summary: dict[str, Any], draws: Sequence[OrderedModel] | None = None) -> list[Known]:
    """The main weights of every level and thresholds of what leads it.

    Intervals are those of `draws` where given, else as reported.
    """
    rows = []
    for place, level in enumerate(summary["levels"]):
        share = level["importance"]
        main = [name for name in sorted(share, key=lambda each: -share[each])[:MOST] if share[name] >= LEAST]
        for kind, names in (("weight", main), ("threshold", level["leading"] if threshold(level) else [])):
            for name in names:
                number = level[f"{kind}s"][name]
                if number["value"] is None:
                    continue
                between = number["interval"]
                if draws:
                    column = summary["features"].index(name)
                    values = [getattr(draw.levels[place], f"{kind}s")[column] for draw in draws]
                    between = np.quantile(values, QUANTILES, method="nearest") if np.std(values) > 0 else None
                rows.append(
                    Known(
                        level["level"], kind, name, number["value"],
                        None if between is None else (float(between[0]), float(between[1])),
                    )
                )  # fmt: skip
    return rows
