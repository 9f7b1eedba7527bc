"""Which of several policies is preferred to which? (tables 3 and 5 of the paper)"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lori.errors import InputError
from lori.model.ordered import OrderedModel
from lori.policies.comparison import how_often_preferred


class PreferenceMatrix(NamedTuple):
    """One row and one column for each policy."""

    policies: tuple[str, ...]
    probability: np.ndarray  # Pr(row ≻ column), a tie counting half; [j, i] is 1 − [i, j] and the diagonal ½
    standard_error: np.ndarray  # of sampling the trajectories, 0 on the diagonal


def preference_matrix(model: OrderedModel, rollouts: Mapping[str, ArrayLike]) -> PreferenceMatrix:
    """Every policy against every other; `rollouts` has the mean features (trajectories, features) of each.

    The standard error is that of a two-sample U-statistic, √(var(row means) / n + var(column means) / m). It takes
    the policies' trajectories to be independent: roll them out with different seeds.
    """
    policies = tuple(rollouts)
    means = [_checked(name, rollouts[name]) for name in policies]
    probability = np.full((len(policies), len(policies)), 0.5)
    standard_error = np.zeros_like(probability)
    for i, j in combinations(range(len(policies)), 2):
        probability[i, j], standard_error[i, j] = how_often_preferred(model, means[i], means[j])
        probability[j, i], standard_error[j, i] = 1 - probability[i, j], standard_error[i, j]
    return PreferenceMatrix(policies, probability, standard_error)


def _checked(name: str, means: ArrayLike) -> np.ndarray:
    if np.ndim(means) != 2 or len(np.asarray(means)) < 2:
        raise InputError(
            f"rollouts of {name}", expected="mean features of at least two trajectories",
            got=f"an array of shape {np.shape(means)}", fix="roll the policy out more often",
        )  # fmt: skip
    return np.asarray(means)
