"""Prior: what is believed before any data, weakly and in standardised units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma
from typing import Any

import numpy as np

from lori.errors import InputError
from lori.model.engines import special
from lori.model.specification import Specification

MANY = 20.0  # the larger number of a Beta density up to which a short series tells its distribution function


@dataclass(frozen=True)
class Prior:
    """Independent Student-t densities, cut off where a parameter is bounded.

    Features have deviation 1 and α = 1 inside a fit, so a weight is the log-odds that one deviation is worth
    and a threshold is in the same units. Student-t with three degrees of freedom and scale 2.5 keeps separable
    data finite and leaves strong, well supported weights nearly alone (heavy tails). For decision-makers who
    hardly err, whose weights are 50 and more, `Prior(degrees=1)`, the Cauchy density, shrinks less.

    A third level speaks only where the second one's threshold is above zero, and so on down the ladder. An inner
    threshold is therefore one of two things: like any other, if the level below it speaks; else next to zero, of the
    small scale `deeper`, so that this level never speaks. Of a level beyond the second it is believed that it speaks
    with such a probability that it costs `price` units of log-likelihood for each parameter that it brings (1, as in
    Akaike's criterion), however large its threshold. And a fit lets it speak only if the evidence is for it
    (`lori.inference.evidence`). Without this every further level would fit some noise; `price=0` treats all thresholds
    alike and lets every level speak, and `price=None` is one density of the scale `deeper`, whose price grows with
    the threshold. Where ties are observed all thresholds have the scale `epsilon`: a tie needs every
    one of them above zero, and a level that has nothing to say passes decisions on by a large threshold.

    A learned lapse rate has a Beta density with the two numbers `lapse`: by default slips are likelier rare than
    frequent (90 % of it lie between 0.7 and 27 %, the mode at 1 %), and nobody is believed never to slip, so that no
    answer which a question offers is impossible. The nearer its first number is to 1, the better do intervals cover
    the probabilities of people who never slip.
    """

    weights: float = 2.5
    epsilon: float = 2.5
    degrees: float = 3.0
    deeper: float = 0.02
    lapse: tuple[float, float] = (1.1, 10.0)
    price: float | None = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "lapse", tuple(np.ravel(self.lapse).tolist()))  # files have lists
        if self.price is not None and not 0 <= self.price < np.inf:
            raise InputError("prior.price", expected="a number from 0", got=str(self.price), fix="use the default")
        for name, value in vars(self).items():
            if name != "price" and not np.all(np.isfinite(value) & np.greater(value, 0)):
                raise InputError(f"prior.{name}", expected="a positive number", got=str(value), fix="use the default")
        if len(self.lapse) != 2:
            raise InputError(
                "prior.lapse", expected="the two numbers of a Beta density", got=str(self.lapse), fix="use the default"
            )

    def scales(self, specification: Specification) -> np.ndarray:
        """The scale of each free parameter; infinite where nothing is believed. That of a lapse rate is its mean.

        That of an inner threshold is the one which it has if the level below it speaks.
        """
        return _scales(self, specification).copy()

    def log_density(self, vector: Any, specification: Specification) -> Any:
        """Up to a constant: −(ν + 1)/2 Σ log(1 + (θ/scale)²/ν); an infinite scale contributes nothing.

        A lapse rate λ contributes (a − 1) log λ + (b − 1) log(1 − λ). `vector` may be an array of NumPy or a traced one
        of JAX: this is the only place that knows the density.
        """
        numbers, scales = vector.__array_namespace__(), self._student_scales(specification)
        told = numbers.sum(self._student(vector / scales, numbers), axis=-1)
        inner = self._inner(specification)
        if self.price and len(inner):
            silent = self._student(vector[..., inner] / self.deeper, numbers)
            speaking = self._student(vector[..., inner] / self.epsilon, numbers)
            higher = self._log_heights(specification) + silent - speaking
            told = told + numbers.sum(numbers.logaddexp(0.0 * higher, higher), axis=-1)
        if specification.lapse_slot is None:
            return told
        rate, (often, seldom) = vector[..., specification.lapse_slot], self.lapse
        return told + (often - 1) * numbers.log(rate) + (seldom - 1) * numbers.log1p(-rate)

    def slopes(self, vector: np.ndarray, specification: Specification) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivative of `log_density` by each parameter."""
        first, second = self._student_slopes(vector, self._student_scales(specification))
        inner = self._inner(specification)
        if self.price and len(inner):
            own = vector[..., inner]
            higher = self._student(own / self.deeper, np) - self._student(own / self.epsilon, np)
            share = special.expit(self._log_heights(specification) + higher)
            slope, bend = self._student_slopes(own, self.deeper)
            apart = slope - first[..., inner]
            first[..., inner] += share * apart
            second[..., inner] += share * (bend - second[..., inner]) + share * (1 - share) * apart**2
        if specification.lapse_slot is not None:
            rate, (often, seldom) = vector[..., specification.lapse_slot], self.lapse
            first[..., specification.lapse_slot] = (often - 1) / rate - (seldom - 1) / (1 - rate)
            second[..., specification.lapse_slot] = -(often - 1) / rate**2 - (seldom - 1) / (1 - rate) ** 2
        return first, second

    def log_constant(self, specification: Specification) -> float:
        """What `log_density` leaves out: with it, the density integrates to one within the bounds.

        Parameters of which nothing is believed do not enter.
        """
        scales = self._student_scales(specification)
        low, high = self._cut(specification)
        nu = self.degrees
        height = lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * np.log(nu * np.pi)
        believed = np.isfinite(scales)
        total = float(np.sum(height - np.log(scales[believed]) - np.log((high - low)[believed])))
        total += float(np.sum(np.log(self.speaks(specification)))) if self.price else 0.0
        if specification.lapse_slot is None:
            return total
        share = (high - low)[specification.lapse_slot]
        return total - _log_beta(*self.lapse) - float(np.log(share))

    def draw(self, specification: Specification, count: int, generator: np.random.Generator) -> np.ndarray:
        """Vectors (count, parameters) from the prior; it must believe something of each parameter."""
        low, high = self._cut(specification)
        uniform = generator.uniform(low, high, size=(count, specification.size))
        scales = np.tile(self.scales(specification), (count, 1))
        inner = self._inner(specification)
        if self.price and len(inner):
            speaking = generator.uniform(size=(count, len(inner))) < self.speaks(specification)
            scales[:, inner] = np.where(speaking, self.epsilon, self.deeper)
        drawn = special.stdtrit(self.degrees, uniform) * scales
        if specification.lapse_slot is not None:
            drawn[:, specification.lapse_slot] = special.betaincinv(*self.lapse, uniform[:, specification.lapse_slot])
        return drawn

    def proper(self, specification: Specification) -> bool:
        """Is something believed of every parameter, so that the prior can be drawn from?"""
        return bool(np.isfinite(self.scales(specification)).all())

    def silences(self, specification: Specification) -> bool:
        """Is there a level beyond the second, and may it be silent because of a threshold next to zero?"""
        return bool(_letting(specification)) and specification.levels - 2 in specification.epsilon_slots

    def speaks(self, specification: Specification) -> np.ndarray:
        """The probability that each level beyond the second speaks, given that those above it do."""
        return 1 / (1 + np.exp(self._log_heights(specification) - np.log(self.epsilon / self.deeper)))

    def _log_heights(self, specification: Specification) -> np.ndarray:
        """By inner threshold, how much higher its density is at zero if the level below is silent than if it speaks.

        In logarithms; together both are exp(price · parameters) times as high as the latter alone.
        """
        assert self.price is not None
        slots = specification.epsilon_slots
        brought = [specification.reward_slots[own + 1].size + (own + 1 in slots) for own in _letting(specification)]
        price = self.price * np.array(brought, float)
        return price + np.log(-np.expm1(-price))

    def _inner(self, specification: Specification) -> np.ndarray:
        """Where the thresholds are that let a third, fourth, … level speak."""
        return np.array([specification.epsilon_slots[level] for level in _letting(specification)], int)

    def _student(self, u: Any, numbers: Any) -> Any:
        """The log-density at u scales from zero, where it is 0."""
        return -(self.degrees + 1) / 2 * numbers.log1p(u**2 / self.degrees)

    def _student_slopes(self, vector: np.ndarray, scales: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Its first and second derivative."""
        u = vector / scales
        factor = self.degrees + u**2
        first = -(self.degrees + 1) * u / factor / scales
        return first, -(self.degrees + 1) * (self.degrees - u**2) / factor**2 / scales**2

    def _cut(self, specification: Specification) -> tuple[np.ndarray, np.ndarray]:
        """Cumulative probabilities at the bounds."""
        scales = self._student_scales(specification)
        low, high = (_student_share(self.degrees, bound / scales) for bound in specification.bounds)
        if specification.lapse_slot is not None:
            for cut, bound in zip((low, high), specification.bounds, strict=True):
                cut[specification.lapse_slot] = _beta_share(*self.lapse, float(bound[specification.lapse_slot]))
        return low, high

    def _student_scales(self, specification: Specification) -> np.ndarray:
        """Those of the Student-t densities; infinite for a lapse rate, which has another one."""
        scales = self.scales(specification)
        if specification.lapse_slot is not None:
            scales[specification.lapse_slot] = np.inf
        return scales


@lru_cache(maxsize=256)
def _scales(prior: Prior, specification: Specification) -> np.ndarray:
    scales = np.full(specification.size, np.inf)
    for reward, where in zip(specification.rewards, specification.reward_slots, strict=True):
        scales[where] = prior.weights * reward.typical(specification.features)
    scales[list(specification.epsilon_slots.values())] = prior.epsilon
    if prior.price is None:
        scales[prior._inner(specification)] = prior.deeper
    if specification.lapse_slot is not None:
        scales[specification.lapse_slot] = prior.lapse[0] / sum(prior.lapse)
    return scales


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _student_share(degrees: float, u: np.ndarray) -> np.ndarray:
    """The distribution function of Student's t; asked at zero and infinity alone, nobody waits for SciPy."""
    known = np.where(u == 0, 0.5, (u > 0).astype(float))
    return known if np.all((u == 0) | np.isinf(u)) else special.stdtr(degrees, u)


@lru_cache(maxsize=256)
def _beta_share(a: float, b: float, x: float) -> float:
    """The distribution function of Beta(a, b), by its series x^a / B(a, b) Σ (1 − b)_n xⁿ / n! / (a + n)."""
    if max(a, b) > MANY:  # the series alternates
        return float(special.betainc(a, b, x))
    if x > a / (a + b):
        return 1 - _beta_share(b, a, 1 - x)
    total, factor, n = 0.0, 1.0, 0
    while abs(factor) > 1e-18 and n < 10_000:
        total += factor / (a + n)
        n += 1
        factor *= (n - b) / n * x
    return x**a * total / exp(_log_beta(a, b))


def _letting(specification: Specification) -> list[int]:
    """The levels whose learned thresholds let a third, fourth, … level speak; none where ties are observed."""
    inner = range(1, specification.levels - 1) if specification.likelihood.rule != "observed" else ()
    return [level for level in inner if level in specification.epsilon_slots]
