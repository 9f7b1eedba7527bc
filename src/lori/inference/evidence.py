"""Evidence: does a level beyond the second speak, or does it fit noise?

A deeper level always explains some noise, and the more features there are, the more: ten features and 10 000 choices
give a level that is not there some fifteen units of log-likelihood. What that is worth depends on how precisely the
data tell the level's parameters, so no fixed price is right for small and large data alike. Laplace's method weighs it:
the evidence of a model is the height of its posterior times its width, and the narrower a further level's parameters
are than the prior, the more it has to explain.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lori.inference.estimates import Optimum, Units
from lori.inference.posterior.laplace import Gaussian
from lori.inference.problem import Problem
from lori.inference.search.search import SILENT
from lori.inference.search.solutions import Found
from lori.inference.search.starts import insertions


def log_evidence(problem: Problem, found: Found) -> np.ndarray | None:
    """Of each group, around its optimum, where all thresholds are alike; None where that cannot be told."""
    prior, specification = problem.prior, problem.specification
    if prior is None or not prior.proper(specification) or found.curvature is None or found.gradient is None:
        return None
    alike = replace(problem, prior=replace(prior, price=0.0))
    values = found.values - problem.penalty(found.vectors, order=0).value
    values = values + alike.penalty(found.vectors, order=0).value
    units = Units(specification, problem.scaling, specification.alpha)
    around = zip(found.vectors, values, found.gradient, found.curvature, strict=True)
    return np.array([Gaussian.around(Optimum(units, alike.prior, *own)).log_mass for own in around])


def with_earned_level(
    problem: Problem, found: Found, smaller: Problem, fewer: Found, generator: np.random.Generator
) -> Found:
    """What was found, but with a silent last level in groups where the evidence is for one level `fewer`."""
    specification, prior = problem.specification, problem.prior
    if prior is None or not prior.price or not prior.silences(specification):
        return found
    own, less = log_evidence(problem, found), log_evidence(smaller, fewer)
    if own is None or less is None:
        return found
    silent = found.vectors[:, specification.epsilon_slots[specification.levels - 2]] < SILENT
    kept = silent | (own > less)
    if kept.all():
        return found
    padded = insertions(specification, fewer.vectors, generator)[:, -1:]
    silenced = Found.of(
        problem.solve_from(padded), starts=found.starts, share_at_best=found.share_at_best, rivals=found.rivals
    )
    return Found.either(found, silenced, kept)
