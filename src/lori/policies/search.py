"""Policy search: which policy would be preferred, in a world that can only be tried, with any kind of actions?

Preferences are about what whole episodes bring. The numbers of a small network are drawn from a normal distribution,
each draw is followed in the same episodes as all others (common random numbers), and the distribution moves to the
quarter that the model prefers most to what is done now (the cross-entropy method, Rubinstein 1999). There is no
guarantee that this finds the best policy. What is found is judged on episodes that the search has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lori.errors import whole
from lori.inference.posterior.draws import Posterior
from lori.model.ordered import OrderedModel
from lori.policies.copies import Copies
from lori.policies.environments import run_episodes
from lori.policies.finite.exploration import check_rewards, objective_count, objective_names, own_limit, steps_of
from lori.policies.finite.models import columns_of
from lori.policies.finite.preferred import PreferredPlan, how_preferred, models_of, returns_of
from lori.policies.levels import EpisodeLevels
from lori.policies.observing import Observing

WIDE = 1.0  # standard deviation of the first draws
LEAST = 0.02  # and of the last ones at least
BEST = 4  # of so many draws one is followed
FEW = 20  # models that stand for a posterior during the search
RIVALS = 200  # of the opponent's episodes that each draw is compared with


def prefer_by_search(
    model: OrderedModel | Sequence[OrderedModel] | Posterior,
    env: Any,
    opponent: Any,
    *,
    discount: float = 1.0,
    horizon: int | None = None,
    rounds: int = 30,
    policies: int = 32,
    episodes: int = 8,
    trajectories: int = 200,
    hidden: tuple[int, ...] = (8,),
    draws: int = 100,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> PreferredPlan:
    """The policy whose episodes are most probably preferred to the opponent's: its episodes, or a policy to follow.

    Each of the `rounds` follows so many `policies` in the same `episodes`; `trajectories` new ones judge the result.
    """
    check_rewards(env)
    whole("rounds", rounds, 1), whole("policies", policies, BEST), whole("episodes", episodes, 2)
    whole("trajectories", trajectories, 2)
    steps = steps_of(horizon, own_limit(env))
    count = objective_count(env)
    objectives, known = objective_names(env, count), models_of(model, draws)
    columns, generator = columns_of(known[0], objectives), np.random.default_rng(seed)
    if hasattr(opponent, "act") or hasattr(opponent, "chances_at"):
        theirs = run_episodes(env, opponent, episodes=trajectories, discount=discount, horizon=steps, seed=seed).returns
    else:
        theirs = returns_of(opponent, objectives)
    levels = EpisodeLevels.of(count, None, None, discount)
    form = Observing.for_environment(env, levels, tuple(hidden), steps, seed)
    copies = Copies(env, episodes)

    def followed(vector: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        policy = replace(form, parameters=vector)

        def choose(observed: np.ndarray, step: int, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            own = policy.likeliest(policy.outputs(policy.seen(observed, step, totals)))
            return own, policy.for_env(own)

        return copies.run(choose, seeds, objectives=count, discount=discount, horizon=steps).totals[-1]

    few = known[:: -(-len(known) // FEW)]
    rivals = theirs[generator.permutation(len(theirs))[:RIVALS]][:, columns]
    middle, spread = np.zeros(len(form.parameters)), np.full(len(form.parameters), WIDE)
    for number in range(rounds):
        drawn = middle + spread * generator.normal(size=(policies, len(middle)))
        drawn[0] = middle
        seeds = generator.integers(2**31, size=episodes)
        told = [how_preferred(few, followed(vector, seeds)[:, columns], rivals)[:2] for vector in drawn]
        best = drawn[sorted(range(policies), key=lambda place: told[place], reverse=True)[: policies // BEST]]
        middle, spread = best.mean(axis=0), np.maximum(best.std(axis=0), LEAST)
        if progress is not None:
            progress(number + 1, rounds)
    fresh = generator.integers(2**31, size=(-(-trajectories // episodes), episodes))
    ours = np.concatenate([followed(middle, seeds) for seeds in fresh])
    at_least, probability, error = how_preferred(known, ours[:, columns], theirs[:, columns])
    return PreferredPlan(
        replace(form, parameters=middle), ours.mean(axis=0), objectives, probability, error, at_least, len(known),
        rounds * policies, ours, theirs,
    )  # fmt: skip
