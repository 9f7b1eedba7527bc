"""Estimates: what the fitted numbers mean in the user's units, and how precisely they are known.

Inside a fit features have deviation 1 and rewards with a free scale have α = 1. Reported are weights per unit of
each feature, ε in the units of the reward, thresholds ε / |weight| as feature differences, and caps. Standard
errors travel by the delta method with exact derivatives, from covariances by the observed information (`observed`), by
the sandwich that does not trust the likelihood (`robust`), or by the sandwich over whole agents, whose choices are not
independent (`clustered`); `auto` is the last one where there are several agents, and `none` spares all of this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from lori.errors import InputError
from lori.inference.statistics import Observed, Scaling
from lori.model.engines import arrays_of, jax, special
from lori.model.likelihoods import Likelihood
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.model.priors import Prior
from lori.model.quantity import NORMAL_95
from lori.model.rewards import are_vectorised, reward_from
from lori.model.specification import Specification

if TYPE_CHECKING:
    from lori.inference.problem import Problem

Asked = tuple[float | None, ...]
TINY = 1e-100  # of a complex step


class Reported(NamedTuple):
    """The numbers of one level in the user's units."""

    parameters: Any
    epsilon: Any
    alpha: Any
    thresholds: Any  # (features,) for linear and capped rewards, empty otherwise


@dataclass(frozen=True, eq=False)
class Units:
    """The way from the vector of free parameters to reported numbers.

    `alpha` is what the user asked for: a number, or None where α is learned. A learned α of a reward with free
    scale is reported such that the weights sum to one in absolute value.
    """

    specification: Specification
    scaling: Scaling
    alpha: tuple[float | None, ...]

    def model(self, vector: np.ndarray, alternatives: np.ndarray) -> OrderedModel:
        """The complete model in the user's units; slopes of networks are averages over `alternatives`."""
        levels = []
        for reward, own in zip(self.specification.rewards, self._computed(vector)[0], strict=True):
            factor = 1 / float(own.alpha) if reward.free_scale else 1.0
            scaled = reward if factor == 1.0 else reward.with_scale(factor)
            parameters = np.asarray(own.parameters)
            slopes = scaled.slopes(parameters, alternatives[:10_000])
            levels.append(Level(scaled, parameters, float(own.epsilon), float(own.alpha), slopes))
        known = self.specification
        return OrderedModel(tuple(levels), known.features, known.likelihood.rule, self.lapse(vector))

    def lapse(self, vector: np.ndarray) -> float:
        """The rate of slips; zero where a learned one is at its bound."""
        slot = self.specification.lapse_slot
        if slot is None:
            return self.specification.lapse or 0.0
        return float(vector[slot]) if vector[slot] > self.specification.bounds[0][slot] else 0.0

    def model_at_centre(self, vector: np.ndarray) -> OrderedModel:
        """The complete model, slopes of networks being those at the middle of the data."""
        return self.model(vector, self.scaling.location[None])

    def reported(self, vector: np.ndarray) -> list[Reported]:
        """The numbers of each level."""
        return self._computed(vector)[0]

    def standard_errors(self, vector: np.ndarray, covariance: np.ndarray) -> list[Reported]:
        """Standard error of each reported number, given the covariance of the free parameters."""

        def error(part: jax.Array) -> np.ndarray:
            rows = np.asarray(part).reshape(-1, part.shape[-1])
            touched = [np.flatnonzero(row != 0) for row in rows]  # what a number does not depend on may be unknown
            variance = [
                row[own] @ covariance[np.ix_(own, own)] @ row[own] for row, own in zip(rows, touched, strict=True)
            ]
            spread = np.array(variance, float).reshape(part.shape[:-1])
            return np.sqrt(np.where(spread > 0, spread, np.nan))

        jacobian = self._computed(vector)[1]
        return [Reported(*(error(part) for part in level)) for level in jacobian]

    def of_draws(self, vectors: np.ndarray) -> list[Reported]:
        """The numbers of each level for many vectors (draws, parameters), each with a leading axis of draws."""
        known = self.specification, self.alpha, np.asarray(vectors, float), self.scaling.location, self.scaling.scale
        if are_vectorised(self.specification.rewards):
            return _in_peace(_reported)(*known)
        every = double_precision(_reported_of_many)(*known)
        return [Reported(*(np.asarray(part) for part in level)) for level in every]

    def _computed(self, vector: np.ndarray) -> tuple[list[Reported], list[Reported]]:
        """The numbers of each level, and their derivatives by the vector."""
        known = self.specification, self.alpha, np.asarray(vector, float), self.scaling.location, self.scaling.scale
        if are_vectorised(self.specification.rewards):
            return _in_peace(_reported)(*known), _in_peace(_jacobian)(*known)
        return double_precision(_reported_and_jacobian)(*known)


