"""Bayesian inverse reinforcement learning (Ramachandran and Amir 2007): which reward explains what was done?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from lori.errors import InputError, one_of, whole
from lori.inference.posterior.diagnostics import Mixing, mixing
from lori.model.ordered import OrderedModel
from lori.model.precision import double_precision
from lori.model.rewards import Linear, Reward
from lori.policies.mdp import FactoredMDP, Grid
from lori.policies.rollouts import Rollouts

TOLERANCE = 1e-6  # of (1 − γ) Q, in ranges of the reward
FIRST = 10_000  # sweeps for the first sample, which has no values to begin with


class BayesianIRL(BaseEstimator):
    """A linear reward per step r = Σ ± θ_f feature_f, learned from demonstrations instead of preferences.

    Actions are taken with probability softmax_a((1 − γ) Q_θ(state, a)), where Q_θ are the action values of the best
    policy for θ. The prior is flat in θ ≥ 0. With `flat_in="log"` it is flat in log θ, as in the authors' scripts; that
    posterior has no end towards θ = 0. A random walk in log θ draws from the posterior (appendix C).

    Parameters
    ----------
    reward : `Linear` with a direction for each feature, which gives the signs.
    discount : γ.
    sweeps : at most so many sweeps of value iteration for each sample; it begins at the last sample's values,
        extrapolated to the new weights, and stops when action values are exact to 1e-6 of the reward's range.
    samples, burn_in : steps of the chain, and how many of the first are left out.
    thinning : the weights are the mean of every so-many-th sample; the paper's is 100.
    flat_in : `theta` or `log`, of which the prior is flat.
    step : standard deviation of a step in log θ, one for all features or one for each.
    seed : the same seed gives the same numbers.

    Attributes
    ----------
    weights_ : posterior mean of the weights, with their signs.
    draws_ : the weights at each step after the burn-in, (samples − burn_in, features).
    acceptance_ : share of the proposals that were accepted.
    mixing_, mixed_ : whether the chain has mixed; `str(mixing_)` says it in a sentence.
    converged_ : share of the proposals whose value iteration ended within `sweeps`.
    model_ : an `OrderedModel` with one level, which predicts preferences.
    """

    def __init__(
        self,
        *,
        reward: Linear,
        discount: float = 0.95,
        sweeps: int = 200,
        samples: int = 11_000,
        burn_in: int = 1_000,
        thinning: int = 1,
        flat_in: str = "theta",
        step: float | Sequence[float] = 0.01,
        seed: int = 0,
    ) -> None:
        self.reward = reward
        self.discount = discount
        self.sweeps = sweeps
        self.samples = samples
        self.burn_in = burn_in
        self.thinning = thinning
        self.flat_in = flat_in
        self.step = step
        self.seed = seed

    @double_precision
    def fit(self, rollouts: Rollouts, mdp: FactoredMDP) -> BayesianIRL:
        """Learn from demonstrations in the world that `mdp` describes."""
        burn_in = whole("burn_in", self.burn_in, 0)
        samples = whole("samples", self.samples, burn_in + 8)
        signs = _signs(self.reward, rollouts.features, mdp.grid)
        discount, step = _checked_numbers(self.discount, self.step, len(signs))
        one_of("flat_in", self.flat_in, ("theta", "log"))
        problem = _Problem(
            mdp=jax.tree.map(jnp.asarray, mdp),
            features=jnp.asarray(np.moveaxis(mdp.grid.states * signs, -1, 0)),
            counts=jnp.asarray(visits(rollouts, mdp)),
            discount=jnp.asarray(discount),
            slope=jnp.asarray(float(self.flat_in == "theta")),
        )
        key = jax.random.key(whole("seed", self.seed, 0))
        steps = _walk(problem, key, step, samples, whole("sweeps", self.sweeps, 1))
        self.draws_ = signs * np.exp(np.asarray(steps.log_theta)[burn_in:])
        self.weights_ = self.draws_[:: whole("thinning", self.thinning, 1)].mean(axis=0)
        self.acceptance_ = float(np.asarray(steps.accepted).mean())
        self.converged_ = float(np.asarray(steps.converged).mean())
        self.mixing_: Mixing = mixing(self.draws_)
        self.mixed_ = self.mixing_.mixed
        self.features_ = mdp.grid.features
        self.model_ = OrderedModel.linear([self.weights_], epsilon=[0.0], features=self.features_)
        return self

    def predict_proba(self, left, right) -> np.ndarray:
        """Columns: left preferred, tie, right preferred, when the reward decides as in equation (1) with α = 1."""
        if not hasattr(self, "model_"):
            raise NotFittedError("This BayesianIRL has not been fitted: call fit(rollouts, mdp) first.")
        return self.model_.predict_proba(left, right)


def visits(rollouts: Rollouts, mdp: FactoredMDP) -> np.ndarray:
    """How often each action was taken in each cell, (actions, *cells): all that the likelihood needs to know."""
    states, actions = rollouts.decisions(len(mdp.actions))
    counts = np.zeros((len(mdp.actions), *mdp.grid.cells))
    np.add.at(counts, (actions, *mdp.grid.cells_of(states).T), 1.0)
    return counts


class _Problem(NamedTuple):
    mdp: FactoredMDP
    features: jax.Array  # (features, *cells) with their signs
    counts: jax.Array  # (actions, *cells)
    discount: jax.Array
    slope: jax.Array  # of the prior's logarithm in log θ: flat in θ means ∝ θ in log θ


class _State(NamedTuple):
    """Where the chain is, and what the next proposal's value iteration begins with."""

    log_theta: jax.Array
    log_density: jax.Array
    values: jax.Array  # (*cells), up to a constant
    slopes: jax.Array  # (features, *cells): ∂values / ∂θ, the discounted features that the best policy will see


