"""Reward: what every family of rewards must say about itself.

A reward is a frozen description without learned numbers; its parameters are a flat vector that travels beside
it. It owns its meaning: how many parameters there are and what they are called, within which bounds, where to start,
how large they are expected to be, what they become when the features are not standardised any more, what they say in
the user's units, and how all that is saved. A new family is one file and one line in `lori.model.rewards`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from lori.model.engines import jax
from lori.model.quantity import Quantity

Names = tuple[str, ...]
Bounds = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Fact:
    """Something that a reward has learned beyond its weights: a clause with named slots for features and numbers.

    >>> Fact("priorities change around {context} {threshold}", {"context": "age"}, {"threshold": Quantity(40.0)}).clause
    'priorities change around {context} {threshold}'
    """

    clause: str
    features: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Quantity] = field(default_factory=dict)


class Particulars(Protocol):
    """What a family of rewards tells beside weights, thresholds and a cap, with standard errors."""

    key: ClassVar[str]  # under which a summary keeps it

    def to_dict(self) -> dict[str, Any]: ...

    def facts(self) -> tuple[Fact, ...]:
        """In words, for the answer: what replaces "this feature matters most" where that would say less."""
        ...

    def details(self) -> tuple[Fact, ...]:
        """In words, line by line, for the table of numbers."""
        ...


class Reward:
    """Base of all rewards: `reward(parameters, x)` is the reward of one alternative `x` of shape (features,)."""

    kind: ClassVar[str]
    linear: ClassVar[bool] = False  # the reward of a difference is the difference of the rewards
    free_scale: ClassVar[bool] = True  # multiplying the reward by a constant stays in the family (then α is redundant)
    standardised: ClassVar[bool] = True  # fitted on features with mean 0 and deviation 1
    context: Sequence[str] = ()  # features that both alternatives of a pair share
    share: str = ""  # levels whose rewards have the same `share` have their `common` parameters together

    def __call__(self, parameters: Any, x: Any) -> Any:
        raise NotImplementedError

    def gap(self, parameters: Any, one: Any, other: Any) -> Any:
        """How much more reward one alternative has than another."""
        return self(parameters, one) - self(parameters, other)

    def among(self, features: Names) -> Reward:
        """The same reward, which knows its features by their places where it has to."""
        return self

    def columns(self, features: Names) -> slice:
        """Which features its parameters are the weights of, where it is linear."""
        return slice(None)

    def check(self, alternatives: np.ndarray) -> None:
        """Raise an error if it cannot be computed for some of these (n, features)."""

    # -- its parameters ----------------------------------------------------------------------------------

    def names(self, features: Names) -> Names:
        """A name for each parameter."""
        raise NotImplementedError

    def size(self, features: Names) -> int:
        return len(self.names(features))

    def common(self, features: Names) -> np.ndarray:
        """(parameters,) which of them are one and the same in all levels of the same `share`."""
        return np.zeros(self.size(features), bool)

    def bounds(self, features: Names) -> Bounds:
        size = self.size(features)
        return np.full(size, -np.inf), np.full(size, np.inf)

    def typical(self, features: Names) -> np.ndarray:
        """How large each parameter is expected to be, in multiples of the prior's scale; inf: no idea."""
        return np.ones(self.size(features))

    def draw(self, generator: np.random.Generator, features: Names, count: int) -> np.ndarray:
        """`count` random starting points, shape (count, parameters), within the bounds."""
        raise NotImplementedError

    def in_units(self, parameters: Any, location: Any, scale: Any) -> Any:
        """Parameters for raw features x, given those for (x − location) / scale; rewards differ by a constant."""
        raise NotImplementedError

    def tied(self, location: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The location and scale (features,) that its features must have, given those that the data suggest."""
        return location, scale

    def multiplied(self, parameters: Any, factor: Any) -> Any:
        """Parameters whose reward, under `with_scale(factor)`, is `factor` times as large."""
        return parameters * factor

    def with_scale(self, factor: float) -> Reward:
        """The same family for rewards that are `factor` times as large."""
        return self

    # -- what they mean ----------------------------------------------------------------------------------

    def subjects(self, features: Names) -> tuple[str | None, ...]:
        """What each feature is about, in words for people: several may be about the same, None is about nothing."""
        return features

    def weights(self, parameters: Any) -> Any:
        """What a unit of each feature is worth, (features,), where parameters say so directly; None otherwise.

        It picks among parameters, so that it serves for their standard errors and for many draws (…, parameters), too.
        """
        return None

    def slopes(self, parameters: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The average change of the reward per unit of each feature, over the alternatives x (n, features)."""
        weights = self.weights(parameters)
        if weights is not None:
            return np.asarray(weights)
        return np.asarray(jax.vmap(jax.grad(self.__call__, argnums=1), (None, 0))(parameters, x).mean(axis=0))

    def cap(self, parameters: Any) -> Any:
        """The reward above which more does not count, where there is one; it picks among parameters."""
        return None

    def particulars(
        self, parameters: np.ndarray, errors: np.ndarray, features: Names, typical: np.ndarray
    ) -> Particulars | None:
        """What else was learned, with standard errors; `typical` (features,) is the deviation of each feature."""
        return None

    @classmethod
    def particulars_from(cls, fields: dict[str, Any]) -> Particulars | None:
        """What `particulars(...).to_dict()` wrote, from the description of a level in a file."""
        return None

    # -- how it is kept ----------------------------------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """What `reward_from` needs to make this reward again, as plain JSON values."""
        raise NotImplementedError