_in_peace = np.errstate(all="ignore")  # a feature without weight has no threshold


def _jacobian(
    specification: Specification, alpha: Asked, vector: np.ndarray, location: Any, scale: Any
) -> list[Reported]:
    """Derivatives of `_reported` by complex steps, Im f(x + ih) / h, which are exact for so small an h."""
    stepped = vector + 1j * TINY * np.eye(len(vector))
    moved = _reported(specification, alpha, stepped, location, scale)
    return [Reported(*(np.moveaxis(part.imag / TINY, 0, -1) for part in level)) for level in moved]


@partial(jax.jit, static_argnums=(0, 1))
def _reported_and_jacobian(
    specification: Specification, alpha: Asked, vector: jax.Array, location: Any, scale: Any
) -> tuple[list[Reported], list[Reported]]:
    def reported(own: jax.Array) -> list[Reported]:
        return _reported(specification, alpha, own, location, scale)

    return reported(vector), jax.jacfwd(reported)(vector)


@partial(jax.jit, static_argnums=(0, 1))
def _reported_of_many(
    specification: Specification, alpha: Asked, vectors: jax.Array, location: Any, scale: Any
) -> list[Reported]:
    return jax.vmap(lambda own: _reported(specification, alpha, own, location, scale))(vectors)


def _reported(specification: Specification, asked: Asked, vector: Any, location: Any, scale: Any) -> list[Reported]:
    """Of a vector, or of vectors (…, parameters) where rewards take many."""
    arrays, numbers = arrays_of(vector), specification.unpack(vector)
    levels = []
    for level, reward in enumerate(specification.rewards):
        parameters = reward.in_units(numbers.rewards[level], location, scale)
        epsilon, alpha = numbers.epsilon[..., level], numbers.alpha[..., level]
        own = reward.weights(parameters)
        weights = arrays.zeros(0) if own is None else own
        sizes = weights * arrays.sign(weights.real)
        if reward.free_scale:
            total, given = arrays.sum(sizes, axis=-1), asked[level]
            chosen = arrays.where(total.real > 0, total, 1.0)
            alpha = chosen if given is None else arrays.full(total.shape, given, total.dtype)
            each = alpha[..., None]
            parameters, sizes = reward.multiplied(parameters, 1 / each), sizes / each
            epsilon = epsilon / alpha
        with np.errstate(invalid="ignore"):  # a feature that does not count has no threshold
            thresholds = epsilon[..., None] / arrays.where(sizes == 0, np.nan, sizes)
        levels.append(Reported(parameters, epsilon, alpha, thresholds))
    return levels


ErrorKind = Literal["auto", "observed", "robust", "clustered", "none"]
ERROR_KINDS: tuple[str, ...] = get_args(ErrorKind)
HELD = 1e-7  # so near a bound, in standardised units, a parameter is at it
FLAT = 1e-7  # a direction with less information than this, relative to its parameters' own, is not identified


class Uncertainty(NamedTuple):
    """Covariance of the free parameters; rows of parameters at a bound or not identified are NaN or zero."""

    covariance: np.ndarray
    at_bound: np.ndarray  # (parameters,) bool
    unidentified: list[tuple[int, ...]]  # sets of parameters that the data cannot tell apart (or at all)
    sandwich: Sandwich | None = None
    flat: tuple[np.ndarray, ...] = ()  # directions (parameters,) without effect, in which a bound held the estimate


