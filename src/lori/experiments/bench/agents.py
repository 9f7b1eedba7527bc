"""Fits by agent: what does it bring to fit many small data sets as one batch?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from lori.estimators.lori import LORI
from lori.experiments.bench.contest import Contestant, Measured, hold
from lori.experiments.bench.data import FEATURES
from lori.model.ordered import OrderedModel
from lori.model.rewards import Linear
from lori.model.simulation import simulate


@dataclass(frozen=True)
class AgentsSettings:
    """How many small fits."""

    agents: int = 1_000
    """Agents, each with a model of its own."""
    pairs: int = 100
    """Pairs of each agent, with two features."""
    looped: int = 20
    """Agents that the loop really fits; its time is scaled to all."""
    levels: int = 2
    """Levels to learn."""
    repeats: int = 3
    """Rounds of the contest."""


SMOKE = AgentsSettings(4, 12, 2, 1, 1)


def measure(settings: AgentsSettings) -> Measured:
    truth = OrderedModel.linear([[2.0, 0.2], [0.3, 3.0]], epsilon=[1.5, 0.0], features=FEATURES)
    preferences = simulate(truth, settings.agents * settings.pairs, agents=settings.agents, seed=0)
    groups = list(preferences.by_agent().values())
    estimator = LORI(levels=settings.levels, reward=Linear(increasing="all"))
    scale = settings.agents / settings.looped
    batch, loop = "as one batch", "in a loop"
    outcome = hold(
        f"{settings.agents:,} agents of {settings.pairs:,} pairs",
        [
            Contestant(batch, lambda: list(estimator.fit_by_agent(preferences).values())),
            Contestant(
                loop,
                lambda: [clone(estimator).fit(group) for group in groups[: settings.looped]],
                scale=scale,
                note=f"SCALED: {settings.looped} agents measured, times {scale:g}",
            ),
        ],
        settings.repeats,
    )
    both = zip(outcome.answers[batch], outcome.answers[loop], strict=False)
    short = max(alone.log_likelihood_ - together.log_likelihood_ for together, alone in both)
    outcome.add(
        batch,
        f"log-likelihood at worst {max(short, 0.0):.1g} below the loop's (the prior's units are those of all agents)",
        short=float(np.maximum(short, 0)),
    )
    return Measured(outcome.rows)
