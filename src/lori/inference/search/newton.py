"""Newton's method for batches: a minimum from many starts at once, within bounds.

Damped, and for batches: every start is a problem of its own, many are evaluated in one call, and when one has ended the
next takes its place. Bounds are kept by an active set; the Newton step is taken in the free coordinates only
(Bertsekas 1982). Directions of negative curvature are followed downhill with the curvature's absolute value, and the
Levenberg–Marquardt damping adapts to how well the quadratic model predicted the last step. No maintained library offers
this combination for sums whose terms live elsewhere; SciPy's methods are its referee in the tests.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.search.solutions import Solutions
from lori.inference.threads import cut, together, without_blas_threads

TOLERANCE = 1e-12  # stop when the next step promises less than this many units of log-likelihood
ROUNDING = 0.1  # or less than this share of what is rounding
ROUNDED = 1e-10  # standardised units from a bound that are rounding, not an answer
SHRUNK = (
    0.1  # what a step leaves at least of a positive number: near zero, a rate that may not vanish grows slowly again
)
HOPE = 5  # steps before a start may be given up; by then they promise too little, but hardly by half
MANY = 16  # parameters from which on eigenvalues are computed only where there is need
NOISE = 1e-13  # sums of many rows are not known better than to this share,
SINGLE_NOISE = 1e-8  # or to this one in single precision
Evaluate = Callable[[np.ndarray, np.ndarray], Evaluation]


def minimise(
    evaluate: Evaluate,
    starts: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    *,
    iterations: int = 100,
    tolerance: float = TOLERANCE,
    damping: float = 1e-2,
    enough: float = 1.0,
    beyond: float = np.inf,
    hope: int = HOPE,
    groups: int = 1,
    together: int | None = None,
    noise: float = NOISE,
) -> Solutions:
    """Minimise from each row of `starts` (problems, parameters), as many of each of `groups` as there are of others.

    `evaluate` takes some vectors and the numbers of the problems that they belong to: not more than `together` of a
    group at a time, and only those that have not ended. A problem ends when its next step promises less than
    `tolerance`; when the share `enough` of them has, the others get as many steps as those took. One that is further
    than `beyond` from the best of its group, and whose steps do not promise to make up for it, is given up after more
    than `hope` steps. `noise` is the share of a value that is rounding.
    """
    lower, upper = (np.broadcast_to(bound, starts.shape) for bound in bounds)  # of each start, or the same for all
    x = np.clip(starts, lower, upper)
    count, size = x.shape
    value, gradient, curvature = np.full(count, np.inf), np.zeros((count, size)), np.zeros((count, size, size))
    step, gain, damped = np.zeros((count, size)), np.full(count, np.inf), np.full(count, damping)
    seen, broken, converged = np.zeros(count, int), np.zeros(count, bool), np.zeros(count, bool)
    beaten = np.zeros(count, bool)

    def steps(now: np.ndarray, damping: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        least = np.where(lower[now] > 0, np.maximum(lower[now], SHRUNK * x[now]), lower[now])
        return stepping(x[now], gradient[now], curvature[now], damping, least, upper[now])

    while True:
        stopped = converged | broken | beaten
        if stopped.mean() >= enough:
            iterations = min(iterations, int(seen[stopped].max()) - 1)
        now = _in_turn(np.flatnonzero(~stopped & (seen <= iterations)), count // groups, together)
        if not len(now):
            break
        trial = np.clip(x[now] + step[now], lower[now], upper[now])
        new = evaluate(trial, now)
        assert new.gradient is not None
        assert new.curvature is not None
        better, ratio = _judged(trial - x[now], value[now], gradient[now], curvature[now], gain[now], new, noise)
        first = seen[now] == 0
        broken[now] = first & ~better  # a start where the objective is infinite leads nowhere
        won = now[better]
        x[won], value[won], gradient[won], curvature[won] = (
            part[better] for part in (trial, new.value, new.gradient, new.curvature)
        )
        factor = np.where(~better, 8.0, np.where(ratio < 0.25, 3.0, np.where(ratio > 0.75, 0.1, 1.0)))
        damped[now] = np.where(first, damping, np.clip(damped[now] * factor, 1e-12, 1e8))
        seen[now] += 1
        step[now], gain[now] = steps(now, damped[now])
        converged[now] = ~broken[now] & (gain[now] <= np.maximum(tolerance, ROUNDING * noise * np.abs(value[now])))
        best = value.reshape(groups, -1).min(axis=1).repeat(count // groups)
        beaten = (seen > hope) & (value > best + beyond + 2 * gain)
    last, _ = steps(np.arange(count), np.zeros(count))  # undamped, and without proof
    target = np.clip(x + last, lower, upper)
    landed = (target != x) & ((target <= lower) | (target >= upper))  # where the objective may be infinite
    proper = converged & ~landed.any(axis=1)
    x = np.where(proper[:, None], target, x)
    value[proper] -= gain[proper]
    x = np.where(x - lower < ROUNDED, lower, np.where(upper - x < ROUNDED, upper, x))
    held = ((x <= lower) & (gradient > 0)) | ((x >= upper) & (gradient < 0))
    return Solutions(x, value, converged, curvature, np.where(held, gradient, 0.0))


def _in_turn(waiting: np.ndarray, each: int, together: int | None) -> np.ndarray:
    """The first so many of each group, of which there are `each`."""
    group = waiting // each
    return waiting if together is None else waiting[np.arange(len(waiting)) - np.searchsorted(group, group) < together]


def _judged(
    moved: np.ndarray,
    value: np.ndarray,
    gradient: np.ndarray,
    curvature: np.ndarray,
    gain: np.ndarray,
    new: Evaluation,
    share: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Is a step taken, and which part of what it promised came true?"""
    predicted = -np.einsum("bi,bi->b", gradient, moved) - 0.5 * np.einsum("bi,bij,bj->b", moved, curvature, moved)
    with np.errstate(invalid="ignore", divide="ignore"):
        actual = value - new.value
        ratio = np.where(predicted > 0, actual / predicted, np.where(actual > 0, 1.0, -1.0))
        # Where the promise drowns in rounding, the step is trusted: there the quadratic model is all but exact.
        noise = share * np.abs(value)
        trusted = (gain <= 100 * noise) & (actual > -noise)
    return finite(new) & ((actual > 0) | trusted), ratio


