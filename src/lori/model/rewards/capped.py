"""Capped rewards: a weighted sum of which more stops counting at a learned cap (the paper's appendix C)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lori.errors import InputError
from lori.model.engines import arrays_of
from lori.model.rewards.base import Bounds, Names
from lori.model.rewards.linear import Linear


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

    def __call__(self, parameters: Any, x: Any) -> Any:
        beta = self.sharpness
        return -arrays_of(parameters, x).logaddexp(-beta * parameters[-1], -beta * (x @ parameters[:-1])) / beta

    def gap(self, parameters: Any, one: Any, other: Any) -> Any:
        return self(parameters, one) - self(parameters, other)

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

    def in_units(self, parameters: Any, location: Any, scale: Any) -> Any:
        weights = parameters[..., :-1] / scale
        cap = parameters[..., -1:] + (weights @ location)[..., None]
        return arrays_of(weights).concatenate([weights, cap], axis=-1)

    def weights(self, parameters: Any) -> Any:
        """What a unit is worth below the cap."""
        return parameters[..., :-1]

    def with_scale(self, factor: float) -> Capped:
        return replace(self, sharpness=self.sharpness / factor)

    def cap(self, parameters: Any) -> Any:
        return parameters[..., -1]

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "sharpness": self.sharpness}
