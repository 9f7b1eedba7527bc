"""Intervals: how precisely is each reported number known? Its standard error and 95 % interval, from draws.

Where the likelihood is not quadratic (thresholds near zero, weights of levels that hardly decide) intervals from its
curvature do not cover. So every interval is one of the posterior at the fit: from draws that importance sampling has
weighted, for all groups of a fit as one batch. A number that cannot be below zero has an interval that begins there
unless the posterior is less dense at zero than at the other end: whether zero is in it is a matter of evidence.

Draws take choices as independent and the likelihood as right. Where standard errors do not (`robust`, `clustered`) the
draws are stretched around their optimum until their covariance is the sandwich (the open-faced sandwich adjustment of
Shaby 2014), by a little more for few clusters (Student's t), and cut at the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lori.inference.estimates import Optimum, Reported, Sandwich, Uncertainty
from lori.inference.posterior.draws import reaches_zero
from lori.inference.posterior.importance import CORRECTED, Weighted, gaussian, weigh, with_rivals
from lori.inference.posterior.laplace import Gaussian, systematic
from lori.inference.problem import Problem
from lori.inference.sources.memory import Memory
from lori.model.quantity import NORMAL_95, Precision, Quantity

PROBABILITY = 0.95
MOST, FEWEST = 2048, 256  # proposals for each group
EXPLORING = 512  # at least, where places are looked for that Gaussians miss
TOGETHER = 1 << 16  # proposals for all groups that take no time worth mentioning
LABORIOUS = 12_000_000  # proposals times rows that take long, as those of sets do, or where there is one hill to draw
# from, without long tails; elsewhere `CORRECTED`
MANY = 1000  # rows for each parameter, from which on the posterior of a concave likelihood is as good as Gaussian
KEPT = 200  # draws that a model keeps, for figures
REACHED = 2.0  # deviations for each parameter: what wider Gaussians propose as well as what is nearer
TRUSTED = 0.02  # effective draws, as a share of all or of so many, below which there is no interval
NEGLIGIBLE = 1e-6  # of an interval's length: as good as zero
ONE_SIGMA = 0.6826894921370859

Bounds = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws (draws, parameters) for the intervals of one group, with their shares."""

    vectors: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, weighted: Weighted, known: Uncertainty) -> Drawn | None:
        """None if so few draws are effective that they say nothing about the posterior."""
        if weighted.effective < TRUSTED * min(len(weighted.shares), MOST):
            return None
        vectors = weighted.draws if known.sandwich is None else stretched(weighted, known.sandwich)
        bounds = weighted.optima[0].units.specification.bounds
        for direction in known.flat:
            vectors = smallest(vectors, direction, bounds)
        return cls(vectors, weighted.shares)

    def resampled(self, generator: np.random.Generator) -> np.ndarray:
        """(draws, parameters) as many as a model keeps, equally likely."""
        return self.vectors[systematic(self.shares, KEPT, generator)]


def draw(
    problem: Problem,
    optima: Sequence[Optimum],
    rivals: Sequence[np.ndarray],
    known: Sequence[Uncertainty],
    generator: np.random.Generator,
) -> list[Drawn | None]:
    """Draws for the intervals of each group: as many as can be had at once, of the Gaussians alone for many rows."""
    specification, groups = problem.specification, problem.source.groups
    quick, one_hill = specification.likelihood.quick, specification.concave
    count, rows = MOST, problem.source.rows * specification.likelihood.effort
    budget = CORRECTED if quick and not one_hill else LABORIOUS
    while count > FEWEST and (count * rows > budget or count * groups > TOGETHER):
        count //= 2
    many = count * rows > CORRECTED or not isinstance(problem.source, Memory)  # a pass over files takes too long
    if many or (one_hill and problem.source.rows >= MANY * specification.size * groups):  # the posterior is a Gaussian
        found = [gaussian([own], MOST, generator) for own in optima]
    else:
        apart = [out_of_reach(own, some) for own, some in zip(optima, rivals, strict=True)]
        few = rows * (EXPLORING if quick else MOST) <= budget * groups  # else it takes too long
        everywhere = few and not one_hill
        found = weigh(problem, with_rivals(problem, optima, apart), count, generator, everywhere=everywhere)
    return [Drawn.of(own, each) for own, each in zip(found, known, strict=True)]


def out_of_reach(best: Optimum, rivals: np.ndarray) -> np.ndarray:
    """The rivals (rivals, parameters) that need draws of their own.

    A search leaves rivals where they are when it knows the best, some of them on their way to it. What is not farther
    from it than draws of a Gaussian twice as wide are as a rule, wider Gaussians propose anyway.
    """
    if not len(rivals):
        return rivals
    away = rivals - best.vector
    distance = np.sum(away * np.linalg.solve(Gaussian.around(best).covariance, away.T).T, axis=1)
    return rivals[distance > REACHED**2 * len(best.vector)]