class _Step(NamedTuple):
    log_theta: jax.Array
    accepted: jax.Array
    converged: jax.Array


@partial(jax.jit, static_argnames=("samples", "sweeps"))
def _walk(problem: _Problem, key: jax.Array, step, samples: int, sweeps: int) -> _Step:
    """The whole chain: Metropolis steps from θ = 1."""
    size, cells = len(problem.features), problem.mdp.grid.cells

    def evaluate(log_theta, values, slopes, limit) -> tuple[_State, jax.Array]:
        reward = jnp.tensordot(jnp.exp(log_theta), problem.features, 1)
        action_values, converged = best_action_values(problem.mdp, reward, problem.discount, values, limit)
        chances = jax.nn.log_softmax((1 - problem.discount) * action_values, axis=0)
        best = jax.nn.one_hot(jnp.argmax(action_values, axis=0), len(action_values), axis=0)
        following = jnp.sum(best * jax.vmap(problem.mdp.expected)(slopes), axis=1)
        slopes = problem.features + problem.discount * following  # one sweep is enough: they change slowly
        log_density = jnp.sum(problem.counts * chances) + problem.slope * jnp.sum(log_theta)
        return _State(log_theta, log_density, action_values.max(axis=0), slopes), converged

    def metropolis(state: _State, random) -> tuple[_State, _Step]:
        move, threshold = random
        log_theta = state.log_theta + move
        change = jnp.exp(log_theta) - jnp.exp(state.log_theta)
        proposal, converged = evaluate(
            log_theta, state.values + jnp.tensordot(change, state.slopes, 1), state.slopes, sweeps
        )
        accepted = threshold < proposal.log_density - state.log_density
        state = jax.tree.map(partial(jnp.where, accepted), proposal, state)
        return state, _Step(state.log_theta, accepted, converged)

    moving, accepting = jax.random.split(key)
    moves = step * jax.random.normal(moving, (samples, size))
    thresholds = -jax.random.exponential(accepting, (samples,))  # log of a uniform number
    first, _ = evaluate(jnp.zeros(size), jnp.zeros(cells), jnp.zeros_like(problem.features), FIRST)
    return jax.lax.scan(metropolis, first, (moves, thresholds))[1]


def best_action_values(
    mdp: FactoredMDP, reward: jax.Array, discount: jax.Array, start: jax.Array, sweeps: int
) -> tuple[jax.Array, jax.Array]:
    """Q of the best policy up to a constant, (actions, *cells), by at most `sweeps` sweeps; and whether they sufficed.

    A constant added to all values changes no decision. It is therefore enough that all cells change by the same
    amount: if changes differ by at most s, differences of (1 − γ) Q are within γ s of their limit.
    """
    enough = TOLERANCE * jnp.ptp(reward)

    def going(state):
        _, _, spread, done = state
        return (spread > enough) & (done < sweeps)

    def sweep(state):
        values, _, _, done = state
        action_values = reward + discount * mdp.expected(values)
        following = action_values.max(axis=0)
        return following, action_values, jnp.ptp(following - values), done + 1

    nothing = jnp.zeros((len(mdp.actions), *mdp.grid.cells))
    _, action_values, spread, _ = jax.lax.while_loop(going, sweep, (start, nothing, jnp.inf, 0))
    return action_values, spread <= enough


def _signs(reward: Linear, features: tuple[str, ...], grid: Grid) -> np.ndarray:
    """+1 or −1 for each feature."""
    if features != grid.features:
        raise InputError(
            "mdp", expected=f"the features of the demonstrations, {', '.join(features)}",
            got=", ".join(grid.features), fix="use the MDP of the world they come from",
        )  # fmt: skip
    lower, upper = reward.bounds(features) if isinstance(reward, Reward) else (np.empty(0), np.empty(0))
    signs = (lower == 0).astype(float) - (upper == 0)  # the parameters of a linear reward are its weights
    if len(signs) != len(features) or not np.all(signs):
        raise InputError(
            "reward", expected="a Linear reward with a direction for each feature", got="one without",
            fix="name every feature in increasing or decreasing",
        )  # fmt: skip
    return signs


def _checked_numbers(discount: float, step: float | Sequence[float], features: int) -> tuple[float, np.ndarray]:
    if not 0 <= discount < 1:
        raise InputError("discount", expected="a number from 0 to below 1", got=str(discount), fix="use 0.95")
    steps = np.asarray(step, float)
    if steps.shape not in ((), (features,)) or not np.all(np.isfinite(steps) & (steps > 0)):
        raise InputError(
            "step", expected="a number above 0, or one for each feature", got=str(step), fix="use step=0.01"
        )
    return float(discount), steps
