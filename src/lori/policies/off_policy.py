"""Off-policy evaluation: what would another policy bring, judged by recorded trajectories alone?

Where nothing can be simulated, the recorded steps tell how the world answers: for each action, the next state is
regressed on a polynomial of the present one, and what is left over is kept as noise. A policy is then followed in that
fitted world from recorded beginnings, with recorded noise. Recorded trajectories are drawn again with replacement
(bootstrap), the world is fitted and the policy followed anew: the spread is the uncertainty. A check replays the
recorded actions: what the fitted world makes of them must agree with what was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from lori.errors import InputError, whole
from lori.language import plans
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision
from lori.policies.comparison import how_often_preferred
from lori.policies.policy import Policy
from lori.policies.rollouts import Rollouts
from lori.policies.simulator import View

MIDDLE = (0.025, 0.975)
FOLLOWED = 1000  # trajectories of each bootstrap sample
RIDGE = 1e-8
LARGE_MISFIT = 4.0  # standard errors by which a replay may differ from the record


@dataclass(frozen=True, eq=False)
class OffPolicy:
    """What a policy would bring, with 95 % intervals."""

    features: tuple[str, ...]
    means: np.ndarray  # (features,) of whole trajectories
    intervals: np.ndarray  # (features, 2)
    probability: float | None  # that its trajectories are preferred to the recorded ones, where a model was given
    probability_interval: tuple[float, float] | None
    misfit: float  # the largest difference between a replay and the record, in standard errors

    @property
    def trusted(self) -> bool:
        return self.misfit < LARGE_MISFIT

    def __str__(self) -> str:
        return "\n".join(plans.off_policy(
            self.features, self.means.tolist(), self.intervals.tolist(), self.probability, self.probability_interval,
            self.trusted,
        ))  # fmt: skip


@double_precision
def evaluate_off_policy(
    recorded: Rollouts, policy: Policy, model: OrderedModel | None = None, *, degree: int = 2, samples: int = 100,
    seed: int = 0,
) -> OffPolicy:  # fmt: skip
    """Mean features of a policy's trajectories, and how often a model prefers them, from recorded trajectories alone.

    Parameters
    ----------
    recorded
        Trajectories of whatever was done: states and actions.
    policy
        What would be done instead. Actions that were never recorded cannot be judged.
    degree
        Of the polynomial of the state.
    samples
        Of the bootstrap.
    """
    whole("degree", degree, 1, 4), whole("samples", samples, 20)
    states, chosen = recorded.decisions(len(policy.actions))
    count, horizon = recorded.actions.shape
    missing = set(range(len(policy.actions))) - set(chosen.tolist())
    if missing or count < 10:
        raise InputError(
            "recorded", expected="at least ten trajectories in which every action occurs",
            got=f"{count} trajectories" + (f" without {policy.actions[min(missing)]}" if missing else ""),
            fix="record more, or choose among the actions that were taken",
        )  # fmt: skip
    generator = np.random.default_rng(seed)
    powers = _powers(states.shape[1], degree)
    centre, spread = states.mean(axis=0), np.maximum(states.std(axis=0), 1e-12)
    bounds = (states.min(axis=0) - 3 * spread, states.max(axis=0) + 3 * spread)
    drawn = [np.arange(count)] + [generator.integers(count, size=count) for _ in range(samples)]
    keys = jax.random.split(jax.random.key(seed), len(drawn))
    means, chances = [], []
    told_powers = tuple(map(tuple, powers.tolist()))
    for turn, (own, key) in enumerate(zip(drawn, keys, strict=True)):
        weights, noise = _fitted(recorded, own, powers, centre, spread, len(policy.actions), generator)
        begin = recorded.states[generator.choice(own, size=FOLLOWED), 0]
        ours = np.asarray(_followed(told_powers, horizon, policy, weights, noise, begin, centre, spread, bounds, key))
        means.append(ours.mean(axis=0))
        if model is not None:
            chances.append(how_often_preferred(model, ours, recorded.means[own])[0])
        if not turn:
            misfit = _misfit(recorded, weights, noise, powers, centre, spread, generator)
    low, high = np.quantile(means[1:], MIDDLE, axis=0)
    told = np.quantile(chances[1:], MIDDLE) if chances else None
    return OffPolicy(
        recorded.features, np.mean(means, axis=0), np.stack([low, high], axis=1),
        float(np.mean(chances)) if chances else None, None if told is None else (float(told[0]), float(told[1])),
        misfit,
    )  # fmt: skip


def _powers(features: int, degree: int) -> np.ndarray:
    """(terms, features): exponents of all monomials up to the degree."""
    grid = np.stack(np.meshgrid(*[np.arange(degree + 1)] * features, indexing="ij"), axis=-1).reshape(-1, features)
    return grid[grid.sum(axis=1) <= degree]


def _terms(states, powers, centre, spread):
    """(…, terms): the monomials of standardised states; NumPy or JAX."""
    scaled = (states - centre) / spread
    return (scaled[..., None, :] ** powers).prod(axis=-1)


def _fitted(recorded, own, powers, centre, spread, actions, generator) -> tuple[np.ndarray, np.ndarray]:
    """Weights (actions, terms, features) of the next state, and noise (actions, FOLLOWED, features) left over."""
    before = recorded.states[own, :-1].reshape(-1, recorded.states.shape[2])
    after = recorded.states[own, 1:].reshape(before.shape)
    taken = recorded.actions[own].ravel()
    weights, noise = [], []
    for action in range(actions):
        here = taken == action
        if not here.any():  # a bootstrap sample may lack a rare action
            here = np.ones(len(taken), bool)
        x, y = _terms(before[here], powers, centre, spread), after[here]
        solved = np.linalg.solve(x.T @ x + RIDGE * len(x) * np.eye(x.shape[1]), x.T @ y)
        left = y - x @ solved
        weights.append(solved)
        picked = left[generator.integers(len(left), size=FOLLOWED)]
        noise.append(picked - picked.mean(axis=0))  # the regression has a constant: what is left over has no mean
    return np.array(weights), np.array(noise)


@partial(jax.jit, static_argnums=(0, 1))
def _followed(powers, horizon, policy: Policy, weights, noise, begin, centre, spread, bounds, key) -> jax.Array:
    """(trajectories, features): means over the states of trajectories that follow the policy in the fitted world."""

    def one(start, key):
        def decide(carried, step):
            state, total = carried
            choosing, moving = jax.random.split(jax.random.fold_in(key, step))
            chances = policy.probabilities(View(state, total / (step + 1), step / horizon))
            action = jnp.sum(jax.random.uniform(choosing) >= jnp.cumsum(chances)[:-1])
            left = noise[action, jax.random.randint(moving, (), 0, FOLLOWED)]
            following = jnp.clip(_terms(state, np.array(powers), centre, spread) @ weights[action] + left, *bounds)
            return (following, total + following), None

        (_, total), _ = jax.lax.scan(decide, (start, start), jnp.arange(horizon))
        return total / (horizon + 1)

    return jax.vmap(one)(begin, jax.random.split(key, len(begin)))


def _misfit(recorded, weights, noise, powers, centre, spread, generator) -> float:
    """Replay the recorded actions in the fitted world: the largest difference of mean features, in standard errors."""
    state = recorded.states[:, 0]
    total = state.copy()
    for step in range(recorded.actions.shape[1]):
        action = recorded.actions[:, step]
        left = noise[action, generator.integers(FOLLOWED, size=len(action))]
        state = np.einsum("nt,ntf->nf", _terms(state, powers, centre, spread), weights[action]) + left
        total = total + state
    gap = total / (recorded.actions.shape[1] + 1) - recorded.means
    return float(np.max(np.abs(gap.mean(axis=0)) / np.maximum(gap.std(axis=0, ddof=1), 1e-12) * np.sqrt(len(gap))))
