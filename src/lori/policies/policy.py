"""What does somebody do when? Policies are objects that can be rolled out, mixed and saved."""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from lori.estimators import storage
from lori.policies.simulator import View

_KINDS: dict[str, type[Policy]] = {}
_HOMES = {"network": "lori.policies.network", "scored": "lori.policies.scored"}  # imported when a file needs them


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
    return storage.load(path, lambda document: policy_from(document["policy"]), kind="policy")


def describe(policy: Policy) -> dict[str, Any]:
    """The policy as plain JSON values; `policy_from` is the inverse."""
    values = {field.name: getattr(policy, field.name) for field in dataclasses.fields(policy)}  # type: ignore[arg-type]
    return {"kind": policy.kind, **{name: _plain(value) for name, value in values.items()}}


def policy_from(description: dict[str, Any]) -> Policy:
    kind = description["kind"]
    if kind not in _KINDS:
        importlib.import_module(_HOMES[kind])
    cls = _KINDS[kind]
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
    return np.asarray(value)


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
