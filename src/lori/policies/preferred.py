"""Preferred policies: which policy would be chosen? Plan for what a model says about whole trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np
import optax

from lori.errors import InputError, whole
from lori.inference.posterior.draws import Posterior
from lori.language import plans
from lori.model.likelihoods.probabilities import log_better
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision
from lori.model.specification import Parameters, Specification
from lori.policies.comparison import how_often_preferred
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.finite.preferred import PreferredPlan, prefer_finite
from lori.policies.policy import Policy, Scored, inputs, untrained
from lori.policies.rollouts import Rollouts, roll_out
from lori.policies.search import prefer_by_search
from lori.policies.simulator import Simulator, View

UNITS = 32  # of the network that scores actions
RIVALS = 32  # the opponents' trajectories that each look-ahead is compared with
PASSES = 4  # gradient steps for each round of look-aheads
LEARNING_RATE = 0.05  # at first; it falls to nearly nothing
ASTRAY = 0.15  # the share of random actions on the way to a look-ahead, so that uncommon views are met, too
QUANTILE = 1.96  # of the standard normal, for 95 % intervals


@dataclass(frozen=True, eq=False)
class Preferred:
    """A policy, and how often its trajectories would be preferred to the opponent's, as the model sees it."""

    policy: Scored
    probability: float  # estimated on trajectories that the search has not seen
    standard_error: float  # both samples of trajectories are random

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence, for the model at hand; that the model itself may be wrong is not part of it."""
        margin = QUANTILE * self.standard_error
        return max(self.probability - margin, 0.0), min(self.probability + margin, 1.0)

    @property
    def verdict(self) -> str:
        return plans.preferred(self.probability, self.interval, None)


@overload
def prefer(
    model: OrderedModel, simulator: Simulator, opponent: Policy | Sequence[Policy], *, seed: int = 0, rounds: int = 200,
    branches: int = 500, trajectories: int = 2000,
) -> Preferred: ...  # fmt: skip
@overload
def prefer(
    model: OrderedModel | Sequence[OrderedModel] | Posterior, simulator: Any, opponent: Any, **options: Any
) -> PreferredPlan: ...
def prefer(model: Any, simulator: Any, opponent: Any, **options: Any) -> Preferred | PreferredPlan:
    """The policy whose trajectories a model would most probably prefer to those of the opponent.

    In a `FiniteMDP` the model may be a posterior, the opponent a policy or the returns of its episodes, and `discount`,
    `horizon`, `trajectories` and `seed` are options; the plan says what is preferred under 95 % of the posterior. In a
    Gymnasium environment, whose states need not be listed and whose actions may be amounts, the same is searched for
    among networks (`lori.policies.search`). In a simulator:

    Preferences are about whole trajectories, so this is a control problem whose only reward comes at the end:
    the share of the opponent's trajectories to which the finished one is preferred. Of several opponents, the
    mean share counts. Each round follows the present policy in `branches` trajectories, stops each at a random
    step, tries every action there and follows the policy to the end, with the same random numbers for every
    action: differences are then due to the action. The network learns to tell which action came out ahead, each case
    weighing as much as was at stake (policy iteration by classification, Lagoudakis and Parr 2003). A tie of all
    levels counts half for either side, so that a policy meets itself with ½.

    A policy planned against one opponent need not be the best against another: name those that matter.
    `trajectories` of the opponents are drawn for the search, and as many new ones of either side for the estimate;
    `rounds`, `branches` and `seed` are further options.
    """
    if isinstance(simulator, FiniteMDP):
        return prefer_finite(model, simulator, opponent, **options)
    if hasattr(simulator, "action_space"):
        return prefer_by_search(model, simulator, opponent, **options)
    return _in_simulator(model, simulator, opponent, **options)


@double_precision
def _in_simulator(
    model: OrderedModel,
    simulator: Simulator,
    opponent: Policy | Sequence[Policy],
    *,
    seed: int = 0,
    rounds: int = 200,
    branches: int = 500,
    trajectories: int = 2000,
) -> Preferred:
    opponents = [opponent] if isinstance(opponent, Policy) else list(opponent)
    _check(model, simulator, opponents)
    whole("rounds", rounds, 1), whole("branches", branches, 1), whole("trajectories", trajectories, 2)
    seeds = np.random.default_rng(seed).integers(2**31, size=5)

    known = _together(simulator, opponents, trajectories, int(seeds[0]))
    start = untrained(known.states, simulator.actions, UNITS, int(seeds[1]))
    setting, parameters = model.specification, jax.tree.map(jnp.asarray, model.parameters)
    keys = jax.random.split(jax.random.key(int(seeds[2])), rounds)
    policy = _improved(simulator, setting, branches, parameters, jnp.asarray(known.means), start, keys)
    policy = jax.tree.map(np.asarray, policy)
    if not np.all(np.isfinite(policy.output)):
        raise InputError(
            "simulator", expected="finite states whatever the actions", got="NaN or infinity after some step",
            fix="keep what the simulator computes within its valid range",
        )  # fmt: skip

    ours = roll_out(simulator, policy, count=trajectories, seed=int(seeds[3])).means
    theirs = _together(simulator, opponents, trajectories, int(seeds[4])).means
    return Preferred(policy, *how_often_preferred(model, ours, theirs))


def _check(model: OrderedModel, simulator: Simulator, opponents: list[Policy]) -> None:
    if not opponents:
        raise InputError("opponent", expected="one policy or more", got="none", fix="name what is to be improved on")
    if model.features != simulator.features:
        raise InputError(
            "model", expected=f"a model of the simulator's features {', '.join(simulator.features)}",
            got=f"one of {', '.join(model.features)}", fix="fit it to means over the states of this simulator",
        )  # fmt: skip


def _together(simulator: Simulator, policies: list[Policy], count: int, seed: int) -> Rollouts:
    """Equally many trajectories of each policy, at least `count` in all."""
    each = -(-count // len(policies))
    parts = [roll_out(simulator, policy, count=each, seed=seed + i) for i, policy in enumerate(policies)]
    return Rollouts(
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.actions for part in parts]),
        simulator.features,
    )


@partial(jax.jit, static_argnums=(0, 1, 2))
def _improved(
    simulator: Simulator,
    setting: Specification,
    branches: int,
    parameters: Parameters,
    theirs: jax.Array,
    start: Scored,
    keys: jax.Array,
) -> Scored:
    """The policy after as many rounds as there are keys."""
    rounds, (rows, actions) = len(keys), (branches, len(simulator.actions))
    optimiser = optax.adam(optax.cosine_decay_schedule(LEARNING_RATE, rounds * PASSES, alpha=0.02))
    their_rewards = _rewards(setting, parameters, theirs)

    def with_weights(weights) -> Scored:
        return replace(start, hidden=weights[0], output=weights[1])

    def one_round(carried, key):
        weights, memory = carried
        moving, stopping, meeting = jax.random.split(key, 3)
        ends, seen = jax.vmap(partial(_look_ahead, simulator, with_weights(weights)))(
            jax.random.split(moving, rows), jax.random.randint(stopping, (rows,), 0, simulator.horizon)
        )
        rivals = jax.random.randint(meeting, (rows, RIVALS), 0, len(theirs))
        ours = _rewards(setting, parameters, ends.reshape(rows * actions, -1))
        gaps = [
            our.reshape(rows, actions, 1) - their[rivals][:, None]
            for our, their in zip(ours, their_rewards, strict=True)
        ]
        chance = jnp.exp(log_better(gaps, parameters.alpha * parameters.epsilon, "split")).mean(axis=-1)
        advantage = chance - chance.mean(axis=1, keepdims=True)

        def lost(weights) -> jax.Array:
            log_likely = jax.nn.log_softmax(jax.vmap(with_weights(weights).scores)(seen))
            return -simulator.horizon * jnp.mean(jnp.sum(log_likely * jnp.maximum(advantage, 0.0), axis=1))

        def one_pass(_, both):
            weights, memory = both
            change, memory = optimiser.update(jax.grad(lost)(weights), memory)
            return optax.apply_updates(weights, change), memory

        return jax.lax.fori_loop(0, PASSES, one_pass, (weights, memory)), None

    weights = (jnp.asarray(start.hidden), jnp.asarray(start.output))
    (weights, _), _ = jax.lax.scan(one_round, (weights, optimiser.init(weights)), keys)
    return with_weights(weights)


def _look_ahead(simulator: Simulator, policy: Scored, key: jax.Array, stop: jax.Array) -> tuple[jax.Array, jax.Array]:
    """What becomes of a trajectory for each action at step `stop`: its final means (actions, features), and the
    inputs seen there. Chance is the same for all actions."""
    horizon, count = simulator.horizon, len(simulator.actions)
    first, choosing, moving = jax.random.split(key, 3)
    start = simulator.initial(first)
    stray, anything = jax.random.uniform(choosing, (2, horizon))

    def finished(tried: jax.Array) -> tuple[jax.Array, jax.Array]:
        def decide(carried, now):
            state, total, seen = carried
            step, key, stray, anything = now
            view = inputs(View(state, total / (step + 1), step / horizon))
            astray = (step < stop) & (stray < ASTRAY)
            action = jnp.where(astray, (anything * count).astype(int), jnp.argmax(policy.scores(view)))
            following = simulator.step(key, state, jnp.where(step == stop, tried, action))
            return (following, total + following, jnp.where(step == stop, view, seen)), None

        chance = (jnp.arange(horizon), jax.random.split(moving, horizon), stray, anything)
        begin = (start, start, jnp.zeros(2 * len(start) + 1))
        (_, total, seen), _ = jax.lax.scan(decide, begin, chance)
        return total / (horizon + 1), seen

    ends, seen = jax.vmap(finished)(jnp.arange(count))
    return ends, seen[0]


def _rewards(setting: Specification, parameters: Parameters, x: jax.Array) -> list[jax.Array]:
    """α r(x) for each level, of alternatives (n, features)."""
    levels = zip(setting.rewards, parameters.rewards, parameters.alpha, strict=True)
    return [alpha * jax.vmap(reward, (None, 0))(values, x) for reward, values, alpha in levels]
