"""Landscapes of sets: who is left after each level, and what is chosen as two features of one alternative change?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.data.choices import Choices
from lori.evaluation.favourites import predictable, shares
from lori.evaluation.tradeoffs import place_of
from lori.model.decisions import survivors
from lori.model.ordered import OrderedModel

SHOWN = 8  # alternatives by name; of more, the most frequently chosen
LOOKED_AT = 5_000  # sets, for who is left
PIXELS = 41  # along each axis
RANGE = (0.02, 0.98)  # quantiles of a feature between which it moves


@dataclass(frozen=True, eq=False)
class Survival:
    """By name of an alternative, over the sets that have it, the share in which it is left, and was chosen."""

    names: tuple[str, ...]
    left: np.ndarray  # (levels, names)
    chosen: np.ndarray  # (names,)
    size: float  # alternatives of a set, on average
    count: np.ndarray  # (levels,) alternatives of a set that are left, on average


def survival(model: OrderedModel, data: Choices, seed: int = 0) -> Survival:
    """Who is left after each level, at most `SHOWN` by name."""
    some = predictable(data, seed, LOOKED_AT)
    weight = (some.comparisons * some.weights)[some.owner]
    offered = np.bincount(some.label, weight, len(some.names))
    picked = np.bincount(some.label, weight * shares(some), len(some.names))
    left = survivors(model, some)
    order = np.argsort(-picked, kind="stable")[:SHOWN]
    order = np.sort(order[offered[order] > 0])
    by_name = np.stack([np.bincount(some.label, weight * own, len(some.names)) for own in left])
    sets = float((some.comparisons * some.weights).sum())
    return Survival(
        tuple(some.names[place] for place in order),
        by_name[:, order] / offered[order],
        picked[order] / offered[order],
        float(weight.sum()) / sets,
        left @ weight / sets,
    )


@dataclass(frozen=True, eq=False)
class SetLandscape:
    """One of the alternatives of a set moves in two features; arrays of chances are (y, x)."""

    across: str
    up: str
    moved: str
    names: tuple[str, ...]
    x: np.ndarray
    y: np.ndarray
    chances: tuple[np.ndarray, ...]  # of each name
    here: tuple[float, float]


def set_landscape(model: OrderedModel, data: Choices, across: str, up: str, points: int = PIXELS) -> SetLandscape:
    """Three alternatives, each the median of those of its name, or of the chosen, second and third of sets.

    The most frequently chosen one moves within the range of the data.
    """
    same = data if data.features == model.features else data.select(model.features)
    frequent = np.argsort(-same.outcome_totals, kind="stable")[:3]
    frequent = np.sort(frequent[np.isin(frequent, same.label)])
    table = np.stack([np.median(same.alternatives[same.label == place], axis=0) for place in frequent])
    names = tuple(same.names[place] for place in frequent)
    moved = int(np.argmax(same.outcome_totals[frequent]))
    columns = [place_of(model, across), place_of(model, up)]
    ends = np.quantile(same.alternatives[:, columns], RANGE, axis=0)
    x, y = np.linspace(ends[0], ends[1], points, axis=1)
    sets = np.repeat(table[None], points * points, axis=0)
    for column, values in zip(columns, np.meshgrid(x, y), strict=True):
        sets[:, moved, column] = values.ravel()
    asked = Choices.from_arrays(sets, np.zeros(len(sets), int), features=model.features)
    found = model.choice_proba(asked).T.reshape(len(names), points, points)
    here = (float(table[moved, columns[0]]), float(table[moved, columns[1]]))
    return SetLandscape(across, up, names[moved], names, x, y, tuple(found), here)
