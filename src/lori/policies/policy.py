"""Policies: what does somebody do when? Objects that can be rolled out, mixed and saved; tables and networks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from lori.estimators import storage
from lori.model.engines import arrays_of
from lori.policies.simulator import View

_KINDS: dict[str, type[Policy]] = {}


class Policy:
    """Base of all policies. A kind of policy is a frozen dataclass under `@policy_kind`: its numbers, and the
    policies that it is made of, are arguments of compiled work; the fields in `settings` are part of the code."""

    kind: ClassVar[str]
    settings: ClassVar[tuple[str, ...]] = ("actions",)
    actions: tuple[str, ...]

    def probabilities(self, view: View) -> jax.Array:
        """The probability of each action in one view, shape (actions,)."""
        raise NotImplementedError

    def save(self, path) -> None:
        """Write the policy as versioned JSON."""
        storage.save(path, {"kind": "policy", "policy": describe(self)})


def policy_kind(cls):
    """Make a frozen dataclass a kind of policy: compiled work takes it as an argument, `load_policy` knows it."""
    numbers = [field.name for field in dataclasses.fields(cls) if field.name not in cls.settings]
    jax.tree_util.register_dataclass(cls, data_fields=numbers, meta_fields=list(cls.settings))
    _KINDS[cls.kind] = cls
    return cls


def load_policy(path) -> Policy:
    """The policy in a file that `Policy.save` wrote."""
    if str(path).endswith(".npz"):
        return import_module("lori.policies.finite.policy").FinitePolicy.load_arrays(path)
    return storage.load(path, lambda document: policy_from(document["policy"]), kind="policy")


def describe(policy: Policy) -> dict[str, Any]:
    """The policy as plain JSON values; `policy_from` is the inverse."""
    values = {field.name: getattr(policy, field.name) for field in dataclasses.fields(policy)}  # type: ignore[arg-type]
    return {"kind": policy.kind, **{name: _plain(value) for name, value in values.items()}}


def policy_from(description: dict[str, Any]) -> Policy:
    for home in ("finite.policy", "observing"):  # they register themselves
        if description["kind"] not in _KINDS:
            import_module(f"lori.policies.{home}")
    cls = _KINDS[description["kind"]]
    return cls(**{name: _read(value, name in cls.settings) for name, value in description.items() if name != "kind"})


def _plain(value: Any) -> Any:
    if isinstance(value, Policy):
        return describe(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float) else np.asarray(value).tolist()


def _read(value: Any, setting: bool) -> Any:
    if isinstance(value, dict):
        return policy_from(value)
    if setting:
        return tuple(_read(item, True) for item in value) if isinstance(value, list) else value
    numbers = np.asarray(value, float)
    if not np.all(np.isfinite(numbers)):
        raise ValueError("the numbers of a policy are finite")
    return numbers


@policy_kind
@dataclass(frozen=True, eq=False)
class Softened(Policy):
    """Follow `base`, but with probability `share` take an action at random (the paper's behaviour policy)."""

    base: Policy
    share: float
    actions: tuple[str, ...]
    kind: ClassVar[str] = "softened"

    def probabilities(self, view: View) -> jax.Array:
        return (1 - self.share) * self.base.probabilities(view) + self.share / len(self.actions)


@policy_kind
@dataclass(frozen=True, eq=False)
class Tabular(Policy):
    """A probability of each action for each cell of a grid over the state; the nearest cell is looked up."""

    table: np.ndarray  # (cells of feature 1, …, cells of feature d, actions)
    lower: np.ndarray  # (features,) the centre of the first cell
    upper: np.ndarray  # (features,) the centre of the last cell
    actions: tuple[str, ...]
    kind: ClassVar[str] = "tabular"

    def probabilities(self, view: View) -> jax.Array:
        table, lower, upper = (jnp.asarray(part) for part in (self.table, self.lower, self.upper))
        last = jnp.array(table.shape[:-1]) - 1
        cell = jnp.clip(jnp.round((view.state - lower) / (upper - lower) * last), 0, last).astype(int)
        return table[tuple(cell)]


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
        return layers(self.parameters, values, self.hidden, len(self.actions))


def layers(parameters: Any, values: Any, hidden: tuple[int, ...], outputs: int) -> Any:
    """What a fully connected network with tanh units gives (…, outputs) for values (…, inputs), of either engine."""
    arrays, begin = arrays_of(parameters, values), 0
    for layer, (inputs, units) in enumerate(layer_sizes(values.shape[-1], hidden, outputs)):
        middle, end = begin + inputs * units, begin + (inputs + 1) * units
        values = (arrays.tanh(values) if layer else values) @ parameters[begin:middle].reshape(inputs, units)
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


@policy_kind
@dataclass(frozen=True, eq=False)
class Scored(Policy):
    """Take the action with the highest score; scores are linear in what is seen and in a layer of tanh units."""

    centre: np.ndarray  # (inputs,) of what is usually seen
    spread: np.ndarray  # (inputs,)
    hidden: np.ndarray  # (inputs + 1, units) the last row is the bias
    output: np.ndarray  # (inputs + units + 1, actions) the last row is the bias
    actions: tuple[str, ...]
    kind: ClassVar[str] = "scored"

    def scores(self, seen: jax.Array) -> jax.Array:
        """A number for each action, shape (actions,), given the `inputs` of a view."""
        scaled = (seen - self.centre) / self.spread
        units = jnp.tanh(scaled @ self.hidden[:-1] + self.hidden[-1])
        return jnp.concatenate([scaled, units]) @ self.output[:-1] + self.output[-1]

    def probabilities(self, view: View) -> jax.Array:
        return jax.nn.one_hot(jnp.argmax(self.scores(inputs(view))), len(self.actions))


def inputs(view: View) -> jax.Array:
    """The state, what the states so far contribute to the mean of a whole trajectory, and the time."""
    done = jnp.asarray(view.done)
    return jnp.concatenate([view.state, done * view.mean, done[None]])


def untrained(states: np.ndarray, actions: tuple[str, ...], units: int, seed: int) -> Scored:
    """Equal scores for all actions; inputs are scaled by the trajectories (count, horizon + 1, features)."""
    steps = np.arange(states.shape[1] - 1)
    done = np.broadcast_to(steps / len(steps), (len(states), len(steps)))[..., None]
    means = np.cumsum(states, axis=1)[:, :-1] / (steps + 1)[:, None]
    seen = np.concatenate([states[:, :-1], done * means, done], axis=-1).reshape(-1, 2 * states.shape[-1] + 1)
    deviation, size = seen.std(axis=0), seen.shape[1]
    return Scored(
        centre=seen.mean(axis=0),
        spread=np.where(deviation > 0, deviation, 1.0),  # what never varies tells nothing
        hidden=np.random.default_rng(seed).normal(size=(size + 1, units)) / np.sqrt(size),
        output=np.zeros((size + units + 1, len(actions))),
        actions=actions,
    )
