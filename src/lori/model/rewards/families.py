"""Which functions may a level's reward be?

A reward is a frozen description without learned numbers; its parameters are a flat vector that travels beside
it. All rewards answer the same questions: how many parameters, within which bounds, where to start, how large
they are expected to be, and what they become when the features are not standardised any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np

from lori.errors import InputError

Names = tuple[str, ...]
Bounds = tuple[np.ndarray, np.ndarray]


class Reward:
    """Base of all rewards: `reward(parameters, x)` is the reward of one alternative `x` of shape (features,)."""

    kind: ClassVar[str]
    linear: ClassVar[bool] = False  # the reward of a difference is the difference of the rewards
    free_scale: ClassVar[bool] = True  # multiplying the reward by a constant stays in the family (then α is redundant)
    standardised: ClassVar[bool] = True  # fitted on features with mean 0 and deviation 1
    context: Sequence[str] = ()  # features that both alternatives of a pair share

    def __call__(self, parameters: jax.Array, x: jax.Array) -> jax.Array:
        raise NotImplementedError

    def among(self, features: Names) -> Reward:
        """The same reward, which knows its features by their places where it has to."""
        return self

    def names(self, features: Names) -> Names:
        """A name for each parameter."""
        raise NotImplementedError

    def bounds(self, features: Names) -> Bounds:
        size = self.size(features)
        return np.full(size, -np.inf), np.full(size, np.inf)

    def size(self, features: Names) -> int:
        return len(self.names(features))

    def typical(self, features: Names) -> np.ndarray:
        """How large each parameter is expected to be, in multiples of the prior's scale; inf: no idea."""
        return np.ones(self.size(features))

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        """`count` random starting points, shape (count, parameters), within the bounds."""
        raise NotImplementedError

    def in_units(self, parameters: jax.Array, location: jax.Array, scale: jax.Array) -> jax.Array:
        """Parameters for raw features x, given those for (x − location) / scale; rewards differ by a constant."""
        raise NotImplementedError

    def multiplied(self, parameters: Any, factor: Any) -> Any:
        """Parameters whose reward, under `with_scale(factor)`, is `factor` times as large."""
        return parameters * factor

    def with_scale(self, factor: float) -> Reward:
        """The same family for rewards that are `factor` times as large."""
        return self

    def slopes(self, parameters: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The average change of the reward per unit of each feature, over the alternatives x (n, features)."""
        return np.asarray(jax.vmap(jax.grad(self.__call__, argnums=1), (None, 0))(parameters, x).mean(axis=0))

    def cap(self, parameters: np.ndarray) -> float | None:
        """The reward above which more does not count, where there is one."""
        return None

    def settings(self) -> dict[str, Any]:
        """What `reward_from` needs to make this reward again, as plain JSON values."""
        raise NotImplementedError


@dataclass(frozen=True)
class Linear(Reward):
    """r(x) = Σ w_f x_f. Features named in `increasing` have w ≥ 0, in `decreasing` w ≤ 0, the others are free.

    >>> Linear(increasing=["benefit", "need"])
    Linear(increasing=('benefit', 'need'), decreasing=())
    """

    increasing: Sequence[str] | Literal["all"] = ()
    decreasing: Sequence[str] | Literal["all"] = ()
    kind: ClassVar[str] = "linear"
    linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for direction in ("increasing", "decreasing"):
            names = getattr(self, direction)
            if not isinstance(names, str):
                object.__setattr__(self, direction, tuple(str(name) for name in names))
            elif names != "all":
                object.__setattr__(self, direction, (names,))

    def __call__(self, parameters: jax.Array, x: jax.Array) -> jax.Array:
        return x @ parameters

    def names(self, features: Names) -> Names:
        return tuple(f"weight of {feature}" for feature in features)

    def bounds(self, features: Names) -> Bounds:
        up, down = self._directions(features)
        return np.where(up, 0.0, -np.inf), np.where(down, 0.0, np.inf)

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        """Directions from dense to nearly one feature alone, sizes from faint to nearly without noise."""
        size = len(features)
        direction = generator.normal(size=(count, size)) * generator.dirichlet(np.full(size, 0.5), size=count)
        direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-12
        drawn = direction * np.exp(generator.uniform(np.log(0.5), np.log(10.0), size=(count, 1)))
        up, down = self._directions(features)
        return np.where(up, np.abs(drawn), np.where(down, -np.abs(drawn), drawn))

    def in_units(self, parameters: jax.Array, location: jax.Array, scale: jax.Array) -> jax.Array:
        return parameters / scale

    def slopes(self, parameters: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.asarray(parameters)

    def settings(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "increasing": listed(self.increasing),
            "decreasing": listed(self.decreasing),
        }

    def _directions(self, features: Names) -> tuple[np.ndarray, np.ndarray]:
        masks = []
        for direction in ("increasing", "decreasing"):
            names = getattr(self, direction)
            unknown = [] if names == "all" else [name for name in names if name not in features]
            if unknown:
                raise InputError(
                    direction,
                    expected=f"names among the features {', '.join(features)}",
                    got=", ".join(unknown),
                    fix="correct the name or leave it out",
                )
            masks.append(np.array([names == "all" or feature in names for feature in features]))
        both = [feature for feature, clash in zip(features, masks[0] & masks[1], strict=True) if clash]
        if both:
            raise InputError(
                "increasing and decreasing",
                expected="each feature in at most one of them",
                got=f"{', '.join(both)} in both",
                fix="name it once",
            )
        return masks[0], masks[1]


@dataclass(frozen=True)
class Capped(Linear):
    """r(x) = softmin(cap, Σ w_f x_f): more of the weighted sum stops counting at a learned cap (appendix C).

    softmin(c, v) = −log(exp(−βc) + exp(−βv)) / β with β = `sharpness` in reward units (the paper does not
    give β; 10 reproduces its results).
    """

    sharpness: float = 10.0
    kind: ClassVar[str] = "capped"
    linear: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.sharpness) and self.sharpness > 0):
            raise InputError("sharpness", expected="a positive number", got=str(self.sharpness), fix="use 10")

    def __call__(self, parameters: jax.Array, x: jax.Array) -> jax.Array:
        beta = self.sharpness
        return -jnp.logaddexp(-beta * parameters[-1], -beta * (x @ parameters[:-1])) / beta

    def names(self, features: Names) -> Names:
        return (*super().names(features), "cap")

    def bounds(self, features: Names) -> Bounds:
        lower, upper = super().bounds(features)
        return np.append(lower, -np.inf), np.append(upper, np.inf)

    def typical(self, features: Names) -> np.ndarray:
        return np.append(np.ones(len(features)), 4.0)

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        weights = super().draw(generator, features, count)
        cap = np.linalg.norm(weights, axis=1) * generator.normal(0.5, 1.0, size=count)
        return np.column_stack([weights, cap])

    def in_units(self, parameters: jax.Array, location: jax.Array, scale: jax.Array) -> jax.Array:
        weights = parameters[:-1] / scale
        return jnp.append(weights, parameters[-1] + weights @ location)

    def slopes(self, parameters: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The weights themselves: what a unit is worth below the cap."""
        return np.asarray(parameters)[:-1]

    def with_scale(self, factor: float) -> Capped:
        return replace(self, sharpness=self.sharpness / factor)

    def cap(self, parameters: np.ndarray) -> float | None:
        return float(parameters[-1])

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "sharpness": self.sharpness}


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


