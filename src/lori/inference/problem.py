"""How well do given parameters explain the data? The negative log-posterior: what sources add up, and the prior.

Equation (7) without its constant, minus the log-prior if there is one. Where no data and no prior tell two
parameter vectors apart, the smaller one is taken: a ridge of `RIDGE` units breaks such draws and is far below
anything that a likelihood can show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lori.inference.blocks import Evaluation
from lori.inference.scaling import Scaling
from lori.inference.sources.memory import Source
from lori.model.priors import Prior
from lori.model.specification import Specification

RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class Objective:
    """The negative log-posterior (or log-likelihood) of one specification on one or many groups of rows.

    Vectors have shape (groups, starts, parameters) and are in standardised units.
    """

    specification: Specification
    source: Source
    scaling: Scaling
    prior: Prior | None

    def evaluate(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """Values (groups, starts), and derivatives up to `order`."""
        return self.likelihood(vectors, order) + self.penalty(vectors, order)

    def likelihood(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """The negative log-likelihood alone; its curvature is the observed information."""
        return self.source.evaluate(self.specification, self.scaling, vectors, order)

    def penalty(self, vectors: np.ndarray, order: int = 2) -> Evaluation:
        """Minus the log-prior, and the ridge."""
        value, first, second = 0.5 * RIDGE * np.sum(vectors**2, axis=-1), RIDGE * vectors, np.full_like(vectors, RIDGE)
        if self.prior:
            scales = self.prior.scales(self.specification)
            slope, bend = self.prior.slopes(vectors, scales)
            value, first, second = value - self.prior.log_density(vectors, scales), first - slope, second - bend
        return Evaluation(*(value, first, second[..., None] * np.eye(vectors.shape[-1]))[: order + 1])

    def of_group(self, group: int) -> Objective:
        """The objective of one of many groups."""
        return self if self.source.groups == 1 else replace(self, source=self.source.only(group))

    def on_sample(self, rows: int, generator: np.random.Generator) -> Objective:
        """The objective of about so many rows of each group."""
        sample = self.source.sample(rows, generator)
        return self if sample is self.source else replace(self, source=sample)
