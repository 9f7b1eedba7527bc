"""T-REX (Brown et al. 2019): what would a single reward say? The paper's one-dimensional counterpart of LORI."""

from __future__ import annotations

from typing import Any

from lori.estimators.lori import LORI


def TREX(**settings: Any) -> LORI:
    """LORI with one level and no threshold: Pr(left ≻ right) = σ(r(left) − r(right)).

    `settings` are those of `LORI`, except for `levels` and `epsilon`, which make it T-REX.

    >>> TREX(seed=1)
    LORI(epsilon=0.0, lapse=0.0, levels=1, seed=1)
    """
    return LORI(levels=1, epsilon=0.0, lapse=0.0, **settings)
