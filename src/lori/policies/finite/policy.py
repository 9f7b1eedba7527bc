"""Policies of finite worlds: what is done wherever one comes? A row for each state that is visited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lori.data.writing import writing
from lori.errors import InputError, ModelFileError
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.policy import Policy, policy_kind

ARRAYS = ("steps", "states", "chances", "observations")
NEVER = 1e-12  # a state that is visited more rarely is not part of the policy


@policy_kind
@dataclass(frozen=True, eq=False)
class FinitePolicy(Policy):
    """The probability of each action for each step and state that the policy visits.

    With a horizon, what is done may depend on the step; without one, every row holds for all steps. States are known
    by what the environment shows (`observations`) or by their number.
    """

    steps: np.ndarray  # (rows,) the step, or −1 for all of them
    states: np.ndarray  # (rows,) the number of the state
    chances: np.ndarray  # (rows, actions)
    observations: np.ndarray  # (rows, …) what is seen there, or (rows, 0)
    actions: tuple[str, ...]
    kind: ClassVar[str] = "finite"

    @classmethod
    def of_flow(cls, mdp: FiniteMDP, flow: np.ndarray, stationary: bool) -> FinitePolicy:
        """From how often each action is taken, flow (steps, states, actions): Pr(a | s) is its share in the state."""
        visits = flow.sum(axis=2)
        steps, states = np.nonzero(visits > NEVER)
        chances = flow[steps, states] / visits[steps, states, None]
        return cls._of_rows(mdp, np.full(len(steps), -1) if stationary else steps, states, chances)

    @classmethod
    def of_courses(cls, mdp: FiniteMDP, weights: np.ndarray, courses: list[list[tuple[int, int]]]) -> FinitePolicy:
        """From courses (state and action at each step) where nothing is left to chance but which course is taken."""
        total: dict[tuple[int, int], np.ndarray] = {}
        for weight, course in zip(weights, courses, strict=True):
            for step, (state, action) in enumerate(course):
                row = total.setdefault((step, state), np.zeros(len(mdp.actions)))
                row[action] += weight
        places = sorted(total)
        rows = np.array([total[place] for place in places])
        steps, states = (np.array(part) for part in zip(*places, strict=True))
        return cls._of_rows(mdp, steps, states, rows / rows.sum(axis=1, keepdims=True))

    @classmethod
    def _of_rows(cls, mdp: FiniteMDP, steps: np.ndarray, states: np.ndarray, chances: np.ndarray) -> FinitePolicy:
        seen = mdp.observations
        shown = np.empty((len(states), 0)) if seen is None else seen.reshape(len(seen), -1)[states].astype(float)
        return cls(steps.astype(int), states.astype(int), chances, shown, mdp.actions)

    @property
    def deterministic(self) -> bool:
        return bool(np.all(np.max(self.chances, axis=1) > 1 - 1e-9))

    @cached_property
    def _rows(self) -> dict[Any, int]:
        steps, states = np.asarray(self.steps).astype(int), np.asarray(self.states).astype(int)
        rows: dict[Any, int] = {}
        for row, (step, state) in enumerate(zip(steps.tolist(), states.tolist(), strict=True)):
            rows[step, state] = row
            rows[step, tuple(self.observations[row])] = row
        return rows

    def chances_at(self, place: Any, step: int) -> np.ndarray:
        """The probability of each action in a state (its number, or what the environment shows) at a step."""
        own = int(place) if np.ndim(place) == 0 and not np.shape(self.observations)[1] else None
        key: Any = own if own is not None else tuple(np.asarray(place, float).ravel())
        row = self._rows.get((step, key), self._rows.get((-1, key)))
        if row is None:
            raise InputError(
                "policy", expected="a state that the plan comes to", got=f"another one at step {step + 1}",
                fix="plan for the same environment and horizon",
            )  # fmt: skip
        return self.chances[row]

    def values(self, mdp: FiniteMDP, discount: float, horizon: int | None) -> np.ndarray:
        """(objectives,): what following the policy is worth, step by step; without a horizon, until hardly anything
        is left to come."""
        now, total, step = mdp.start.astype(float), np.zeros(len(mdp.objectives)), 0
        while (step < horizon) if horizon is not None else (now.sum() > NEVER):
            taken = np.zeros((mdp.states, len(mdp.actions)))
            for state in np.flatnonzero(now > NEVER * discount**step):
                place = int(state) if mdp.observations is None else mdp.observations[state]
                taken[state] = now[state] * self.chances_at(place, step)
            total += np.einsum("sa,sak->k", taken, mdp.rewards)
            now = discount * (mdp.transitions.T @ taken.ravel())
            step += 1
        return total

    def save(self, path: str | Path) -> None:
        """Write the policy as versioned JSON, or as arrays where the name ends in .npz."""
        if Path(path).suffix != ".npz":
            super().save(path)
            return
        with writing(path) as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, actions=np.array(self.actions), **{name: getattr(self, name) for name in ARRAYS})

    @classmethod
    def load_arrays(cls, path: str | Path) -> FinitePolicy:
        """The policy in an .npz file."""
        try:
            with np.load(path, allow_pickle=False) as held:
                arrays = {name: held[name] for name in ARRAYS}
                actions = tuple(map(str, held["actions"]))
        except (OSError, ValueError, KeyError):
            raise ModelFileError(
                str(path), expected="a policy saved by LORI", got="another file or none", fix="save the policy again"
            ) from None
        rows = len(arrays["steps"])
        shapes = [arrays[name].shape[:1] for name in ARRAYS]
        if shapes != [(rows,)] * len(ARRAYS) or arrays["chances"].shape != (rows, len(actions)):
            raise ModelFileError(
                str(path),
                expected="a policy saved by LORI",
                got="parts that do not fit each other",
                fix="save it again",
            )
        return cls(**arrays, actions=actions)

    def probabilities(self, view: Any) -> Any:
        raise InputError(
            "policy", expected="a policy for simulators", got="one for a finite world",
            fix="follow it in its environment with lori rollout, or with chances_at",
        )  # fmt: skip
