"""Which decisions do demonstrations show, and can they be learned from?"""

from __future__ import annotations

import numpy as np

from lori.data.validation import as_numbers
from lori.errors import DataError
from lori.policies.rollouts import Rollouts


def decisions(rollouts: Rollouts, actions: int) -> tuple[np.ndarray, np.ndarray]:
    """The states (decisions, features) in which something was decided, and what (decisions,), checked.

    The last state of each trajectory has no decision after it.
    """
    states, chosen = as_numbers(rollouts.states, "states"), as_numbers(rollouts.actions, "actions")
    count, horizon = chosen.shape if chosen.ndim == 2 else (0, 0)
    if chosen.ndim != 2 or states.shape != (count, horizon + 1, len(rollouts.features)):
        raise DataError(
            "demonstrations",
            expected="states (trajectories, decisions + 1, features) and actions (trajectories, decisions)",
            got=f"arrays of shape {states.shape} and {chosen.shape}", fix="pass what roll_out returns",
        )  # fmt: skip
    if chosen.size == 0:
        raise DataError(
            "demonstrations", expected="at least one decision",
            got=f"{count} trajectories of {horizon} decisions", fix="record longer or more trajectories",
        )  # fmt: skip
    if not np.all(np.isfinite(states)):
        raise DataError(
            "states", expected="finite numbers", got="NaN or infinity", fix="remove or mend those trajectories"
        )
    if not np.all(np.isin(chosen, np.arange(actions))):
        raise DataError(
            "actions", expected=f"whole numbers from 0 to {actions - 1}", got="others",
            fix="number the actions as the simulator does",
        )  # fmt: skip
    return states[:, :-1].reshape(-1, states.shape[2]), chosen.astype(int).ravel()
