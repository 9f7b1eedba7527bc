"""Problem: what is being solved. A specification with its likelihood, rows somewhere, a scaling and a prior.

The negative log-posterior is equation (7) without its constant, minus the log-prior if there is one. Where no data and
no prior tell two parameter vectors apart, the smaller one is taken: a ridge of `RIDGE` units breaks such draws. Beyond
`LEVELLING` it grows with the logarithm only, so that it is far below anything that a likelihood can show also where
weights are large. Vectors are in standardised units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lori.data.grouping import relative
from lori.inference.arrangement import ALIKE, FEW_ROWS, laid_out
from lori.inference.blocks import Evaluation, log_likelihood
from lori.inference.plain import RowWise
from lori.inference.rows import by_groups, by_rows
from lori.inference.search.guided import guided_search
from lori.inference.search.minimising import minimise
from lori.inference.search.newton import TOLERANCE
from lori.inference.search.search import search
from lori.inference.search.solutions import Found, Solutions
from lori.inference.sources.memory import Memory, Source
from lori.inference.statistics import Moments, Observed, Scaling
from lori.model.engines import jax
from lori.model.likelihoods import Observations
from lori.model.priors import Prior
from lori.model.specification import Specification

RIDGE, LEVELLING = 1e-7, 10.0
TOGETHER, MANY_TOGETHER = ALIKE, 1024  # vectors that are evaluated at once where there are many; on few rows


@dataclass(frozen=True, eq=False)
class Problem:
    """One specification on one or many groups of rows. Vectors have shape (groups, starts, parameters)."""

    specification: Specification
    source: Source
    scaling: Scaling
    prior: Prior | None = None

    @classmethod
    def of(
        cls,
        specification: Specification,
        groups: Sequence[Observed],
        prior: Prior | None,
        scaling: Scaling | None = None,
    ) -> Problem:
        """The problem of data in memory, one group or many; all share a scaling, which may be given.

        Weights are relative: they average one over the comparisons of all groups.
        """
        groups = relative(groups)
        source = Memory(tuple(specification.likelihood.observed(group) for group in groups))
        if scaling is None:
            scaling = Scaling.within(specification, Moments.of_all(groups))
        return cls(specification, source, scaling, prior)

    # -- how well do given parameters explain the data? ------------------------------------------------------

    def evaluate(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """The negative log-posterior (groups, starts), up to a constant, and derivatives up to `order`."""
        return self.negative_log_likelihood(vectors, order) + self.penalty(vectors, order)

    def negative_log_likelihood(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """Its curvature is the observed information."""
        return self.source.evaluate(self.specification, self.scaling, vectors, order)

    def penalty(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """Minus the log-prior, and the ridge."""
        square = (vectors / LEVELLING) ** 2
        value = 0.5 * RIDGE * LEVELLING**2 * np.sum(np.log1p(square), axis=-1)
        if self.prior:
            value = value - self.prior.log_density(vectors, self.specification)
        if order == 0:
            return Evaluation(value)
        first, second = RIDGE * vectors / (1 + square), RIDGE * (1 - square) / (1 + square) ** 2
        if self.prior:
            slope, bend = self.prior.slopes(vectors, self.specification)
            first, second = first - slope, second - bend
        return Evaluation(*(value, first, second[..., None] * np.eye(vectors.shape[-1]))[: order + 1])

    def log_posterior(self, vectors: np.ndarray, roughly: bool = False) -> np.ndarray:
        """With the prior's constant, for vectors (groups, vectors, parameters); −∞ outside the bounds.

        `roughly`: only as exact as the weights of draws need it, where that takes less time.
        """
        lower, upper = self.specification.bounds
        inside = np.all((vectors >= lower) & (vectors <= upper), axis=-1)
        constant = 0.0 if self.prior is None else self.prior.log_constant(self.specification)
        within = np.clip(vectors, lower, upper)
        step = MANY_TOGETHER if self.source.rows <= FEW_ROWS else TOGETHER
        parts = [within[:, start : start + step] for start in range(0, within.shape[1], step)]
        value = self._rough_value if roughly else lambda part: self.evaluate(part, order=0).value
        values = np.concatenate([value(part) for part in parts], axis=1)
        return np.where(inside, constant - values, -np.inf)

    def _rough_value(self, vectors: np.ndarray) -> np.ndarray:
        if isinstance(self.source, Memory):
            rough = self.source.rough_values(self.specification, self.scaling, vectors)
            return rough + self.penalty(vectors, order=0).value
        return self.evaluate(vectors, order=0).value

    def row_log_likelihood(self, vectors: np.ndarray) -> np.ndarray:
        """(vectors, observations) of each observation of the only group, times its weight."""
        observations = self._rows()
        logs = by_rows("values", self.specification, self.scaling, observations, np.atleast_2d(vectors))
        total = np.zeros((observations.count, len(np.atleast_2d(vectors))))
        for kind, rows in observations.kinds.items():
            np.add.at(total, rows.origin, (logs[kind] * rows.weight).T)
        return total.T

    def scores(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each row of the only group: the gradient of its log-probability, its weight and its observation."""
        found, weight, origin = self.row_scores(vector[None])
        return found[0, 1:].T, weight, origin

    def row_scores(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each row of the only group: its log-probability and gradient (vectors, 1 + parameters, rows), its weight
        and its observation."""
        observations = self._rows()
        found = by_rows("scores", self.specification, self.scaling, observations, vectors)
        kinds = {kind: rows for kind, rows in observations.kinds.items() if len(rows)} or observations.kinds
        return (
            np.concatenate([found[kind] for kind in kinds], axis=-1),
            np.concatenate([rows.weight for rows in kinds.values()]),
            np.concatenate([rows.origin for rows in kinds.values()]),
        )

    def by_groups(self, what: RowWise, vectors: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
        """(vectors, …, groups) the log-likelihood, or as scores that and its gradient, of the observations of each
        agent, say: `group` (observations,) divides the only group of this problem."""
        return by_groups(what, self.specification, self.scaling, self._rows(), vectors, group, groups)

    def density(self, together: int) -> tuple[Density, tuple[Any, ...]]:
        """For samplers: the log-density to be traced, and the data that it takes; so many vectors at a time."""
        rows = laid_out(self.specification, [self._rows()], together)
        return Density(self.specification, self.prior), (self.scaling.location, self.scaling.scale, rows)

    # -- which parameters explain them best? -----------------------------------------------------------------

    def solve(
        self,
        *,
        starts: int = 48,
        generator: np.random.Generator | None = None,
        fewer: Found | None = None,
        tolerance: float = TOLERANCE,
    ) -> Found:
        """The best optimum of each group from many starts; `fewer` is what was found with one level less."""
        chosen = np.random.default_rng(0) if generator is None else generator
        find = search if self.specification.likelihood.quick else guided_search
        return find(self, starts=starts, generator=chosen, fewer=fewer, tolerance=tolerance)

    def solve_from(self, vectors: np.ndarray, **options: Any) -> Solutions:
        """Where each of the vectors (groups, starts, parameters) leads; options as of `newton.minimise`."""
        return minimise(self, vectors, **options)

    def simpler(self) -> Problem:
        """The same data under a likelihood whose rows are quick to compute, for a search to begin with."""
        assert isinstance(self.source, Memory), "only rows in memory can be read in another way"
        likelihood, parts = self.specification.likelihood.simpler(self.source.observations)
        return replace(self, specification=replace(self.specification, likelihood=likelihood), source=Memory(parts))

    def roughly(self) -> Problem:
        """The same problem, only as exact as a search needs it, where that takes less time."""
        return replace(self, specification=self.specification.roughly())

    def regularised(self, wider: float | None = None) -> Problem:
        """The same problem with the weak prior that is the default, if it has none: its optima are finite.

        `wider` than that by a factor, it treats all thresholds alike.
        """
        if self.prior is not None:
            return self
        weak = Prior()
        if wider is not None:
            weak = replace(weak, weights=wider * weak.weights, epsilon=wider * weak.epsilon, price=0)
        return replace(self, prior=weak)

    def by_logarithm(self) -> Problem:
        """The same problem by the logarithm of the rate of slips, whose density is λ times as high.

        Next to zero that of the rate itself is so skew that the curvature at its best says little about its width.
        """
        if self.prior is None:
            return self
        often, seldom = self.prior.lapse
        return replace(self, prior=replace(self.prior, lapse=(often + 1, seldom)))

    # -- other problems --------------------------------------------------------------------------------------

    def nested(self) -> list[Problem]:
        """The same kind of problem with 1, 2, … levels; the last one is this."""
        chain = [self]
        while chain[0].specification.levels > 1:
            chain.insert(0, replace(self, specification=chain[0].specification.fewer()))
        return chain

    def reweighted(self, weights: np.ndarray | Sequence[np.ndarray]) -> Problem:
        """Each observation times a weight, one array for each group; rows are not laid out again."""
        return replace(self, source=self.source.reweighted([weights] if isinstance(weights, np.ndarray) else weights))

    def singly(self) -> Problem:
        """The same problem for vectors one by one, with code of their own."""
        return replace(self, source=replace(self.source, single=True)) if isinstance(self.source, Memory) else self

    def of_group(self, group: int) -> Problem:
        """The problem of one of many groups."""
        return self if self.source.groups == 1 else replace(self, source=self.source.only(group))

    def on_sample(self, rows: int, generator: np.random.Generator) -> Problem:
        """The problem of about so many rows of each group."""
        sample = self.source.sample(rows, generator)
        return self if sample is self.source else replace(self, source=sample)

    def _rows(self) -> Observations:
        assert isinstance(self.source, Memory), "rows are asked for one by one only where they are in memory"
        (observations,) = self.source.observations
        return observations


@dataclass(frozen=True)
class Density:
    """The log-posterior as functions to be traced by JAX. Hashable: compiled samplers are shared by equal ones."""

    specification: Specification
    prior: Prior | None

    def log_prior(self, vector: jax.Array) -> Any:
        """With its constant; zero without a prior."""
        if self.prior is None:
            return 0.0
        return self.prior.log_constant(self.specification) + self.prior.log_density(vector, self.specification)

    def log_likelihood(self, vector: jax.Array, data: tuple[Any, ...]) -> jax.Array:
        return log_likelihood(self.specification)(vector, *data)
