"""Single-feature rewards: a level that looks at one feature alone, as lexicographic rules of attributes do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from lori.errors import InputError, one_of
from lori.model.engines import arrays_of
from lori.model.rewards.base import Bounds, Names, Reward

DIRECTIONS = ("either", "increasing", "decreasing")


@dataclass(frozen=True)
class Single(Reward):
    """r(x) = w x_f for one feature f; no other feature counts on the level.

    `direction` says whether more is better (`increasing`, w ≥ 0), worse (`decreasing`, w ≤ 0), or `either`, which is
    learned. `place` is that of the feature and `of` how many there are, which a fit finds by their names.

    >>> Single("price", "decreasing").among(("comfort", "price")).place
    1
    """

    feature: str
    direction: str = "either"
    place: int = 0
    of: int = 0
    kind: ClassVar[str] = "single"
    linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        one_of("direction", self.direction, DIRECTIONS)

    def among(self, features: Names) -> Single:
        return replace(self, place=self._place(features), of=len(features))

    def columns(self, features: Names) -> slice:
        place = self._place(features)
        return slice(place, place + 1)

    def __call__(self, parameters: Any, x: Any) -> Any:
        return parameters[..., 0] * x[..., self.place]

    def gap(self, parameters: Any, one: Any, other: Any) -> Any:
        return self(parameters, one - other)

    def names(self, features: Names) -> Names:
        return (f"weight of {self.feature}",)

    def bounds(self, features: Names) -> Bounds:
        self._place(features)
        lower = 0.0 if self.direction == "increasing" else -np.inf
        return np.array([lower]), np.array([0.0 if self.direction == "decreasing" else np.inf])

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        """Sizes from faint to nearly without noise, as those of `Linear`."""
        size = np.exp(generator.uniform(np.log(0.5), np.log(10.0), size=(count, 1)))
        sign = generator.choice([-1.0, 1.0], size=(count, 1))
        return {"increasing": size, "decreasing": -size, "either": sign * size}[self.direction]

    def in_units(self, parameters: Any, location: Any, scale: Any) -> Any:
        return parameters / scale[self.place]

    def weights(self, parameters: Any) -> Any:
        """Zero for all other features."""
        arrays = arrays_of(parameters)
        none = arrays.zeros(parameters.shape)
        return arrays.concatenate([parameters if place == self.place else none for place in range(self.of)], axis=-1)

    def settings(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "feature": self.feature,
            "direction": self.direction,
            "place": self.place,
            "of": self.of,
        }

    def _place(self, features: Names) -> int:
        if self.feature not in features:
            raise InputError(
                "feature", expected=f"one of the features {', '.join(features)}", got=self.feature,
                fix="correct the name",
            )  # fmt: skip
        return features.index(self.feature)
