"""Newton's method for batches: a minimum from many starts at once, within bounds.

Damped, and for batches: every start is a problem of its own, all are evaluated in one call. Bounds
are kept by an active set; the Newton step is taken in the free coordinates only (Bertsekas 1982). Directions of
negative curvature are followed downhill with the curvature's absolute value, and the Levenberg–Marquardt
damping adapts to how well the quadratic model predicted the last step. No maintained library offers this
combination for sums whose terms live elsewhere; SciPy's methods are its referee in the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lori.inference.blocks import Evaluation

TOLERANCE = 1e-12  # stop when the next step promises less than this many units of log-likelihood
ROUNDING = 1e-14  # or less than this share of the value
ROUNDED = 1e-10  # standardised units from a bound that are rounding, not an answer
NOISE = 1e-13  # sums of many rows are not known better than to this share
Evaluate = Callable[[np.ndarray], Evaluation]


@dataclass(frozen=True, eq=False)
class Solutions:
    """Where each start ended."""

    vectors: np.ndarray  # (problems, parameters)
    values: np.ndarray  # (problems,)
    converged: np.ndarray  # (problems,) bool
    curvature: np.ndarray | None = None  # (problems, parameters, parameters) there, where it is known
    gradient: np.ndarray | None = None  # (problems, parameters) of what is held at a bound; zero elsewhere


def minimise(
    evaluate: Evaluate,
    starts: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    *,
    iterations: int = 100,
    tolerance: float = TOLERANCE,
    damping: float = 1e-2,
    enough: float = 1.0,
) -> Solutions:
    """Minimise from each row of `starts` (problems, parameters); `evaluate` takes and returns whole batches.

    Stops when each problem, or the share `enough` of them, promises less than `tolerance` by its next step.
    """
    lower, upper = bounds
    x = np.clip(starts, lower, upper)
    state = evaluate(x)
    value, gradient, curvature = (np.array(part) for part in state)
    broken = ~_finite(value, gradient, curvature)  # a start where the objective is infinite leads nowhere
    value[broken], gradient[broken], curvature[broken] = np.inf, 0.0, 0.0
    damped = np.full(len(x), damping)
    converged = np.zeros(len(x), bool)
    gain = np.full(len(x), np.inf)
    for _ in range(iterations):
        step, gain = _steps(x, gradient, curvature, damped, lower, upper)
        gain = np.where(broken, np.inf, gain)
        converged |= ~broken & (gain <= np.maximum(tolerance, ROUNDING * np.abs(value)))
        stopped = converged | broken
        if stopped.mean() >= enough:
            last, _ = _steps(x, gradient, curvature, np.zeros(len(x)), lower, upper)  # undamped, and without proof
            x = np.where(converged[:, None], np.clip(x + last, lower, upper), x)
            value[converged] -= gain[converged]
            break
        trial = np.where(stopped[:, None], x, np.clip(x + step, lower, upper))
        new = evaluate(trial)
        assert new.gradient is not None
        assert new.curvature is not None
        moved = trial - x
        predicted = -np.einsum("bi,bi->b", gradient, moved) - 0.5 * np.einsum("bi,bij,bj->b", moved, curvature, moved)
        with np.errstate(invalid="ignore", divide="ignore"):
            actual = value - new.value
            ratio = np.where(predicted > 0, actual / predicted, np.where(actual > 0, 1.0, -1.0))
        # Where the promise drowns in rounding, the step is trusted: there the quadratic model is all but exact.
        noise = NOISE * np.abs(value)
        trusted = (gain <= 100 * noise) & (actual > -noise)
        better = _finite(new.value, new.gradient, new.curvature) & ((actual > 0) | trusted)
        x[better], value[better] = trial[better], new.value[better]
        gradient[better], curvature[better] = new.gradient[better], new.curvature[better]
        adapted = np.where(better & (ratio > 0.75), damped * 0.1, damped)
        adapted = np.where(~better, damped * 8, np.where(ratio < 0.25, damped * 3, adapted))
        damped = np.where(stopped, damped, np.clip(adapted, 1e-12, 1e8))  # no start depends on how long others take
    x = np.where(x - lower < ROUNDED, lower, np.where(upper - x < ROUNDED, upper, x))
    held = ((x <= lower) & (gradient > 0)) | ((x >= upper) & (gradient < 0))
    return Solutions(x, value, converged, curvature, np.where(held, gradient, 0.0))


def _finite(value: np.ndarray, gradient: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    return np.isfinite(value) & np.isfinite(gradient).all(axis=1) & np.isfinite(curvature).all(axis=(1, 2))


def _steps(
    x: np.ndarray,
    gradient: np.ndarray,
    curvature: np.ndarray,
    damping: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The damped Newton step within the bounds, and the gain that the undamped one promises.

    Coordinates at a bound with the gradient pushing outwards are held. Where the step would cross another
    bound, that coordinate goes to its bound and the others are solved for again, so that a step along a
    narrow valley stays in the valley.
    """
    held = ((x <= lower) & (gradient > 0)) | ((x >= upper) & (gradient < 0))
    step, gain = _solve(gradient, curvature, damping, held)
    target = np.clip(x + step, lower, upper)
    fixed = held | (target != x + step)
    for _ in range(3):
        again = np.flatnonzero((fixed & ~held).any(axis=1))
        if not len(again):
            break
        moves = np.where(fixed[again], (target - x)[again], 0.0)
        pushed = gradient[again] + np.einsum("bij,bj->bi", curvature[again], moves)
        inner, _ = _solve(pushed, curvature[again], damping[again], fixed[again])
        proposed = x[again] + np.where(fixed[again], moves, inner)
        target[again] = np.clip(proposed, lower, upper)
        crossed = target[again] != proposed
        if not crossed.any():
            break
        fixed[again] |= crossed
    return target - x, gain


def _solve(
    gradient: np.ndarray, curvature: np.ndarray, damping: np.ndarray, held: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """−(|H| + damping)⁻¹ g in the coordinates that are not held, H scaled to a unit diagonal; and ½ gᵀ|H|⁻¹g."""
    free = ~held
    diagonal = np.arange(gradient.shape[1])
    scale = np.where(free, np.sqrt(np.maximum(np.abs(curvature[:, diagonal, diagonal]), 1e-8)), 1.0)
    h = np.where(free[:, :, None] & free[:, None, :], curvature, 0.0) / scale[:, :, None] / scale[:, None, :]
    h[:, diagonal, diagonal] = np.where(free, h[:, diagonal, diagonal], 1.0)
    eigenvalues, vectors = np.linalg.eigh(h)
    rotated = np.einsum("bij,bi->bj", vectors, np.where(free, gradient / scale, 0.0))
    size = np.maximum(np.abs(eigenvalues), 1e-10)
    gain = 0.5 * np.sum(rotated**2 / size, axis=1)
    step = -np.einsum("bij,bj->bi", vectors, rotated / (size + damping[:, None])) / scale
    return np.where(free, step, 0.0), gain
