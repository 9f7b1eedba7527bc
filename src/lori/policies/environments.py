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
from lori.policies.finite.exploration import as_meant, objective_names
from lori.policies.finite.exploration import check as check_environment

LONGEST = 10_000  # steps of an episode whose environment has no limit


class Chances(Protocol):
    """Anything that knows how probable each action is."""

    def chances_at(self, place: Any, step: int) -> np.ndarray:
        """For what the environment shows, at a step from 0."""


@dataclass(frozen=True)
class Uniform:
    """Every action equally often."""

    count: int

    def chances_at(self, place: Any, step: int) -> np.ndarray:
        return np.full(self.count, 1 / self.count)


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
    check_environment(env)
    if objectives is not None:
        setattr(env.unwrapped, "objectives", tuple(objectives))  # noqa: B010 (it is ours, not Gymnasium's)
    return env


def run_episodes(
    env: Any, policy: Chances, *, episodes: int = 1000, discount: float = 1.0, horizon: int | None = None, seed: int = 0
) -> Episodes:
    """Follow a policy in an environment: what each episode brought, discounted."""
    check_environment(env)
    whole("episodes", episodes, 1)
    generator = np.random.default_rng(seed)
    first, longest = int(getattr(env.action_space, "start", 0)), horizon or LONGEST
    returns, lengths = [], []
    for episode in range(episodes):
        observed, _ = env.reset(seed=seed if episode == 0 else None)
        total, step, over = np.zeros(0), 0, False
        while not over and step < longest:
            chances = policy.chances_at(observed, step)
            action = int(np.searchsorted(np.cumsum(chances), generator.random() * chances.sum(), side="right"))
            observed, gained, terminated, truncated, _ = env.step(first + min(action, len(chances) - 1))
            gained = np.asarray(as_meant(gained))
            total = gained if not step else total + discount**step * gained
            over, step = bool(terminated or truncated), step + 1
        returns.append(total)
        lengths.append(step)
    table = np.array(returns)
    return Episodes(table, np.array(lengths), objective_names(env, table.shape[1]))
