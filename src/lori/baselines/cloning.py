"""What would somebody do who only imitates? Behavioural cloning: a network learns the action from the state."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.base import BaseEstimator

from lori.baselines.demonstrations import decisions
from lori.errors import InputError
from lori.inference.settings import whole
from lori.model.precision import double_precision
from lori.policies.network import NetworkPolicy, random_parameters
from lori.policies.rollouts import Rollouts


class BehaviouralCloning(BaseEstimator):
    """Regress the demonstrated actions on the states (appendix C), with Adam on minibatches.

    A share of the decisions is held out; training stops when `patience` epochs have not improved on them, and the
    best epoch is kept (the paper uses RMSprop on all decisions until the loss stalls).

    Parameters
    ----------
    actions : a name for each action, as the simulator has them.
    hidden : tanh units of each hidden layer.
    learning_rate, batch, epochs, patience, held_out : of the training; without decisions held out, all are judged.
    seed : the same seed gives the same numbers.

    Attributes
    ----------
    policy_ : the learned `NetworkPolicy`.
    loss_ : cross-entropy of a held-out decision at the best epoch.
    epochs_ : how many epochs were trained.
    """

    def __init__(
        self,
        *,
        actions: Sequence[str],
        hidden: Sequence[int] = (64, 64),
        learning_rate: float = 0.003,
        batch: int = 256,
        epochs: int = 100,
        patience: int = 10,
        held_out: float = 0.1,
        seed: int = 0,
    ) -> None:
        self.actions = actions
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.batch = batch
        self.epochs = epochs
        self.patience = patience
        self.held_out = held_out
        self.seed = seed

    @double_precision
    def fit(self, rollouts: Rollouts) -> BehaviouralCloning:
        """Learn from demonstrations."""
        if not 0 <= self.held_out < 1:
            raise InputError("held_out", expected="a share from 0 to below 1", got=str(self.held_out), fix="use 0.1")
        hidden = tuple(whole("hidden", units, 1) for units in self.hidden)
        states, actions = decisions(rollouts, len(self.actions))
        generator = np.random.default_rng(whole("seed", self.seed, 0))
        order = generator.permutation(len(states))
        aside = round(self.held_out * len(states))
        held_out, seen = (order[:aside], order[aside:]) if 0 < aside < len(states) else (order, order)
        size = min(whole("batch", self.batch, 1), len(seen))
        shape = (whole("epochs", self.epochs, 1), len(seen) // size, size)
        batches = generator.integers(len(seen), size=shape, dtype=np.int32)

        deviation = states[seen].std(axis=0)
        start = NetworkPolicy(
            random_parameters(generator, states.shape[1], hidden, len(self.actions)),
            states[seen].mean(axis=0), np.where(deviation > 0, deviation, 1.0), hidden, tuple(self.actions),
        )  # fmt: skip
        parts = [(states[rows], actions[rows]) for rows in (seen, held_out)]
        best = _train(start, *parts, batches, self.learning_rate, whole("patience", self.patience, 1))
        self.policy_ = dataclasses.replace(start, parameters=np.asarray(best.parameters))
        self.loss_, self.epochs_ = float(best.loss), int(best.epochs)
        return self


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
        logits = dataclasses.replace(start, parameters=parameters).logits(states)
        return optax.softmax_cross_entropy_with_integer_labels(logits, actions).mean()

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
