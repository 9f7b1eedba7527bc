"""Membership: of which class is an agent, how likely, given that the classes themselves are known only so well?

With known parameters θ, agent a is of class c with the probability p_c(a | θ) = π_c L_c(a) / Σ π L(a). That of the best
θ would be too sure, as θ was estimated from the same choices. So it is averaged over what is known about θ:

    P(a is of class c) = ∫ p_c(a | θ) p(θ | all choices) dθ

by the algorithm of Metropolis and Hastings, with many chains as one batch. All begin at the optimum. Each class in
turn, and then the shares, get a proposal from the Gaussian around the optimum (Laplace), which is taken as often as the
posterior demands. Where none is taken, the probabilities stay those of the best θ.
"""

from __future__ import annotations

import numpy as np

from lori.inference.population import sums
from lori.inference.population.classes import Mixture
from lori.inference.population.search import Classes
from lori.inference.posterior.laplace import Gaussian, scales_of

CHAINS, SWEEPS, FORGOTTEN = 32, 16, 6  # sweeps over all classes, and how many of them do not count
MOST = 30_000  # choices, beyond which the best parameters stand for all: they are as good as known


def averaged(mixture: Mixture, found: Classes, generator: np.random.Generator) -> np.ndarray:
    """(classes, agents) how likely each agent is of each class, given what is known about the classes."""
    vectors = np.repeat(found.vector[None], CHAINS, axis=0)
    logs = np.repeat(mixture.log_likelihoods([found.vector[where] for where in mixture.slots[:-1]]), CHAINS, axis=0)
    member, value = _posterior(mixture, vectors, logs)
    around, mean = _proposals(mixture, found), np.zeros(member.shape[1:])
    for sweep in range(SWEEPS):
        for place, (where, own) in enumerate(zip(mixture.slots, around, strict=True)):
            others, seen = vectors.copy(), logs.copy()
            others[:, where], _ = own.draw(generator.uniform(1e-12, 1, size=(CHAINS, len(own.mean))))
            if place < mixture.classes:
                asked = sums.log_likelihoods, mixture.problems[place], others[:, where]
                seen[:, place] = mixture.rows.total(*asked)
            belongs, new = _posterior(mixture, others, seen)
            gain = new - value + own.log_density(vectors[:, where]) - own.log_density(others[:, where])
            taken = np.log(generator.uniform(size=CHAINS)) < gain
            for kept, trial in ((vectors, others), (logs, seen), (member, belongs), (value, new)):
                kept[taken] = trial[taken]
        if sweep >= FORGOTTEN:
            mean += member.mean(axis=0)
    return mean / (SWEEPS - FORGOTTEN)


def _posterior(mixture: Mixture, vectors: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Memberships (vectors, classes, agents) and the log-posterior (vectors,), from log-likelihoods of all agents."""
    member, total = mixture.memberships(vectors, logs)
    return member, total.sum(axis=1) - mixture.penalties(vectors)


def _proposals(mixture: Mixture, found: Classes) -> list[Gaussian]:
    """For each class, and last for the log-odds of the shares: what is known if the others are integrated over."""
    scales = [scales_of(own.prior, own.specification) for own in mixture.problems]
    scales.append(np.ones(mixture.size - sum(map(len, scales))))
    lower, upper = mixture.bounds
    return [
        Gaussian.at(
            found.vector[where], found.gradient[where], mixture.marginal(found.vector, found.curvature, where),
            (lower[where], upper[where]), own,
        )
        for where, own in zip(mixture.slots, scales, strict=True)
    ]  # fmt: skip
