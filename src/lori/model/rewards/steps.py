"""Step rewards: what each step of a trajectory is worth, added up over trajectories of any length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from lori.data.trajectories import LENGTH, step_features
from lori.errors import InputError
from lori.model.engines import jax, jnp
from lori.model.quantity import Quantity
from lori.model.rewards.base import Bounds, Fact, Names, Particulars, Reward
from lori.model.rewards.linear import Linear


@dataclass(frozen=True)
class Steps(Reward):
    """R(x) = Σ_{t < length} γᵗ r(x_t): a reward r for each step of a trajectory x, any of the other families.

    Trajectories come step by step, with their length, as `Trajectories.compare(..., pooling="steps")` lays them out;
    what lies beyond a trajectory's length does not count. For a linear r this is the reward of the sum of the steps;
    for others it is not, as a cap or a network applies to each step. `width` is the number of features of a step, which
    a fit finds by their names. Features are scaled alike in all steps and are not centred: a constant for each step
    would be worth more the longer a trajectory is.

    >>> Steps(discount=0.9).among(("dose, step 1", "dose, step 2", "number of steps")).width
    1
    """

    reward: Reward = field(default_factory=Linear)
    discount: float = 1.0
    width: int = 0
    kind: ClassVar[str] = "steps"
    __pydantic_config__: ClassVar[dict[str, Any]] = {"arbitrary_types_allowed": True}  # a reward within a reward

    def __post_init__(self) -> None:
        if isinstance(self.reward, Mapping):  # as a file has it
            from lori.model.rewards import reward_from

            object.__setattr__(self, "reward", reward_from(dict(self.reward)))
        known = isinstance(self.reward, Reward) and not isinstance(self.reward, Steps) and not self.reward.context
        if not known or getattr(self.reward, "share", ""):
            raise InputError(
                "reward", expected="a reward of one step without context: linear, capped, network or a function",
                got=getattr(self.reward, "kind", type(self.reward).__name__), fix="use Steps(lori.Capped())",
            )  # fmt: skip
        if not (isinstance(self.discount, int | float) and 0 < self.discount <= 1):
            raise InputError(
                "discount", expected="a number above 0 and up to 1", got=str(self.discount), fix="use discount=0.95"
            )

    @property
    def free_scale(self) -> bool:  # type: ignore[override]
        return self.reward.free_scale

    @property
    def standardised(self) -> bool:  # type: ignore[override]
        return self.reward.standardised

    def among(self, features: Names) -> Steps:
        own = self._own(features)
        return replace(self, width=len(own), reward=self.reward.among(own))

    def __call__(self, parameters: Any, x: Any) -> Any:
        steps = x[:-1].reshape(-1, self.width)
        time = jnp.arange(len(steps))
        counts = jnp.where(time < x[-1], float(self.discount) ** time, 0.0)
        return counts @ jax.vmap(self.reward, (None, 0))(parameters, steps)

    def check(self, alternatives: np.ndarray) -> None:
        if self.width:
            self.reward.check(alternatives[:, : self.width])

    # -- its parameters: those of the reward of a step ----------------------------------------------------

    def names(self, features: Names) -> Names:
        return self.reward.names(self._own(features))

    def size(self, features: Names) -> int:
        return self.reward.size(self._own(features))

    def bounds(self, features: Names) -> Bounds:
        return self.reward.bounds(self._own(features))

    def typical(self, features: Names) -> np.ndarray:
        return self._smaller(self.reward.typical(self._own(features)), features)

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        drawn = self.reward.draw(generator, self._own(features), count)
        return np.array([self._smaller(each, features) for each in drawn]).reshape(drawn.shape)

    def _smaller(self, parameters: np.ndarray, features: Names) -> np.ndarray:
        """As many steps together are to differ as much as one alternative does elsewhere."""
        if not self.free_scale:
            return parameters
        steps = (len(features) - 1) // len(self._own(features))
        return np.asarray(self.reward.multiplied(parameters, 1 / np.sqrt(steps)))

    def tied(self, location: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        width = self.width
        size = np.sqrt((scale[:-1].reshape(-1, width) ** 2).mean(axis=0))
        return np.zeros_like(location), np.append(np.tile(size, (len(scale) - 1) // width), 1.0)

    def in_units(self, parameters: Any, location: Any, scale: Any) -> Any:
        return self.reward.in_units(parameters, location[: self.width], scale[: self.width])

    def multiplied(self, parameters: Any, factor: Any) -> Any:
        return self.reward.multiplied(parameters, factor)

    def with_scale(self, factor: float) -> Steps:
        return replace(self, reward=self.reward.with_scale(factor))

    # -- what they mean ----------------------------------------------------------------------------------

    def subjects(self, features: Names) -> tuple[str | None, ...]:
        own = self._own(features)
        return (*own * ((len(features) - 1) // len(own)), None)

    def particulars(
        self, parameters: np.ndarray, errors: np.ndarray, features: Names, typical: np.ndarray
    ) -> Particulars:
        own, values, known = self._own(features), self.reward.weights(parameters), self.reward.weights(errors)
        weights = {} if values is None else {
            name: Quantity.of(value, error) for name, value, error in zip(own, values, known, strict=True)
        }  # fmt: skip
        size = np.sqrt((typical[:-1].reshape(-1, len(own)) ** 2).mean(axis=0))
        leading = None if values is None else own[int(np.argmax(np.abs(np.asarray(values)) * size))]
        cap = self.reward.cap(parameters)
        told = None if cap is None else Quantity.of(cap, self.reward.cap(errors))
        return PerStep(weights, told, float(self.discount), leading)

    @classmethod
    def particulars_from(cls, fields: dict[str, Any]) -> Particulars | None:
        return PerStep.from_dict(fields[PerStep.key]) if PerStep.key in fields else None

    def settings(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "reward": self.reward.settings(),
            "discount": float(self.discount),
            "width": self.width,
        }

    def _own(self, features: Names) -> Names:
        """The features of a step."""
        own = step_features(features)
        if not own:
            raise InputError(
                "trajectories", expected=f"the features of every step and {LENGTH!r}", got="others",
                fix="lay them out step by step: trajectories.compare(..., pooling='steps'), or --pooling steps",
            )  # fmt: skip
        return own


@dataclass(frozen=True)
class PerStep:
    """What a unit of each feature is worth in one step, where weights say so, and where it stops counting."""

    weights: dict[str, Quantity]
    cap: Quantity | None
    discount: float
    leading: str | None = None  # the feature that weighs most in a step
    key: ClassVar[str] = "per_step"

    def to_dict(self) -> dict[str, Any]:
        return {
            "weights": {name: weight.to_dict() for name, weight in self.weights.items()},
            "cap": None if self.cap is None else self.cap.to_dict(),
            "discount": self.discount,
            "leading": self.leading,
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> PerStep:
        weights = {name: Quantity.from_dict(each) for name, each in fields["weights"].items()}
        cap = fields["cap"]
        return cls(
            weights, None if cap is None else Quantity.from_dict(cap), float(fields["discount"]), fields.get("leading")
        )

    def facts(self) -> tuple[Fact, ...]:
        first = "" if self.leading is None else "{leading} weighs most in each step, and "
        later = "every step counts alike" if self.discount == 1 else "a step later counts {discount} times as much"
        named = {} if self.leading is None else {"leading": self.leading}
        return (Fact(first + later, named, {} if self.discount == 1 else {"discount": Quantity(self.discount)}),)

    def details(self) -> tuple[Fact, ...]:
        told = [Fact("the weights above are those of a unit more in every step, on average")]
        if self.weights:
            listed = ", ".join(f"{{feature{i}}} {{weight{i}}}" for i in range(len(self.weights)))
            told.append(Fact(
                f"in a single step: {listed}", {f"feature{i}": name for i, name in enumerate(self.weights)},
                {f"weight{i}": weight for i, weight in enumerate(self.weights.values())},
            ))  # fmt: skip
        if self.cap is not None:
            told.append(Fact("more than {cap} in a step does not count", {}, {"cap": self.cap}))
        return tuple(told)