@dataclass(frozen=True)
class Function(Reward):
    """Any JAX function `function(parameters, x)` of one alternative in the user's own units.

    `start` is a first guess (an empty one makes a reward without parameters); `lower` and `upper` bound it.
    Because nothing is known of its scale, `alpha=None` (learned) is usually wanted with it.
    """

    function: Callable[[jax.Array, jax.Array], jax.Array]
    start: Sequence[float] = ()
    lower: Sequence[float] | None = None
    upper: Sequence[float] | None = None
    spread: float = 1.0
    kind: ClassVar[str] = "function"
    free_scale: ClassVar[bool] = False
    standardised: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for field in ("start", "lower", "upper"):
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, tuple(float(v) for v in np.atleast_1d(value)))
        for field in ("lower", "upper"):
            value = getattr(self, field)
            if value is not None and len(value) != len(self.start):
                raise InputError(
                    field, expected=f"{len(self.start)} numbers, as in start", got=str(len(value)),
                    fix="give one bound for each parameter, -inf or inf where there is none",
                )  # fmt: skip

    def __call__(self, parameters: jax.Array, x: jax.Array) -> jax.Array:
        return self.function(parameters, x)

    def names(self, features: Names) -> Names:
        return tuple(f"parameter {i + 1}" for i in range(len(self.start)))

    def bounds(self, features: Names) -> Bounds:
        lower, upper = super().bounds(features)
        return (
            lower if self.lower is None else np.array(self.lower),
            upper if self.upper is None else np.array(self.upper),
        )

    def typical(self, features: Names) -> np.ndarray:
        return np.full(len(self.start), np.inf)

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        start = np.array(self.start)
        drawn = start + self.spread * generator.normal(size=(count, len(start))) * np.maximum(np.abs(start), 1.0)
        if count:
            drawn[0] = start
        return np.clip(drawn, *self.bounds(features))

    def in_units(self, parameters: jax.Array, location: jax.Array, scale: jax.Array) -> jax.Array:
        return parameters

    def settings(self) -> dict[str, Any]:
        raise InputError(
            "reward", expected="a built-in reward (linear, capped, network or gated) for a model file",
            got="a Python function, which JSON cannot hold", fix="keep the fitted model with pickle instead",
        )  # fmt: skip


def reward_from(settings: dict[str, Any]) -> Reward:
    """The reward that `Reward.settings` describes."""
    from lori.model.rewards.gated import Gated

    kinds: dict[str, type[Reward]] = {kind.kind: kind for kind in (Linear, Capped, Network, Gated)}
    arguments = dict(settings)
    return kinds[arguments.pop("kind")](**arguments)


def listed(names: Sequence[str] | Literal["all"]) -> list[str] | str:
    """Names of features as JSON holds them."""
    return "all" if names == "all" else list(names)