def smallest(vectors: np.ndarray, direction: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Draws moved along a direction that changes nothing, until they are as small as the bounds allow.

    Of features that move together only the joint effect is known. An estimate is told with the smallest weights that
    produce it, and so are the draws that it is compared with.
    """
    moving = np.flatnonzero(direction)
    with np.errstate(invalid="ignore"):
        ends = np.stack([(vectors[:, moving] - bound[moving]) / direction[moving] for bound in bounds])
    least, most = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
    return vectors - np.clip(vectors @ direction, least, most)[:, None] * direction


def stretched(weighted: Weighted, sandwich: Sandwich) -> np.ndarray:
    """The draws around their optima, such that around the best one their covariance is the sandwich.

    With H⁻¹ = C Cᵀ and J the variance of the score, C (Cᵀ J C)^½ C⁻¹ takes a covariance of H⁻¹ to H⁻¹ J H⁻¹.
    """
    best = weighted.optima[0]
    parts = [Gaussian.around(optimum) for optimum in weighted.optima]
    factor = np.linalg.cholesky(parts[0].covariance)
    values, vectors = np.linalg.eigh(sandwich.whitened(factor))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    stretch = sandwich.quantile / NORMAL_95 * factor @ np.linalg.solve(factor.T, root.T).T
    nearest = np.argmax([part.log_height + part.log_density(weighted.draws) for part in parts], axis=0)
    centres = np.stack([optimum.vector for optimum in weighted.optima])[nearest]
    lower, upper = best.units.specification.bounds
    return np.clip(centres + (weighted.draws - centres) @ stretch.T, lower, upper)


def precision(optimum: Optimum, drawn: Drawn | None, known: Uncertainty) -> list[Reported]:
    """For each level the `Precision` of its reported numbers, of the same shapes.

    Standard errors are those of the delta method. Where a bound holds some parameter, which that method takes for
    known, they are half the range of the middle 68 % of the draws. Without draws there are no intervals.
    """
    units, vector = optimum.units, optimum.vector
    errors = units.standard_errors(vector, known.covariance)
    if drawn is None:
        return [Reported(*(_each(lambda error: Precision(float(error)), part) for part in level)) for level in errors]
    # A number is told by the data if it depends on some parameter, and on none that is not identified.
    told = units.standard_errors(vector, np.where(np.isnan(known.covariance), np.nan, np.eye(len(vector))))
    by_draws = bool(known.at_bound.any())

    def one(draws: np.ndarray, value: float, error: float, is_told: float, sign: float) -> Precision:
        if not np.isfinite(is_told):
            return Precision()
        return _precision(draws, drawn, value, np.nan if by_draws else error, sign)

    return [
        Reported(
            *(
                _each(one, np.moveaxis(np.asarray(part), 0, -1), *others)
                for part, *others in zip(draws, *level, strict=True)
            )
        )
        for draws, *level in zip(
            units.of_draws(drawn.vectors), units.reported(vector), errors, told, _signs(optimum), strict=True
        )
    ]


def lapse(optimum: Optimum, drawn: Drawn | None, known: Uncertainty) -> Quantity | None:
    """The rate of slips, where it was learned."""
    slot = optimum.units.specification.lapse_slot
    if slot is None:
        return None
    value, error = optimum.units.lapse(optimum.vector), float(np.sqrt(known.covariance[slot, slot]))
    if drawn is None or np.isnan(error):
        return Quantity.of(value, Precision(error))
    error = np.nan if known.at_bound.any() else error
    return Quantity.of(value, _precision(drawn.vectors[:, slot], drawn, value, error, sign=1))


def _precision(draws: np.ndarray, drawn: Drawn, value: float, error: float, sign: float) -> Precision:
    """Of a number with these draws and this standard error; NaN: the draws tell it."""
    if np.isnan(error):
        low, high = quantiles(draws, [(1 - ONE_SIGMA) / 2, (1 + ONE_SIGMA) / 2], drawn.shares)
        error = (high - low) / 2
    low, high = interval(draws, PROBABILITY, drawn.shares, sign, value)
    known_ends = np.isfinite(low) and np.isfinite(high)
    return Precision(float(error), (min(low, value), max(high, value)) if known_ends else None)


def interval(
    draws: np.ndarray, probability: float, shares: np.ndarray | None = None, sign: float = 0, value: float | None = None
) -> Bounds:
    """Central interval of draws of a number; `sign` is 1 if it cannot be negative and −1 if it cannot be positive.

    Such a number's interval begins at zero, with all that it leaves out at the other end, if its density at zero is not
    below that at the other end, or if its best `value` is zero.
    """
    if sign:
        size = sign * draws
        (end,) = quantiles(size, [probability], shares)
        at_best = value is not None and abs(value) <= NEGLIGIBLE * end
        if at_best or reaches_zero(size, end, shares):
            return (0.0, float(end)) if sign > 0 else (-float(end), 0.0)
    low, high = quantiles(draws, [(1 - probability) / 2, (1 + probability) / 2], shares)
    return float(low), float(high)


def quantiles(draws: np.ndarray, probabilities: Sequence[float], shares: np.ndarray | None = None) -> np.ndarray:
    """Quantiles of draws (draws,) with shares of a distribution."""
    if shares is None:
        return np.quantile(draws, probabilities)
    order = np.argsort(draws)
    reached = np.cumsum(shares[order]) - shares[order] / 2
    return np.interp(probabilities, reached, draws[order])


def _signs(optimum: Optimum) -> list[Reported]:
    """Of each number: 1 if it cannot be negative, −1 if it cannot be positive, 0 else."""
    specification = optimum.units.specification
    levels = []
    for reward in specification.rewards:
        lower, upper = reward.bounds(specification.features)
        own = (lower == 0).astype(float) - (upper == 0)
        weights = reward.weights(own)
        levels.append(Reported(own, np.ones(()), np.ones(()), np.ones(0 if weights is None else len(weights))))
    return levels


def _each(function: Callable[..., Precision], *arrays: Any) -> Any:
    """A function of the places of arrays, of the last axis too where the first one has one more."""
    first, *others = (np.asarray(array) for array in arrays)
    made = np.empty(others[0].shape if others else first.shape, object)
    for place in np.ndindex(made.shape):
        made[place] = function(first[place], *(float(other[place]) for other in others))
    return made if made.ndim else made.item()
