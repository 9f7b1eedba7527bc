"""Prediction for people: the probability of an outcome for somebody of whom several parameter vectors are possible.

What is known about a person is a set of vectors with shares: of a class each, or draws of a posterior. The probability
of an outcome is the mean of what they say. Rows are computed with the vectors of whoever chose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.inference.estimates import structure_from, structure_of
from lori.inference.statistics import Observed, Scaling
from lori.model.engines import jax, jnp
from lori.model.likelihoods import Likelihood, Pairs, Sets
from lori.model.likelihoods.sets import arrangements
from lori.model.precision import double_precision
from lori.model.specification import Specification

TOGETHER = 1 << 15  # rows × vectors that are computed at a time


@dataclass(frozen=True, eq=False)
class Known:
    """What is known about some persons; the last one is a stranger. Vectors are of one specification."""

    specification: Specification
    scaling: Scaling
    vectors: np.ndarray  # (persons, vectors, parameters), or (1, vectors, parameters) where all have the same
    shares: np.ndarray  # (persons, vectors); they need not add up to one where there are other specifications, too

    def describe(self) -> dict[str, Any]:
        """As plain JSON values; `from_description` is the inverse."""
        return {
            **structure_of(self.specification, self.scaling),
            "vectors": self.vectors.tolist(),
            "shares": self.shares.tolist(),
        }

    @classmethod
    def from_description(cls, content: dict[str, Any], likelihood: Likelihood, features: tuple[str, ...]) -> Known:
        specification, scaling = structure_from(content, likelihood, features)
        return cls(specification, scaling, np.array(content["vectors"], float), np.array(content["shares"], float))

    def of_kind(self, kind: str, rows: np.ndarray, person: np.ndarray, likelihood: Likelihood) -> np.ndarray:
        """Log of the mean probability of rows of this kind."""
        return self._rows(partial(_log_rows, replace(self.specification, likelihood=likelihood), kind), rows, person)

    def outcomes(self, pairs: np.ndarray, person: np.ndarray) -> np.ndarray:
        """(pairs, 3) log of the mean probability of each outcome."""
        likelihood = Pairs(self.specification.likelihood.rule)
        return self._rows(partial(_log_outcomes, replace(self.specification, likelihood=likelihood)), pairs, person)

    @double_precision
    def _rows(self, function: Callable[..., jax.Array], rows: np.ndarray, person: np.ndarray) -> np.ndarray:
        """Log of the mean over each row's own vectors, some rows at a time; sizes are few, so that code is shared."""
        step = 1 << max(4, (TOGETHER // self.vectors.shape[1]).bit_length() - 1)
        standardised = (rows - self.scaling.location) / self.scaling.scale
        parts = []
        for start in range(0, len(rows), step):
            some, who = standardised[start : start + step], person[start : start + step]
            count = len(some)
            room = min(step, 1 << max(4, (count - 1).bit_length()))
            some = np.concatenate([some, np.repeat(some[:1], room - count, axis=0)])
            who = np.concatenate([who, np.repeat(who[:1], room - count)])
            vectors = self.vectors[np.minimum(who, len(self.vectors) - 1)]
            parts.append(np.asarray(function(vectors, self.shares[who], some))[:count])
        return np.concatenate(parts)


def log_likelihood(known: Sequence[Known], data: Observed, person: np.ndarray) -> np.ndarray:
    """(observations,) log of the probability of what was seen, times its count and weight; `person` by observation."""
    likelihood = _likelihood(known[0].specification, data)
    total = np.zeros(len(data))
    for kind, rows in likelihood.observed(data).kinds.items():
        if len(rows):
            own = [each.of_kind(kind, rows.alternatives(), person[rows.origin], likelihood) for each in known]
            np.add.at(total, rows.origin, rows.weight * np.logaddexp.reduce(own, axis=0))
    return total


def probabilities(known: Sequence[Known], data: Observed, person: np.ndarray) -> np.ndarray:
    """Of every outcome: (pairs, 3), or (sets, names) of sets."""
    if isinstance(data, Preferences):
        pairs = np.stack([data.left_features, data.right_features], axis=1)
        return np.exp(np.logaddexp.reduce([own.outcomes(pairs, person) for own in known], axis=0))
    likelihood, found = Sets(known[0].specification.likelihood.rule), np.empty(len(data.alternatives))
    for kind, rows, place in arrangements(data):
        table = np.where(place[..., None] < 0, np.nan, data.alternatives[place])
        own = [each.of_kind(kind, table, person[data.owner[rows]], likelihood) for each in known]
        found[rows] = np.exp(np.logaddexp.reduce(own, axis=0))
    return data.table(found)


def _likelihood(specification: Specification, data: Observed) -> Likelihood:
    """That of these data, which may be of other kinds than those that were fitted."""
    rule, epsilon = specification.likelihood.rule, specification.epsilon
    return (
        Sets.for_data(rule, [data], epsilon)
        if isinstance(data, Choices)
        else Pairs.for_data(rule, data.n_ties, epsilon)
    )


def _mean(logs: jax.Array, shares: jax.Array) -> jax.Array:
    """log Σ share × exp(log), over the first axis."""
    return jax.nn.logsumexp(logs, axis=0, b=shares.reshape(-1, *(1,) * (logs.ndim - 1)))


@partial(jax.jit, static_argnums=(0, 1))
def _log_rows(
    specification: Specification, kind: str, vectors: jax.Array, shares: jax.Array, rows: jax.Array
) -> jax.Array:
    def one(own: jax.Array, share: jax.Array, row: jax.Array) -> jax.Array:
        return _mean(jax.vmap(lambda vector: specification.log_probability(kind, vector, row))(own), share)

    return jax.vmap(one)(vectors, shares, rows)


@partial(jax.jit, static_argnums=0)
def _log_outcomes(specification: Specification, vectors: jax.Array, shares: jax.Array, rows: jax.Array) -> jax.Array:
    def one(own: jax.Array, share: jax.Array, row: jax.Array) -> jax.Array:
        logs = jax.vmap(lambda vector: specification.log_outcomes(specification.unpack(vector), row))(own)
        return _mean(logs, jnp.asarray(share))

    return jax.vmap(one)(vectors, shares, rows)
