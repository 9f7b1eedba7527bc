"""Function rewards: any JAX function of one alternative, for one level or for several levels jointly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lori.errors import InputError
from lori.model.engines import jax, jnp
from lori.model.precision import double_precision
from lori.model.rewards.base import Bounds, Names, Reward

CHECKED = 1000  # alternatives


@dataclass(frozen=True)
class Function(Reward):
    """Any JAX function `function(parameters, x)` of one alternative in the user's own units.

    `start` is a first guess (an empty one makes a reward without parameters); `lower` and `upper` bound it.
    Because nothing is known of its scale, `alpha=None` (learned) is usually wanted with it. Levels whose functions name
    the same `share` have their parameters in common; `Function.joint` makes such levels from one function.
    """

    function: Callable[[jax.Array, jax.Array], jax.Array]
    start: Sequence[float] = ()
    lower: Sequence[float] | None = None
    upper: Sequence[float] | None = None
    spread: float = 1.0
    share: str = ""
    output: int | None = None  # which of the function's values is this reward, where it has several
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

    @classmethod
    def joint(
        cls,
        function: Callable[[jax.Array, jax.Array], jax.Array],
        start: Sequence[float],
        *,
        levels: int,
        **options: Any,
    ) -> list[Function]:
        """The rewards of several levels from one function of the same parameters that returns (levels,) rewards."""
        share = options.pop("share", "joint")
        return [cls(function, start, share=share, output=level, **options) for level in range(levels)]

    def __call__(self, parameters: jax.Array, x: jax.Array) -> jax.Array:
        value = self.function(parameters, x)
        return value if self.output is None else value[self.output]

    def check(self, alternatives: np.ndarray) -> None:
        """One finite number for each alternative, at the first guess?"""
        some = np.asarray(alternatives, float)[:CHECKED]
        fix = "return one number of JAX for the features x of one alternative, finite wherever the data are"
        try:
            values = double_precision(
                lambda: np.asarray(jax.vmap(self, (None, 0))(jnp.asarray(self.start), jnp.asarray(some)))
            )()
        except Exception as error:
            raise InputError(
                "function", expected=f"a function of {len(self.start)} parameters and {some.shape[1]} features",
                got=f"{type(error).__name__} when it was called", fix=fix,
            ) from error  # fmt: skip
        if values.shape != (len(some),):
            got = f"an array of shape {values.shape[1:]}"
            raise InputError("function", expected="one number for each alternative", got=got, fix=fix)
        wrong = int(np.sum(~np.isfinite(values)))
        if wrong:
            got = f"NaN or infinity for {wrong:,} of {len(some):,} alternatives"
            raise InputError("function", expected="finite rewards", got=got, fix=fix)

    def common(self, features: Names) -> np.ndarray:
        return np.full(len(self.start), bool(self.share))

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
