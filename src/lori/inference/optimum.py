"""Optimum: where the posterior is highest, and how sharp it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.inference.scaling import Scaling
from lori.inference.units import Units
from lori.model.likelihoods import Likelihood
from lori.model.priors import Prior
from lori.model.rewards import reward_from
from lori.model.specification import Specification


@dataclass(frozen=True, eq=False)
class Optimum:
    """An optimum with its surroundings to second order, in standardised units.

    `value` is the negative log-posterior without the prior's constant. The gradient is that of coordinates held at a
    bound and zero elsewhere; it and the curvature are None where there are too many parameters for second derivatives.
    """

    units: Units
    prior: Prior | None
    vector: np.ndarray
    value: float
    gradient: np.ndarray | None
    curvature: np.ndarray | None

    def describe(self) -> dict[str, Any] | None:
        """As plain JSON values; None if there is nothing to tell beyond the optimum itself."""
        if self.curvature is None or self.gradient is None:
            return None
        specification, scaling = self.units.specification, self.units.scaling
        return {
            "rewards": [reward.settings() for reward in specification.rewards],
            "epsilon": list(specification.epsilon),
            "alpha": list(specification.alpha),
            "reported_alpha": list(self.units.alpha),
            "location": scaling.location.tolist(),
            "scale": scaling.scale.tolist(),
            "vector": self.vector.tolist(),
            "value": self.value,
            "gradient": self.gradient.tolist(),
            "curvature": self.curvature.tolist(),
        }

    @classmethod
    def from_description(
        cls, content: dict[str, Any], likelihood: Likelihood, features: tuple[str, ...], prior: Prior | None
    ) -> Optimum:
        specification = Specification(
            tuple(reward_from(reward) for reward in content["rewards"]),
            tuple(content["epsilon"]),
            tuple(content["alpha"]),
            likelihood,
            features,
        )
        scaling = Scaling(np.array(content["location"]), np.array(content["scale"]))
        return cls(
            Units(specification, scaling, tuple(content["reported_alpha"])),
            prior,
            np.array(content["vector"]),
            float(content["value"]),
            np.array(content["gradient"]),
            np.array(content["curvature"]),
        )
