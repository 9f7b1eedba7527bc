"""Observing policies: what is done on what an environment shows? A network, for actions from a list or by amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lori.errors import InputError
from lori.model.engines import arrays_of
from lori.policies.levels import EpisodeLevels
from lori.policies.policy import Policy, layers, policy_kind, random_parameters

MOST_VALUES = 64  # a coordinate with as many whole values at most has an input for each
FIRST_SPREAD = 0.6  # of amounts, in units in which the bounds are at ±∞


@policy_kind
@dataclass(frozen=True, eq=False)
class Observing(Policy):
    """Actions from a list, with the softmax of a network's outputs, or amounts that are normal around them.

    The network sees what the environment shows, whole numbers within narrow bounds as one input for each value, others
    scaled to their bounds; and the totals so far of objectives with a threshold (`memory`), as a share of it. An amount
    u from the network is within bounds lower + (upper − lower) σ(u), above a bound lower + eᵘ, and u else.
    """

    parameters: np.ndarray  # (size,): for each layer its weights (inputs, units), then its biases (units,)
    low: np.ndarray  # (coordinates,) of what is shown, then of the totals and the step that are seen
    high: np.ndarray
    spread: np.ndarray  # (amounts,) log standard deviation of each; empty for actions from a list
    bounds: np.ndarray  # (2, amounts), with ±1e300 for none
    values: tuple[int, ...]  # how many whole values each coordinate has; 0 where it is scaled
    memory: tuple[int, ...]
    clock: bool
    first: int  # the number of the first action in the environment
    hidden: tuple[int, ...]
    actions: tuple[str, ...]
    kind: ClassVar[str] = "observing"
    settings: ClassVar[tuple[str, ...]] = ("values", "memory", "clock", "first", "hidden", "actions")

    @classmethod
    def for_environment(
        cls, env: Any, levels: EpisodeLevels, hidden: tuple[int, ...], horizon: int, seed: int | Sequence[int]
    ) -> Observing:
        """A network with random weights, whose outputs are near zero."""
        low, high, values = _coordinates(env.observation_space)
        limits = [abs(limit) or 1.0 for limit in levels.thresholds if np.isfinite(limit)]
        extra = [*limits, *([float(horizon)] if levels.clock else [])]
        low, high = np.append(low, -np.array(extra)), np.append(high, extra)
        amounts = hasattr(env.action_space, "low")
        bounds = np.empty((2, 0))
        if amounts:
            bounds = np.clip(np.stack([env.action_space.low.ravel(), env.action_space.high.ravel()]), -1e300, 1e300)
        count = bounds.shape[1] if amounts else int(env.action_space.n)
        policy = cls(
            np.empty(0), low, high, np.full(bounds.shape[1], np.log(FIRST_SPREAD)), bounds.astype(float),
            (*values, *(0 for _ in extra)), levels.memory, levels.clock, int(getattr(env.action_space, "start", 0)),
            tuple(hidden), tuple(f"{'amount' if amounts else 'action'} {i + 1}" for i in range(count)),
        )  # fmt: skip
        drawn = random_parameters(np.random.default_rng(seed), policy.inputs, policy.hidden, count)
        last = ((policy.hidden or (policy.inputs,))[-1] + 1) * count
        drawn[-last:] *= 0.01
        return replace(policy, parameters=drawn)

    @property
    def inputs(self) -> int:
        return sum(max(count, 1) for count in self.values)

    @property
    def by_amounts(self) -> bool:
        return self.bounds.shape[1] > 0

    def seen(self, observed: np.ndarray, step: int, totals: np.ndarray) -> np.ndarray:
        """(episodes, inputs) of what the network sees, given what the environment shows (episodes, …)."""
        count = len(observed)
        parts = [observed.reshape(count, -1), totals[:, list(self.memory)]]
        if self.clock:
            parts.append(np.full((count, 1), float(step)))
        raw = np.concatenate(parts, axis=1).astype(float)
        columns = []
        for place, values in enumerate(self.values):
            if values:
                columns.append(raw[:, [place]] - self.low[place] == np.arange(values))
            else:
                middle, half = (self.high[place] + self.low[place]) / 2, (self.high[place] - self.low[place]) / 2
                columns.append((raw[:, [place]] - middle) / half)
        return np.concatenate(columns, axis=1).astype(np.float32)

    def outputs(self, seen: Any) -> Any:
        """(…, actions): logits of actions from a list, or the middle of amounts."""
        return layers(self.parameters, seen, self.hidden, len(self.actions))

    def drawn(self, generator: np.random.Generator, outputs: np.ndarray) -> np.ndarray:
        """Actions (episodes,) from a list, or amounts (episodes, amounts) in the network's units."""
        if self.by_amounts:
            return outputs + np.exp(self.spread) * generator.normal(size=outputs.shape)
        return np.argmax(outputs + generator.gumbel(size=outputs.shape), axis=1)

    def likeliest(self, outputs: np.ndarray) -> np.ndarray:
        return outputs if self.by_amounts else np.argmax(outputs, axis=1)

    def log_chance(self, outputs: Any, chosen: Any) -> tuple[Any, Any]:
        """Of what was chosen (n,), and the entropy there (n,)."""
        arrays = arrays_of(outputs)
        if self.by_amounts:
            spread = arrays.asarray(self.spread)
            off = (chosen - outputs) / arrays.exp(spread)
            entropy = arrays.sum(spread) + arrays.zeros(len(off))
            return -arrays.sum(0.5 * off**2 + spread, axis=1), entropy
        top = arrays.max(outputs, axis=1, keepdims=True)
        logs = outputs - top - arrays.log(arrays.sum(arrays.exp(outputs - top), axis=1, keepdims=True))
        return arrays.take_along_axis(logs, chosen[:, None], axis=1)[:, 0], -arrays.sum(arrays.exp(logs) * logs, axis=1)

    def for_env(self, chosen: np.ndarray) -> np.ndarray:
        """As the environment wants them."""
        if not self.by_amounts:
            return chosen + self.first
        lower, upper = self.bounds
        below, above = lower > -1e300, upper < 1e300
        with np.errstate(over="ignore", invalid="ignore"):
            between = lower + (upper - lower) / (1 + np.exp(-chosen))
            one_sided = np.where(below, lower + np.exp(chosen), np.where(above, upper - np.exp(chosen), chosen))
        return np.where(below & above, between, one_sided).astype(np.float32)

    def act(self, observed: Any, step: int, total: np.ndarray) -> Any:
        """The likeliest action on what one environment shows, as it wants it."""
        seen = self.seen(np.asarray(observed)[None], step, np.asarray(total)[None])
        return self.for_env(self.likeliest(np.asarray(self.outputs(seen))))[0]

    def probabilities(self, view: Any) -> Any:
        raise InputError(
            "policy", expected="a policy for simulators", got="one for environments",
            fix="follow it in its environment with lori rollout",
        )  # fmt: skip


def _coordinates(space: Any) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """The least and largest value of each coordinate, and how many whole values it has, or 0."""
    if hasattr(space, "n"):
        low, high = np.array([float(space.start)]), np.array([float(space.start + space.n - 1)])
    elif hasattr(space, "nvec"):
        low, high = np.zeros(space.nvec.size), space.nvec.ravel() - 1.0
    elif hasattr(space, "low"):
        low, high = (np.asarray(side, float).ravel() for side in (space.low, space.high))
    else:
        raise InputError(
            "env", expected="observations that are numbers", got=type(space).__name__,
            fix="flatten them with gymnasium.wrappers.FlattenObservation",
        )  # fmt: skip
    counts = np.where(high - low < MOST_VALUES, high - low + 1, 0)
    values = counts.astype(int) if np.issubdtype(space.dtype, np.integer) else np.zeros(len(low), int)
    usual = (np.abs(low) < 1e6) & (np.abs(high) < 1e6) & (high > low)  # others are taken as they are
    return np.where(usual, low, -1.0), np.where(usual, high, 1.0), tuple(values.tolist())
