"""Laplace's method: a Gaussian around each optimum of the posterior, within the bounds, weighted by its mass.

Around an optimum the log-posterior is −value − g·(θ − θ̂) − ½ (θ − θ̂)ᵀ H (θ − θ̂); g is zero but where a bound holds a
coordinate. That is a Gaussian around θ̂ − H⁻¹g, cut off at the bounds. It is drawn from coordinate by coordinate, each
given those before and within its bounds; the probabilities of staying within them are the weights of the draws, and
their mean the mass that is left (the simulator of Geweke, Hajivassiliou and Keane).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from lori.inference.estimates import Optimum

PROPOSALS = 8  # weighted draws for each that is kept
CENTRES, DEGREES = 400, 5.0  # of the kernels
WIDEST = 2.0  # in directions of which the data say nothing: so many prior scales, or standardised units without prior


@dataclass(frozen=True, eq=False)
class Gaussian:
    """One optimum's part of the posterior, with equally likely draws from it."""

    mean: np.ndarray
    factor: np.ndarray  # Cholesky factor of the covariance before the bounds cut
    log_inside: float  # log of the share that the bounds leave
    log_mass: float  # log of its integral; with a proper prior, of its share of the evidence
    flat: bool  # some direction is wider than the data can tell
    draws: np.ndarray  # (draws, parameters)

    def log_density(self, vectors: np.ndarray) -> np.ndarray:
        """Of vectors (draws, parameters) within the bounds."""
        away = linalg.solve_triangular(self.factor, (vectors - self.mean).T, lower=True)
        log_determinant = np.sum(np.log(np.diag(self.factor)))
        constant = 0.5 * len(self.mean) * np.log(2 * np.pi) + log_determinant + self.log_inside
        return -0.5 * np.sum(away**2, axis=0) - constant


def around(optimum: Optimum, count: int, generator: np.random.Generator, width: float = 1.0) -> Gaussian:
    """The Gaussian at one optimum, `width` times as wide as its curvature says (its mass stays that of width 1)."""
    assert optimum.gradient is not None
    assert optimum.curvature is not None
    specification = optimum.units.specification
    scales = np.ones(len(optimum.vector)) if optimum.prior is None else optimum.prior.scales(specification)
    scales = np.where(np.isfinite(scales), scales, 1.0)
    eigenvalues, vectors = np.linalg.eigh(scales[:, None] * optimum.curvature * scales)
    flat = eigenvalues < WIDEST**-2
    eigenvalues = np.where(flat, WIDEST**-2, eigenvalues) / width**2
    covariance = scales[:, None] * (vectors / eigenvalues @ vectors.T) * scales
    shift = covariance @ optimum.gradient / width**2
    mean = optimum.vector - shift
    draws, log_weights = _within(mean, covariance, specification.bounds, PROPOSALS * count, generator)
    log_inside = float(special.logsumexp(log_weights) - np.log(len(log_weights)))
    chosen = systematic(np.exp(log_weights - special.logsumexp(log_weights)), count, generator)
    log_determinant = np.sum(2 * np.log(scales) - np.log(eigenvalues) - 2 * np.log(width))
    constant = 0.0 if optimum.prior is None else optimum.prior.log_constant(specification)
    height = constant - optimum.value + 0.5 * optimum.gradient @ shift
    log_mass = height + 0.5 * (len(scales) * np.log(2 * np.pi) + log_determinant) + log_inside
    factor = np.linalg.cholesky(covariance)
    return Gaussian(mean, factor, log_inside, float(log_mass), bool(flat.any()), draws[chosen])


