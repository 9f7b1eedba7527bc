"""Trajectories: what is an alternative that unfolds in time, and which features stand for the whole of it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lori.data.preferences import Preferences
from lori.data.validation import as_labels, as_table, check_distinct, check_unique, feature_names, look_up, names_text
from lori.errors import DataError

POOLINGS = ("mean", "sum", "last", "discounted", "steps")
LENGTH = "number of steps"


def step_names(features: Sequence[str], steps: int) -> tuple[str, ...]:
    """What the columns of trajectories are called that are laid out step by step.

    >>> step_names(["dose"], 2)
    ('dose, step 1', 'dose, step 2', 'number of steps')
    """
    return (*(f"{name}, step {step + 1}" for step in range(steps) for name in features), LENGTH)


def step_features(names: Sequence[str]) -> tuple[str, ...]:
    """The features of a step, given the names of all columns; none where these are not laid out step by step."""
    first = ", step 1"
    own = tuple(name.removesuffix(first) for name in names if name.endswith(first))
    laid_out = bool(own) and tuple(names) == step_names(own, (len(names) - 1) // len(own))
    return own if laid_out else ()


@dataclass(frozen=True, eq=False, repr=False)
class Trajectories:
    """Trajectories of different lengths: steps `offsets[i]` to `offsets[i + 1]` belong to `ids[i]`."""

    ids: np.ndarray  # (trajectories,) text
    values: np.ndarray  # (steps, features) float64, the trajectories one after the other
    offsets: np.ndarray  # (trajectories + 1,) int64
    features: tuple[str, ...]

    def __post_init__(self) -> None:
        values = as_table(self.values, "trajectories")
        offsets = np.asarray(self.offsets, dtype=np.int64)
        ids = as_labels(self.ids, "ids")
        if (np.diff(offsets) < 1).any() or len(offsets) < 2:
            empty = int((np.diff(offsets) < 1).sum())
            raise DataError(
                "trajectories",
                expected="at least one trajectory, each with at least one step",
                got=f"{empty} without steps" if empty else "none",
                fix="remove the empty trajectories",
            )
        if ids.shape != (len(offsets) - 1,) or offsets[0] != 0 or offsets[-1] != len(values):
            raise DataError(
                "ids and offsets",
                expected="one id for each trajectory and offsets from 0 to the number of steps",
                got=f"{ids.size} ids and {len(offsets) - 1} trajectories",
                fix="use Trajectories.from_arrays",
            )
        check_unique(ids, "ids")
        fields = {"ids": ids, "values": values, "offsets": offsets}
        for name, value in (fields | {"features": feature_names(self.features, values.shape[1])}).items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_arrays(
        cls, trajectories: Sequence[Any], features: Sequence[str] | None = None, ids: Any = None
    ) -> Trajectories:
        """Trajectories from (steps, features) arrays; without ids they are called by position: 0, 1, …"""
        tables = [
            np.zeros((0, 0)) if _is_empty(steps) else as_table(steps, f"trajectory {number}")
            for number, steps in enumerate(trajectories if isinstance(trajectories, Iterable) else (), start=1)
        ]
        widths = {table.shape[1] for table in tables if len(table)}
        empty = sum(len(table) == 0 for table in tables)
        if len(widths) != 1 or empty:
            raise DataError(
                "trajectories",
                expected="trajectories with at least one step each, all with the same features",
                got=f"{len(tables)}, of which {empty} are empty, with {len(widths)} different widths",
                fix="remove the empty ones and describe every step by the same features",
            )
        offsets = np.concatenate([[0], np.cumsum([len(table) for table in tables])])
        names = feature_names(features, widths.pop())
        return cls(np.arange(len(tables)) if ids is None else ids, np.concatenate(tables), offsets, names)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Trajectories({len(self)} trajectories, {len(self.values)} steps, {len(self.features)} features)"

    @property
    def lengths(self) -> np.ndarray:
        """(trajectories,) how many steps each has."""
        return np.diff(self.offsets)

    def pool(self, how: str = "mean", discount: float = 0.95, steps: int | None = None) -> np.ndarray:
        """(trajectories, features): each trajectory as one vector.

        `how` is "mean" or "sum" over the steps, "last" for the final step, or "discounted" for
        Σ_t discount^t x_t with t from 0; "steps" keeps all of them, one after the other, as `step_names` says, with
        zeros beyond the end up to `steps` (the longest trajectory's) and the length.
        """
        if how not in POOLINGS:
            raise DataError(
                "pooling", expected=f"one of {names_text(POOLINGS)}", got=repr(how), fix="choose one of these"
            )
        if not 0 < discount <= 1:
            raise DataError(
                "discount",
                expected="a number above 0 and up to 1",
                got=f"{discount}",
                fix="pass for example discount=0.95",
            )
        starts = self.offsets[:-1]
        if how == "steps":
            return self._laid_out(int(self.lengths.max()) if steps is None else steps)
        if how == "last":
            return self.values[self.offsets[1:] - 1]
        if how == "discounted":
            time = np.arange(len(self.values)) - np.repeat(starts, self.lengths)
            return np.add.reduceat(self.values * (discount**time)[:, None], starts, axis=0)
        total = np.add.reduceat(self.values, starts, axis=0)
        return total / self.lengths[:, None] if how == "mean" else total

    def _laid_out(self, steps: int) -> np.ndarray:
        if self.lengths.max() > steps:
            raise DataError(
                "steps", expected=f"at least {self.lengths.max()}, as the longest trajectory has", got=str(steps),
                fix="fit with steps=N, the longest trajectory that is to be compared",
            )  # fmt: skip
        width = len(self.features)
        table = np.zeros((len(self), steps, width))
        table[np.arange(steps) < self.lengths[:, None]] = self.values
        return np.column_stack([table.reshape(len(self), steps * width), self.lengths])

    def compare(
        self,
        left_ids: Any,
        right_ids: Any,
        *,
        pooling: str = "mean",
        discount: float = 0.95,
        steps: int | None = None,
        wins: Any = None,
        losses: Any = None,
        ties: Any = None,
        counts: Any = None,
        agent: Any = None,
        weight: Any = None,
    ) -> Preferences:
        """Preferences between pooled trajectories, named by their ids; counts as in `Preferences`.

        With `pooling="steps"` nothing is pooled: a reward of each step (`lori.Steps`) can then be learned.
        """
        left, right = (
            look_up(self.ids, np.atleast_1d(as_labels(ids, what)), what, "the trajectories")
            for ids, what in ((left_ids, "left_ids"), (right_ids, "right_ids"))
        )
        if left.shape == right.shape:  # otherwise Preferences says that the lengths differ
            check_distinct(left, right, "left_ids and right_ids")
        observed = {"wins": wins, "losses": losses, "ties": ties, "counts": counts, "agent": agent, "weight": weight}
        return self.pooled(left, right, pooling, discount, steps, **observed)

    def pooled(
        self, left: Any, right: Any, how: str, discount: float, steps: int | None = None, **observed: Any
    ) -> Preferences:
        """Preferences between pooled trajectories, named by their places; they remember how they were pooled."""
        table = self.pool(how, discount, steps)
        names = self.features if how != "steps" else step_names(self.features, table.shape[1] // len(self.features))
        prefs = Preferences.from_indices(table, left, right, features=names, **observed)
        return replace(prefs, pooled=(how, discount if how == "discounted" else None))


def _is_empty(steps: Any) -> bool:
    return hasattr(steps, "__len__") and len(steps) == 0
