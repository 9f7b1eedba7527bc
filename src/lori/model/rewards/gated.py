"""Gated rewards: two objectives, and a context that says which of them counts.

A context is shared by both alternatives of a pair: the patient for whom two treatments are compared, the weather in
which two routes are. It has no worth of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from lori.errors import InputError
from lori.model.engines import jax, jnp
from lori.model.quantity import Quantity
from lori.model.rewards.base import Bounds, Fact, Names, Particulars, Reward
from lori.model.rewards.linear import Linear, listed

STEEP = 4.0  # priorities may change abruptly: a gate's numbers are expected to be so much larger than weights


class Parts(NamedTuple):
    """What the parameters of a gated reward mean, in their order."""

    closed: Any  # (worth,) weights of the other features where the gate is closed
    opened: Any  # (worth,) and where it is open
    offset: Any  # (1,)
    slopes: Any  # (context,)


@dataclass(frozen=True)
class Gated(Reward):
    """r(x, c) = (1 − g) u·x + g v·x with the gate g = σ(b + a·c) of the context c (the paper's appendix B).

    The weights u count where the gate is closed, v where it is open. Of the two mirror images that say the same, the
    one is reported whose gate opens as the first context feature grows. Signs are given as for `Linear`. Levels that
    name the same `share` have one gate together, as in the paper's study of age: their priorities change at the same
    context. `places` are the columns of the context; a fit finds them by name.

    >>> Gated(context="age", increasing=["wbc"], decreasing=["tumour"]).among(("tumour", "wbc", "age"))
    Gated(context=('age',), increasing=('wbc',), decreasing=('tumour',), places=(2,))
    """

    context: Sequence[str] = field()  # to be given, although other rewards have none
    increasing: Sequence[str] | Literal["all"] = ()
    decreasing: Sequence[str] | Literal["all"] = ()
    places: Sequence[int] = ()
    share: str = ""
    kind: ClassVar[str] = "gated"

    def __post_init__(self) -> None:
        names = (self.context,) if isinstance(self.context, str) else tuple(str(name) for name in self.context)
        if not names or len(set(names)) < len(names):
            raise InputError(
                "context", expected="one or more features, each named once", got=", ".join(names) or "none",
                fix="name the feature on which priorities depend",
            )  # fmt: skip
        signs = Linear(self.increasing, self.decreasing)
        object.__setattr__(self, "context", names)
        object.__setattr__(self, "increasing", signs.increasing)
        object.__setattr__(self, "decreasing", signs.decreasing)
        object.__setattr__(self, "places", tuple(int(place) for place in self.places))

    def among(self, features: Names) -> Gated:
        self._worth(features)
        return replace(self, places=tuple(features.index(name) for name in self.context))

    def __call__(self, parameters: jax.Array, x: jax.Array) -> jax.Array:
        return self.weights_at(parameters, x[self._columns]) @ self._rest(x)

    def gate(self, parameters: jax.Array, context: jax.Array) -> jax.Array:
        """How open the gate is for one context (context,)."""
        parts = self.parts(parameters)
        return jax.nn.sigmoid(parts.offset[0] + parts.slopes @ context)

    def weights_at(self, parameters: jax.Array, context: jax.Array) -> jax.Array:
        """What a unit of each feature that is not context is worth in one context."""
        parts, gate = self.parts(parameters), self.gate(parameters, context)
        return (1 - gate) * parts.closed + gate * parts.opened

    def parts(self, parameters: Any) -> Parts:
        worth = (len(parameters) - 1 - len(self.context)) // 2
        return Parts(
            parameters[:worth], parameters[worth : 2 * worth], parameters[2 * worth : 2 * worth + 1],
            parameters[2 * worth + 1 :],
        )  # fmt: skip

    def names(self, features: Names) -> Names:
        worth = self._worth(features)
        return (
            *(f"weight of {name} where the gate is closed" for name in worth),
            *(f"weight of {name} where the gate is open" for name in worth),
            "offset of the gate",
            *(f"slope of the gate by {name}" for name in self.context),
        )

    def common(self, features: Names) -> np.ndarray:
        """The gate, where it is shared."""
        gate = 1 + len(self.context)
        return np.arange(self.size(features)) >= (self.size(features) - gate if self.share else np.inf)

    def bounds(self, features: Names) -> Bounds:
        lower, upper = self._signs.bounds(self._worth(features))
        gate = np.full(1 + len(self.context), np.inf)
        return np.concatenate([lower, lower, -gate]), np.concatenate([upper, upper, gate])

    def typical(self, features: Names) -> np.ndarray:
        return np.append(np.ones(2 * len(self._worth(features))), np.full(1 + len(self.context), STEEP))

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        """Two independent objectives, and gates from nearly even to a step somewhere in the middle of the data."""
        objectives = [self._signs.draw(generator, self._worth(features), count) for _ in range(2)]
        direction = generator.normal(size=(count, len(self.context)))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-12
        slopes = direction * np.exp(generator.uniform(np.log(0.5), np.log(20.0), size=(count, 1)))
        middle = generator.normal(size=(count, len(self.context)))
        return np.column_stack([*objectives, -np.sum(slopes * middle, axis=1), slopes])

    def in_units(self, parameters: jax.Array, location: jax.Array, scale: jax.Array) -> jax.Array:
        """What the location adds to the two objectives is the same for both alternatives of a pair."""
        closed, opened, offset, slopes = self.parts(parameters)
        closed, opened = closed / self._rest(scale), opened / self._rest(scale)
        slopes = slopes / scale[self._columns]
        offset = offset - slopes @ location[self._columns]
        image = jnp.concatenate([opened, closed, -offset, -slopes])
        return jnp.where(slopes[0] < 0, image, jnp.concatenate([closed, opened, offset, slopes]))

    def multiplied(self, parameters: Any, factor: Any) -> Any:
        closed, opened, offset, slopes = self.parts(parameters)
        return jnp.concatenate([closed * factor, opened * factor, offset, slopes])

    def slopes(self, parameters: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Average weights over the contexts of x; those of the context itself are zero."""
        contexts = jnp.asarray(x)[:, self._columns]
        weights = jax.vmap(self.weights_at, (None, 0))(jnp.asarray(parameters), contexts).mean(axis=0)
        average = np.zeros(x.shape[1])
        average[[i for i in range(x.shape[1]) if i not in self.places]] = weights
        return average

    def particulars(
        self, parameters: np.ndarray, errors: np.ndarray, features: Names, typical: np.ndarray
    ) -> Particulars:
        worth = self._worth(features)
        parts, spread = self.parts(parameters), self.parts(errors)

        def each(names: Sequence[str], values: Any, own: Any) -> dict[str, Quantity]:
            return {name: Quantity.of(value, error) for name, value, error in zip(names, values, own, strict=True)}

        usual = np.array([typical[features.index(name)] for name in worth])
        alone = len(self.context) == 1 and parts.slopes[0] != 0
        return Gate(
            closed=each(worth, parts.closed, spread.closed),
            opened=each(worth, parts.opened, spread.opened),
            offset=Quantity.of(parts.offset[0], spread.offset[0]),
            slopes=each(self.context, parts.slopes, spread.slopes),
            leading={
                where: worth[int(np.argmax(np.abs(weights) * usual))]
                for where, weights in (("closed", parts.closed), ("opened", parts.opened))
            },
            threshold=float(-parts.offset[0] / parts.slopes[0]) if alone else None,
        )

    @classmethod
    def particulars_from(cls, fields: dict[str, Any]) -> Particulars | None:
        return Gate.from_dict(fields[Gate.key]) if Gate.key in fields else None

    def settings(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "context": list(self.context),
            "increasing": listed(self.increasing),
            "decreasing": listed(self.decreasing),
            "places": list(self.places),
            **({"share": self.share} if self.share else {}),
        }

    @property
    def _signs(self) -> Linear:
        return Linear(self.increasing, self.decreasing)

    @property
    def _columns(self) -> np.ndarray:
        return np.array(self.places, int)

    def _rest(self, x: jax.Array) -> jax.Array:
        return jnp.delete(x, self._columns, assume_unique_indices=True)

    def _worth(self, features: Names) -> Names:
        """The features that are not context."""
        unknown = [name for name in self.context if name not in features]
        if unknown:
            raise InputError(
                "context", expected=f"names among the features {', '.join(features)}", got=", ".join(unknown),
                fix="correct the name",
            )  # fmt: skip
        worth = tuple(name for name in features if name not in self.context)
        if not worth:
            raise InputError(
                "context", expected="features that are not context, to be worth something", got="context alone",
                fix="name fewer features as context",
            )  # fmt: skip
        return worth


@dataclass(frozen=True)
class Gate:
    """Which weights count where, how the context decides, and for one context feature also where they change."""

    closed: dict[str, Quantity]  # weights of the features that are not context, where the gate is closed
    opened: dict[str, Quantity]
    offset: Quantity
    slopes: dict[str, Quantity]  # by which a unit of each context feature opens the gate
    leading: dict[str, str]  # "closed" and "opened" → the feature that weighs most there
    threshold: float | None  # the context at which the gate is half open
    key: ClassVar[str] = "gate"

    def to_dict(self) -> dict[str, Any]:
        tables = {
            name: {each: number.to_dict() for each, number in getattr(self, name).items()}
            for name in ("closed", "opened", "slopes")
        }
        at = {}
        if self.threshold is not None:
            (slope,) = self.slopes.values()
            at = {"threshold": self.threshold, "sensitivity": 1 / (slope.value or np.nan)}
        return {**tables, "leading": self.leading, "offset": self.offset.to_dict(), **at}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Gate:
        def numbers(name: str) -> dict[str, Quantity]:
            return {each: Quantity.from_dict(number) for each, number in fields[name].items()}

        return cls(
            numbers("closed"), numbers("opened"), Quantity.from_dict(fields["offset"]), numbers("slopes"),
            fields.get("leading", {}), fields.get("threshold"),
        )  # fmt: skip

    def facts(self) -> tuple[Fact, ...]:
        """Where priorities change, for one context feature."""
        if self.threshold is None or not self.leading:
            return ()
        ((context, slope),) = self.slopes.items()
        below, above = self.leading["closed"], self.leading["opened"]
        if (slope.value or 0.0) < 0:
            below, above = above, below
        numbers = {"threshold": Quantity(self.threshold)}
        if below == above:
            clause = "priorities change around {context} {threshold}, but {below} weighs most on both sides"
            return (Fact(clause, {"context": context, "below": below}, numbers),)
        clause = "priorities change around {context} {threshold}: {below} weighs most below it, {above} above it"
        return (Fact(clause, {"context": context, "below": below, "above": above}, numbers),)

    def details(self) -> tuple[Fact, ...]:
        """The weights on both sides, and how the gate opens."""

        def weights(where: str, numbers: dict[str, Quantity]) -> Fact:
            places = range(len(numbers))
            listed = ", ".join(f"{{feature{i}}} {{weight{i}}}" for i in places)
            return Fact(
                f"{where}: {listed}",
                {f"feature{i}": name for i, name in enumerate(numbers)},
                {f"weight{i}": number for i, number in enumerate(numbers.values())},
            )

        opens = " and by ".join(f"{{slope{i}}} per unit of {{context{i}}}" for i in range(len(self.slopes)))
        numbers = {f"slope{i}": number for i, number in enumerate(self.slopes.values())}
        half = ""
        if self.threshold is not None:
            half, numbers["threshold"] = " and is half open at {context0} {threshold}", Quantity(self.threshold)
        return (
            Fact("the weights above are averages; they depend on the context:"),
            weights("gate closed", self.closed),
            weights("gate open", self.opened),
            Fact(
                f"the gate opens by {opens}{half}",
                {f"context{i}": name for i, name in enumerate(self.slopes)},
                numbers,
            ),
        )
