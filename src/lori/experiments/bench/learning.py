"""Learning by trying: does thresholded Q-learning reach the exact plan, with every seed?"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from lori.experiments.bench.contest import Measured, Row, Seconds
from lori.policies.environments import make_environment, run_episodes
from lori.policies.finite.lexicographic import plan_lexicographic
from lori.policies.finite.mdp import FiniteMDP
from lori.policies.q_learning import QLearner, q_learning

HORIZON = 60
SEA, GATHERING = "deep-sea-treasure-concave-v0", "resource-gathering-v0"


@dataclass(frozen=True)
class Task:
    """What is to be learned, and how."""

    env: str
    order: tuple[int, ...]
    thresholds: tuple[float | None, ...] | None = None
    whole_episodes: bool = False

    @property
    def discount(self) -> float:
        return 1.0 if self.env == SEA else 0.9

    def learned(self, seed: int, settings: LearningSettings) -> QLearner:
        certain = self.env == SEA
        return q_learning(
            make_environment(self.env), self.thresholds, order=self.order, discount=self.discount, horizon=HORIZON,
            learning_rate=1.0 if certain else None, episodes=settings.sea if certain else settings.gathering,
            environments=settings.environments, whole_episodes=self.whole_episodes, seed=seed,
        )  # fmt: skip


CASES = {
    "sea: treasure, then time": Task(SEA, (0, 1)),
    "sea: treasure up to 20, then time": Task(SEA, (0, 1), (20.0, None)),
    "sea: treasure up to 74, then time": Task(SEA, (0, 1), (74.0, None)),
    "sea: time up to -9, then treasure": Task(SEA, (1, 0), (-9.0, None), whole_episodes=True),
    "gathering: survival, gold, diamond": Task(GATHERING, (0, 1, 2)),
    "gathering: survival, diamond, gold": Task(GATHERING, (0, 2, 1)),
    "gathering: gold, diamond, survival": Task(GATHERING, (1, 2, 0)),
    "gathering: gold up to 0.2, diamond, survival": Task(GATHERING, (1, 2, 0), (0.2, None, None)),
}


@dataclass(frozen=True)
class LearningSettings:
    """How long, and how often."""

    seeds: tuple[int, ...] = tuple(range(100, 110))
    """Seeds; settings were chosen on others, from 1000 on."""
    sea: int = 4_000
    """Episodes in Deep Sea Treasure."""
    gathering: int = 8_000
    """Episodes in Resource Gathering, where enemies are a matter of chance."""
    environments: int = 10
    """Episodes side by side."""
    cases: tuple[str, ...] = tuple(CASES)
    """What is learned."""


SMOKE = LearningSettings((100,), 5, 5, 2, ("sea: treasure up to 20, then time",))


def measure(settings: LearningSettings) -> Measured:
    measured = Measured()
    for name in settings.cases:
        task = CASES[name]
        mdp = FiniteMDP.explore(make_environment(task.env))
        exact = plan_lexicographic(
            mdp, task.thresholds, order=task.order, discount=task.discount, horizon=HORIZON, reading="deterministic"
        ).values
        times, right = [], 0
        for seed in settings.seeds:
            started = process_time()
            learned = task.learned(seed, settings)
            times.append(process_time() - started)
            right += np.allclose(worth(learned, task, mdp), exact, atol=1e-6)
        told = ", ".join(f"{value:.4g}" for value in exact)
        note = f"the exact plan ({told}) was reached with {right} of {len(settings.seeds)} seeds"
        measured.rows.append(
            Row(name, "thresholded Q-learning", Seconds(tuple(times)), None, note, {"right": float(right)})
        )
        measured.claim(
            f"{name}: share of seeds that reach the exact plan", right / len(settings.seeds), 1.0, at_least=True
        )
    return measured


def worth(learned: QLearner, task: Task, mdp: FiniteMDP) -> np.ndarray:
    """What the learned policy is worth, exactly: the model is known here, though not to the learner."""
    if task.env == SEA:  # without chance: one episode tells it, also where totals so far matter
        return run_episodes(make_environment(SEA), learned, episodes=1, horizon=HORIZON).means
    now: Any = mdp.start.copy()
    total = np.zeros(len(mdp.objectives))
    assert mdp.observations is not None
    for step in range(HORIZON):
        taken = np.zeros((mdp.states, len(mdp.actions)))
        for state in np.flatnonzero(now):
            taken[state] = now[state] * learned.chances_at(mdp.observations[state], step)
        total += np.einsum("sa,sak->k", taken, mdp.rewards)
        now = task.discount * (mdp.transitions.T @ taken.ravel())
    return total
