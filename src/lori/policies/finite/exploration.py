"""Exploration: which states does an environment have, and where does each action lead? By trying all of them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lori.errors import InputError, MissingExtra, whole
from lori.policies.finite.chance import NotEnumerable, Tape, outcomes
from lori.policies.finite.mdp import FiniteMDP

CHECKED = 200  # states met again whose actions are tried a second time
WARM_UP = 200  # random steps that show which parts of an environment move
RANDOM = {"_np_random", "_np_random_seed", "action_space"}  # attributes with generators in them
OBJECTIVES = {  # MO-Gymnasium's environments name them in their documentation only
    "deep-sea-treasure": ("treasure", "time"), "deep-sea-treasure-concave": ("treasure", "time"),
    "deep-sea-treasure-mirrored": ("treasure", "time"), "resource-gathering": ("survival", "gold", "diamond"),
    "four-room": ("blue", "green", "red"), "minecart": ("ore 1", "ore 2", "fuel"),
    "minecart-deterministic": ("ore 1", "ore 2", "fuel"),
    "fruit-tree": ("protein", "carbs", "fats", "vitamins", "minerals", "water"),
    "lori/Cancer": ("white blood cells", "tumour volume"),
}  # fmt: skip


class Step(NamedTuple):
    """What one action led to."""

    state: bytes
    rewards: tuple[float, ...]
    ended: bool


class Place:
    """An environment that can be put back where it was.

    Only the attributes that move are kept; which these are, some random steps show. What was taken to stand still is
    compared in the end.
    """

    def __init__(self, env: Any, tape: Tape | None) -> None:
        self.env, self.tape = env, tape
        env.reset(seed=0)
        before = {name: _fingerprint(value) for name, value in vars(env).items()}
        moving: set[str] = set()
        env.action_space.seed(0)
        for _ in range(WARM_UP):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            moving |= {name for name, value in vars(env).items() if before.get(name) != _fingerprint(value)}
            if terminated or truncated:
                env.reset()
        self.moving = sorted(moving - RANDOM)
        self.still = {name: mark for name, mark in before.items() if name not in self.moving}
        if tape is not None:
            env.np_random = tape

    def keep(self) -> bytes:
        try:
            return pickle.dumps([getattr(self.env, name, None) for name in self.moving])
        except Exception:
            raise InputError(
                "env", expected="an environment that can be copied", got="one with parts that cannot",
                fix="make it without a window, or give its transitions as arrays",
            ) from None  # fmt: skip

    def back(self, kept: bytes) -> None:
        for name, value in zip(self.moving, pickle.loads(kept), strict=True):
            setattr(self.env, name, value)

    def unmoved(self) -> bool:
        own = vars(self.env)
        return all(_fingerprint(own.get(name)) == mark for name, mark in self.still.items() if name not in RANDOM)


def explore(
    env: Any,
    *,
    objectives: Sequence[str] | None = None,
    horizon: int | None = None,
    samples: int | None = None,
    most_states: int = 1_000_000,
) -> FiniteMDP:
    """The finite model of an environment; see `FiniteMDP.explore`."""
    check(env)
    if horizon is not None:
        whole("horizon", horizon, 1)
    world = _World(env, samples if samples is None else whole("samples", samples, 1), most_states)
    try:
        return world.listed(objectives, horizon)
    except NotEnumerable:
        raise InputError(
            "env", expected="chance by random, integers or choice of the environment's own generator",
            got="chance of another kind", fix="pass samples=1000 to have each action tried so often instead",
        ) from None  # fmt: skip


def check(env: Any) -> None:
    """A Gymnasium environment with a list of actions and a vector reward."""
    check_environment(env)
    from gymnasium.spaces import Discrete

    if not isinstance(env.action_space, Discrete):
        raise InputError(
            "env", expected="an environment with a list of actions", got=type(env.action_space).__name__,
            fix="choose a few actions with an action wrapper",
        )  # fmt: skip
    check_rewards(env)


def check_environment(env: Any) -> None:
    """One of Gymnasium, of any kind."""
    if find_spec("gymnasium") is None:
        raise MissingExtra("gymnasium", "rl")
    if not hasattr(env, "step") or not hasattr(env, "action_space"):
        raise InputError(
            "env", expected="a Gymnasium environment", got=type(env).__name__, fix="make one with mo_gymnasium.make"
        )


def check_rewards(env: Any) -> None:
    """A Gymnasium environment with a vector reward."""
    check_environment(env)
    space = reward_space(env)
    if space is None or not np.shape(getattr(space, "low", 0.0)):
        raise InputError(
            "env", expected="an environment with a vector reward", got="one with a single number",
            fix="use one of MO-Gymnasium, or a wrapper that returns a reward for each objective and has a reward_space",
        )  # fmt: skip


def steps_of(horizon: int | None, limit: int | None) -> int:
    """How many steps an episode may have: as many as asked for, or the environment's own limit."""
    steps = horizon if horizon is not None else limit
    if steps is None:
        raise InputError(
            "horizon", expected="a number of steps", got="none, and the environment has no limit",
            fix="pass horizon=100",
        )  # fmt: skip
    return whole("horizon", steps, 1)


