"""Thresholded lexicographic Q-learning: what should one do in a world that can be tried but not listed?

Each objective has its own action values, learned together: Q_i(s, a) ← Q_i(s, a) + α (r_i + γ Q_i(s', a') − Q_i(s, a)),
where a' is the action that is lexicographically greatest in s' by min(Q_i, threshold_i) (Gábor, Kalmár and Szepesvári
1998; Vamplew et al. 2011). What it converges to, where it does, is the plan `reading="per-state"`: the best one where
nothing is left to chance and thresholds concern what is still to come, not always elsewhere (see the page on policies).
There is no guarantee that it converges when thresholds tie actions; several seeds that agree are the check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lori.errors import InputError, whole
from lori.policies.environments import LONGEST
from lori.policies.finite.exploration import as_meant, check, objective_names

POWER = 0.7  # α of the n-th update of an action is n^−0.7: slow enough to forget the first ones, fast enough to settle
TIE = 0.01  # of the range of an objective's rewards and values so far: closer values are tied


@dataclass(eq=False)
class QLearner:
    """Action values that grow with experience. `learn` can be called again: it goes on where it stopped.

    Parameters
    ----------
    thresholds, order
        As in `plan_lexicographic`.
    discount
        γ; at most 1.
    exploration
        The share of random actions at the beginning; it falls to a tenth of that over the episodes of a call.
    optimism
        What an action that was never tried is taken to be worth, for each objective: at least as much as possible.
    learning_rate
        α: 1 where an action has one outcome; None for n^−0.7 at its n-th update, which averages over chance.
    """

    env: Any
    thresholds: Sequence[float | None] | None = None
    order: Sequence[int] | None = None
    discount: float = 1.0
    exploration: float = 0.3
    optimism: Sequence[float] | None = None
    learning_rate: float | None = None
    seed: int = 0
    values: dict[bytes, list[list[float]]] = field(default_factory=dict, repr=False)
    counts: dict[bytes, list[int]] = field(default_factory=dict, repr=False)
    episodes: int = 0

    def __post_init__(self) -> None:
        check(self.env)
        if not 0 < self.discount <= 1 or not 0 <= self.exploration <= 1:
            raise InputError(
                "discount, exploration", expected="numbers from 0 to 1", got=f"{self.discount}, {self.exploration}",
                fix="use discount=0.95 and exploration=0.3",
            )  # fmt: skip
        space = getattr(self.env, "reward_space", None) or self.env.unwrapped.reward_space
        count = len(space.low)
        self.objectives = objective_names(self.env, count)
        order = list(range(count)) if self.order is None else list(self.order)
        limits = [None] * len(order) if self.thresholds is None else list(self.thresholds)
        if sorted(set(order)) != sorted(order) or not set(order) <= set(range(count)) or len(limits) != len(order):
            raise InputError(
                "order, thresholds", expected=f"different objectives from 0 to {count - 1} and a threshold or None for "
                "each", got=f"{order} and {limits}", fix="give one of each for every level",
            )  # fmt: skip
        self._levels = [(k, np.inf if t is None else float(t)) for k, t in zip(order, limits, strict=True)]
        self._hope = [float(value) for value in (self.optimism if self.optimism is not None else space.high)]
        self._actions, self._first = int(self.env.action_space.n), int(getattr(self.env.action_space, "start", 0))
        self._random = np.random.default_rng(self.seed)
        self._low, self._high = [0.0] * count, [1e-9] * count

    def learn(
        self, episodes: int = 1000, *, horizon: int | None = None, progress: Callable[[int, int], None] | None = None
    ) -> QLearner:
        """Act and learn for so many episodes more."""
        whole("episodes", episodes, 1)
        for episode in range(episodes):
            astray = self.exploration * (1 - 0.9 * episode / episodes)
            self._episode(astray, horizon or LONGEST)
            if progress is not None:
                progress(episode + 1, episodes)
        return self

    def _episode(self, astray: float, longest: int) -> None:
        observed, _ = self.env.reset(seed=self.seed if not self.episodes else None)
        self.episodes += 1
        key = np.asarray(observed).tobytes()
        for _ in range(longest):
            own = self._of(key)
            random = self._random.random(2)
            action = int(random[1] * self._actions) if random[0] < astray else self._greatest(own)
            observed, gained, terminated, truncated, _ = self.env.step(self._first + action)
            key_after = np.asarray(observed).tobytes()
            rewards = as_meant(gained)
            if terminated:
                target: Sequence[float] = rewards
            else:
                there = self._of(key_after)
                best = there[self._greatest(there)]
                target = [reward + self.discount * value for reward, value in zip(rewards, best, strict=True)]
            self._update(key, own, action, target)
            if terminated or truncated:
                break
            key = key_after

    def _update(self, key: bytes, own: list[list[float]], action: int, target: Sequence[float]) -> None:
        self.counts[key][action] += 1
        rate = self.learning_rate or self.counts[key][action] ** -POWER
        row = own[action]
        for k, value in enumerate(target):
            row[k] += rate * (value - row[k])
            self._low[k] = min(self._low[k], row[k])
            self._high[k] = max(self._high[k], row[k])

    def _of(self, key: bytes) -> list[list[float]]:
        if key not in self.values:
            self.values[key] = [list(self._hope) for _ in range(self._actions)]
            self.counts[key] = [0] * self._actions
        return self.values[key]

    def _greatest(self, own: list[list[float]]) -> int:
        left = list(range(self._actions))
        for k, threshold in self._levels:
            if len(left) == 1:
                break
            worth = [min(own[action][k], threshold) for action in left]
            least = max(worth) - TIE * (self._high[k] - self._low[k])
            left = [action for action, value in zip(left, worth, strict=True) if value >= least]
        return left[0] if len(left) == 1 else max(left, key=lambda action: [own[action][k] for k, _ in self._levels])

    def chances_at(self, place: Any, step: int) -> np.ndarray:
        """One for the greatest action in what the environment shows: a policy for `run_episodes`."""
        del step
        chosen = self._greatest(self._of(np.asarray(place).tobytes()))
        return np.eye(1, self._actions, chosen)[0]


def q_learning(
    env: Any,
    thresholds: Sequence[float | None] | None = None,
    *,
    order: Sequence[int] | None = None,
    discount: float = 1.0,
    episodes: int = 5000,
    horizon: int | None = None,
    exploration: float = 0.3,
    optimism: Sequence[float] | None = None,
    learning_rate: float | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> QLearner:
    """Learn by trying, for environments that cannot be listed; see `QLearner` for the arguments.

    The result is a policy: `chances_at(observation, step)`; `learn` goes on.
    """
    learner = QLearner(env, thresholds, order, discount, exploration, optimism, learning_rate, seed)
    return learner.learn(episodes, horizon=horizon, progress=progress)
