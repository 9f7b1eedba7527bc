"""Comparison of policies: how often is what one brings about preferred to what another does? (tables 3 and 5)

For trajectories x of policy π* and y of policy π°,

    Pr(π* ≻ π°) = E Pr(x ≻ y) + ½ E Pr(neither)

estimated by the mean over *all* pairs (x, y), not only over matched ones: the same trajectories then tell the most.
A pair's probability needs differences of rewards only, so each trajectory's rewards are computed once.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from lori.errors import InputError
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision

BLOCK = 1 << 20  # pairs at once: whatever the number of trajectories, memory stays small


class PreferenceMatrix(NamedTuple):
    """One row and one column for each policy."""

    policies: tuple[str, ...]
    probability: np.ndarray  # Pr(row ≻ column), a tie counting half; [j, i] is 1 − [i, j] and the diagonal ½
    standard_error: np.ndarray  # of sampling the trajectories, 0 on the diagonal


@double_precision
def how_often_preferred(model: OrderedModel, ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float]:
    """The mean over all pairs of alternatives (n, features) and (m, features), with its standard error.

    Both samples are random: a two-sample U-statistic has variance Var E[Pr | x] / n + Var E[Pr | y] / m.
    """
    alpha = np.array([level.alpha for level in model.levels])
    tolerance = alpha * np.array([level.epsilon for level in model.levels])
    left, right = model.rewards(ours) * alpha, model.rewards(theirs) * alpha
    size = max(1, BLOCK // len(right))
    blocks = [_sums(left[start : start + size], right, tolerance) for start in range(0, len(left), size)]
    by_left = np.concatenate([rows for rows, _ in blocks]) / len(right)
    by_right = np.sum([columns for _, columns in blocks], axis=0) / len(left)
    variance = by_left.var(ddof=1) / len(left) + by_right.var(ddof=1) / len(right)
    return float(by_left.mean()), float(np.sqrt(variance))


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


@jax.jit
def _sums(left: jax.Array, right: jax.Array, tolerance: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Equation (5) from the last level upwards, half of a full tie included, summed over y and over x.

    In probabilities rather than logarithms: a mean has no use for the tails, and this is eight times faster.
    """
    better = jnp.full((len(left), len(right)), 0.5)
    for level in range(len(tolerance) - 1, -1, -1):
        gap = left[:, level, None] - right[:, level]
        says_better = 1 / (1 + jnp.exp(tolerance[level] - gap))
        says_worse = 1 / (1 + jnp.exp(tolerance[level] + gap))
        better = says_better + (1 - says_better - says_worse) * better
    return better.sum(axis=1), better.sum(axis=0)


def _checked(name: str, means: ArrayLike) -> np.ndarray:
    if np.ndim(means) != 2 or len(np.asarray(means)) < 2:
        raise InputError(
            f"rollouts of {name}", expected="mean features of at least two trajectories",
            got=f"an array of shape {np.shape(means)}", fix="roll the policy out more often",
        )  # fmt: skip
    return np.asarray(means)