@dataclass(frozen=True, eq=False)
class Sandwich:
    """What the scores themselves say about their variance, where the likelihood is not taken at its word for it."""

    meat: np.ndarray  # (parameters, parameters) variance of the sum of scores, with the information of the prior
    clusters: int | None = None  # independent ones behind it; None where all choices are
    at_least: bool = False  # never smaller than what the likelihood says: repeated choices do not tell more than others

    @property
    def quantile(self) -> float:
        """How many standard errors are on each side of a 95 % interval; more for few clusters."""
        return NORMAL_95 if self.clusters is None else float(special.stdtrit(max(self.clusters - 1, 1), 0.975))

    def whitened(self, factor: np.ndarray, part: slice | np.ndarray = slice(None)) -> np.ndarray:
        """The meat in units in which the likelihood's covariance, C Cᵀ, is one; `factor` is C, of some parameters."""
        own = factor.T @ self.meat[part][:, part] @ factor
        if not self.at_least:
            return own
        values, vectors = np.linalg.eigh(own)
        return (vectors * np.maximum(values, 1.0)) @ vectors.T


def uncertainty(
    problem: Problem,
    vector: np.ndarray,
    *,
    information: np.ndarray,
    curvature: np.ndarray,
    data: Observed | None,
    clusters: np.ndarray | None,
    kind: ErrorKind,
) -> Uncertainty:
    """`information` is that of the likelihood, `curvature` adds the prior: what is known in the end.

    The sandwich forms need the rows themselves, of `data` in memory. `clusters` (pairs,) tell what is independent.
    """
    lower, upper = problem.specification.bounds
    at_bound = (vector <= lower + HELD) | (vector >= upper - HELD)
    free = np.flatnonzero(~at_bound)
    unidentified = _flat_directions(information[np.ix_(free, free)], free)
    covariance = np.zeros((len(vector), len(vector)))
    lost = sorted({i for group in unidentified for i in group})
    known = np.array([i for i in free if i not in lost], int)
    sandwich = _sandwich(problem, vector, curvature - information, data, clusters, kind)
    if len(known):
        bread = np.linalg.pinv(curvature[np.ix_(known, known)], hermitian=True)
        if sandwich is not None:
            values, vectors = np.linalg.eigh(bread)
            factor = vectors * np.sqrt(np.maximum(values, 0.0))
            bread = factor @ sandwich.whitened(factor, known) @ factor.T
        covariance[np.ix_(known, known)] = bread
    covariance[lost, :] = covariance[:, lost] = np.nan
    flat = tuple(_held_directions(problem.specification, information, at_bound))
    return Uncertainty(covariance, at_bound, unidentified, sandwich, flat)


def unknown(vector: np.ndarray) -> Uncertainty:
    """For models with too many parameters for second derivatives: no standard errors."""
    return Uncertainty(np.full((len(vector), len(vector)), np.nan), np.zeros(len(vector), bool), [])


def _flat_directions(information: np.ndarray, free: np.ndarray) -> list[tuple[int, ...]]:
    """Sets of free parameters along which the likelihood does not change."""
    diagonal = np.diag(information)
    scale = np.sqrt(np.maximum(diagonal, 0.0))
    nothing = diagonal <= FLAT * max(1.0, diagonal.max(initial=0.0)) * 1e-3
    groups: list[tuple[int, ...]] = [(int(free[i]),) for i in np.flatnonzero(nothing)]
    rest = np.flatnonzero(~nothing)
    if len(rest) > 1:
        scaled = information[np.ix_(rest, rest)] / np.outer(scale[rest], scale[rest])
        values, vectors = np.linalg.eigh(scaled)
        for direction in vectors[:, np.abs(values) < FLAT].T:
            members = tuple(int(free[i]) for i in rest[np.abs(direction) > 0.1])
            if members not in groups:
                groups.append(members)
    return groups


def _held_directions(
    specification: Specification, information: np.ndarray, at_bound: np.ndarray
) -> Iterator[np.ndarray]:
    """Directions among a level's reward parameters that change nothing, if a bound holds one of these parameters.

    Such parameters are reported as small as they can be: see `lori.inference.intervals`.
    """
    for slots in specification.reward_slots:
        block = information[np.ix_(slots, slots)]
        scale = np.sqrt(np.maximum(np.diag(block), 0.0))
        if len(slots) < 2 or not at_bound[slots].any() or not (scale > 0).all():
            continue
        values, vectors = np.linalg.eigh(block / np.outer(scale, scale))
        for own in vectors[:, np.abs(values) < FLAT].T:
            if np.abs(own[at_bound[slots]]).max() > 0.1:
                direction = np.zeros(len(at_bound))
                direction[slots] = own / scale
                yield direction / np.linalg.norm(direction)


