"""Learning by trying: does thresholded Q-learning reach the exact plan, with every seed?"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.policies.environments import make_environment
from lori.policies.finite.lexicographic import plan_lexicographic
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.q_learning import QLearner, q_learning

HORIZON = 60
SEA, GATHERING = "deep-sea-treasure-concave-v0", "resource-gathering-v0"
CASES: dict[str, tuple[str, list[float | None] | None, list[int], float, float | None]] = {
    "sea: treasure, then time": (SEA, None, [0, 1], 1.0, 1.0),
    "sea: treasure up to 20, then time": (SEA, [20.0, None], [0, 1], 1.0, 1.0),
    "sea: treasure up to 74, then time": (SEA, [74.0, None], [0, 1], 1.0, 1.0),
    "gathering: survival, gold, diamond": (GATHERING, None, [0, 1, 2], 0.9, None),
    "gathering: survival, diamond, gold": (GATHERING, None, [0, 2, 1], 0.9, None),
    "gathering: gold up to 0.2, diamond, survival": (GATHERING, [0.2, None, None], [1, 2, 0], 0.9, None),
}


@dataclass(frozen=True)
class LearningSettings:
    """How long, and how often."""

    seeds: tuple[int, ...] = tuple(range(100, 110))
    """Seeds; settings were chosen on others, from 1000 on."""
    sea: int = 2_000
    """Episodes in Deep Sea Treasure."""
    gathering: int = 8_000
    """Episodes in Resource Gathering, where enemies are a matter of chance."""
    cases: tuple[str, ...] = tuple(CASES)
    """What is learned."""


SMOKE = LearningSettings((100,), 5, 5, ("sea: treasure up to 20, then time",))


def measure(settings: LearningSettings) -> Measured:
    measured = Measured()
    for name in settings.cases:
        code, thresholds, order, discount, rate = CASES[name]
        mdp = FiniteMDP.explore(make_environment(code))
        exact = plan_lexicographic(
            mdp, thresholds, order=order, discount=discount, horizon=HORIZON, reading="deterministic"
        ).values
        times, right = [], 0
        for seed in settings.seeds:
            started = perf_counter()
            learned = q_learning(
                make_environment(code), thresholds, order=order, discount=discount, learning_rate=rate, seed=seed,
                episodes=settings.sea if code == SEA else settings.gathering, horizon=HORIZON,
            )  # fmt: skip
            times.append(perf_counter() - started)
            right += np.allclose(greedy_values(learned, mdp, discount), exact, atol=1e-6)
        told = ", ".join(f"{value:.4g}" for value in exact)
        note = f"the exact plan ({told}) was reached with {right} of {len(settings.seeds)} seeds"
        measured.rows.append(
            Row(name, "thresholded Q-learning", Seconds(tuple(times)), None, note, {"right": float(right)})
        )
        measured.claim(
            f"{name}: share of seeds that reach the exact plan", right / len(settings.seeds), 1.0, at_least=True
        )
    return measured


def greedy_values(learned: QLearner, mdp: FiniteMDP, discount: float) -> np.ndarray:
    """What the learned policy is worth, exactly: the model is known here, though not to the learner."""
    now: Any = mdp.start.copy()
    total = np.zeros(len(mdp.objectives))
    assert mdp.observations is not None
    for step in range(HORIZON):
        taken = np.zeros((mdp.states, len(mdp.actions)))
        for state in np.flatnonzero(now):
            taken[state] = now[state] * learned.chances_at(mdp.observations[state], step)
        total += np.einsum("sa,sak->k", taken, mdp.rewards)
        now = discount * (mdp.transitions.T @ taken.ravel())
    return total
