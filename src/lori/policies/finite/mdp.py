"""Finite Markov decision processes: where does an action lead, and what does each objective get? Any world that can be
listed: from arrays, by exploring an environment, or from samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from lori.errors import InputError

ROUNDING = 1e-9  # rows of probabilities sum to 1 up to this


@dataclass(frozen=True, eq=False)
class FiniteMDP:
    """States, actions and a vector of rewards. Where the probabilities of a row sum to less than one, the rest of the
    time the episode ends there.

    Made by `from_arrays`, `explore` or `from_samples`, which check.
    """

    transitions: sparse.csr_array  # (states × actions, states): row s · actions + a holds Pr(next state | s, a)
    rewards: np.ndarray  # (states, actions, objectives), expected
    start: np.ndarray  # (states,) probabilities
    actions: tuple[str, ...]
    objectives: tuple[str, ...]
    observations: np.ndarray | None = None  # (states, …) what an environment shows in each state
    available: np.ndarray | None = None  # (states, actions) bool; None: every action everywhere
    limit: int | None = None  # how many steps the environment lasts at most
    fronts: dict[Any, Any] = field(default_factory=dict, repr=False)  # Pareto fronts, once they are known

    @classmethod
    def from_arrays(
        cls,
        transitions: ArrayLike | Sequence[Any],
        rewards: ArrayLike,
        start: ArrayLike = 0,
        *,
        actions: Sequence[str] | None = None,
        objectives: Sequence[str] | None = None,
        available: ArrayLike | None = None,
    ) -> FiniteMDP:
        """From Pr(next state | state, action), the rewards and where one starts.

        Parameters
        ----------
        transitions
            An array (states, actions, states), or one SciPy sparse matrix (states, states) for each action.
        rewards
            (states, actions, objectives), or (states, actions, states, objectives) where they depend on where one gets.
        start
            The number of a state, or a probability for each.
        actions, objectives
            Their names.
        available
            (states, actions): which actions there are; all where it is not given.
        """
        table = _sparse(transitions)
        states, count = table.shape[1], table.shape[0] // table.shape[1]
        given = np.asarray(rewards, float)
        if given.ndim == 4 and given.shape[:3] == (states, count, states):
            dense = table.toarray().reshape(states, count, states)
            given = np.einsum("sat,satk->sak", dense, given)
        if given.ndim != 3 or given.shape[:2] != (states, count) or not given.shape[2]:
            raise InputError(
                "rewards", expected=f"a vector for each of {states} states and {count} actions",
                got=f"an array of shape {given.shape}", fix="give it the shape (states, actions, objectives)",
            )  # fmt: skip
        if not np.all(np.isfinite(given)):
            raise InputError("rewards", expected="finite numbers", got="NaN or infinity", fix="use a large penalty")
        mask = None if available is None else np.asarray(available, bool)
        if mask is not None and (mask.shape != (states, count) or not mask.any(axis=1).all()):
            raise InputError(
                "available", expected=f"({states}, {count}) truth values with an action in every state",
                got=f"an array of shape {mask.shape}", fix="leave it out where every action can be taken",
            )  # fmt: skip
        return cls(
            table, given, _start(start, states), _names("actions", actions, count, "action"),
            _names("objectives", objectives, given.shape[2], "objective"), available=mask,
        )  # fmt: skip

    @classmethod
    def explore(
        cls,
        env: Any,
        *,
        objectives: Sequence[str] | None = None,
        horizon: int | None = None,
        samples: int | None = None,
        most_states: int = 1_000_000,
    ) -> FiniteMDP:
        """List a Gymnasium environment with a vector reward: every state that can be reached, and every action there.

        The environment is copied before each step, so that every action is tried in every state. What it shows must
        tell its state; that is checked on a part. Chance that comes from the environment's own generator by `random`,
        `integers` or `choice` is enumerated, so that probabilities are exact; of any other, `samples` of each action
        are counted. `horizon` leaves out what takes longer to reach.
        """
        from lori.policies.finite.exploration import explore

        return explore(env, objectives=objectives, horizon=horizon, samples=samples, most_states=most_states)

    @classmethod
    def from_samples(
        cls,
        states: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike,
        following: ArrayLike,
        ended: ArrayLike | None = None,
        *,
        start: ArrayLike = 0,
        names: Sequence[str] | None = None,
        objectives: Sequence[str] | None = None,
    ) -> FiniteMDP:
        """From steps that were seen: states and actions are numbered from 0, rewards (steps, objectives) are averaged.

        An action that was never seen in a state is not available there; in a state without any, the episode ends.
        """
        here, what, there = (_numbered(name, values) for name, values in
                             [("states", states), ("actions", actions), ("following", following)])  # fmt: skip
        gained = np.asarray(rewards, float)
        over = np.zeros(len(here), bool) if ended is None else np.asarray(ended, bool)
        if gained.ndim != 2 or not len(here) == len(what) == len(there) == len(gained) == len(over) or not len(here):
            raise InputError(
                "samples", expected="as many states, actions, reward vectors and following states",
                got=f"{len(here)}, {len(what)}, {len(gained)} and {len(there)}", fix="give one of each for every step",
            )  # fmt: skip
        count, size = int(what.max()) + 1, int(max(here.max(), there.max())) + 1
        rows = here * count + what
        seen = np.bincount(rows, minlength=size * count)
        often = np.maximum(seen, 1)
        kept = ~over
        table = sparse.coo_array((1.0 / often[rows[kept]], (rows[kept], there[kept])), shape=(size * count, size))
        sums = np.stack([np.bincount(rows, column, size * count) for column in gained.T], axis=-1) / often[:, None]
        known = (seen > 0).reshape(size, count)
        known[~known.any(axis=1)] = True  # nothing is known of what follows: it ends there
        return cls(
            table.tocsr(), sums.reshape(size, count, -1), _start(start, size),
            _names("names", names, count, "action"), _names("objectives", objectives, gained.shape[1], "objective"),
            available=known,
        )  # fmt: skip

    @property
    def states(self) -> int:
        return len(self.start)

    @cached_property
    def successors(self) -> np.ndarray | None:
        """(states, actions) the next state, −1 where the episode ends; None unless nothing is left to chance."""
        counts = np.diff(self.transitions.indptr)
        if counts.max(initial=0) > 1 or not np.allclose(self.transitions.data, 1.0, rtol=0, atol=ROUNDING):
            return None
        after = np.full(len(counts), -1)
        after[counts == 1] = self.transitions.indices
        return after.reshape(self.states, len(self.actions))

    def seen_through(self, weights: ArrayLike, objectives: Sequence[str] | None = None) -> FiniteMDP:
        """The same world with other rewards: each of them a weighted sum of these, weights (others, objectives)."""
        matrix = np.asarray(weights, float)
        names = _names("objectives", objectives, len(matrix), "level")
        return FiniteMDP(
            self.transitions, self.rewards @ matrix.T, self.start, self.actions, names, self.observations,
            self.available, self.limit,
        )  # fmt: skip


def _sparse(transitions: Any) -> sparse.csr_array:
    """Rows s · actions + a, checked."""
    if isinstance(transitions, list | tuple) and transitions and all(sparse.issparse(part) for part in transitions):
        count, size = len(transitions), transitions[0].shape[-1]
        if any(part.shape != (size, size) for part in transitions):
            raise InputError(
                "transitions", expected="a square matrix for each action, all of the same size",
                got=str([part.shape for part in transitions[:4]]), fix="let [from, to] be the probability to move",
            )  # fmt: skip
        parts = [sparse.coo_array(part) for part in transitions]
        rows = np.concatenate([part.coords[0] * count + action for action, part in enumerate(parts)])
        columns = np.concatenate([part.coords[1] for part in parts])
        values = np.concatenate([part.data for part in parts]).astype(float)
        table = sparse.coo_array((values, (rows, columns)), shape=(count * size, size)).tocsr()
    else:
        dense = np.asarray(transitions, float)
        if dense.ndim != 3 or dense.shape[0] != dense.shape[2] or not dense.size:
            raise InputError(
                "transitions", expected="the shape (states, actions, states)", got=f"an array of shape {dense.shape}",
                fix="let [state, action, next] be the probability to move, or give a sparse matrix for each action",
            )  # fmt: skip
        table = sparse.csr_array(dense.reshape(-1, dense.shape[2]))
    sums = np.asarray(table.sum(axis=1)).ravel()
    if not np.all(np.isfinite(table.data)) or (table.data < 0).any() or (sums > 1 + ROUNDING).any():
        raise InputError(
            "transitions", expected="probabilities that sum to 1, or to less where the episode may end",
            got="other rows", fix="divide each row by its sum",
        )  # fmt: skip
    table.eliminate_zeros()
    return table


def _start(start: ArrayLike, states: int) -> np.ndarray:
    given = np.asarray(start)
    if given.ndim == 0 and np.issubdtype(given.dtype, np.integer) and 0 <= int(given) < states:
        return np.eye(1, states, int(given))[0]
    chances = given.astype(float) if given.ndim == 1 and given.dtype.kind in "iuf" else np.empty(0)
    if chances.shape != (states,) or not np.all(chances >= 0) or abs(chances.sum() - 1) > ROUNDING:
        raise InputError(
            "start", expected=f"a state from 0 to {states - 1}, or {states} probabilities that sum to 1",
            got=f"an array of shape {given.shape}" if given.ndim else repr(given.item()), fix="use start=0",
        )  # fmt: skip
    return chances


def _numbered(name: str, values: ArrayLike) -> np.ndarray:
    given = np.asarray(values)
    if given.ndim != 1 or given.dtype.kind not in "iu" or (given < 0).any():
        raise InputError(name, expected="whole numbers from 0", got="others", fix="number them from 0")
    return given.astype(int)


def _names(what: str, given: Sequence[str] | None, count: int, word: str) -> tuple[str, ...]:
    names = tuple(given) if given is not None else tuple(f"{word} {place + 1}" for place in range(count))
    if len(names) != count or len(set(names)) != count or not all(isinstance(name, str) for name in names):
        raise InputError(
            what, expected=f"{count} different names", got=f"{len(names)} names", fix="give one for each, or none"
        )
    return names