def finite(there: Evaluation) -> np.ndarray:
    """(problems,) are value and derivatives numbers?"""
    return np.all([np.isfinite(part).reshape(len(part), -1).all(axis=1) for part in there if part is not None], axis=0)


def stepping(
    x: np.ndarray,
    gradient: np.ndarray,
    curvature: np.ndarray,
    damping: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The damped Newton step within the bounds, and the gain that the undamped one promises.

    Bounds are those of each problem. Coordinates at one with the gradient pushing outwards are held. Where the step
    would cross another, that coordinate goes to its bound and the others are solved for again, so that a step along a
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
        target[again] = np.clip(proposed, lower[again], upper[again])
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
    pushed = np.where(free, gradient / scale, 0.0)
    step, gain = np.empty_like(pushed), np.empty(len(pushed))
    plain = np.array([_definite(own) for own in h]) if len(diagonal) > MANY else np.zeros(len(h), bool)
    if plain.any():  # then |H| is H, and there is no need for what takes ten times as long
        own, right = h[plain], pushed[plain][:, :, None]
        gain[plain] = 0.5 * np.sum(right * np.linalg.solve(own, right), axis=(1, 2))
        own[:, diagonal, diagonal] += damping[plain, None]
        step[plain] = -np.linalg.solve(own, right)[:, :, 0]
    if not plain.all():
        eigenvalues, vectors = _decomposed(h[~plain])
        rotated = np.einsum("bij,bi->bj", vectors, pushed[~plain])
        size = np.maximum(np.abs(eigenvalues), 1e-10)
        gain[~plain] = 0.5 * np.sum(rotated**2 / size, axis=1)
        step[~plain] = -np.einsum("bij,bj->bi", vectors, rotated / (size + damping[~plain, None]))
    return np.where(free, step / scale, 0.0), gain


def _decomposed(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors; of many parameters the cores share the matrices."""
    if matrices.shape[1] <= MANY:
        values, vectors = np.linalg.eigh(matrices)
        return values, vectors
    with without_blas_threads():
        parts = together(np.linalg.eigh, [matrices[some] for some in cut(len(matrices), least=2)])
    return np.concatenate([own[0] for own in parts]), np.concatenate([own[1] for own in parts])


def _definite(matrix: np.ndarray) -> bool:
    """Is it positive definite, by more than rounding?"""
    try:
        return bool(np.linalg.cholesky(matrix).diagonal().min() > 1e-4)
    except np.linalg.LinAlgError:
        return False
