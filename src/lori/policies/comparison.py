"""How often is what one policy brings about preferred to what another does?

For trajectories x of policy π* and y of policy π°,

    Pr(π* ≻ π°) = E Pr(x ≻ y) + ½ E Pr(neither)

estimated by the mean over *all* pairs (x, y), not only over matched ones: the same trajectories then tell the most.
A pair's probability needs differences of rewards only, so each trajectory's rewards are computed once.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision

BLOCK = 1 << 20  # pairs at once: whatever the number of trajectories, memory stays small


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
