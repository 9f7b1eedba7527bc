"""Copies of an environment: what do many episodes side by side bring, with chance that can be repeated?"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lori.errors import InputError, whole
from lori.policies.finite.exploration import as_meant

LONGEST = 10_000  # steps of an episode whose environment has no limit


class Experience(NamedTuple):
    """Episodes side by side; what comes after the end of one does not count (`alive` is False)."""

    observed: np.ndarray  # (steps, episodes, …) before each action
    actions: np.ndarray  # (steps, episodes, …) as the policy gave them
    totals: np.ndarray  # (steps + 1, episodes, objectives) discounted, before each step and in the end
    alive: np.ndarray  # (steps, episodes) bool
    last: np.ndarray  # (episodes, …) what was shown in the end
    ended: np.ndarray  # (episodes,) bool: by itself, not by a limit on the steps

    @property
    def lengths(self) -> np.ndarray:
        return self.alive.sum(axis=0)


class Copies:
    """So many copies of an environment, each with an episode of its own."""

    def __init__(self, env: Any, count: int) -> None:
        whole("environments", count, 1)
        try:
            self.each = [env, *(copy.deepcopy(env) for _ in range(count - 1))]
        except Exception:
            raise InputError(
                "env", expected="an environment that can be copied", got="one with parts that cannot",
                fix="make it without a window, or use environments=1",
            ) from None  # fmt: skip

    def __len__(self) -> int:
        return len(self.each)

    def run(
        self,
        choose: Callable[[np.ndarray, int, np.ndarray], tuple[np.ndarray, np.ndarray]],
        seeds: Any,
        *,
        objectives: int,
        discount: float = 1.0,
        horizon: int | None = None,
    ) -> Experience:
        """An episode in each copy, begun with its seed. `choose` is given what all copies show (…), the step and the
        totals so far, and gives the actions as the policy knows them and as the environment does."""
        now = [np.asarray(env.reset(seed=int(seed))[0]) for env, seed in zip(self.each, seeds, strict=True)]
        alive, ended = np.ones(len(self), bool), np.zeros(len(self), bool)
        shown, taken, living, totals = [], [], [], [np.zeros((len(self), objectives))]
        for step in range(horizon or LONGEST):
            if not alive.any():
                break
            shown.append(np.stack(now))
            own, actions = choose(shown[-1], step, totals[-1])
            taken.append(own)
            living.append(alive.copy())
            total = totals[-1].copy()
            for i in np.flatnonzero(alive):
                observed, rewards, terminated, truncated, _ = self.each[i].step(actions[i])
                now[i] = np.asarray(observed)
                total[i] += discount**step * np.asarray(as_meant(rewards))
                alive[i], ended[i] = not (terminated or truncated), terminated
            totals.append(total)
        return Experience(np.stack(shown), np.stack(taken), np.stack(totals), np.stack(living), np.stack(now), ended)
