"""Thresholded lexicographic Q-learning: what should one do in a world that can be tried but not listed?

Each level has its own action values, learned together: Q_i(s, a) ← Q_i(s, a) + α (r_i + γ Q_i(s', a') − Q_i(s, a)),
where a' is the action that is lexicographically greatest in s' by min(Q_i, threshold_i) (Gábor, Kalmár and Szepesvári
1998; Vamplew et al. 2011). Episodes run side by side and are then gone through backwards, so that what came of them is
known at their beginning at once (Lin 1992).

Guarantee. What it converges to, where it does, is the plan `reading="per-state"`: the best one where nothing is left to
chance and thresholds concern what is still to come, not always elsewhere (see the page on policies). With
`whole_episodes=True` thresholds are on what whole episodes bring, and the totals so far are part of the state: then it
is ordinary Q-learning, level by level, of what counts. There is no guarantee that it converges when thresholds tie
actions; several seeds that agree are the check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lori.errors import InputError, whole
from lori.policies.checkpoints import Checkpoint, read_checkpoint, write_checkpoint
from lori.policies.copies import Copies, Experience
from lori.policies.finite.exploration import check, objective_count, objective_names, reward_space
from lori.policies.levels import EpisodeLevels

POWER = 0.7  # α of the n-th update of an action is n^−0.7: slow enough to forget the first ones, fast enough to settle
BOLD = (
    1.0  # of that range by √n: what an action is taken to be worth beyond its value after n tries, where chance plays
)
TIE = 0.01  # of the range of a level's rewards and values so far: closer values are tied
SAVED = 50  # rounds of episodes between two checkpoints


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
        The share of random actions at the beginning; it falls to half of that over the episodes of a call.
    optimism
        What an action that was never tried is taken to be worth, for each objective: at least as much as possible.
    learning_rate
        α: 1 where an action has one outcome; None for n^−0.7 at its n-th update, which averages over chance.
    environments
        Episodes side by side, which all follow what was known before them.
    whole_episodes
        Are thresholds on what a whole episode brings, instead of what is still to come?
    """

    env: Any
    thresholds: Sequence[float | None] | None = None
    order: Sequence[int] | None = None
    discount: float = 1.0
    exploration: float = 0.3
    optimism: Sequence[float] | None = None
    learning_rate: float | None = None
    seed: int = 0
    environments: int = 1
    whole_episodes: bool = False
    values: dict[bytes, list[list[float]]] = field(default_factory=dict, repr=False)
    counts: dict[bytes, list[int]] = field(default_factory=dict, repr=False)
    episodes: int = 0

    def __post_init__(self) -> None:
        check(self.env)
        if not 0 <= self.exploration <= 1:
            raise InputError(
                "exploration", expected="a share from 0 to 1", got=str(self.exploration), fix="use exploration=0.3"
            )
        count = objective_count(self.env)
        self.objectives = objective_names(self.env, count)
        self.levels = EpisodeLevels.of(count, self.order, self.thresholds, self.discount)
        self._limits = [np.inf] * len(self.levels.order) if self.whole_episodes else list(self.levels.thresholds)
        hope = self.optimism if self.optimism is not None else reward_space(self.env).high
        self._hope = [float(hope[place]) for place in self.levels.order]
        if self.whole_episodes:  # what costs something costs nothing up to a threshold
            limits = self.levels.thresholds
            self._hope = [max(own, 0.0) if t < np.inf else own for own, t in zip(self._hope, limits, strict=True)]
        self._actions, self._first = int(self.env.action_space.n), int(getattr(self.env.action_space, "start", 0))
        self._copies, self._random = Copies(self.env, self.environments), np.random.default_rng(self.seed)
        self._low, self._high = [0.0] * len(self._hope), [1e-9] * len(self._hope)

    # -- learning ----------------------------------------------------------------------------------------

    def learn(
        self,
        episodes: int = 1000,
        *,
        horizon: int | None = None,
        checkpoint: str | Path | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> QLearner:
        """Act and learn for so many episodes more; with a checkpoint, for so many since it was begun."""
        whole("episodes", episodes, 1)
        if checkpoint is not None and Path(checkpoint).exists():
            self._restore(read_checkpoint(checkpoint, "Q-learning", self._made_for()))
        first = 0 if checkpoint is not None else self.episodes
        rounds = 0
        while self.episodes - first < episodes:
            self._round(self.exploration * (1 - (self.episodes - first) / (2 * episodes)), horizon)
            rounds += 1
            done = self.episodes - first
            if checkpoint is not None and (rounds % SAVED == 0 or done >= episodes):
                write_checkpoint(checkpoint, "Q-learning", self._made_for(), self._state())
            if progress is not None:
                progress(min(done, episodes), episodes)
        return self

    def _round(self, astray: float, horizon: int | None) -> None:
        def choose(observed: np.ndarray, step: int, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            random = self._random.random((len(observed), 2))
            own = np.array([
                int(anything * self._actions) if stray < astray else self._boldest(self._key(shown, total, step))
                for (stray, anything), shown, total in zip(random, observed, totals, strict=True)
            ])  # fmt: skip
            return own, own + self._first

        seeds = self._random.integers(2**31, size=len(self._copies))
        seen = self._copies.run(choose, seeds, objectives=len(self.objectives), discount=self.discount, horizon=horizon)
        for episode in range(len(self._copies)):
            self._replay(seen, episode)
        self.episodes += len(self._copies)

    def _replay(self, seen: Experience, episode: int) -> None:
        """Learn from an episode, its last step first."""
        steps, totals = int(seen.lengths[episode]), seen.totals[:, episode]
        keys = [self._key(seen.observed[t, episode], totals[t], t) for t in range(steps)]
        following = None if seen.ended[episode] else self._key(seen.last[episode], totals[steps], steps)
        order = list(self.levels.order)
        for t in range(steps - 1, -1, -1):
            if self.whole_episodes:
                target = self.levels.gained(totals[t], totals[t + 1], t).tolist()
            else:
                target = ((totals[t + 1, order] - totals[t, order]) / self.discount**t).tolist()
            if following is not None:
                there = self._of(following)
                best = there[self._greatest(there)]
                target = [reward + self.discount * value for reward, value in zip(target, best, strict=True)]
            self._update(keys[t], int(seen.actions[t, episode]), target)
            following = keys[t]

    def _update(self, key: bytes, action: int, target: Sequence[float]) -> None:
        row = self._of(key)[action]
        self.counts[key][action] += 1
        rate = self.learning_rate or self.counts[key][action] ** -POWER
        for k, value in enumerate(target):
            row[k] += rate * (value - row[k])
            self._low[k] = min(self._low[k], row[k])
            self._high[k] = max(self._high[k], row[k])

    # -- what is known -----------------------------------------------------------------------------------

    def _key(self, observed: Any, total: np.ndarray, step: int) -> bytes:
        shown = np.asarray(observed).tobytes()
        if not self.whole_episodes or not self.levels.memory:
            return shown
        gathered = np.round(total[list(self.levels.memory)], 9) + 0.0
        return shown + gathered.tobytes() + (bytes([step % 256, step // 256]) if self.levels.clock else b"")

    def _of(self, key: bytes) -> list[list[float]]:
        if key not in self.values:
            self.values[key] = [list(self._hope) for _ in range(self._actions)]
            self.counts[key] = [0] * self._actions
        return self.values[key]

    def _greatest(self, own: list[list[float]]) -> int:
        left = list(range(self._actions))
        for k, limit in enumerate(self._limits):
            if len(left) == 1:
                break
            worth = [min(own[action][k], limit) for action in left]
            least = max(worth) - TIE * (self._high[k] - self._low[k])
            left = [action for action, value in zip(left, worth, strict=True) if value >= least]
        return left[0] if len(left) == 1 else max(left, key=lambda action: own[action])

    def _boldest(self, key: bytes) -> int:
        """The greatest action while trying: what was tried seldom may have had bad luck (upper confidence bounds)."""
        own = self._of(key)
        if self.learning_rate is not None:
            return self._greatest(own)
        ranges = [high - low for high, low in zip(self._high, self._low, strict=True)]
        more = [BOLD / (count + 1) ** 0.5 for count in self.counts[key]]
        return self._greatest([
            [value + bonus * size for value, size in zip(row, ranges, strict=True)]
            for row, bonus in zip(own, more, strict=True)
        ])  # fmt: skip

    def act(self, observed: Any, step: int, total: np.ndarray) -> int:
        """The greatest action on what the environment shows, as the environment numbers it."""
        return self._greatest(self._of(self._key(observed, total, step))) + self._first

    def chances_at(self, place: Any, step: int) -> np.ndarray:
        """One for the greatest action in what the environment shows, where totals so far do not matter."""
        chosen = self.act(place, step, np.zeros(len(self.objectives))) - self._first
        return np.eye(1, self._actions, chosen)[0]

    # -- checkpoints -------------------------------------------------------------------------------------

    def _made_for(self) -> dict[str, Any]:
        return {
            "objectives": list(self.objectives), "order": list(self.levels.order), "seed": self.seed,
            "thresholds": [None if np.isinf(limit) else limit for limit in self.levels.thresholds],
            "discount": self.discount, "exploration": self.exploration, "learning_rate": self.learning_rate,
            "environments": self.environments, "whole_episodes": self.whole_episodes, "optimism": self._hope,
        }  # fmt: skip

    def _state(self) -> Checkpoint:
        keys = list(self.values)
        arrays = {
            "keys": np.array([key.hex() for key in keys]), "values": np.array([self.values[key] for key in keys]),
            "counts": np.array([self.counts[key] for key in keys]), "range": np.array([self._low, self._high]),
        }  # fmt: skip
        return Checkpoint(arrays, self.episodes, self._random.bit_generator.state)

    def _restore(self, found: Checkpoint) -> None:
        keys = [bytes.fromhex(str(key)) for key in found.arrays["keys"]]
        self.values = dict(zip(keys, found.arrays["values"].tolist(), strict=True))
        self.counts = dict(zip(keys, found.arrays["counts"].tolist(), strict=True))
        self._low, self._high = found.arrays["range"].tolist()
        self.episodes, self._random.bit_generator.state = found.done, found.random


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
    environments: int = 1,
    whole_episodes: bool = False,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> QLearner:
    """Learn by trying, for environments that cannot be listed; see `QLearner` for the arguments.

    The result is a policy that can be followed with `run_episodes`; `learn` goes on. With `checkpoint` the state is
    written now and then, and the same call goes on from there.
    """
    learner = QLearner(
        env, thresholds, order, discount, exploration, optimism, learning_rate, seed, environments, whole_episodes
    )
    return learner.learn(episodes, horizon=horizon, checkpoint=checkpoint, progress=progress)
