"""Function rewards: any JAX function of one alternative, for one level or for several levels jointly.

A model file is data, never code: it names a function by where it is imported from, as in "my_rewards:distance", and is
loaded only where somebody has imported that module before.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, isfinite
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from lori.errors import InputError
from lori.model.engines import jax, jnp
from lori.model.precision import double_precision
from lori.model.quantity import Quantity
from lori.model.rewards.base import Bounds, Fact, Names, Particulars, Reward

CHECKED = 1000  # alternatives


@dataclass(frozen=True)
class Function(Reward):
    """Any JAX function `function(parameters, x)` of one alternative in the user's own units, or its import path.

    `start` is a first guess (an empty one makes a reward without parameters); `lower` and `upper` bound it.
    Because nothing is known of its scale, `alpha=None` (learned) is usually wanted with it. Levels whose functions name
    the same `share` have their parameters in common; `Function.joint` makes such levels from one function. A model can
    be saved if its functions have names in modules; load it where these modules have been imported.
    """

    function: Callable[..., Any] | str
    start: Sequence[float] = ()
    lower: Sequence[float | None] | None = None  # None: no bound
    upper: Sequence[float | None] | None = None
    spread: float = 1.0
    share: str = ""
    output: int | None = None  # which of the function's values is this reward, where it has several
    kind: ClassVar[str] = "function"
    free_scale: ClassVar[bool] = False
    standardised: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.function, str):
            object.__setattr__(self, "function", imported(self.function))
        for field, missing in (("start", 0.0), ("lower", -inf), ("upper", inf)):
            value = getattr(self, field)
            if value is not None:
                numbers = tuple(missing if v is None else float(v) for v in np.atleast_1d(value))
                object.__setattr__(self, field, numbers)
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
        assert not isinstance(self.function, str)
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

    def particulars(
        self, parameters: np.ndarray, errors: np.ndarray, features: Names, typical: np.ndarray
    ) -> Particulars | None:
        told = zip(self.names(features), parameters, errors, strict=True)
        numbers = {name: Quantity.of(value, error) for name, value, error in told}
        return Parameters(numbers) if numbers else None

    @classmethod
    def particulars_from(cls, fields: dict[str, Any]) -> Particulars | None:
        told = fields.get(Parameters.key)
        return Parameters({name: Quantity.from_dict(number) for name, number in told.items()}) if told else None

    def settings(self) -> dict[str, Any]:
        def bounds(numbers: Any) -> list[float | None] | None:
            return None if numbers is None else [value if isfinite(value) else None for value in numbers]

        return {
            "kind": self.kind,
            "function": import_path(self.function),
            "start": list(self.start),
            "lower": bounds(self.lower),
            "upper": bounds(self.upper),
            "spread": self.spread,
            "share": self.share,
            "output": self.output,
        }


@dataclass(frozen=True)
class Parameters:
    """The learned parameters of a function, by their names."""

    numbers: Mapping[str, Quantity]
    key: ClassVar[str] = "parameters"

    def to_dict(self) -> dict[str, Any]:
        return {name: number.to_dict() for name, number in self.numbers.items()}

    def facts(self) -> tuple[Fact, ...]:
        return ()

    def details(self) -> tuple[Fact, ...]:
        """Each with its interval; the weights above them are averages."""
        listed = ", ".join(f"{name} = {{value{i}}}" for i, name in enumerate(self.numbers))
        numbers = {f"value{i}": number for i, number in enumerate(self.numbers.values())}
        return (Fact(f"the weights above are average slopes of the function; {listed}", {}, numbers),)


def import_path(function: Any) -> str:
    """Where a function is imported from: "module:name".

    >>> import_path(inspect.getdoc)
    'inspect:getdoc'
    """
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    path = f"{module}:{name}"
    if module in (None, "__main__") or "<" in name or _named(path) is not function:
        raise InputError(
            "reward", expected="a function with a name in a module, for a model file", got="another function",
            fix="import it from a file of its own, or keep the fitted model with pickle instead",
        )  # fmt: skip
    return path


def imported(path: str) -> Callable[..., Any]:
    """The function of that path; a file never makes Python import anything."""
    found = _named(path)
    if isinstance(inspect.unwrap(found) if callable(found) else None, FunctionType):
        return found
    module = path.partition(":")[0]
    raise InputError(
        "function", expected='"module:name" of a Python function whose module has been imported', got=repr(path[:100]),
        fix=f"import {module[:100]} before the model is loaded",
    )  # fmt: skip


def _named(path: str) -> Any:
    module, _, name = path.partition(":")
    return reduce(lambda where, part: getattr(where, part, None), name.split("."), sys.modules.get(module))
