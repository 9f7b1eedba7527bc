"""How sure are we? Draws from the posterior, what they say in the user's units, and whether they may be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import jax
import numpy as np

from lori.errors import MissingExtra
from lori.inference.posterior.order import PriorityOrder, order_of
from lori.inference.units import Reported, Units
from lori.model.ordered import Level, OrderedModel
from lori.model.precision import double_precision
from lori.model.specification import Specification

ELEMENTS = 1 << 22  # draws × pairs that are predicted at once


@dataclass(frozen=True)
class Trust:
    """May the draws be relied on, and why? `numbers` are the diagnostics behind the verdict."""

    trusted: bool
    verdict: str
    numbers: dict[str, float] = field(default_factory=dict)


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
    notes: tuple[str, ...] = ()
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

    def thinned(self, count: int) -> Posterior:
        """Evenly spaced draws, as one chain."""
        chosen = np.linspace(0, len(self) - 1, min(count, len(self))).astype(int)
        return replace(self, vectors=self.draws[chosen][None])

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
            made.append(OrderedModel(tuple(levels), specification.features, specification.likelihood.rule))
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

    def predict_interval(self, left: Any, right: Any, probability: float = 0.9) -> np.ndarray:
        """(pairs, 3): lower bound, mean and upper bound of the probability that left is preferred."""
        draws = self.predict_proba(left, right)[:, :, 0]
        low, high = interval(draws, probability)
        return np.stack([low, draws.mean(axis=0), high], axis=1)

    def order(self, by: str = "auto") -> PriorityOrder:
        """The probability of each order of the objectives; see `lori.inference.posterior.order`."""
        return order_of(self, by)

    def to_arviz(self) -> Any:
        """ArviZ `InferenceData` with weights, epsilon and thresholds by level and feature."""
        try:
            import arviz
        except ImportError:
            raise MissingExtra("arviz", "bayes") from None
        chains, count = self.vectors.shape[:2]
        levels = list(range(1, self.units.specification.levels + 1))
        numbers = {"epsilon": self.epsilon}
        if not np.isnan(self.weights).all():
            numbers |= {"weights": self.weights, "thresholds": self.thresholds}
        data = arviz.from_dict(
            posterior={name: values.reshape(chains, count, *values.shape[1:]) for name, values in numbers.items()},
            coords={"level": levels, "feature": list(self.features)},
            dims={"weights": ["level", "feature"], "thresholds": ["level", "feature"], "epsilon": ["level"]},
        )
        data.posterior.attrs |= {"method": self.method, "verdict": self.trust.verdict}
        return data

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
            "notes": list(self.notes),
            "order": order.to_dict(),
            "levels": [self._level(level, probability) for level in range(self.units.specification.levels)],
        }

    def _level(self, level: int, probability: float) -> dict[str, Any]:
        def described(draws: np.ndarray) -> dict[str, Any]:
            if np.isnan(draws).all():
                return {"median": None, "interval": None}
            low, high = interval(draws, probability)
            bounds = [float(low), float(high)] if self.trust.trusted and np.isfinite(high) else None
            middle = float(np.median(draws))
            return {"median": middle if np.isfinite(middle) else None, "interval": bounds}

        return {
            "weights": {name: described(self.weights[:, level, i]) for i, name in enumerate(self.features)},
            "epsilon": described(self.epsilon[:, level]),
            "thresholds": {name: described(self.thresholds[:, level, i]) for i, name in enumerate(self.features)},
        }

    def __str__(self) -> str:
        return "\n".join(_lines(self.to_dict()))


def interval(draws: np.ndarray, probability: float) -> tuple[np.ndarray, np.ndarray]:
    """Central interval over the first axis."""
    tail = (1 - probability) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return low, high


def _lines(fields: dict[str, Any]) -> list[str]:
    lines = [f"Posterior by {fields['method']}: {fields['draws']:,} draws. {fields['verdict']}"]
    if fields["log_evidence"] is not None:
        error = fields["log_evidence_error"]
        about = "" if error is None else f" ± {error:.2f}"
        lines.append(f"log evidence {fields['log_evidence']:.2f}{about}")
    for number, level in enumerate(fields["levels"], start=1):
        lines += ["", f"Level {number}" + " " * 22 + f"weight  {fields['probability']:.0%} interval"]
        rows = [*((name, own) for name, own in level["weights"].items()), ("ε", level["epsilon"])]
        rows += [(f"threshold in {name}", own) for name, own in level["thresholds"].items()]
        for name, own in rows:
            if own["median"] is None:
                continue
            bounds = own["interval"]
            between = f"{bounds[0]:.4g} to {bounds[1]:.4g}" if bounds else "not to be relied on"
            lines.append(f"  {name:<24.24}  {own['median']:>8.4g}  {between}")
    lines += ["", *fields["order"]["sentences"], *fields["notes"]]
    return lines


@partial(jax.jit, static_argnums=0)
def _predicted(specification: Specification, vectors: jax.Array, pairs: jax.Array) -> jax.Array:
    """Log-probabilities (vectors, pairs, 3) for standardised pairs."""

    def one(vector: jax.Array, pair: jax.Array) -> jax.Array:
        return specification.log_outcomes(specification.unpack(vector), pair)

    return jax.vmap(lambda vector: jax.vmap(lambda pair: one(vector, pair))(pairs))(vectors)
