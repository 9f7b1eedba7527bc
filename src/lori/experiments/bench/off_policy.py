"""Off-policy cases: do intervals from demonstrations alone hold what the simulator would have said?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lori.applications.cancer.dynamics import Cancer
from lori.applications.cancer.world import behaviour_policy, optimal_policy, true_model
from lori.experiments.bench.contest import Measured, Row
from lori.policies.comparison import how_often_preferred
from lori.policies.off_policy import evaluate_off_policy
from lori.policies.rollouts import roll_out

HELD = 0.9  # share of the seeds whose 95 % interval holds the truth


@dataclass(frozen=True)
class OffPolicySettings:
    """How many demonstrations, how often."""

    demonstrations: int = 1000
    """Trajectories of the behaviour that is recorded, as in the paper."""
    followed: int = 20_000
    """Trajectories that tell the simulator's truth."""
    samples: int = 100
    """Of the bootstrap."""
    repeats: int = 10
    """Seeds."""
    seed: int = 100
    """The first of them."""


SMOKE = OffPolicySettings(demonstrations=40, followed=200, samples=20, repeats=1)


def measure(settings: OffPolicySettings) -> Measured:
    measured, world, model, best = Measured(), Cancer(), true_model(), optimal_policy()
    truth = roll_out(world, best, count=settings.followed, seed=7)
    recorded = roll_out(world, behaviour_policy(), count=settings.followed, seed=8)
    means = [*truth.means.mean(axis=0), how_often_preferred(model, truth.means, recorded.means)[0]]
    inside = []
    for seed in range(settings.seed, settings.seed + settings.repeats):
        demonstrations = roll_out(world, behaviour_policy(), count=settings.demonstrations, seed=seed)
        found = evaluate_off_policy(demonstrations, best, model, samples=settings.samples, seed=seed)
        assert found.probability_interval is not None
        ends = np.vstack([found.intervals, found.probability_interval])
        inside.append((ends[:, 0] <= means) & (means <= ends[:, 1]))
    for name, held in zip((*found.features, "how often it is preferred"), np.sum(inside, axis=0), strict=True):
        note = f"in {held} of {settings.repeats} the 95 % interval holds what the simulator says"
        measured.rows.append(Row("cancer, the optimal policy", name, note=note, measures={"held": int(held)}))
        measured.claim(f"off-policy: {name}", held / settings.repeats, HELD, at_least=True)
    return measured
