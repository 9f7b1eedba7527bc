"""Environments: which world is meant by a name, and what do episodes in it bring? For Gymnasium with vector rewards."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lori.data.writing import writing
from lori.errors import DataError, InputError, MissingExtra, whole
from lori.policies.copies import LONGEST
from lori.policies.finite.exploration import as_meant, check_rewards, objective_count, objective_names


class Chances(Protocol):
    """Anything that knows how probable each action is."""

    def chances_at(self, place: Any, step: int) -> np.ndarray:
        """For what the environment shows, at a step from 0."""


@dataclass(frozen=True)
class Uniform:
    """Every action equally often."""

    count: int

    @staticmethod
    def of(env: Any) -> Uniform | Anything:
        """For an environment with actions from a list, or by amounts."""
        return Uniform(int(env.action_space.n)) if hasattr(env.action_space, "n") else Anything(env.action_space)

    def chances_at(self, place: Any, step: int) -> np.ndarray:
        return np.full(self.count, 1 / self.count)


@dataclass(frozen=True, eq=False)
class Anything:
    """Amounts at random, as the space of actions draws them."""

    space: Any

    def act(self, place: Any, step: int, total: np.ndarray) -> Any:
        return self.space.sample()


@dataclass(frozen=True, eq=False)
class Episodes:
    """What episodes brought on each objective, and how long they were."""

    returns: np.ndarray  # (episodes, objectives)
    lengths: np.ndarray  # (episodes,)
    objectives: tuple[str, ...]

    @property
    def means(self) -> np.ndarray:
        return self.returns.mean(axis=0)

    @property
    def standard_errors(self) -> np.ndarray:
        return self.returns.std(axis=0, ddof=1 if len(self.returns) > 1 else 0) / np.sqrt(len(self.returns))

    def save(self, path: str | Path) -> None:
        """As .npz: returns, lengths, objectives."""
        with writing(path) as temporary, open(temporary, "wb") as file:
            np.savez(file, returns=self.returns, lengths=self.lengths, objectives=np.array(self.objectives))

    @classmethod
    def load(cls, path: str | Path) -> Episodes:
        try:
            with np.load(path, allow_pickle=False) as held:
                returns, names = np.asarray(held["returns"], float), tuple(map(str, held["objectives"]))
                lengths = np.asarray(held["lengths"] if "lengths" in held else np.zeros(len(returns)), int)
        except (OSError, ValueError, KeyError):
            raise DataError(
                str(path), expected="episodes that lori rollout wrote (.npz with returns and objectives)",
                got="another file or none", fix="write it with: lori rollout ENV POLICY --out behaviour.npz",
            ) from None  # fmt: skip
        if returns.ndim != 2 or returns.shape[1] != len(names) or not len(returns) or not np.isfinite(returns).all():
            raise DataError(
                str(path), expected=f"finite returns (episodes, {len(names)})", got=f"shape {returns.shape}",
                fix="write it with: lori rollout ENV POLICY --out behaviour.npz",
            )  # fmt: skip
        return cls(returns, lengths, names)


def make_environment(name: str, objectives: Sequence[str] | None = None) -> Any:
    """The environment of that name, among those of MO-Gymnasium, Gymnasium and LORI."""
    try:
        import gymnasium
        import mo_gymnasium
    except ImportError:
        raise MissingExtra("mo-gymnasium", "rl") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            env = mo_gymnasium.make(name)
        except (gymnasium.error.Error, ImportError, ValueError):
            raise InputError(
                "ENV", expected="the name of a Gymnasium environment", got=repr(name)[:80],
                fix="try deep-sea-treasure-v0, or MODULE:NAME for one of your own",
            ) from None  # fmt: skip
    check_rewards(env)
    if objectives is not None:
        setattr(env.unwrapped, "objectives", tuple(objectives))  # noqa: B010 (it is ours, not Gymnasium's)
    return env


def can_be_listed(env: Any) -> bool:
    """Are there actions from a list, and whole numbers to see? Then states may be few enough to list them."""
    return hasattr(env.action_space, "n") and np.issubdtype(env.observation_space.dtype, np.integer)


def run_episodes(
    env: Any, policy: Any, *, episodes: int = 1000, discount: float = 1.0, horizon: int | None = None, seed: int = 0
) -> Episodes:
    """Follow a policy in an environment: what each episode brought, discounted."""
    check_rewards(env)
    whole("episodes", episodes, 1)
    generator = np.random.default_rng(seed)
    env.action_space.seed(seed)
    paths = [
        _episode(env, policy, generator, seed if not number else None, discount, horizon or LONGEST)
        for number in range(episodes)
    ]
    ends, lengths = np.array([path[-1] for path in paths]), np.array([len(path) - 1 for path in paths])
    return Episodes(ends, lengths, objective_names(env, ends.shape[1]))


def totals_by_step(
    env: Any, policy: Any, *, episodes: int = 8, discount: float = 1.0, horizon: int | None = None, seed: int = 0
) -> list[np.ndarray]:
    """(steps + 1, objectives) of each episode: what it had brought before each step and in the end."""
    generator = np.random.default_rng(seed)
    env.action_space.seed(seed)
    return [
        np.array(_episode(env, policy, generator, seed + number, discount, horizon or LONGEST))
        for number in range(episodes)
    ]


def _episode(
    env: Any, policy: Any, generator: np.random.Generator, seed: int | None, discount: float, longest: int
) -> list[np.ndarray]:
    observed, _ = env.reset(seed=seed)
    totals, over = [np.zeros(objective_count(env))], False
    while not over and len(totals) <= longest:
        step = len(totals) - 1
        action = chosen(env, policy, observed, step, totals[-1], generator)
        observed, gained, terminated, truncated, _ = env.step(action)
        totals.append(totals[-1] + discount**step * np.asarray(as_meant(gained)))
        over = bool(terminated or truncated)
    return totals


def chosen(env: Any, policy: Any, observed: Any, step: int, total: np.ndarray, generator: np.random.Generator) -> Any:
    """The action that a policy takes, as the environment wants it: by `act`, or drawn from its `chances_at`."""
    if hasattr(policy, "act"):
        return policy.act(observed, step, total)
    chances = policy.chances_at(observed, step)
    action = int(np.searchsorted(np.cumsum(chances), generator.random() * chances.sum(), side="right"))
    return int(getattr(env.action_space, "start", 0)) + min(action, len(chances) - 1)
