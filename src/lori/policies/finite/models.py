"""Plans for a model: what should one do in a finite world, given the rewards and thresholds that choices revealed?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lori.errors import InputError
from lori.language import plans
from lori.model.ordered import Level, OrderedModel
from lori.policies.finite.lexicographic import LexicographicPlan, plan_lexicographic
from lori.policies.finite.mdp import FiniteMDP


def plan_for_model(
    model: OrderedModel,
    mdp: FiniteMDP,
    *,
    discount: float = 1.0,
    horizon: int | None = None,
    reading: str = "expectation",
) -> LexicographicPlan:
    """Plan with the levels of a model, whose features are objectives of the world.

    A level's reward is a weighted sum of the objectives, and so is what an episode earns on it. The threshold ε of a
    level is its slack: the model calls differences below ε none, so the level gives way by ε to those below. A capped
    reward has its cap as threshold, read for the average over episodes.
    """
    weights = np.array([_weights(level, place, model, mdp) for place, level in enumerate(model.levels, start=1)])
    names = _names(weights, mdp.objectives)
    last = len(model.levels) - 1
    seen = plan_lexicographic(
        mdp.seen_through(weights, names),
        [level.cap for level in model.levels],
        slack=[0.0 if place == last else float(level.epsilon) for place, level in enumerate(model.levels)],
        discount=discount,
        horizon=horizon,
        reading=reading,
    )
    values = seen.policy.values(mdp, discount, horizon)
    got = plans.in_objectives(mdp.objectives, values.tolist())
    return replace(
        seen, notes=(got, *seen.notes), objective_values=dict(zip(mdp.objectives, values.tolist(), strict=True))
    )


def columns_of(model: OrderedModel, objectives: Sequence[str]) -> list[int]:
    """Which objective of the world each feature of the model is."""
    missing = [name for name in model.features if name not in objectives]
    if missing:
        raise InputError(
            "model", expected=f"features among the environment's objectives {', '.join(objectives)}",
            got=f"{', '.join(missing[:5])}, which it lacks", fix="give its objectives the names of the features",
        )  # fmt: skip
    return [list(objectives).index(name) for name in model.features]


def _weights(level: Level, place: int, model: OrderedModel, mdp: FiniteMDP) -> np.ndarray:
    columns = columns_of(model, mdp.objectives)
    own = level.reward.weights(level.parameters)
    if own is None:
        raise InputError(
            "model", expected="linear or capped rewards", got=f"another one on level {place}",
            fix="fit linear rewards, or let lori.prefer plan with the whole model",
        )  # fmt: skip
    spread = np.zeros(len(mdp.objectives))
    spread[columns] = own
    return spread


def _names(weights: np.ndarray, objectives: Sequence[str]) -> list[str]:
    """A level that is about one objective is called by it."""
    names = []
    for place, row in enumerate(weights, start=1):
        shares = np.abs(row) / max(np.abs(row).sum(), 1e-300)
        leading = [name for name, share in zip(objectives, shares, strict=True) if share > 0.9]
        names.append(f"reward {place} ({leading[0]})" if leading else f"reward {place}")
    return names
