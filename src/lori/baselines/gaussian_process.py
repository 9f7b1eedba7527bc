"""Gaussian-process preferences (Chu and Ghahramani 2005): which single, smooth reward explains the choices?

The reward has a Gaussian prior f ~ N(0, K) with K(x, x′) = a exp(−½ Σ_f (x_f − x′_f)² / ℓ_f²), and each alternative
is seen with noise of variance 1 when it is compared:

    Pr(left ≻ right | f) = Φ((f(left) − f(right) − δ) / √2),

with a just-noticeable difference δ that is 0 unless ties were seen; a tie has what is left. The posterior is Laplace's
Gaussian at its mode, and a, ℓ and δ are those with the highest evidence

    log Pr(D) ≈ Σ log Pr(choice | f̂) − ½ f̂ᵀ K⁻¹ f̂ − ½ log |I + K W|,   W = −∇∇ Σ log Pr(choice | f̂).

With K = C Cᵀ and f = C u the prior is u ~ N(0, I), and all of this is a regression on the differences of rows of C. C
is a Cholesky factor with pivoting, which ends where nothing is left but rounding: exact for up to `exact`
alternatives. Beyond, the pivots of a sample of them are inducing points (Nyström), and C has a column for each of
these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack, solve_triangular
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr

from lori.baselines.base import LEFT, RIGHT, TIE, PreferenceLearner
from lori.data.grouping import group_rows
from lori.data.preferences import Preferences
from lori.errors import InputError, whole

NEGLIGIBLE = 1e-10  # of the variance of the reward: what is left then is rounding
ROOT2 = np.sqrt(2.0)
STEPS, CLOSE = 50, 1e-8  # of Newton's method: at most so many, until the log-posterior gains no more
LENGTHS, AMPLITUDES, THRESHOLDS = (0.05, 50.0), (1e-3, 1e4), (1e-4, 10.0)  # bounds; lengths in deviations of a feature
DIFFERENCE = 1e-4  # step of the logarithms for slopes of the evidence
SAMPLE = 2000  # alternatives among which inducing points are looked for
NEAREST = 1e-300


class Kernel(NamedTuple):
    """Amplitude a and a length for each feature, in the user's units."""

    amplitude: float
    lengths: np.ndarray

    def __call__(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        a, b = one / self.lengths, other / self.lengths
        squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
        return self.amplitude * np.exp(-0.5 * np.maximum(squares, 0.0))

    def of_pairs(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """(pairs,) covariance of the two sides of each pair."""
        return self.amplitude * np.exp(-0.5 * (((one - other) / self.lengths) ** 2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Basis:
    """f(x) ≈ φ(x)ᵀ u with φ(x) = L⁻¹ K(pivots, x)."""

    kernel: Kernel
    pivots: np.ndarray  # (r, features)
    root: np.ndarray  # (r, r) lower triangular: K(pivots, pivots) = L Lᵀ

    @classmethod
    def of(cls, kernel: Kernel, items: np.ndarray) -> Basis:
        """From the alternatives that pivoting finds to differ by more than rounding."""
        root, pivots, rank, _ = lapack.dpstrf(kernel(items, items), tol=NEGLIGIBLE * kernel.amplitude, lower=1)
        return cls(kernel, items[pivots[:rank] - 1], np.tril(root[:rank, :rank]))

    def __call__(self, items: np.ndarray) -> np.ndarray:
        """(items, r)"""
        return solve_triangular(self.root, self.kernel(self.pivots, items), lower=True).T


class Mode(NamedTuple):
    """Laplace's approximation for one setting of the hyper-parameters."""

    evidence: float
    u: np.ndarray
    precision: Any  # Cholesky factor of the posterior precision of u
    slopes: np.ndarray  # (items,) of the log-likelihood in f, from which the next setting starts


class GaussianProcess(PreferenceLearner):
    """Preferences by a Gaussian process, with hyper-parameters of highest evidence.

    Parameters
    ----------
    lengths, amplitude : of the kernel, in units of the features; None (default) learns them.
    threshold : δ, the just-noticeable difference; None learns it where there are ties, and is 0 otherwise.
    exact : up to so many different alternatives nothing is approximated but the posterior.
    inducing : columns beyond that.
    iterations : of the search for hyper-parameters.
    seed : of the sample that inducing points come from.

    Attributes
    ----------
    kernel_, threshold_, evidence_ : what was learned, and its log evidence; converged_ : whether the search ended by
    itself.
    """

    def __init__(
        self,
        *,
        lengths: Any = None,
        amplitude: float | None = None,
        threshold: float | None = None,
        exact: int = 1000,
        inducing: int = 200,
        iterations: int = 50,
        seed: int = 0,
    ) -> None:
        self.lengths = lengths
        self.amplitude = amplitude
        self.threshold = threshold
        self.exact = exact
        self.inducing = inducing
        self.iterations = iterations
        self.seed = seed

    def _learn(self, preferences: Preferences) -> None:
        start, free = self._start(preferences)
        problem = _Problem.of(preferences, whole("exact", self.exact, 1))
        if not problem.small:
            problem = problem.with_pivots(start, whole("inducing", self.inducing, 1), whole("seed", self.seed, 0))
        best: list[Any] = [None, -np.inf, problem.resting]

        def loss(logs: np.ndarray) -> float:
            setting = start.copy()
            setting[free] = np.exp(logs)
            mode = problem.mode(setting, best[2])
            if mode.evidence > best[1]:
                best[:] = setting, mode.evidence, mode.slopes
            return -mode.evidence

        loss(np.log(start[free]))
        self.converged_ = True
        if free.any():
            spread = preferences.shown.std(axis=0)
            scale = np.concatenate([[1.0], np.where(spread > 0, spread, 1.0), [1.0]])
            limits = np.array([AMPLITUDES, *[LENGTHS] * preferences.n_features, THRESHOLDS]) * scale[:, None]
            found = minimize(
                loss, np.log(start[free]), method="L-BFGS-B", bounds=np.log(limits[free]),
                options={"maxiter": whole("iterations", self.iterations, 1), "eps": DIFFERENCE, "ftol": 1e-7},
            )  # fmt: skip
            self.converged_ = bool(found.success)
        setting, self.evidence_, slopes = best
        self.mode_, self.basis_ = problem.mode(setting, slopes), problem.basis(setting)
        self.kernel_, self.threshold_ = self.basis_.kernel, float(setting[-1])

    def _start(self, preferences: Preferences) -> tuple[np.ndarray, np.ndarray]:
        """Amplitude, lengths and threshold to begin with, and which of them are learned."""
        size = preferences.n_features
        deviation = preferences.shown.std(axis=0)
        setting = np.concatenate([[2.0], np.where(deviation > 0, deviation, 1.0) * np.sqrt(size), [0.5]])
        free = np.array([self.amplitude is None, *[self.lengths is None] * size, self.threshold is None])
        if self.amplitude is not None:
            setting[0] = self.amplitude
        if self.lengths is not None:
            setting[1:-1] = self._given_lengths(size)
        if not preferences.has_ties and self.threshold is None:
            setting[-1], free[-1] = 0.0, False
        elif self.threshold is not None:
            setting[-1] = self.threshold
        if not np.all(np.isfinite(setting)) or not np.all(setting[:-1] > 0) or setting[-1] < 0:
            raise InputError(
                "amplitude, lengths and threshold", expected="None or positive numbers (a threshold from 0)",
                got="others", fix="leave them out: they are learned",
            )  # fmt: skip
        if preferences.has_ties and setting[-1] == 0:
            raise InputError("threshold", expected="a number above 0, as there are ties", got="0", fix="use None")
        return setting, free

    def _given_lengths(self, size: int) -> np.ndarray:
        given = np.asarray(self.lengths, float)
        if given.shape not in ((), (size,)):
            raise InputError(
                "lengths", expected=f"None, a number or one for each of {size} features", got=f"shape {given.shape}",
                fix="leave them out: they are learned",
            )  # fmt: skip
        return given

    def reward(self, alternatives: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of f for each alternative (n, features)."""
        self._fitted()
        rows = self.basis_(np.asarray(alternatives, float))
        spread = cho_solve(self.mode_.precision, rows.T).T
        rest = self.kernel_.amplitude - (rows**2).sum(axis=1)
        return rows @ self.mode_.u, np.sqrt(np.maximum((rows * spread).sum(axis=1) + rest, 0.0))

    def _probabilities(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        one, other = self.basis_(left), self.basis_(right)
        difference = one - other
        known = (difference * cho_solve(self.mode_.precision, difference.T).T).sum(axis=1)
        kernel = self.kernel_
        unknown = 2 * (kernel.amplitude - kernel.of_pairs(left, right)) - (difference**2).sum(axis=1)
        deviation = np.sqrt(2.0 + known + np.maximum(unknown, 0.0))
        mean = difference @ self.mode_.u
        first, last = ndtr((mean - self.threshold_) / deviation), ndtr((-mean - self.threshold_) / deviation)
        tie = np.maximum(1 - first - last, 0.0) if self.threshold_ else np.zeros(len(first))
        return np.stack([first, tie, last], axis=1)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Different alternatives, and the pairs between them."""

    items: np.ndarray  # (items, features)
    left: np.ndarray  # (pairs,)
    right: np.ndarray
    counts: np.ndarray  # (pairs, 3)
    small: bool
    pivots: np.ndarray | None = None

    @classmethod
    def of(cls, preferences: Preferences, exact: int) -> _Problem:
        first, which = group_rows(list(preferences.alternatives.T))
        items = preferences.alternatives[first]
        left, right = which[preferences.left], which[preferences.right]
        return cls(items, left, right, preferences.weighted_counts, len(items) <= exact)

    @property
    def resting(self) -> np.ndarray:
        return np.zeros(len(self.items))

    def with_pivots(self, setting: np.ndarray, count: int, seed: int) -> _Problem:
        """The inducing points: of a sample of the alternatives, those that tell most about the others."""
        drawn = np.random.default_rng(seed).permutation(len(self.items))[:SAMPLE]
        found = Basis.of(Kernel(setting[0], setting[1:-1]), self.items[np.sort(drawn)])
        return _Problem(self.items, self.left, self.right, self.counts, False, found.pivots[:count])

    def basis(self, setting: np.ndarray) -> Basis:
        return Basis.of(Kernel(float(setting[0]), setting[1:-1]), self.items if self.pivots is None else self.pivots)

    def mode(self, setting: np.ndarray, slopes: np.ndarray) -> Mode:
        """Newton's method for u, from where the slopes of another setting lead."""
        rows = self.basis(setting)(self.items)
        design, threshold = rows[self.left] - rows[self.right], float(setting[-1])
        u = rows.T @ slopes
        value, gradient, curvature = _pieces(design @ u, self.counts, threshold)
        best = value.sum() - 0.5 * u @ u
        rested = _pieces(np.zeros(len(design)), self.counts, threshold)
        if rested[0].sum() > best:
            u, best, (value, gradient, curvature) = np.zeros_like(u), rested[0].sum(), rested
        for _ in range(STEPS):
            precision = _precision(design, curvature)
            step = cho_solve(precision, design.T @ gradient - u)
            length, before = 1.0, best
            while length > CLOSE:
                tried = u + length * step
                pieces = _pieces(design @ tried, self.counts, threshold)
                now = pieces[0].sum() - 0.5 * tried @ tried
                if now >= best:
                    u, best, (value, gradient, curvature) = tried, now, pieces
                    break
                length /= 2
            if best - before < CLOSE * (1 + abs(best)):
                break
        precision = _precision(design, curvature)
        evidence = best - np.log(np.diag(precision[0])).sum()
        count = len(self.items)
        moved = np.bincount(self.left, gradient, count) - np.bincount(self.right, gradient, count)
        return Mode(float(evidence), u, precision, moved)


def _precision(design: np.ndarray, curvature: np.ndarray) -> Any:
    weighted = design * np.sqrt(curvature)[:, None]
    total = weighted.T @ weighted
    total[np.diag_indices_from(total)] += 1.0
    return cho_factor(total, lower=True)


def _pieces(gap: np.ndarray, counts: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(pairs,) log-likelihood, its slope in the gap f(left) − f(right), and minus its curvature."""
    value, slope, curvature = np.zeros((3, len(gap)))
    for outcome, side in ((LEFT, 1.0), (RIGHT, -1.0)):
        z = (side * gap - threshold) / ROOT2
        log = log_ndtr(z)
        ratio = np.exp(-0.5 * z**2 - log) / np.sqrt(2 * np.pi)
        value += counts[:, outcome] * log
        slope += counts[:, outcome] * side * ratio / ROOT2
        curvature += counts[:, outcome] * ratio * (ratio + z) / 2
    if counts[:, TIE].any():
        high, low = (threshold - gap) / ROOT2, (-threshold - gap) / ROOT2
        near = np.abs(gap)  # Φ(high) − Φ(low) in the tail where it does not cancel
        middle = np.maximum(ndtr((threshold - near) / ROOT2) - ndtr((-threshold - near) / ROOT2), NEAREST)
        densities = np.exp(-0.5 * high**2) / np.sqrt(2 * np.pi), np.exp(-0.5 * low**2) / np.sqrt(2 * np.pi)
        first = -(densities[0] - densities[1]) / middle / ROOT2
        second = -(high * densities[0] - low * densities[1]) / middle / 2
        value += counts[:, TIE] * np.log(middle)
        slope += counts[:, TIE] * first
        curvature += counts[:, TIE] * (first**2 - second)
    return value, slope, np.maximum(curvature, 0.0)
