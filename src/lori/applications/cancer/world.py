"""World: where are cancer treatments compared? The paper's experiment: truth, policies and preferences."""

from __future__ import annotations

import numpy as np

from lori.applications.cancer.dynamics import Cancer
from lori.data.preferences import Preferences
from lori.errors import InputError, whole
from lori.model.ordered import Level, OrderedModel
from lori.model.rewards import Capped, Linear
from lori.policies.mdp import FactoredMDP, Grid
from lori.policies.planning import plan_for
from lori.policies.policy import Softened, Tabular
from lori.policies.rollouts import Rollouts

EPSILON, ALPHA = 0.1, 10 * float(np.log(9))
ENOUGH = 5.0  # white blood cells: the mean count above which more does not count
HARD = 1e9  # a softmin this sharp is the minimum, to the last digits of a float
LARGEST = (40.0, 10.0)  # tumour volume and white blood cells at the end of the grid


def true_model() -> OrderedModel:
    """First min(5, mean white blood cells), then the smaller mean tumour volume (equation 9)."""
    return OrderedModel(
        (
            _level(Capped(sharpness=HARD), [0.0, 1.0], EPSILON, cap=ENOUGH),
            _level(Linear(), [-1.0, 0.0], EPSILON),
        ),
        Cancer().features,
    )


def single_model() -> OrderedModel:
    """The single reward of the paper's appendix B."""
    return OrderedModel((_level(Linear(), [-0.2, 0.8], epsilon=0.0),), Cancer().features)


def grid(cells: int = 100) -> Grid:
    """`cells` by `cells` over tumour volumes from 0 to 40 and white blood cells from 0 to 10."""
    return Grid(Cancer().features, (0.0, 0.0), LARGEST, (cells, cells))


def mdp(cells: int = 100, noise: float = Cancer().noise, at_centres: bool = True) -> FactoredMDP:
    """The world as planners see it. Densities at the centres of the cells: only these give Bayesian IRL, on its 25 by
    25 cells, the errors that the paper prints (table 4); on 100 by 100 cells it makes no difference."""
    simulator = Cancer()
    return FactoredMDP.gaussian(grid(cells), simulator.expected, noise, simulator.actions, at_centres=at_centres)


def optimal_policy(
    model: OrderedModel | None = None, cells: int = 100, noise: float = Cancer().noise, at_centres: bool = True
) -> Tabular:
    """Best for a model (the truth by default) in the paper's reading: discounted rewards per step."""
    return plan_for(true_model() if model is None else model, mdp(cells, noise, at_centres)).policy


def behaviour_policy(
    model: OrderedModel | None = None, cells: int = 100, noise: float = Cancer().noise, at_centres: bool = True
) -> Softened:
    """What clinicians do: the optimal policy, but half of the time an action at random."""
    return Softened(optimal_policy(model, cells, noise, at_centres), 0.5, Cancer().actions)


def preferences(rollouts: Rollouts, pairs: int = 1000, model: OrderedModel | None = None, seed: int = 0) -> Preferences:
    """What somebody with `model` (the truth by default) prefers in random pairs of distinct trajectories."""
    count = len(rollouts.states)
    if count < 2:
        raise InputError(
            "rollouts", expected="at least two trajectories to compare", got=str(count), fix="roll out more"
        )
    generator = np.random.default_rng(seed)
    left = generator.integers(count, size=whole("pairs", pairs, 1))
    right = (left + generator.integers(1, count, size=len(left))) % count
    means = rollouts.means
    counts = (true_model() if model is None else model).sample(means[left], means[right], seed=generator)
    return Preferences.from_indices(means, left, right, counts=counts, features=rollouts.features)


def _level(reward: Linear, weights: list[float], epsilon: float, cap: float | None = None) -> Level:
    parameters = np.array(weights if cap is None else [*weights, cap])
    return Level(reward, parameters, epsilon, ALPHA, slopes=np.array(weights))
