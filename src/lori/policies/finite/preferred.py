"""Preferred policies of finite worlds: which one would be chosen over what is done now, and how sure is that?

Preferences are about what whole episodes bring. The candidates are the policies without chance that no other dominates
on average; each is followed often, and what its episodes bring is compared with the opponent's, by the whole model with
its thresholds. Where the model is a posterior, the policy that is preferred with the largest probability under 95 % of
it is taken. For rewards that rise with every objective and outcomes that are certain, no policy is better; elsewhere,
none of the candidates is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from lori.errors import InputError, whole
from lori.inference.posterior.draws import Posterior
from lori.language import plans
from lori.model.ordered import OrderedModel
from lori.policies.comparison import how_often_preferred
from lori.policies.environments import Chances, Episodes
from lori.policies.finite.exploration import steps_of
from lori.policies.finite.fronts import front
from lori.policies.finite.lexicographic import course_of
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.finite.models import columns_of
from lori.policies.finite.policy import FinitePolicy
from lori.policies.policy import Policy

QUANTILE = 1.96
LOW = 0.05  # of the posterior: what holds for the other 95 %
MOST_CANDIDATES = 200


@dataclass(frozen=True, eq=False)
class PreferredPlan:
    """A policy, and how often what it brings would be preferred to what the opponent brings."""

    policy: Policy
    values: np.ndarray  # (objectives,) of the policy, on average
    objectives: tuple[str, ...]
    probability: float  # the mean over the posterior's draws
    standard_error: float  # of sampling episodes
    at_least: float  # under 95 % of the posterior; the probability itself where there is one model
    draws: int  # models
    candidates: int
    returns: np.ndarray  # (episodes, objectives) of the policy
    opponents: np.ndarray  # (episodes, objectives)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence of sampling episodes."""
        margin = QUANTILE * self.standard_error
        return max(self.probability - margin, 0.0), min(self.probability + margin, 1.0)

    @property
    def verdict(self) -> str:
        return plans.preferred(self.probability, self.interval, self.at_least if self.draws > 1 else None)

    def __str__(self) -> str:
        return "\n".join([self.verdict, plans.in_objectives(self.objectives, self.values.tolist())])

    def to_dict(self) -> dict[str, Any]:
        return {
            "objectives": list(self.objectives), "values": self.values.tolist(), "probability": self.probability,
            "interval": list(self.interval), "at_least": self.at_least, "draws": self.draws,
            "candidates": self.candidates,
        }  # fmt: skip


def prefer_finite(
    model: OrderedModel | Sequence[OrderedModel] | Posterior,
    mdp: FiniteMDP,
    opponent: Episodes | Chances | ArrayLike,
    *,
    discount: float = 1.0,
    horizon: int | None = None,
    trajectories: int = 2000,
    draws: int = 100,
    seed: int = 0,
) -> PreferredPlan:
    """The policy whose episodes are most probably preferred to the opponent's: its episodes, or a policy to follow."""
    steps = steps_of(horizon, mdp.limit)
    whole("trajectories", trajectories, 2)
    known = models_of(model, draws)
    columns = columns_of(known[0], mdp.objectives)
    if hasattr(opponent, "chances_at"):
        returns = sampled(cast(Chances, opponent), mdp, discount, steps, trajectories, seed)
    else:
        returns = returns_of(opponent, mdp.objectives)
    found = front(mdp, discount, steps)
    if found is None or len(found.values) > MOST_CANDIDATES:
        raise InputError(
            "env", expected=f"a world with at most {MOST_CANDIDATES} undominated policies", got="one with more",
            fix="use a shorter horizon, or plan for the model with lori.plan_for",
        )  # fmt: skip
    best: tuple[float, float, float, int, FinitePolicy, np.ndarray] | None = None
    for place in range(len(found.values)):
        policy = course_of(found, place, mdp, discount, steps)
        if policy is None:
            continue
        ours = sampled(policy, mdp, discount, steps, trajectories, seed + 1)
        told = (*how_preferred(known, ours[:, columns], returns[:, columns]), place, policy, ours)
        if best is None or told[:2] > best[:2]:
            best = told
    assert best is not None
    at_least, probability, error, place, policy, ours = best
    return PreferredPlan(
        policy,
        found.values[place],
        mdp.objectives,
        probability,
        error,
        at_least,
        len(known),
        len(found.values),
        ours,
        returns,
    )


def models_of(model: OrderedModel | Sequence[OrderedModel] | Posterior, draws: int) -> list[OrderedModel]:
    """One model, or those that stand for a posterior."""
    models = model.models(whole("draws", draws, 2)) if isinstance(model, Posterior) else model
    return [models] if isinstance(models, OrderedModel) else list(models)


def how_preferred(models: list[OrderedModel], ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float, float]:
    """What our episodes are preferred with at least, under 95 % of the models, and on average with its error."""
    told = np.array([how_often_preferred(each, ours, theirs) for each in models])
    at_least = float(np.quantile(told[:, 0], LOW)) if len(told) > 1 else float(told[0, 0])
    mean, error = told.mean(axis=0)
    return at_least, float(mean), float(error)


def sampled(policy: Chances, mdp: FiniteMDP, discount: float, horizon: int, count: int, seed: int) -> np.ndarray:
    """(count, objectives): what so many episodes bring; rewards are the expected ones of each step taken."""
    generator = np.random.default_rng(seed)
    actions = len(mdp.actions)
    now = generator.choice(mdp.states, size=count, p=mdp.start)
    total, alive = np.zeros((count, mdp.rewards.shape[2])), np.arange(count)
    table = mdp.transitions
    for step in range(horizon):
        after = np.empty(len(alive), int)
        for state in np.unique(now):
            own = np.flatnonzero(now == state)
            place = int(state) if mdp.observations is None else mdp.observations[state]
            chosen = generator.choice(actions, size=len(own), p=policy.chances_at(place, step))
            for action in np.unique(chosen):
                taken = own[chosen == action]
                total[alive[taken]] += discount**step * mdp.rewards[state, action]
                row = slice(*table.indptr[state * actions + action : state * actions + action + 2])
                chances = table.data[row]
                drawn = generator.random(len(taken))
                where = np.searchsorted(np.cumsum(chances), drawn, side="right")
                after[taken] = np.append(table.indices[row], -1)[where]
        alive, now = alive[after >= 0], after[after >= 0]
        if not len(alive):
            break
    return total


def returns_of(opponent: Episodes | ArrayLike, objectives: Sequence[str]) -> np.ndarray:
    """(episodes, objectives): what recorded episodes brought, checked."""
    if isinstance(opponent, Episodes):
        if set(opponent.objectives) != set(objectives):
            raise InputError(
                "opponent", expected=f"episodes with the objectives {', '.join(objectives)}",
                got=", ".join(opponent.objectives), fix="roll out in the same environment",
            )  # fmt: skip
        returns = opponent.returns[:, [opponent.objectives.index(name) for name in objectives]]
    else:
        returns = np.asarray(opponent, float)
    if returns.ndim != 2 or returns.shape[1] != len(objectives) or len(returns) < 2:
        raise InputError(
            "opponent", expected=f"a policy, or what at least two episodes brought on {len(objectives)} objectives",
            got=f"an array of shape {np.shape(returns)}", fix="give what lori rollout --out behaviour.npz wrote",
        )  # fmt: skip
    return returns
