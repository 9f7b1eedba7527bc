"""Posterior: draws of everything learned, what they say in the user's units, and whether they may be trusted."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from html import escape
from typing import Any

import numpy as np

from lori.errors import MissingExtra, one_of
from lori.inference.estimates import Reported, Units
from lori.inference.posterior.order import PriorityOrder, order_of
from lori.inference.problem import Problem
from lori.inference.statistics import Observed
from lori.inference.threads import cut, together
from lori.language.names import label
from lori.language.notes import Note, note_sentences
from lori.language.numbers import between, level_count, percent, rounded
from lori.language.worth import LevelWorth, Worth
from lori.model.engines import jax
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.model.quantity import NORMAL_95, Quantity
from lori.model.specification import Specification

ELEMENTS = 1 << 22  # draws × pairs that are predicted at once
FEW_PAIRS = 400  # below this, threads cost more than they bring
NEIGHBOURHOOD = 0.1  # of an interval's length, in which densities at its ends are compared
NAME = 26  # characters of a name in the table


@dataclass(frozen=True)
class Trust:
    """May the draws be relied on, and why? `numbers` are the diagnostics behind the verdict."""

    trusted: bool
    verdict: str
    numbers: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Spread:
    """Median and interval of one number over the draws; None where there is none, or it may not be relied on."""

    median: float | None
    interval: list[float] | None

    def __str__(self) -> str:
        error = None if self.interval is None else (self.interval[1] - self.interval[0]) / 4
        told = between(self.interval) if self.interval else "not to be relied on"
        return f"{rounded(self.median, error):>8}  {told}"


@dataclass(frozen=True)
class LevelDraws:
    """What the draws say about one level, in the user's units."""

    weights: dict[str, Spread]
    epsilon: Spread
    thresholds: dict[str, Spread]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Equally likely draws of everything that a model has learned.

    `vectors` (chains, draws, parameters) are in standardised units; `weights`, `epsilon`, `thresholds` and `models` in
    the user's. Chains are populations for sequential Monte Carlo, and one for the Gaussian approximation.
    """

    method: str
    units: Units
    vectors: np.ndarray
    trust: Trust
    log_evidence: float | None = None
    log_evidence_error: float | None = None
    notes: tuple[Note, ...] = ()
    comparisons: int = 0

    def __len__(self) -> int:
        return self.vectors.shape[0] * self.vectors.shape[1]

    @property
    def draws(self) -> np.ndarray:
        """(draws, parameters), all chains together."""
        return self.vectors.reshape(-1, self.vectors.shape[-1])

    @property
    def features(self) -> tuple[str, ...]:
        return self.units.specification.features

    @cached_property
    def reported(self) -> list[Reported]:
        """For each level its numbers in the user's units, each with a leading axis of draws."""
        return self.units.of_draws(self.draws)

    @property
    def weights(self) -> np.ndarray:
        """(draws, levels, features) what a unit of each feature is worth; NaN for rewards without weights."""
        size = len(self.features)
        none = np.full((len(self), size), np.nan)
        columns = [
            none if (weights := reward.weights(np.asarray(own.parameters))) is None else weights
            for own, reward in zip(self.reported, self.units.specification.rewards, strict=True)
        ]
        return np.stack(columns, axis=1)

    @property
    def epsilon(self) -> np.ndarray:
        """(draws, levels) thresholds in units of the rewards."""
        return np.stack([np.asarray(own.epsilon) for own in self.reported], axis=1)

    @property
    def thresholds(self) -> np.ndarray:
        """(draws, levels, features) how large a difference of each feature alone must be before it counts."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.epsilon[:, :, None] / np.abs(self.weights)

    def worth(self, currency: str) -> Worth:
        """What a unit of each feature is worth in units of another one on each level: willingness to pay."""
        place = self.features.index(one_of("currency", currency, self.features))
        levels = []
        for level, weights in enumerate(np.moveaxis(self.weights, 1, 0), start=1):
            unit = weights[:, place]
            known = np.isfinite(unit).all() and (np.quantile(unit, 0.025) > 0 or np.quantile(unit, 0.975) < 0)
            rates = weights / np.abs(unit)[:, None] if known else weights[:, :0]
            own = {name: _quantity(rates[:, i]) for i, name in enumerate(self.features) if known and i != place}
            levels.append(LevelWorth(level, own))
        return Worth(currency, tuple(levels))

    def thinned(self, count: int) -> Posterior:
        """Evenly spaced draws, as one chain."""
        chosen = np.linspace(0, len(self) - 1, min(count, len(self))).astype(int)
        return replace(self, vectors=self.draws[chosen][None])

    def with_common_lapse(self) -> Posterior:
        """The same draws as if the rate of slips were known, its mean."""
        slot = self.units.specification.lapse_slot
        if slot is None:
            return self
        vectors = self.vectors.copy()
        vectors[..., slot] = vectors[..., slot].mean()
        return replace(self, vectors=vectors)

    def models(self, count: int = 100) -> list[OrderedModel]:
        """Complete models, evenly spaced among the draws."""
        specification = self.units.specification
        few = self.thinned(count)
        made = []
        for i in range(len(few)):
            levels = []
            for reward, own in zip(specification.rewards, few.reported, strict=True):
                parameters, alpha = np.asarray(own.parameters[i]), float(own.alpha[i])
                scaled = reward.with_scale(1 / alpha) if reward.free_scale else reward
                slopes = scaled.slopes(parameters, self.units.scaling.location[None])
                levels.append(Level(scaled, parameters, float(own.epsilon[i]), alpha, slopes))
            rule, lapse = specification.likelihood.rule, self.units.lapse(few.draws[i])
            made.append(OrderedModel(tuple(levels), specification.features, rule, lapse))
        return made

    def predict_proba(self, left: Any, right: Any) -> np.ndarray:
        """(draws, pairs, 3) probabilities of left, tie and right under each draw."""
        return np.exp(self.predict_log_proba(left, right))

    @double_precision
    def predict_log_proba(self, left: Any, right: Any) -> np.ndarray:
        """Logarithms of `predict_proba`."""
        scaling = self.units.scaling
        pairs = np.stack([np.atleast_2d(left), np.atleast_2d(right)], axis=1)
        pairs = (np.asarray(pairs, float) - scaling.location) / scaling.scale
        step = max(1, ELEMENTS // len(self))
        parts = [
            np.asarray(_predicted(self.units.specification, self.draws, pairs[start : start + step]))
            for start in range(0, len(pairs), step)
        ]
        return np.concatenate(parts, axis=1)

    def outcomes(self, left: Any, right: Any) -> list[np.ndarray]:
        """The probabilities of left, tie (where it is an outcome) and right, (draws, pairs) each."""
        known, scale = self.units.specification, self.units.scaling.scale
        if known.likelihood.rule != "printed" and known.likelihood.only_differences_matter(known):
            differences = (np.atleast_2d(left) - np.atleast_2d(right)) / scale
            parts = [differences[part] for part in cut(len(differences), least=FEW_PAIRS)]
            found = together(lambda part: known.outcome_probabilities(self.draws, part), parts)
            return [np.concatenate(own, axis=1) for own in zip(*found, strict=True)] if len(parts) > 1 else found[0]
        return list(np.moveaxis(self.predict_proba(left, right), 2, 0))

    def predict_interval(self, left: Any, right: Any, probability: float = 0.9) -> np.ndarray:
        """(pairs, 3): lower bound, mean and upper bound of the probability that left is preferred.

        It is the shortest interval that holds so many of the draws, since probabilities near 0 and 1 are skewed. It
        reaches 0 or 1 unless the draws are less dense there than at its other end.
        """
        draws = self.predict_proba(left, right)[:, :, 0]
        low, high = shortest(draws, probability)
        rare, sure = (np.quantile(size, probability, axis=0) for size in (draws, 1 - draws))
        impossible, certain = reaches_zero(draws, rare), reaches_zero(1 - draws, sure)
        low, high = np.where(impossible, 0.0, low), np.where(impossible, rare, high)
        low, high = np.where(certain, 1 - sure, low), np.where(certain, 1.0, high)
        return np.stack([low, draws.mean(axis=0), high], axis=1)

    def order(self, by: str = "auto") -> PriorityOrder:
        """The probability of each order of the objectives; see `lori.inference.posterior.order`."""
        return order_of(self, by)

    def to_arviz(self, observed: Observed | None = None) -> Any:
        """ArviZ `InferenceData` with weights, epsilon and thresholds by level and feature.

        With what was observed, the log-likelihood of each observation is there, too, so that `arviz.loo` works.
        """
        try:
            import arviz
        except ImportError:
            raise MissingExtra("arviz", "bayes") from None
        chains, count = self.vectors.shape[:2]
        levels = list(range(1, self.units.specification.levels + 1))
        numbers = {"epsilon": self.epsilon}
        if not np.isnan(self.weights).all():
            numbers |= {"weights": self.weights, "thresholds": self.thresholds}
        seen: dict[str, Any] = {}
        if observed is not None:
            logs = self.row_log_likelihood(observed)
            seen["log_likelihood"] = {"choice": logs.reshape(chains, count, -1)}
            seen["observed_data"] = {"comparisons": np.asarray(observed.comparisons)}
        data = arviz.from_dict(
            **seen,
            posterior={name: values.reshape(chains, count, *values.shape[1:]) for name, values in numbers.items()},
            coords={"level": levels, "feature": list(self.features)},
            dims={"weights": ["level", "feature"], "thresholds": ["level", "feature"], "epsilon": ["level"]},
        )
        data.posterior.attrs |= {"method": self.method, "verdict": self.trust.verdict}
        return data

    def row_log_likelihood(self, observed: Observed) -> np.ndarray:
        """(draws, observations) of what was seen, times its count and weight."""
        same = observed if observed.features == self.features else observed.select(self.features)
        return Problem.of(self.units.specification, [same], None, self.units.scaling).row_log_likelihood(self.draws)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        levels, doubt = level_count(self.units.specification.levels), "" if self.trust.trusted else "not "
        return f"Posterior by {self.method}: {len(self):,} draws of {levels}, {doubt}trusted"

    def to_dict(self, probability: float = 0.9) -> dict[str, Any]:
        """Means and intervals of the numbers of each level, the order, and the verdict, as plain values.

        Intervals of draws that may not be trusted are left out: None.
        """
        order = self.order()
        return {
            "method": self.method,
            "draws": len(self),
            "probability": probability,
            "trusted": self.trust.trusted,
            "verdict": self.trust.verdict,
            "diagnostics": self.trust.numbers,
            "log_evidence": self.log_evidence,
            "log_evidence_error": self.log_evidence_error,
            "notes": [str(note) for note in self.notes],
            "order": order.to_dict(),
            "levels": [asdict(level) for level in self.levels(probability)],
        }

    def levels(self, probability: float = 0.9) -> list[LevelDraws]:
        """The numbers of each level."""

        def each(draws: np.ndarray) -> dict[str, Spread]:
            return {name: self._spread(draws[:, place], probability) for place, name in enumerate(self.features)}

        weights, epsilon, thresholds = self.weights, self.epsilon, self.thresholds
        return [
            LevelDraws(
                each(weights[:, level]), self._spread(epsilon[:, level], probability), each(thresholds[:, level])
            )
            for level in range(self.units.specification.levels)
        ]

    def _spread(self, draws: np.ndarray, probability: float) -> Spread:
        if np.isnan(draws).all():
            return Spread(None, None)
        low, high = interval(draws, probability)
        middle = float(np.median(draws))
        return Spread(
            middle if np.isfinite(middle) else None,
            [float(low), float(high)] if self.trust.trusted and np.isfinite(high) else None,
        )

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def interval(draws: np.ndarray, probability: float) -> tuple[np.ndarray, np.ndarray]:
    """Central interval over the first axis."""
    tail = (1 - probability) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return low, high


def shortest(draws: np.ndarray, probability: float) -> tuple[np.ndarray, np.ndarray]:
    """Shortest interval over the first axis that holds this share of the draws."""
    ordered, held = np.sort(draws, axis=0), math.ceil(probability * len(draws))
    low, high = ordered[: len(draws) - held + 1], ordered[held - 1 :]
    best = np.argmin(high - low, axis=0)[None]
    return np.take_along_axis(low, best, axis=0)[0], np.take_along_axis(high, best, axis=0)[0]


def reaches_zero(draws: np.ndarray, end: Any, shares: np.ndarray | None = None) -> Any:
    """Is the density of numbers that are not negative, over the first axis, at zero no less than at `end`?"""
    near = NEIGHBOURHOOD * end
    at_zero = np.average(draws <= near, axis=0, weights=shares)
    at_end = np.average(np.abs(draws - end) <= near / 2, axis=0, weights=shares)
    return at_zero >= at_end


def _lines(posterior: Posterior, probability: float = 0.9) -> list[str]:
    told = [f"Posterior by {posterior.method}: {len(posterior):,} draws. {posterior.trust.verdict}"]
    if posterior.log_evidence is not None:
        error = posterior.log_evidence_error
        about = "" if error is None else f" ± {error:.2f}"
        told.append(f"log evidence {posterior.log_evidence:.2f}{about}")
    for place, level in enumerate(posterior.levels(probability), start=1):
        told += ["", f"{f'Level {place}':<28}  {'weight':>8}  {percent(probability)} interval"]
        rows = [*level.weights.items(), ("ε", level.epsilon)]
        rows += [(f"threshold in {name}", own) for name, own in level.thresholds.items()]
        told += [f"  {label(name, NAME):<{NAME}}  {own}" for name, own in rows if own.median is not None]
    return [*told, "", *posterior.order().sentences(), *map(str, note_sentences(posterior.notes))]


def _quantity(draws: np.ndarray) -> Quantity:
    """Median and 95 % interval; a standard error from its width, for rounding."""
    low, middle, high = np.quantile(draws, [0.025, 0.5, 0.975])
    return Quantity(float(middle), float((high - low) / (2 * NORMAL_95)), (float(low), float(high)))


@partial(jax.jit, static_argnums=0)
def _predicted(specification: Specification, vectors: jax.Array, pairs: jax.Array) -> jax.Array:
    """Log-probabilities (vectors, pairs, 3) for standardised pairs."""

    def one(vector: jax.Array, pair: jax.Array) -> jax.Array:
        return specification.log_outcomes(specification.unpack(vector), pair)

    return jax.vmap(lambda vector: jax.vmap(lambda pair: one(vector, pair))(pairs))(vectors)
