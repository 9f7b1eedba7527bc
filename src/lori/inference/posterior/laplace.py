"""Laplace's method: a Gaussian around each optimum of the posterior, within the bounds, weighted by its mass.

Around an optimum the log-posterior is −value − g·(θ − θ̂) − ½ (θ − θ̂)ᵀ H (θ − θ̂); g is zero but where a bound holds a
coordinate. That is a Gaussian around θ̂ − H⁻¹g, cut off at the bounds. It is drawn from coordinate by coordinate, each
given those before and within its bounds; the probabilities of staying within them are the weights of the draws, and
their mean the mass that is left (the simulator of Geweke, Hajivassiliou and Keane). The points behind the draws are
spread evenly (a Sobol sequence, shifted at random), so that fewer of them do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lgamma

import numpy as np

from lori.inference.estimates import Optimum
from lori.inference.posterior.sobol import spread_points
from lori.model.normal import log_probability, quantiles, quantiles_of_logs
from lori.model.priors import Prior
from lori.model.specification import Specification

PROBES = 256  # draws from which the mass of a Gaussian within its bounds is told
AT_LEAST = 0.1  # of the draws are shared out evenly among the optima, whatever their masses
BESIDE = 0.3  # of the draws are around points beside the optima, where there are some
ROOM = 1 << 22  # numbers of the factors of all draws that are made together
CENTRES, DEGREES = 100, 5  # of the kernels
WIDEST = 2.0  # in directions of which the data say nothing: so many prior scales, or standardised units without prior


@dataclass(frozen=True, eq=False)
class Gaussian:
    """One optimum's part of the posterior, drawn from coordinate by coordinate; bounded ones come first.

    Or those of several, `beside` each other, whose arrays have two leading axes: theirs, and one for draws.
    """

    mean: np.ndarray
    covariance: np.ndarray  # before the bounds cut
    lower: np.ndarray
    upper: np.ndarray
    log_height: float  # log of the integral if there were no bounds
    flat: bool  # some direction is wider than the data can tell

    @classmethod
    def around(cls, optimum: Optimum, width: float = 1.0) -> Gaussian:
        """`width` times as wide as the curvature at the optimum says."""
        assert optimum.gradient is not None
        assert optimum.curvature is not None
        specification = optimum.units.specification
        scales = scales_of(optimum.prior, specification)
        constant = 0.0 if optimum.prior is None else optimum.prior.log_constant(specification)
        return cls.at(
            optimum.vector, optimum.gradient, optimum.curvature, specification.bounds, scales, width,
            constant - optimum.value,
        )  # fmt: skip

    @classmethod
    def at(
        cls,
        vector: np.ndarray,
        gradient: np.ndarray,
        curvature: np.ndarray,
        bounds: tuple[np.ndarray, np.ndarray],
        scales: np.ndarray,
        width: float = 1.0,
        log_peak: float = 0.0,
    ) -> Gaussian:
        """Of an optimum with this log-posterior; `scales` are those on which parameters are wide or narrow."""
        eigenvalues, vectors = np.linalg.eigh(scales[:, None] * curvature * scales)
        flat = eigenvalues < WIDEST**-2
        eigenvalues = np.where(flat, WIDEST**-2, eigenvalues)
        covariance = scales[:, None] * (vectors / eigenvalues @ vectors.T) * scales
        shift = covariance @ gradient
        log_determinant = np.sum(2 * np.log(scales) - np.log(eigenvalues))
        peak = log_peak + 0.5 * gradient @ shift
        log_height = peak + 0.5 * (len(scales) * np.log(2 * np.pi) + log_determinant)
        return cls(vector - shift, width**2 * covariance, *bounds, float(log_height), bool(flat.any()))

    @classmethod
    def beside(cls, parts: Sequence[Gaussian]) -> Gaussian:
        """Several, which are drawn from and asked together: one by one, each of few draws takes as long as of many."""
        mean, covariance = (np.stack([getattr(own, name) for own in parts])[:, None] for name in ("mean", "covariance"))
        return replace(parts[0], mean=mean, covariance=covariance)

    def draw(self, points: np.ndarray, which: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Draws within the bounds from points of the unit cube, and their log weights; `which` says of whom each is."""
        mean, factor = (own if which is None else own[which, 0] for own in (self.mean, self._factor))
        normal, log_weights = np.empty_like(points), np.zeros(len(points))
        for place in range(self._bounded):
            low, high, turned = self._cut(normal, place, mean, factor)
            below, above = log_probability(low), log_probability(high)
            inside = above + np.log(-np.expm1(np.minimum(below - above, -1e-300)))
            drawn = quantiles_of_logs(np.minimum(np.logaddexp(below, inside + np.log(points[:, place])), 0.0))
            normal[:, place] = np.where(turned, -drawn, drawn)
            log_weights += inside
        normal[:, self._bounded :] = quantiles(points[:, self._bounded :])
        draws = np.empty_like(normal)
        draws[:, self._order] = np.einsum("...ij,...j->...i", factor, normal)
        return np.clip(draws + mean, self.lower, self.upper), log_weights

    def log_density(self, vectors: np.ndarray) -> np.ndarray:
        """Of what `draw` makes, at vectors (vectors, parameters) within the bounds; of several (parts, vectors)."""
        away = np.einsum("...ij,...j->...i", self._inverse, vectors[:, self._order] - self.mean[..., self._order])
        density = -0.5 * np.sum(away**2, axis=-1) - 0.5 * away.shape[-1] * np.log(2 * np.pi)
        density -= np.sum(np.log(np.diagonal(self._factor, axis1=-2, axis2=-1)), axis=-1)
        for place in range(self._bounded):
            density -= self._log_inside(away, place)
        return density

    @cached_property
    def log_mass(self) -> float:
        """Log of its integral within the bounds; with a proper prior, of its share of the evidence."""
        if not self._bounded:
            return self.log_height
        _, log_weights = self.draw(spread_points(PROBES, len(self.mean)))
        return self.log_height + float(np.logaddexp.reduce(log_weights) - np.log(PROBES))

    @cached_property
    def _order(self) -> np.ndarray:
        return np.argsort(~(np.isfinite(self.lower) | np.isfinite(self.upper)), kind="stable")

    @cached_property
    def _bounded(self) -> int:
        return int(np.sum(np.isfinite(self.lower) | np.isfinite(self.upper)))

    @cached_property
    def _factor(self) -> np.ndarray:
        return np.linalg.cholesky(self.covariance[..., self._order[:, None], self._order])

    @cached_property
    def _inverse(self) -> np.ndarray:
        return np.linalg.inv(self._factor)

    def _between(
        self, normal: np.ndarray, place: int, mean: np.ndarray, factor: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of a standard normal coordinate given those before it."""
        coordinate, own = self._order[place], factor[..., place, :]
        centre = mean[..., coordinate] + np.einsum("...j,...j->...", normal[..., :place], own[..., :place])
        return (self.lower[coordinate] - centre) / own[..., place], (self.upper[coordinate] - centre) / own[..., place]

    def _cut(
        self, normal: np.ndarray, place: int, mean: np.ndarray, factor: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same, where a far tail is seen from the other side."""
        low, high = self._between(normal, place, mean, factor)
        turned = low > 0  # where digits would be lost
        return np.where(turned, -high, low), np.where(turned, -low, high), turned

    def _log_inside(self, normal: np.ndarray, place: int) -> np.ndarray:
        """The log-probability that the coordinate is between its bounds: of one tail where there is one bound only."""
        coordinate, known = self._order[place], (self.mean, self._factor)
        if np.isinf(self.upper[coordinate]):
            return log_probability(-self._between(normal, place, *known)[0])
        if np.isinf(self.lower[coordinate]):
            return log_probability(self._between(normal, place, *known)[1])
        low, high, _ = self._cut(normal, place, *known)
        below, above = log_probability(low), log_probability(high)
        return above + np.log(-np.expm1(np.minimum(below - above, -1e-300)))


@dataclass(frozen=True, eq=False)
class Mixture:
    """The Gaussians of all optima in proportion to their masses; wider ones beside them catch what they miss."""

    parts: Gaussian  # beside each other
    shares: np.ndarray  # of the draws
    draws: np.ndarray  # (draws, parameters)
    log_weights: np.ndarray  # (draws,) that make them draws of the Gaussians within their bounds, if none is wider
    log_mass: float
    flat: bool  # is some direction of the heaviest optimum wider than the data can tell?

    @classmethod
    def of(
        cls,
        optima: Sequence[Optimum],
        count: int,
        generator: np.random.Generator,
        widths: dict[float, float] = {1.0: 1.0},  # noqa: B006 (it is only read)
        beside: Sequence[Optimum] = (),
    ) -> Mixture:
        """`widths` are those of the Gaussians at each optimum, with their shares; those around points `beside` the
        optima have the share `BESIDE` and are no part of the mass."""
        plain = [Gaussian.around(optimum) for optimum in optima]
        parts = [part if width == 1 else Gaussian.around(optimum, width)
                 for width in widths for optimum, part in zip(optima, plain, strict=True)]  # fmt: skip
        log_mass = np.array([part.log_mass for part in plain])
        total = float(np.logaddexp.reduce(log_mass))
        mass = np.exp(log_mass - total)
        each = (1 - AT_LEAST) * mass + AT_LEAST / len(optima)
        shares = np.concatenate([share * each for share in widths.values()])
        weights = np.tile(mass, len(widths))
        if beside:
            parts += [Gaussian.around(point) for point in beside]
            shares = np.append((1 - BESIDE) * shares, np.full(len(beside), BESIDE / len(beside)))
            weights = np.append(weights, np.zeros(len(beside)))
        numbers = np.bincount(systematic(shares, count, generator), minlength=len(parts))
        points = (spread_points(count, len(optima[0].vector)) + generator.uniform(size=len(optima[0].vector))) % 1.0
        points = np.clip(points, 1e-12, 1 - 1e-12)
        together, which = Gaussian.beside(parts), np.repeat(np.arange(len(parts)), numbers)
        some = np.array_split(np.arange(count), -(-count * points.shape[1] ** 2 // ROOM))
        drawn = [together.draw(points[own], which[own]) for own in some]
        draws, log_inside = (np.concatenate(own) for own in zip(*drawn, strict=True))
        log_weights = log_inside + np.log(np.maximum(weights[which], 1e-300)) - np.log(shares[which])
        return cls(together, shares, draws, log_weights, total, plain[int(mass.argmax())].flat)

    def log_density(self, vectors: np.ndarray) -> np.ndarray:
        """Of what the draws come from."""
        with np.errstate(divide="ignore"):
            log_shares = np.log(self.shares)
        return np.logaddexp.reduce(log_shares[:, None] + self.parts.log_density(vectors), axis=0)


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
        effective = min(1 / np.sum(shares**2), CENTRES)
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
        inverse = np.linalg.inv(self.factor)
        own, others = (_whitened(x, inverse) for x in (vectors, self.centres))
        squares = np.einsum("ij,kj->ik", -2 * own, others)
        squares += np.sum(own**2, axis=1)[:, None]
        squares += np.sum(others**2, axis=1)
        heights = 1 / (1 + np.maximum(squares, 0.0, out=squares) / DEGREES)
        kernels = _half_power(heights, DEGREES + size)
        constant = lgamma((DEGREES + size) / 2) - lgamma(DEGREES / 2)
        constant -= 0.5 * size * np.log(DEGREES * np.pi) + np.sum(np.log(np.diag(self.factor)))
        return constant + np.log(np.maximum(kernels.mean(axis=1), 1e-300))


def scales_of(prior: Prior | None, specification: Specification) -> np.ndarray:
    """(parameters,) of the prior; one, in standardised units, where nothing is believed."""
    scales = np.ones(specification.size) if prior is None else prior.scales(specification)
    return np.where(np.isfinite(scales), scales, 1.0)


def _half_power(x: np.ndarray, count: int) -> np.ndarray:
    """x^(count/2) by multiplications and a root: a tenth of the time that logarithms take."""
    found = np.sqrt(x) if count % 2 else np.ones_like(x)
    whole = count // 2
    while whole:
        if whole % 2:
            found *= x
        whole //= 2
        if whole:
            x = x * x
    return found


def _whitened(vectors: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Vectors times the inverse of a factor; without a library's threads, which cost more than so small a product."""
    return np.einsum("ij,kj->ik", vectors, inverse)


def systematic(shares: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """`count` places in proportion to their shares, by systematic resampling in a random order.

    Points that were spread evenly are not in a random order: every eighth of them lie in a corner of the cube.
    """
    order = generator.permutation(len(shares))
    points = (np.arange(count) + generator.uniform()) / count
    return order[np.minimum(np.searchsorted(np.cumsum(shares[order]), points), len(shares) - 1)]
