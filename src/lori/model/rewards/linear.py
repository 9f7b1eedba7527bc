"""Linear rewards: a weight for each feature, with signs where they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from lori.errors import InputError
from lori.model.rewards.base import Bounds, Names, Reward


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

    def __call__(self, parameters: Any, x: Any) -> Any:
        return x @ parameters

    def gap(self, parameters: Any, one: Any, other: Any) -> Any:
        return self(parameters, one - other)

    def names(self, features: Names) -> Names:
        return tuple(f"weight of {feature}" for feature in features)

    def bounds(self, features: Names) -> Bounds:
        up, down = self._directions(features)
        return np.where(up, 0.0, -np.inf), np.where(down, 0.0, np.inf)

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        """Directions from dense to nearly one feature alone, sizes from faint to nearly without noise.

        Each feature keeps its draw wherever it stands among the others.
        """
        size, place = len(features), _places(features)
        direction = generator.normal(size=(count, size)) * generator.dirichlet(np.full(size, 0.5), size=count)
        direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-12
        drawn = direction[:, place] * np.exp(generator.uniform(np.log(0.5), np.log(10.0), size=(count, 1)))
        up, down = self._directions(features)
        return np.where(up, np.abs(drawn), np.where(down, -np.abs(drawn), drawn))

    def in_units(self, parameters: Any, location: Any, scale: Any) -> Any:
        return parameters / scale

    def weights(self, parameters: Any) -> Any:
        return parameters

    def settings(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "increasing": listed(self.increasing),
            "decreasing": listed(self.decreasing),
        }

    @lru_cache(maxsize=64)  # searches draw very often  # noqa: B019
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


def listed(names: Sequence[str] | Literal["all"]) -> list[str] | str:
    """Names of features as JSON holds them."""
    return "all" if names == "all" else list(names)


@lru_cache(maxsize=64)
def _places(features: Names) -> np.ndarray:
    """Where each feature stands among their sorted names."""
    return np.argsort(np.argsort(features))
