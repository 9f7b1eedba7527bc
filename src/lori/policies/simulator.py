"""Simulators: what world does a policy act in, and what does it see there?"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import jax


class Simulator(Protocol):
    """A world with a fixed number of decisions: pure JAX functions of one state, to be mapped over many.

    Simulators are frozen dataclasses: they are hashed when work on them is compiled. An alternative is a whole
    trajectory of `horizon` decisions and `horizon` + 1 states; its features are the means over the states.
    """

    @property
    def features(self) -> tuple[str, ...]:
        """A name for each component of a state."""

    @property
    def actions(self) -> tuple[str, ...]:
        """A name for each action; an action is its position here."""

    @property
    def horizon(self) -> int:
        """How many decisions a trajectory has."""

    def initial(self, key: jax.Array) -> jax.Array:
        """A state to begin with, shape (features,)."""

    def step(self, key: jax.Array, state: jax.Array, action: jax.Array) -> jax.Array:
        """The state after `action` was taken in `state`."""


class View(NamedTuple):
    """What a policy may look at before a decision."""

    state: jax.Array  # (features,)
    mean: jax.Array  # (features,) of the states so far, this one included
    done: jax.Array  # the share of the decisions that lie behind, from 0 to below 1
