"""Scaling: how does the cost of a pass (value and gradient) grow?

With pairs, their features and levels; with the alternatives of a set; and with agents who have a model each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lori.data.choices import Choices
from lori.data.preferences import Preferences
from lori.experiments.bench.contest import Contestant, Measured, Row, hold
from lori.experiments.bench.sets import random_sets
from lori.inference.problem import Problem
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Likelihood, Pairs
from lori.model.likelihoods.sets import Sets
from lori.model.rewards import Linear
from lori.model.specification import Specification


@dataclass(frozen=True)
class ScalingSettings:
    """Which sizes are measured; what does not vary has its first value here."""

    pairs: tuple[int, ...] = (10_000, 100_000, 1_000_000, 10_000_000)
    """Pairs, with two features and two levels."""
    features: tuple[int, ...] = (2, 4, 8, 16, 32, 64)
    """Features, with two levels."""
    levels: tuple[int, ...] = (1, 2, 4, 8)
    """Levels, each twice the one before, with two features."""
    fixed_pairs: int = 1_000_000
    """Pairs where features or levels vary: with fewer, a pass takes a millisecond, and hand-overs are told."""
    alternatives: tuple[int, ...] = (3, 4, 6, 8, 16, 32, 64)
    """Alternatives of a set, with two features and two levels."""
    sets: int = 1_000
    """Sets where alternatives vary."""
    agents: tuple[int, ...] = (10, 100, 1_000, 10_000)
    """Agents with a model each, of two levels, all in one pass."""
    choices: int = 20
    """Of each agent, between two alternatives with two features."""
    repeats: int = 7
    """Rounds of each contest."""


SMOKE = ScalingSettings((1_000, 10_000), (2, 4), (1, 2), 5_000, (2, 3), 20, (2, 4), 5, 1)


def measure(settings: ScalingSettings) -> Measured:
    measured = Measured()
    fixed = settings.fixed_pairs
    passes: dict[str, dict[int, Callable[[], object]]] = {
        "pairs": {size: _of_pairs(size, 2, 2) for size in settings.pairs},
        "features": {size: _of_pairs(fixed, size, 2) for size in settings.features},
        "levels": {size: _of_pairs(fixed, 2, size) for size in settings.levels},
        "alternatives": {size: _of_sets(settings.sets, size) for size in settings.alternatives},
        "agents": {size: _of_agents(size, settings.choices) for size in settings.agents},
    }
    for what, each in passes.items():
        contestants = [Contestant(f"{size:,} {what}", own) for size, own in each.items()]
        outcome = hold(f"a pass against {what}", contestants, settings.repeats)
        medians = [row.seconds.median for row in outcome.rows if row.seconds]
        exponent = float(np.polyfit(np.log(list(each)), np.log(medians), 1)[0])
        fitted = Row(f"a pass against {what}", "fitted exponent", note=f"time ∝ {what}^{exponent:.2f}")
        measured.rows += [*outcome.rows, fitted.with_measures(exponent=exponent)]
        if what == "pairs":
            steepest = _steepest(list(each), medians)
            measured.claim("scaling: exponent in pairs (0.05 for the noise of timing)", exponent, 1.05)
            measured.rows.append(
                Row(f"a pass against {what}", "steepest step", note=f"exponent {steepest:.2f}").with_measures(
                    exponent=steepest
                )
            )
        if what == "levels":
            doubled = max(later / before for before, later in pairwise(medians))
            measured.claim("scaling: a pass with twice the levels, at worst", doubled, 2.3)
    return measured


def _steepest(sizes: list[int], medians: list[float]) -> float:
    """The largest exponent between neighbouring sizes: small sizes are dominated by what is paid once."""
    return float(np.max(np.diff(np.log(medians)) / np.diff(np.log(sizes))))


def _of_pairs(pairs: int, features: int, levels: int) -> Callable[[], object]:
    left = np.random.default_rng(0).normal(size=(pairs, features))
    return _pass([Preferences.from_arrays(left, np.zeros_like(left))], Pairs("split"), levels)


def _of_sets(sets: int, alternatives: int) -> Callable[[], object]:
    data = random_sets(sets, alternatives, 2)
    return _pass([data], Sets.for_data("split", [data], (None, None)), 2)


def _of_agents(agents: int, choices: int) -> Callable[[], object]:
    sides = np.random.default_rng(0).normal(size=(2, agents, choices, 2))
    return _pass([Preferences.from_arrays(*own) for own in sides.transpose(1, 0, 2, 3)], Pairs("split"), 2)


def _pass(groups: Sequence[Preferences | Choices], likelihood: Likelihood, levels: int) -> Callable[[], object]:
    """Over the data of one decision-maker, or of several with parameters of their own."""
    epsilon, features = (None,) * levels, groups[0].features
    specification = Specification((Linear(),) * levels, epsilon, (1.0,) * levels, likelihood, features)
    scaling = Scaling(np.zeros(len(features)), np.ones(len(features)))
    problem = Problem.of(specification, groups, None, scaling)
    shape = len(groups), 1, specification.size
    vectors = np.abs(np.random.default_rng(0).normal(size=shape)) / np.sqrt(len(features))
    return lambda: problem.negative_log_likelihood(vectors, order=1)
