"""Settling: how many more choices of a person would show what that person puts first?

Each choice adds to the log-odds of what comes first, about as much as the person's choices so far did on average beyond
what is known of everybody:

    more = (logit 0.95 − logit p) / ((logit p − logit s) / n)

with p the probability after n choices and s that of somebody unknown.
"""

from __future__ import annotations

import numpy as np

SETTLED = 0.95  # the probability from which on it is known what comes first


def further_choices(first: np.ndarray, choices: np.ndarray) -> np.ndarray:
    """(agents,) for the probabilities (agents, features) that a feature comes first, after so many choices (agents,).

    Zero where it is settled; not a number where the choices so far do not speak for what leads.
    """
    leading = first.argmax(axis=1)
    now, before = first.max(axis=1), first.mean(axis=0)[leading]
    with np.errstate(divide="ignore", invalid="ignore"):
        pace = (_logit(now) - _logit(before)) / choices
        more = np.ceil((_logit(np.array(SETTLED)) - _logit(now)) / pace)
    return np.where(now >= SETTLED, 0.0, np.where((pace > 0) & np.isfinite(more), more, np.nan))


def _logit(probability: np.ndarray) -> np.ndarray:
    return np.log(probability) - np.log1p(-probability)