def own_limit(env: Any) -> int | None:
    """Of a Gymnasium environment; None where episodes may go on for ever."""
    return getattr(getattr(env, "spec", None), "max_episode_steps", None)


def reward_space(env: Any) -> Any:
    """Of the environment, or of what it wraps; None where there is none."""
    return getattr(env, "reward_space", None) or getattr(env.unwrapped, "reward_space", None)


def objective_count(env: Any) -> int:
    """How many rewards a step brings."""
    return len(reward_space(env).low)


def objective_names(env: Any, count: int) -> tuple[str, ...]:
    """As the environment's documentation names them, or numbered."""
    bare = env.unwrapped
    spec = getattr(env, "spec", None) or getattr(bare, "spec", None)
    known = OBJECTIVES.get(spec.id.rpartition("-v")[0] if spec else "", ())
    names = tuple(getattr(bare, "objectives", known))
    return names if len(names) == count else tuple(f"objective {place + 1}" for place in range(count))


class _World:
    """What is known of an environment so far."""

    def __init__(self, env: Any, samples: int | None, most_states: int) -> None:
        self.wrapped, self.env = env, env.unwrapped
        self.samples, self.most = samples, most_states
        self.tape = Tape() if samples is None else None
        self.place = Place(self.env, self.tape)
        self.number: dict[bytes, int] = {}
        self.kept: list[bytes] = []
        self.shown: list[np.ndarray] = []
        self.again: list[tuple[int, bytes]] = []  # other ways to be in a state that was known
        self.looks = 0

    def listed(self, objectives: Sequence[str] | None, horizon: int | None) -> FiniteMDP:
        count = int(self.env.action_space.n)
        first = int(getattr(self.env.action_space, "start", 0))
        starts = self._tried(None, None)
        begin = {self._met(step.state): chance for step, chance in starts.items()}
        rows, columns, chances = [], [], []
        rewards: list[np.ndarray] = []
        depth, level, done = 0, len(self.kept), 0
        while done < len(self.kept):
            if done == level:
                depth, level = depth + 1, len(self.kept)
            if horizon is not None and depth >= horizon:
                break
            for action in range(count):
                gained: Any = 0.0
                for step, chance in self._tried(done, first + action).items():
                    gained = gained + chance * np.array(step.rewards)
                    if not step.ended:
                        rows.append(done * count + action)
                        columns.append(self._met(step.state))
                        chances.append(chance)
                rewards.append(gained)
            done += 1
        size = len(self.kept)
        self._compare(first, count, done)
        if not self.place.unmoved():
            raise InputError(
                "env", expected="an environment that can be copied", got="one whose parts move unseen",
                fix="give its transitions as arrays",
            )  # fmt: skip
        table = np.zeros((size * count, len(rewards[0])))
        table[: len(rewards)] = rewards
        mdp = FiniteMDP.from_arrays(
            _by_action(rows, columns, chances, size, count), table.reshape(size, count, -1),
            np.array([begin.get(state, 0.0) for state in range(size)]),
            objectives=objectives or objective_names(self.wrapped, table.shape[1]),
        )  # fmt: skip
        return FiniteMDP(
            mdp.transitions, mdp.rewards, mdp.start, mdp.actions, mdp.objectives, np.stack(self.shown),
            limit=own_limit(self.wrapped),
        )  # fmt: skip

    def _compare(self, first: int, count: int, done: int) -> None:
        """What follows must not depend on how a state was reached."""
        if self.samples is not None:
            return
        for state, kept in [again for again in self.again if again[0] < done]:
            for action in range(first, first + count):
                before = self._tried(state, action)
                own, self.kept[state] = self.kept[state], kept
                after = self._tried(state, action)
                self.kept[state] = own
                if before != after:
                    raise InputError(
                        "env", expected="observations that tell the state", got="the same observation before different "
                        "outcomes", fix="add what is hidden to the observation with a wrapper",
                    )  # fmt: skip

    def _tried(self, state: int | None, action: int | None) -> dict[Step, float]:
        """Outcomes of an action in a state, or of a reset, with their probabilities."""
        self.latest: dict[bytes, tuple[bytes, np.ndarray]] = {}
        if self.samples is None:
            return outcomes(lambda answers: self._once(state, action, answers))
        counts: dict[Step, float] = {}
        for _ in range(self.samples):
            step = self._once(state, action, ())
            counts[step] = counts.get(step, 0.0) + 1 / self.samples
        return counts

    def _once(self, state: int | None, action: int | None, answers: tuple[float, ...]) -> Step:
        if self.tape is not None:
            self.tape.rewind(answers)
        if state is None:
            observed, _ = self.env.reset()
            gained, ended = np.empty(0), False
        else:
            self.place.back(self.kept[state])
            observed, gained, terminated, truncated, _ = self.env.step(action)
            ended = bool(terminated or truncated)
        shown = np.asarray(observed)
        key = shown.tobytes()
        if not ended and key not in self.number and key not in self.latest:
            self.latest[key] = (self.place.keep(), shown.copy())
        elif key in self.number and not ended and len(self.again) < CHECKED and self.looks < 10 * CHECKED:
            self.looks += 1
            kept = self.place.keep()
            if kept != self.kept[self.number[key]]:
                self.again.append((self.number[key], kept))
        return Step(b"" if ended else key, as_meant(gained), ended)

    def _met(self, key: bytes) -> int:
        """The number of a state; of a new one, what is needed to return to it."""
        if key not in self.number:
            if len(self.kept) >= self.most:
                raise InputError(
                    "env", expected=f"at most {self.most:,} states", got="more", fix="explore with a horizon, raise "
                    "most_states, or learn with lori.q_learning, which needs no list",
                )  # fmt: skip
            self.number[key] = len(self.kept)
            kept, shown = self.latest[key]
            self.kept.append(kept)
            self.shown.append(shown)
        return self.number[key]


def _by_action(rows: list, columns: list, chances: list, size: int, count: int) -> list[sparse.csr_array]:
    where, to, chance = np.array(rows, int), np.array(columns, int), np.array(chances, float)
    parts = []
    for action in range(count):
        own = where % count == action
        parts.append(sparse.coo_array((chance[own], (where[own] // count, to[own])), shape=(size, size)).tocsr())
    return parts


def as_meant(rewards: Any) -> tuple[float, ...]:
    """In double precision as they were meant: 8.2 in single precision is 8.2, not 8.199999809."""
    values = np.asarray(rewards)
    return _doubled(values.tobytes()) if values.dtype == np.float32 else tuple(map(float, values))


@lru_cache(maxsize=10_000)
def _doubled(single: bytes) -> tuple[float, ...]:
    return tuple(float(str(value)) for value in np.frombuffer(single, np.float32))


def _fingerprint(value: Any) -> bytes:
    try:
        return pickle.dumps(value)
    except Exception:
        return b"cannot be copied"
