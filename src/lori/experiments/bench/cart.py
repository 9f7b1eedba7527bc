"""Cart with a hanging pole: does the actor-critic keep to the middle of the track, and then swing the pole up?

The small experiment CartSafe of lmorl (Skalse et al. 2022): Gymnasium's cart and pole, which begins hanging. First,
stay within one unit of the middle (each step outside costs 1; leaving the track costs all that were left); second,
the pole upright (1 + cos of its angle for each step of 300). As there, a million steps are tried. Its package is pinned
to a Gym of 2020, and its environment is in no registry of packages, so this is a restatement of its description.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lori.errors import MissingExtra

try:
    import gymnasium
    from gymnasium.envs.classic_control.cartpole import CartPoleEnv
    from gymnasium.spaces import Box
except ImportError:
    raise MissingExtra("gymnasium", "rl") from None

STEPS = 300
MIDDLE, TRACK = 1.0, 2.39
HANGING = np.array([0.0, 0.0, np.pi, 0.0])


class Cart(gymnasium.Env):
    """Observation: place, speed, cos and sin of the pole's angle, its turning. Action: push left or right."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it so)
    objectives = ("safety", "upright")

    def __init__(self) -> None:
        self._cart = CartPoleEnv()
        self._cart.theta_threshold_radians = np.inf  # the pole may hang
        self.action_space = self._cart.action_space
        self.observation_space = Box(-np.inf, np.inf, (5,), np.float64)
        self.reward_space = Box(np.array([-1.0 - STEPS, 0.0]), np.array([0.0, 2.0]), dtype=np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        self._cart.reset(seed=seed)
        self._cart.state = self._state() + HANGING
        self._left = STEPS
        return self._observed(), {}

    def step(self, action):
        self._cart.step(action)
        self._left -= 1
        place, _, angle, _ = self._state()
        gone = bool(abs(place) >= TRACK)
        cost = float(abs(place) >= MIDDLE) + self._left * gone
        return self._observed(), np.array([-cost, 1 + np.cos(angle)]), gone, not gone and not self._left, {}

    def _state(self) -> np.ndarray:
        return np.asarray(self._cart.state, float)

    def _observed(self) -> np.ndarray:
        place, speed, angle, turning = self._state()
        return np.array([place, speed / 2, np.cos(angle), np.sin(angle), turning / 4])
