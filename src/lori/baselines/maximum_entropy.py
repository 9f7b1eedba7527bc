"""Maximum-entropy inverse reinforcement learning (Ziebart et al. 2008): which reward explains demonstrations?

Trajectories are as random as possible while their features have the demonstrated means. That is the soft policy of a
reward per step θ · φ(state), with the θ that minimises the convex E[V_θ(start)] − θ · f̂, where f̂ are the features
of a demonstration, summed over its states. Its slope is the difference between expected and demonstrated features.
Where moves are random, actions are (causally) as random as possible, given the states that came before (Ziebart et
al. 2010).

θ is known up to what no trajectory tells: adding the same number to every state, or (with `features` that hold it) a
potential, changes all trajectories between the same ends alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from lori.baselines.soft import DemonstrationLearner, Demonstrations, soft_policy, visits
from lori.errors import InputError, whole
from lori.model.ordered import OrderedModel
from lori.policies.mdp import FactoredMDP


def matched(
    mdp: FactoredMDP, features: np.ndarray, start: np.ndarray, horizon: int, wanted: np.ndarray, iterations: int = 500
) -> tuple[np.ndarray, np.ndarray]:
    """θ whose soft policy has these expected features (summed over the states), and those that it has.

    `features` (*cells, n) of each cell. They are scaled to deviation 1 inside.
    """
    flat = features.reshape(-1, features.shape[-1])
    deviation = flat.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    scaled, goal = features / scale, wanted / scale

    def dual(theta: np.ndarray) -> tuple[float, np.ndarray]:
        policy, values = soft_policy(mdp, scaled @ theta, horizon)
        found = np.tensordot(visits(mdp, policy, start).sum(axis=0), scaled, axes=start.ndim)
        return float((start * values).sum() - theta @ goal), found - goal

    options = {"maxiter": iterations, "ftol": 1e-15, "gtol": 1e-9}
    theta = minimize(dual, np.zeros(len(goal)), jac=True, method="L-BFGS-B", options=options).x
    return theta / scale, (dual(theta)[1] + goal) * scale


class MaximumEntropyIRL(DemonstrationLearner):
    """A linear reward per step from demonstrations, by matching their features.

    Parameters
    ----------
    iterations : of the search.

    Attributes
    ----------
    weights_ : θ, for each feature of the state; expected_, demonstrated_ : features summed over a trajectory.
    model_ : an `OrderedModel` with one level for the mean features of trajectories: Pr(left ≻ right) is how much more
        probable left is than right, among the two, if both are as demonstrated.
    """

    def __init__(self, *, iterations: int = 500) -> None:
        self.iterations = iterations

    def _learn(self, given: Demonstrations, mdp: FactoredMDP) -> None:
        features = mdp.grid.states
        seen = features[tuple(np.moveaxis(given.cells, -1, 0))]
        self.demonstrated_ = seen.sum(axis=1).mean(axis=0)
        steps = whole("iterations", self.iterations, 1)
        start = given.start(mdp)
        self.weights_, self.expected_ = matched(mdp, features, start, given.horizon, self.demonstrated_, steps)
        if not np.all(np.isfinite(self.weights_)):
            raise InputError(
                "demonstrations", expected="features that some reward can bring about", got="others",
                fix="record more demonstrations",
            )  # fmt: skip
        self.model_ = OrderedModel.linear(
            [self.weights_ * (given.horizon + 1)], epsilon=[0.0], features=mdp.grid.features
        )

    def predict_proba(self, left: Any, right: Any) -> np.ndarray:
        """Columns: left preferred, tie, right preferred, of the mean features of trajectories (n, features)."""
        self._fitted()
        return self.model_.predict_proba(left, right)
