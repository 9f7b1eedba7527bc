"""Panel: whose choices are they? Agents, which observations are theirs, and what an observation says of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lori.data.grouping import group_rows
from lori.errors import DataError
from lori.inference.statistics import Observed

FEWEST = 2  # agents, to tell how they differ


@dataclass(frozen=True, eq=False)
class Panel:
    """Agents in the order in which they first appear."""

    agents: tuple[str, ...]
    agent: np.ndarray  # (observations,) the number of each observation's agent

    @classmethod
    def of(cls, data: Observed, fewest: int = FEWEST) -> Panel:
        """Of some choices, which must be those of at least so many agents."""
        if data.agent is None:
            raise DataError(
                "agent", expected="a label for each choice that says who made it", got="choices without agents",
                fix="give agents=… or a column agent; for one decision-maker use LORI (leave --classes out)",
            )  # fmt: skip
        first, agent = group_rows([data.agent])
        if len(first) < fewest:
            raise DataError(
                "agent", expected="choices of at least two agents", got="those of one",
                fix="use LORI (leave --classes out): one agent has one order",
            )  # fmt: skip
        return cls(tuple(str(data.agent[place]) for place in first), agent)

    def __len__(self) -> int:
        return len(self.agents)

    @cached_property
    def _order(self) -> np.ndarray | None:
        """Observations agent by agent; None if they are so already."""
        return None if (np.diff(self.agent) >= 0).all() else np.argsort(self.agent, kind="stable")

    @cached_property
    def _starts(self) -> np.ndarray:
        counts = np.bincount(self.agent, minlength=len(self))
        return np.cumsum(counts) - counts

    def totals(self, values: np.ndarray) -> np.ndarray:
        """(…, agents) sums over each agent's observations, the last axis of `values`."""
        ordered = values if self._order is None else values[..., self._order]
        return np.add.reduceat(ordered, self._starts, axis=-1)

    def numbers_of(self, labels: np.ndarray) -> np.ndarray:
        """The number of each label's agent; −1 for those who are not in the panel."""
        known = {agent: number for number, agent in enumerate(self.agents)}
        return np.array([known.get(str(label), -1) for label in labels], int)
