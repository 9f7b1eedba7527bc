"""How does a neural network act? A policy that looks at the state alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from lori.policies.policy import Policy, policy_kind
from lori.policies.simulator import View


@policy_kind
@dataclass(frozen=True, eq=False)
class NetworkPolicy(Policy):
    """Softmax over the outputs of a fully connected network with tanh units; inputs are standardised first."""

    parameters: np.ndarray  # (size,): for each layer its weights (inputs, units), then its biases (units,)
    location: np.ndarray  # (features,)
    scale: np.ndarray  # (features,)
    hidden: tuple[int, ...]  # units of each hidden layer
    actions: tuple[str, ...]
    kind: ClassVar[str] = "network"
    settings: ClassVar[tuple[str, ...]] = ("hidden", "actions")

    def probabilities(self, view: View) -> jax.Array:
        return jax.nn.softmax(self.logits(view.state))

    def logits(self, states: jax.Array) -> jax.Array:
        """The outputs before the softmax, (…, actions), for states (…, features)."""
        values = (states - self.location) / self.scale
        sizes = layer_sizes(states.shape[-1], self.hidden, len(self.actions))
        begin, parameters = 0, jnp.asarray(self.parameters)
        for layer, (inputs, units) in enumerate(sizes):
            middle, end = begin + inputs * units, begin + (inputs + 1) * units
            values = (jnp.tanh(values) if layer else values) @ parameters[begin:middle].reshape(inputs, units)
            values, begin = values + parameters[middle:end], end
        return values


def layer_sizes(features: int, hidden: tuple[int, ...], actions: int) -> list[tuple[int, int]]:
    """Inputs and units of each layer."""
    return list(pairwise((features, *hidden, actions)))


def random_parameters(
    generator: np.random.Generator, features: int, hidden: tuple[int, ...], actions: int
) -> np.ndarray:
    """Weights ~ N(0, 1 / inputs), biases 0."""
    layers = [
        np.concatenate([generator.normal(size=inputs * units) / np.sqrt(inputs), np.zeros(units)])
        for inputs, units in layer_sizes(features, hidden, actions)
    ]
    return np.concatenate(layers)
