"""Behavioural cloning: what would somebody do who only imitates? A network learns the action from the state."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from lori.data.validation import as_table
from lori.errors import DataError, InputError, whole
from lori.inference.search.paper import DISCOUNT, EPSILON, LEARNING_RATE
from lori.model.precision import double_precision
from lori.policies.policy import NetworkPolicy, random_parameters
from lori.policies.rollouts import Rollouts

NEAR_ZERO, MOST_STEPS = 0.001, 10_000  # of the paper's procedure: start and limit
BLOCK = (
    250  # decisions that are summed at once: too few to be shared among threads, whose number changes the last digit
)


class BehaviouralCloning(BaseEstimator):
    """Regress the demonstrated actions on the states, with Adam on minibatches of standardised states.

    A share of the decisions is held out; training stops when `patience` epochs have not improved on them, and the
    best epoch is kept.

    With `method="paper"`, for comparison (appendix C): RMSprop on all decisions at once, raw states, float32, weights
    that start near 0, until the loss is not below that of `apart` steps before. The paper prints 100 steps; its scripts
    keep 100 values, which are 99 steps apart. RMSprop swings from one side of a slope to the other, an odd number of
    steps apart is always the other side, and so the scripts' rule ends early and on the worse side, far from the
    demonstrated frequencies. The paper's table 3 owes its figure for cloning to that.

    Parameters
    ----------
    actions : a name for each action, as the simulator has them.
    hidden : tanh units of each hidden layer.
    method : `adam` (default), or `paper` for the paper's procedure, which needs `apart` and the seed alone.
    apart : steps between the two losses that the paper's procedure compares.
    learning_rate, batch, epochs, patience, held_out : of the training; without decisions held out, all are judged.
    seed : the same seed gives the same numbers.

    Attributes
    ----------
    policy_ : the learned `NetworkPolicy`.
    loss_ : cross-entropy of a held-out decision at the best epoch (of any decision at the end, as in the paper).
    epochs_ : how often the decisions were passed.
    """

    def __init__(
        self,
        *,
        actions: Sequence[str],
        hidden: Sequence[int] = (64, 64),
        method: str = "adam",
        apart: int = 99,
        learning_rate: float = 0.003,
        batch: int = 256,
        epochs: int = 100,
        patience: int = 10,
        held_out: float = 0.1,
        seed: int = 0,
    ) -> None:
        self.actions = actions
        self.hidden = hidden
        self.method = method
        self.apart = apart
        self.learning_rate = learning_rate
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.held_out = held_out
        self.seed = seed

    @double_precision
    def fit(self, rollouts: Rollouts) -> BehaviouralCloning:
        """Learn from demonstrations."""
        if self.method not in ("adam", "paper"):
            raise InputError("method", expected="adam or paper", got=repr(self.method), fix="use the default, adam")
        hidden = tuple(whole("hidden", units, 1) for units in self.hidden)
        states, actions = rollouts.decisions(len(self.actions))
        generator = np.random.default_rng(whole("seed", self.seed, 0))
        parameters = random_parameters(generator, states.shape[1], hidden, len(self.actions))
        train = self._by_adam if self.method == "adam" else self._as_in_the_paper
        start = NetworkPolicy(
            parameters, np.zeros(states.shape[1]), np.ones(states.shape[1]), hidden, tuple(self.actions)
        )
        self.policy_, self.loss_, self.epochs_ = train(start, states, actions, generator)
        return self

    @double_precision
    def predict_proba(self, states: Any) -> np.ndarray:
        """(n, actions) how probable each action is in states (n, features)."""
        if not hasattr(self, "policy_"):
            raise NotFittedError("This BehaviouralCloning model has not been fitted: call fit(rollouts) first.")
        given = as_table(states, "states")
        if given.shape[1] != len(self.policy_.location):
            raise DataError(
                "states", expected=f"{len(self.policy_.location)} features", got=str(given.shape[1]),
                fix="give the features that were demonstrated",
            )  # fmt: skip
        return np.asarray(jax.nn.softmax(self.policy_.logits(jnp.asarray(given))))

    def _by_adam(self, start: NetworkPolicy, states, actions, generator) -> _Trained:
        if not 0 <= self.held_out < 1:
            raise InputError("held_out", expected="a share from 0 to below 1", got=str(self.held_out), fix="use 0.1")
        order = generator.permutation(len(states))
        aside = round(self.held_out * len(states))
        held_out, seen = (order[:aside], order[aside:]) if 0 < aside < len(states) else (order, order)
        size = min(whole("batch", self.batch, 1), len(seen))
        shape = (whole("epochs", self.epochs, 1), len(seen) // size, size)
        batches = generator.integers(len(seen), size=shape, dtype=np.int32)
        deviation = states[seen].std(axis=0)
        start = dataclasses.replace(
            start, location=states[seen].mean(axis=0), scale=np.where(deviation > 0, deviation, 1.0)
        )
        parts = [(states[rows], actions[rows]) for rows in (seen, held_out)]
        best = _train(start, *parts, batches, self.learning_rate, whole("patience", self.patience, 1))
        policy = dataclasses.replace(start, parameters=np.asarray(best.parameters))
        return policy, float(best.loss), int(best.epochs)

    def _as_in_the_paper(self, start: NetworkPolicy, states, actions, generator) -> _Trained:
        near_zero = NEAR_ZERO * generator.normal(size=start.parameters.shape)
        single = jax.tree.map(partial(np.asarray, dtype=np.float32), dataclasses.replace(start, parameters=near_zero))
        parameters, loss, passes = _descend(single, states.astype(np.float32), actions, whole("apart", self.apart, 1))
        policy = dataclasses.replace(start, parameters=np.asarray(parameters, float))
        return policy, float(loss) / len(states), int(passes)


_Trained = tuple[NetworkPolicy, float, int]  # policy, loss of a decision, passes over them


class _Best(NamedTuple):
    parameters: jax.Array
    loss: jax.Array  # on the decisions held out
    epochs: jax.Array  # trained so far
    stale: jax.Array  # epochs since the best one


@jax.jit
def _train(start: NetworkPolicy, seen, held_out, batches, learning_rate, patience) -> _Best:
    """All epochs; `batches` (epochs, batches, size) are positions in what is `seen`."""
    optimiser = optax.adam(learning_rate)

    def loss(parameters, states, actions):
        return _cross_entropy(start, parameters, states, actions).mean()

    def descend(carried, rows):
        parameters, memory = carried
        gradient = jax.grad(loss)(parameters, seen[0][rows], seen[1][rows])
        update, memory = optimiser.update(gradient, memory)
        return (optax.apply_updates(parameters, update), memory), None

    def epoch(state):
        parameters, memory, best = state
        (parameters, memory), _ = jax.lax.scan(descend, (parameters, memory), batches[best.epochs])
        now = loss(parameters, *held_out)
        better = now < best.loss
        kept = jnp.where(better, parameters, best.parameters)
        best = _Best(kept, jnp.where(better, now, best.loss), best.epochs + 1, jnp.where(better, 0, best.stale + 1))
        return parameters, memory, best

    def going(state):
        best = state[2]
        return (best.epochs < len(batches)) & (best.stale < patience)

    parameters = jnp.asarray(start.parameters)
    first = _Best(parameters, jnp.asarray(jnp.inf), jnp.asarray(0), jnp.asarray(0))
    return jax.lax.while_loop(going, epoch, (parameters, optimiser.init(parameters), first))[2]


@partial(jax.jit, static_argnames="apart")
def _descend(start: NetworkPolicy, states, actions, apart: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Parameters, loss and steps of the paper's procedure.

    Where it stops hangs on the last digits of a float32, so sums are made in the same order on every machine.
    """
    optimiser = optax.rmsprop(LEARNING_RATE, decay=DISCOUNT, eps=EPSILON)
    full = len(states) // BLOCK * BLOCK
    blocks = states[:full].reshape(-1, BLOCK, states.shape[1]), actions[:full].reshape(-1, BLOCK)

    @jax.value_and_grad
    def loss_and_gradient(parameters, states, actions):
        return _cross_entropy(start, parameters, states, actions).sum()

    def evaluate(parameters):
        def add(total, block):
            return jax.tree.map(jnp.add, total, loss_and_gradient(parameters, *block)), None

        return jax.lax.scan(add, loss_and_gradient(parameters, states[full:], actions[full:]), blocks)[0]

    def going(state):
        *_, step, stalled = state
        return (step < MOST_STEPS) & ~stalled

    def advance(state):
        parameters, memory, values, step, _ = state
        now, gradient = evaluate(parameters)
        stalled = now >= values[step % apart]
        update, memory = optimiser.update(gradient, memory)
        parameters = jnp.where(stalled, parameters, optax.apply_updates(parameters, update))
        return parameters, memory, values.at[step % apart].set(now), step + jnp.where(stalled, 0, 1), stalled

    parameters = jnp.asarray(start.parameters)
    values = jnp.full(apart, jnp.inf, parameters.dtype)
    first = (parameters, optimiser.init(parameters), values, jnp.asarray(0), jnp.asarray(False))
    parameters, _, _, steps, _ = jax.lax.while_loop(going, advance, first)
    return parameters, evaluate(parameters)[0], steps


def _cross_entropy(policy: NetworkPolicy, parameters, states, actions) -> jax.Array:
    """Of each decision."""
    logits = dataclasses.replace(policy, parameters=parameters).logits(states)
    return optax.softmax_cross_entropy_with_integer_labels(logits, actions)
