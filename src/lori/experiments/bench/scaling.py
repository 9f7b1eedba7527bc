"""Scaling: how does the cost of a pass (value and gradient) grow with pairs, features and levels?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lori.data.preferences import Preferences
from lori.experiments.bench.contest import Contestant, Measured, Row, hold
from lori.inference.problem import Problem
from lori.inference.statistics import Scaling
from lori.model.likelihoods import Pairs
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
    fixed_pairs: int = 200_000
    """Pairs where features or levels vary."""
    repeats: int = 7
    """Rounds of each contest."""


SMOKE = ScalingSettings((1_000, 10_000), (2, 4), (1, 2), 5_000, 1)


def measure(settings: ScalingSettings) -> Measured:
    measured = Measured()
    fixed = settings.fixed_pairs
    sizes = {
        "pairs": {size: (size, 2, 2) for size in settings.pairs},
        "features": {size: (fixed, size, 2) for size in settings.features},
        "levels": {size: (fixed, 2, size) for size in settings.levels},
    }
    for what, shapes in sizes.items():
        contestants = [Contestant(f"{size:,} {what}", _pass(*shape)) for size, shape in shapes.items()]
        outcome = hold(f"a pass against {what}", contestants, settings.repeats)
        medians = [row.seconds.median for row in outcome.rows if row.seconds]
        exponent = float(np.polyfit(np.log(list(shapes)), np.log(medians), 1)[0])
        fitted = Row(f"a pass against {what}", "fitted exponent", note=f"time ∝ {what}^{exponent:.2f}")
        measured.rows += [*outcome.rows, fitted.with_measures(exponent=exponent)]
        if what == "pairs":
            steepest = _steepest(list(shapes), medians)
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


def _pass(pairs: int, features: int, levels: int):
    generator = np.random.default_rng(0)
    left = generator.normal(size=(pairs, features))
    preferences = Preferences.from_arrays(left, np.zeros_like(left))
    specification = Specification(
        (Linear(),) * levels, (None,) * levels, (1.0,) * levels, Pairs("split"), preferences.features
    )
    problem = Problem.of(specification, [preferences], None, Scaling(np.zeros(features), np.ones(features)))
    vector = np.abs(generator.normal(size=(1, 1, specification.size))) / np.sqrt(features)
    return lambda: problem.negative_log_likelihood(vector, order=1)
