"""Procedures of the paper: what do its printed algorithm and its authors' public scripts infer from preferences?

They differ. Printed (appendix C): both levels have a cap, all free numbers start at 0, and the descent stops when the
likelihood is worse than ten steps before. Scripted: only the first level has a cap, and that above 0; differences of
rewards beyond 10 count as 10; it starts near 0, stops when nine steps have gained less than 1e-6, and in any case after
25 000. Both are float32, from one start, on raw features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lori.data.preferences import Preferences
from lori.inference.search.paper import PRINTED, SCRIPTED, PaperRun, Procedure, run_paper_method
from lori.model.likelihoods import Pairs
from lori.model.ordered import Level, OrderedModel
from lori.model.rewards import Capped, Linear
from lori.model.rewards.base import Bounds, Names
from lori.model.specification import Specification

FURTHEST = 10.0  # difference of rewards that the scripts tell apart


@dataclass(frozen=True)
class FurthestLinear(Linear):
    """A weighted sum whose differences end at `FURTHEST`."""

    def gap(self, parameters: jax.Array, one: jax.Array, other: jax.Array) -> jax.Array:
        return jnp.clip(super().gap(parameters, one, other), -FURTHEST, FURTHEST)


@dataclass(frozen=True)
class FurthestCapped(Capped):
    """The same with a cap, which is positive."""

    def gap(self, parameters: jax.Array, one: jax.Array, other: jax.Array) -> jax.Array:
        return jnp.clip(super().gap(parameters, one, other), -FURTHEST, FURTHEST)

    def bounds(self, features: Names) -> Bounds:
        lower, upper = super().bounds(features)
        return np.append(lower[:-1], 0.0), upper


def as_printed(
    seen: Preferences, signs: dict[str, Any], seed: int = 0, passes: int = PRINTED.limit
) -> tuple[OrderedModel, PaperRun]:
    """Algorithm 1: two capped levels; after so many `passes` it is cut off."""
    return _descended(seen, (Capped(**signs),) * 2, replace(PRINTED, limit=passes), seed)


def as_scripted(
    seen: Preferences, signs: dict[str, Any], seed: int = 0, passes: int = SCRIPTED.limit
) -> tuple[OrderedModel, PaperRun]:
    """The public scripts: a cap on the first level alone, and no more passes than theirs."""
    procedure = replace(SCRIPTED, limit=min(passes, SCRIPTED.limit))
    model, run = _descended(seen, (FurthestCapped(**signs), FurthestLinear(**signs)), procedure, seed)
    plain = (Capped(**signs), Linear(**signs))  # predictions know no furthest difference
    levels = tuple(
        Level(reward, level.parameters, level.epsilon, slopes=level.slopes)
        for reward, level in zip(plain, model.levels, strict=True)
    )
    return OrderedModel(levels, model.features), run


def _descended(
    seen: Preferences, rewards: tuple[Linear, ...], procedure: Procedure, seed: int
) -> tuple[OrderedModel, PaperRun]:
    free = (None,) * len(rewards)
    own = Specification(rewards, free, (1.0,) * len(rewards), Pairs(), seen.features)
    run = run_paper_method(own, own.likelihood.observed(seen), seed=seed, procedure=procedure)
    parameters = own.unpack(jnp.asarray(run.vector, jnp.float32))  # as precise as the descent
    levels = (
        Level(reward, np.asarray(values), float(epsilon), slopes=np.asarray(reward.weights(values)))
        for reward, values, epsilon in zip(rewards, parameters.rewards, parameters.epsilon, strict=True)
    )
    return OrderedModel(tuple(levels), seen.features), run
