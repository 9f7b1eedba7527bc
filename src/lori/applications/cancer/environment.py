"""Environment: how do other learners act in the cancer world? Through Gymnasium, with a vector of rewards.

Importing this module registers it: `mo_gymnasium.make("lori/Cancer-v0")`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lori.applications.cancer.dynamics import FIRST_CELLS, FIRST_SPREAD, FIRST_VOLUME, SMALLEST, Cancer
from lori.errors import InputError, MissingExtra

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
except ImportError:
    raise MissingExtra("gymnasium", "rl") from None

LARGEST = np.array([100.0, 20.0])  # far beyond what the dynamics reach; observations stay within in any case


class CancerEnv(gymnasium.Env):
    """One patient, one decision per step.

    Observation: tumour volume, white blood cells. Action: 0 wait, 1 treat. Reward, of the state that follows:
    white blood cells, − tumour volume. An episode of `simulator.horizon` decisions is the whole treatment that is
    compared with others, so its end is a termination, not a truncation.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it so)

    def __init__(self, simulator: Cancer | None = None) -> None:
        self.simulator = Cancer() if simulator is None else simulator
        self.observation_space = Box(np.zeros(2), LARGEST, dtype=np.float64)
        self.action_space = Discrete(len(self.simulator.actions))
        self.reward_space = Box(np.array([0.0, -LARGEST[0]]), np.array([LARGEST[1], 0.0]), dtype=np.float64)
        self.reward_dim = 2
        self._decisions_left = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        volume = self.np_random.normal(FIRST_VOLUME, FIRST_SPREAD)
        self._state = np.array([max(volume, SMALLEST), FIRST_CELLS])
        self._decisions_left = self.simulator.horizon
        return self._observed(), self._info()

    def step(self, action):
        if not self._decisions_left:
            raise InputError(
                "step",
                expected="an episode that goes on",
                got="one that has ended or not begun",
                fix="call reset",
            )
        if not self.action_space.contains(action):
            raise InputError("action", expected="0 (wait) or 1 (treat)", got=str(action), fix="use one of these")
        noise = self.simulator.noise * self.np_random.normal(size=2)
        following = self.simulator.expected(self._state, action) + noise
        self._state = np.maximum(following, [SMALLEST, -np.inf])
        self._decisions_left -= 1
        observed = self._observed()
        reward = np.array([observed[1], -observed[0]])
        return observed, reward, self._decisions_left == 0, False, self._info()

    def _observed(self) -> np.ndarray:
        return np.clip(self._state, 0.0, LARGEST)

    def _info(self) -> dict[str, Any]:
        return {"decisions_left": self._decisions_left}


# Gymnasium's own checker is for scalar rewards; it would warn of a vector at the first step.
gymnasium.register("lori/Cancer-v0", entry_point=f"{__name__}:CancerEnv", disable_env_checker=True)
