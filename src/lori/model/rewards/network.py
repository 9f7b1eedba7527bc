"""Network rewards: a small multi-layer perceptron, for objectives that no weighted sum describes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lori.errors import InputError
from lori.model.engines import jax, jnp
from lori.model.rewards.base import Names, Reward


@dataclass(frozen=True)
class Network(Reward):
    """A small multi-layer perceptron with tanh units; its output has no bias, which no preference could see."""

    hidden: Sequence[int] = (16,)
    kind: ClassVar[str] = "network"

    def __post_init__(self) -> None:
        hidden = (self.hidden,) if isinstance(self.hidden, int) else tuple(int(units) for units in self.hidden)
        if not hidden or min(hidden) < 1:
            raise InputError(
                "hidden", expected="one or more layer sizes from 1", got=str(hidden), fix="use hidden=(16,)"
            )
        object.__setattr__(self, "hidden", hidden)

    def __call__(self, parameters: jax.Array, x: jax.Array) -> jax.Array:
        used = 0
        for units in tuple(self.hidden):
            inputs = x.shape[-1]
            matrix = parameters[used : used + inputs * units].reshape(inputs, units)
            bias = parameters[used + inputs * units : used + (inputs + 1) * units]
            x = jnp.tanh(x @ matrix + bias)
            used += (inputs + 1) * units
        return x @ parameters[used:]

    def names(self, features: Names) -> Names:
        return tuple(f"network parameter {i + 1}" for i in range(sum(map(len, self._fan_in(features)))))

    def size(self, features: Names) -> int:
        """Without laying anything out: a file may ask for more units than there is memory."""
        inputs, total = len(features), 0
        for units in self.hidden:
            total, inputs = total + (inputs + 1) * units, units
        return total + inputs

    def typical(self, features: Names) -> np.ndarray:
        return np.concatenate(self._fan_in(features)) ** -0.5

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        typical = self.typical(features)
        return generator.normal(size=(count, len(typical))) * typical

    def in_units(self, parameters: jax.Array, location: jax.Array, scale: jax.Array) -> jax.Array:
        inputs, units = len(scale), next(iter(self.hidden))
        matrix = parameters[: inputs * units].reshape(inputs, units) / scale[:, None]
        bias = parameters[inputs * units : (inputs + 1) * units] - location @ matrix
        return jnp.concatenate([matrix.ravel(), bias, parameters[(inputs + 1) * units :]])

    def multiplied(self, parameters: Any, factor: Any) -> Any:
        output = tuple(self.hidden)[-1]
        return jnp.concatenate([parameters[:-output], parameters[-output:] * factor])

    def settings(self) -> dict[str, Any]:
        return {"kind": self.kind, "hidden": list(self.hidden)}

    def _fan_in(self, features: Names) -> list[np.ndarray]:
        """For each part of the parameter vector, how many inputs its units have."""
        parts, inputs = [], len(features)
        for units in self.hidden:
            parts += [np.full(inputs * units, float(inputs)), np.full(units, float(inputs))]
            inputs = units
        return [*parts, np.full(inputs, float(inputs))]