@dataclass(frozen=True, eq=False)
class Mixture:
    """The Gaussians of all optima in proportion to their masses; wider ones beside them catch what they miss."""

    parts: list[Gaussian]
    shares: np.ndarray
    draws: np.ndarray  # (draws, parameters)
    log_mass: float
    flat: bool  # is some direction of the heaviest optimum wider than the data can tell?

    @classmethod
    def of(
        cls,
        optima: Sequence[Optimum],
        count: int,
        generator: np.random.Generator,
        widths: dict[float, float] = {1.0: 1.0},  # noqa: B006 (it is only read)
    ) -> Mixture:
        """`widths` are those of the Gaussians at each optimum, with their shares."""
        parts = [around(optimum, count, generator, width) for width in widths for optimum in optima]
        log_mass = np.array([part.log_mass for part in parts[: len(optima)]])
        total = float(special.logsumexp(log_mass))
        shares = np.concatenate([share * np.exp(log_mass - total) for share in widths.values()])
        numbers = np.bincount(systematic(shares, count, generator), minlength=len(parts))
        draws = [part.draws[generator.permutation(count)[:number]] for part, number in zip(parts, numbers, strict=True)]
        flat = parts[int(log_mass.argmax())].flat
        return cls(parts, shares, generator.permutation(np.concatenate(draws)), total, flat)

    def log_density(self, vectors: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            log_shares = np.log(self.shares)
        return special.logsumexp(
            [share + part.log_density(vectors) for share, part in zip(log_shares, self.parts, strict=True)], axis=0
        )


@dataclass(frozen=True, eq=False)
class Kernels:
    """Student-t densities around draws that were found to be probable: a proposal of any shape (West 1993)."""

    centres: np.ndarray  # (centres, parameters)
    factor: np.ndarray  # Cholesky factor of the shape of each

    @classmethod
    def of(cls, draws: np.ndarray, shares: np.ndarray, generator: np.random.Generator) -> Kernels:
        """Kernels for weighted draws (draws, parameters)."""
        size = draws.shape[1]
        centred = draws - shares @ draws
        covariance = (centred * shares[:, None]).T @ centred
        covariance += 1e-9 * np.diag(np.diag(covariance)) + 1e-14 * np.eye(size)
        effective = 1 / np.sum(shares**2)
        narrowed = (4 / ((size + 2) * effective)) ** (1 / (size + 4))  # Silverman's rule
        centres = draws[systematic(shares, CENTRES, generator)]
        return cls(centres, narrowed * np.linalg.cholesky(covariance))

    def draw(self, count: int, generator: np.random.Generator) -> np.ndarray:
        size = self.centres.shape[1]
        stretch = np.sqrt(DEGREES / generator.chisquare(DEGREES, size=(count, 1)))
        moves = stretch * generator.normal(size=(count, size)) @ self.factor.T
        return self.centres[generator.integers(len(self.centres), size=count)] + moves

    def log_density(self, vectors: np.ndarray) -> np.ndarray:
        size = self.centres.shape[1]
        own, others = (linalg.solve_triangular(self.factor, x.T, lower=True).T for x in (vectors, self.centres))
        squares = np.sum(own**2, axis=1)[:, None] + np.sum(others**2, axis=1) - 2 * own @ others.T
        kernels = -(DEGREES + size) / 2 * np.log1p(np.maximum(squares, 0.0) / DEGREES)
        constant = special.gammaln((DEGREES + size) / 2) - special.gammaln(DEGREES / 2)
        constant -= 0.5 * size * np.log(DEGREES * np.pi) + np.sum(np.log(np.diag(self.factor)))
        return constant + special.logsumexp(kernels, axis=1) - np.log(len(self.centres))


def systematic(shares: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """`count` places in proportion to their shares, by systematic resampling."""
    points = (np.arange(count) + generator.uniform()) / count
    return np.minimum(np.searchsorted(np.cumsum(shares), points), len(shares) - 1)


def _within(
    mean: np.ndarray,
    covariance: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    count: int,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Draws of a Gaussian within bounds, with their log weights. Bounded coordinates come first."""
    lower, upper = bounds
    order = np.argsort(~(np.isfinite(lower) | np.isfinite(upper)), kind="stable")
    factor = np.linalg.cholesky(covariance[np.ix_(order, order)])
    normal = np.zeros((count, len(order)))
    log_weights = np.zeros(count)
    for place, coordinate in enumerate(order):
        centre = mean[coordinate] + normal[:, :place] @ factor[place, :place]
        low = (lower[coordinate] - centre) / factor[place, place]
        high = (upper[coordinate] - centre) / factor[place, place]
        turned = low > 0  # the tail that is far out is computed from the other side, where digits are not lost
        low, high = np.where(turned, -high, low), np.where(turned, -low, high)
        below, above = special.log_ndtr(low), special.log_ndtr(high)
        inside = above + np.log(-np.expm1(np.minimum(below - above, -1e-300)))
        uniform = np.log(generator.uniform(size=count))
        drawn = special.ndtri_exp(np.minimum(np.logaddexp(below, inside + uniform), 0.0))
        normal[:, place] = np.where(turned, -drawn, drawn)
        log_weights += inside
    draws = np.empty_like(normal)
    draws[:, order] = normal @ factor.T
    return np.clip(draws + mean, lower, upper), log_weights