def _sandwich(
    problem: Problem,
    vector: np.ndarray,
    prior: np.ndarray,
    data: Observed | None,
    clusters: np.ndarray | None,
    kind: ErrorKind,
) -> Sandwich | None:
    """Σ of squared scores: over comparisons, or over clusters with the usual correction for few of them.

    A row that stands for n comparisons of weight w contributes n (w s)(w s)ᵀ, as n rows would. What the prior knows
    counts as known, so that where the data say little, the sandwich is not narrower than the prior.
    """
    count = 0 if clusters is None else len(np.unique(clusters))
    if kind == "observed" or (kind == "auto" and count < 2):
        return None
    if data is None:
        raise InputError(
            "standard_errors", expected="observed for data that are not in memory", got=kind,
            fix="use --standard-errors observed",
        )  # fmt: skip
    scores, weight, origin = problem.scores(vector)
    if kind == "robust":
        return Sandwich((scores * (weight * data.weights[origin])[:, None]).T @ scores + prior)
    assert clusters is not None
    labels, index = np.unique(clusters[origin], return_inverse=True)
    sums = np.zeros((len(labels), scores.shape[1]))
    np.add.at(sums, index, scores * weight[:, None])
    groups, n, k = len(labels), data.n_comparisons, scores.shape[1]
    sums = sums - sums.mean(axis=0)  # not zero where a bound holds a parameter
    correction = groups / max(groups - 1, 1) * (n - 1) / max(n - k, 1)
    return Sandwich(correction * sums.T @ sums + prior, groups, at_least=kind == "auto")


@dataclass(frozen=True, eq=False)
class Optimum:
    """An optimum with its surroundings to second order, in standardised units.

    `value` is the negative log-posterior without the prior's constant. The gradient is that of coordinates held at a
    bound and zero elsewhere; it and the curvature are None where there are too many parameters for second derivatives.
    `draws` (draws, parameters) are equally likely ones of those that intervals come from, where these were asked for.
    """

    units: Units
    prior: Prior | None
    vector: np.ndarray
    value: float
    gradient: np.ndarray | None
    curvature: np.ndarray | None
    draws: np.ndarray | None = None

    def describe(self) -> dict[str, Any] | None:
        """As plain JSON values; None if there is nothing to tell beyond the optimum itself."""
        if self.curvature is None or self.gradient is None:
            return None
        return {
            **structure_of(self.units.specification, self.units.scaling),
            "reported_alpha": list(self.units.alpha),
            "vector": self.vector.tolist(),
            "value": self.value,
            "gradient": self.gradient.tolist(),
            "curvature": self.curvature.tolist(),
            **({} if self.draws is None else {"draws": [[float(f"{x:.6g}") for x in row] for row in self.draws]}),
        }

    @classmethod
    def from_description(
        cls, content: dict[str, Any], likelihood: Likelihood, features: tuple[str, ...], prior: Prior | None
    ) -> Optimum:
        specification, scaling = structure_from(content, likelihood, features)
        return cls(
            Units(specification, scaling, tuple(content["reported_alpha"])),
            prior,
            np.array(content["vector"]),
            float(content["value"]),
            np.array(content["gradient"]),
            np.array(content["curvature"]),
            np.array(content["draws"]) if "draws" in content else None,
        )


def structure_of(specification: Specification, scaling: Scaling) -> dict[str, Any]:
    """What gives the numbers of a vector their meaning, as plain JSON values."""
    return {
        "rewards": [reward.settings() for reward in specification.rewards],
        "epsilon": list(specification.epsilon),
        "alpha": list(specification.alpha),
        "lapse": specification.lapse,
        "location": scaling.location.tolist(),
        "scale": scaling.scale.tolist(),
    }


def structure_from(
    content: dict[str, Any], likelihood: Likelihood, features: tuple[str, ...]
) -> tuple[Specification, Scaling]:
    """What `structure_of` described."""
    specification = Specification(
        tuple(reward_from(reward) for reward in content["rewards"]),
        tuple(content["epsilon"]),
        tuple(content["alpha"]),
        likelihood,
        features,
        content.get("lapse", 0.0),
    )
    return specification, Scaling(np.array(content["location"]), np.array(content["scale"]))
