"""Idle levels: where in the posterior does a level never speak, so that it can hold whatever its prior allows?

If the data need one level less, the posterior has wide and low parts in which the others explain everything and one
level says nothing: behind a threshold that no difference reaches, or below a level that decides all. There is no
optimum in these parts, so that Gaussians around optima miss them. Proposed are the others from the Gaussian around the
optimum with one level less, and the idle level, at each place, from its prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lori.inference.estimates import Optimum, Units
from lori.inference.posterior.laplace import Gaussian
from lori.inference.problem import Problem
from lori.model.priors import Prior
from lori.model.specification import Specification

WIDER = 3.0  # thresholds that let nothing pass are large
NEARLY = 1e-3  # log-likelihood units that the others may be short of their optimum: draws around it are weighted anyway


@dataclass(frozen=True, eq=False)
class Idle:
    """Proposals with an idle level at each place."""

    specification: Specification
    others: Gaussian
    own: Specification  # of a level alone
    prior: Prior  # of a level alone

    @classmethod
    def of(cls, problem: Problem, optima: Sequence[Optimum]) -> list[Idle | None]:
        """For each group of a problem; None where levels are not interchangeable, or nothing is believed of them."""
        known, prior = problem.specification, problem.prior
        alike = known.levels > 1 and len({(known.rewards[i], known.alpha[i]) for i in range(known.levels)}) == 1
        learned = set(known.epsilon) == {None} and not known.alpha_slots
        if not (alike and learned) or known.shared or prior is None or not prior.proper(known):
            return [None] * len(optima)
        fewer = replace(problem, specification=known.fewer()).by_logarithm()
        places = [_others(known, place) for place in range(known.levels)]
        found = fewer.solve_from(np.stack([own.vector[places] for own in optima]), tolerance=NEARLY)
        if found.gradient is None or found.curvature is None:
            return [None] * len(optima)
        alone = Specification(known.rewards[:1], (None,), known.alpha[:1], known.likelihood, known.features)
        own = replace(prior, epsilon=WIDER * prior.epsilon)
        units = Units(fewer.specification, problem.scaling, optima[0].units.alpha[:-1])
        return [
            cls(known, Gaussian.around(Optimum(units, prior, vector, float(value), gradient, curvature)), alone, own)
            for vector, value, gradient, curvature in (
                (found.vectors[group, best], found.values[group, best], found.gradient[group, best],
                 found.curvature[group, best])
                for group, best in enumerate(np.argmin(found.values, axis=1))
            )
        ]  # fmt: skip

    def draw(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """(count, parameters), the places by turns."""
        points = generator.uniform(1e-12, 1 - 1e-12, size=(count, len(self.others.mean)))
        others, own = self.others.draw(points)[0], self.prior.draw(self.own, count, generator)
        vectors = np.empty((count, self.specification.size))
        for place in range(self.specification.levels):
            rows = slice(place, None, self.specification.levels)
            vectors[rows, _others(self.specification, place)] = others[rows]
            vectors[rows, _own(self.specification, place)] = own[rows]
        return vectors

    def log_density(self, vectors: np.ndarray) -> np.ndarray:
        """Of what `draw` makes."""
        constant = self.prior.log_constant(self.own) - np.log(self.specification.levels)
        each = [
            self.others.log_density(vectors[:, _others(self.specification, place)])
            + self.prior.log_density(vectors[:, _own(self.specification, place)], self.own)
            for place in range(self.specification.levels)
        ]
        return constant + np.logaddexp.reduce(each, axis=0)


def _own(known: Specification, place: int) -> np.ndarray:
    """Where the numbers of a level stand."""
    return np.append(known.reward_slots[place], known.epsilon_slots[place])


def _others(known: Specification, place: int) -> np.ndarray:
    """Where those of all other levels stand, in the order in which a model with one level less has them."""
    levels = [level for level in range(known.levels) if level != place]
    slots = [*(known.reward_slots[level] for level in levels), [known.epsilon_slots[level] for level in levels]]
    return np.concatenate([*slots, [] if known.lapse_slot is None else [known.lapse_slot]]).astype(int)
