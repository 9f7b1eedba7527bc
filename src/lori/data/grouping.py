"""Grouping: which observations belong together? Equal rows, repeated pairs, several tables in one, one in two parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lori.data.validation import COUNTS
from lori.errors import DataError

if TYPE_CHECKING:
    from lori.data.choices import Choices
    from lori.data.preferences import Preferences

Observed = TypeVar("Observed", bound="Preferences | Choices")


def group_rows(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct rows of a table by first appearance.

    Returns the position of each group's first row, and the group of every row.
    """
    order = np.lexsort(tuple(columns))  # stable: the first row of a group comes first in it
    starts = np.zeros(len(order), dtype=bool)
    starts[:1] = True
    for column in columns:
        ordered = column[order]
        starts[1:] |= ordered[1:] != ordered[:-1]
    first = order[starts]
    by_appearance = np.argsort(first)
    number = np.empty(len(first), dtype=np.int64)
    number[by_appearance] = np.arange(len(first))
    group = np.empty(len(order), dtype=np.int64)
    group[order] = number[np.cumsum(starts) - 1]
    return first[by_appearance], group


def distinct_alternatives(prefs: Preferences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each distinct alternative comes first, and which of them is on the left and on the right of every pair."""
    first, number = group_rows(list(prefs.alternatives.T))
    return first, number[prefs.left], number[prefs.right]


def unordered_pairs(prefs: Preferences) -> np.ndarray:
    """(pairs,) the number of each row's pair of alternatives; see `Preferences.pair_numbers`."""
    _, left, right = distinct_alternatives(prefs)
    return group_rows([np.minimum(left, right), np.maximum(left, right)])[1]


def aggregated(prefs: Preferences) -> dict[str, object]:
    """The fields of `prefs` with one row per distinct pair; see `Preferences.aggregate`."""
    first_alternative, left, right = distinct_alternatives(prefs)
    keys = [np.minimum(left, right), np.maximum(left, right)]
    keys += [column for column in (prefs.agent, prefs.weight) if column is not None]
    first, group = group_rows(keys)

    turned = left != left[first][group]  # this row names the pair the other way round than its group
    wins = np.where(turned, prefs.losses, prefs.wins)
    losses = np.where(turned, prefs.wins, prefs.losses)
    count = len(first)
    alternatives = prefs.alternatives[first_alternative]
    left, right = left[first], right[first]
    same = np.flatnonzero(left == right)
    if len(same):  # the two sides of a pair stay two alternatives, even where their features are equal
        twin = alternatives[right[same]]
        right[same] = len(alternatives) + np.arange(len(same))
        alternatives = np.concatenate([alternatives, twin])
    return {
        "alternatives": alternatives,
        "left": left,
        "right": right,
        "wins": np.bincount(group, wins, count),
        "losses": np.bincount(group, losses, count),
        "ties": np.bincount(group, prefs.ties, count),
        "agent": None if prefs.agent is None else prefs.agent[first],
        "weight": None if prefs.weight is None else prefs.weight[first],
        "row": None if prefs.row is None and prefs.reading is None else prefs.rows[first],
    }


def concatenated(parts: Sequence[Preferences]) -> dict[str, object]:
    """The fields of all parts one after the other; see `Preferences.concatenate`."""
    agents = [part.agent for part in parts if part.agent is not None]
    same_features = len({part.features for part in parts}) == 1
    if not same_features or len(agents) not in (0, len(parts)):
        raise DataError(
            "concatenate",
            expected="preferences over the same features, all with agents or all without",
            got="none" if not parts else "agents in some only" if same_features else "different features",
            fix="select the same features and give every part agents, or none",
        )
    shift = np.cumsum([0] + [len(part.alternatives) for part in parts[:-1]])
    weighted = any(part.weight is not None for part in parts)
    return {
        "alternatives": np.concatenate([part.alternatives for part in parts]),
        "left": np.concatenate([part.left + start for part, start in zip(parts, shift, strict=True)]),
        "right": np.concatenate([part.right + start for part, start in zip(parts, shift, strict=True)]),
        "agent": np.concatenate(agents) if agents else None,
        "weight": np.concatenate([part.weights for part in parts]) if weighted else None,
        "row": None,
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in COUNTS},
    }


def concatenated_choices(parts: Sequence[Choices]) -> dict[str, object]:
    """The fields of all parts one after the other; see `Choices.concatenate`."""
    agents = [part.agent for part in parts if part.agent is not None]
    same = len({(part.features, part.names) for part in parts}) == 1
    if not same or len(agents) not in (0, len(parts)):
        raise DataError(
            "concatenate",
            expected="choices over the same features and names of alternatives, all with agents or all without",
            got="none" if not parts else "agents in some only" if same else "different features or names",
            fix="select the same features and give every part agents, or none",
        )
    answers = [part.answers for part in parts]
    shift = np.cumsum([0] + [own.max() + 1 for own in answers[:-1]])

    def joined(name: str, filled: str) -> np.ndarray | None:
        known = any(getattr(part, name) is not None for part in parts)
        return np.concatenate([getattr(part, filled) for part in parts]) if known else None

    worst = [np.zeros(len(part), bool) if part.worst is None else part.worst for part in parts]
    return {
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("alternatives", "chosen", "label")
        },
        "offsets": np.concatenate([[0], np.cumsum(np.concatenate([part.sizes for part in parts]))]),
        "agent": np.concatenate(agents) if agents else None,
        "times": joined("times", "comparisons"),
        "weight": joined("weight", "weights"),
        "worst": np.concatenate(worst) if any(part.worst is not None for part in parts) else None,
        "occasion": np.concatenate([own + start for own, start in zip(answers, shift, strict=True)])
        if any(part.occasion is not None for part in parts)
        else None,
    }


def random_part(group: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    """A mask of whole groups, drawn at random, that comes nearest to this fraction of the rows."""
    if not 0 <= fraction <= 1:
        raise DataError(
            "fraction",
            expected="a number from 0 to 1",
            got=f"{fraction}",
            fix="pass the share of pairs that the first part gets",
        )
    sizes = np.bincount(group)
    order = np.random.default_rng(seed).permutation(len(sizes))
    reached = np.concatenate([[0], np.cumsum(sizes[order])])
    drawn = np.zeros(len(sizes), dtype=bool)
    drawn[order[: np.argmin(np.abs(reached - round(fraction * len(group))))]] = True
    return drawn[group]


def relative(parts: Sequence[Observed]) -> list[Observed]:
    """The same observations with weights that average one over the choices of all parts together.

    Weights say how much an observation counts beside the others; how much there is to learn from is said by counts.
    Observations of weight zero are left out of the average, as if they were not there.
    """
    if all(part.weight is None for part in parts):
        return list(parts)
    total = sum(float(part.comparisons @ part.weights) for part in parts)
    count = sum(float(part.comparisons[part.weights > 0].sum()) for part in parts)
    if not total or total == count:
        return list(parts)
    return [part._derived(weight=part.weights * (count / total)) for part in parts]  # type: ignore[misc]
